#include "unit.h"

#include <string.h>

#include "analyze/syntax.h"
#include "base/cleanup.h"

struct fixture {
        TSParser *parser;
        struct syntax syntax;
        struct arena arena;
};

static int parse(struct fixture *fixture, struct bytes source)
{
        *fixture = (struct fixture){.parser = syntax_parser_new(NULL)};
        assert_non_null(fixture->parser);
        return syntax_parse(fixture->parser, source, &fixture->syntax, NULL);
}

static void drop(struct fixture *fixture)
{
        syntax_clear(&fixture->syntax);
        syntax_parser_delete(&fixture->parser);
        arena_clear(&fixture->arena);
}

static void check_function(const char *source, uint32_t first, uint32_t last, const char *expected)
{
        CLEANUP(drop) struct fixture fixture;
        assert_int_equal(parse(&fixture, bytes_of(source)), 0);
        assert_string_equal(syntax_function_at(&fixture.syntax, first, last, &fixture.arena), expected);
}

static void names_the_function_around(void **state)
{
        (void)state;
        const char *nested = "import os\n"                    /* 0 */
                             "class A:\n"                     /* 1 */
                             "    x = 1\n"                    /* 2 */
                             "    @decorate\n"                /* 3 */
                             "    def f(self):\n"             /* 4 */
                             "        if self.x:\n"           /* 5 */
                             "            def g():\n"         /* 6 */
                             "                return 1\n"     /* 7 */
                             "                # trailing g\n" /* 8 */
                             "        # trailing f\n"         /* 9 */
                             "\n"                             /* 10 */
                             "    # in the class\n"           /* 11 */
                             "    def h(self): pass\n"        /* 12 */
                             "y = 2\n";                       /* 13 */
        check_function(nested, 0, 0, "");
        check_function(nested, 2, 2, "A");
        check_function(nested, 3, 3, "A.f");
        check_function(nested, 5, 5, "A.f");
        check_function(nested, 7, 7, "A.f.g");
        check_function(nested, 6, 8, "A.f");
        check_function(nested, 8, 8, "A.f.g");
        check_function(nested, 9, 9, "A.f");
        check_function(nested, 9, 10, "A.f");
        check_function(nested, 11, 11, "A");
        check_function(nested, 12, 12, "A");
        check_function(nested, 13, 13, "");
        check_function(nested, 1, 12, "");
        check_function(nested, 40, 50, "");
}

static void outlines_statements_comments_identifiers(void **state)
{
        (void)state;
        CLEANUP(drop) struct fixture fixture;
        assert_int_equal(parse(&fixture, bytes_of("if a:  # why\n    b.c = d(e=1); f\nelse:\n    # alone\n    g\n")),
                         0);
        const struct syntax *syntax = &fixture.syntax;
        assert_int_equal(syntax->n_lines, 5);
        assert_int_equal(syntax->n_statements, 5);
        assert_int_equal(syntax->statements[0].kind, STATEMENT_BLOCK);
        assert_int_equal(syntax->statements[0].next, 5);
        assert_int_equal(syntax->statements[0].last, 4);
        assert_int_equal(syntax->statements[2].first, 1);
        assert_int_equal(syntax->statements[3].kind, STATEMENT_CLAUSE);
        assert_int_equal(syntax->statements[4].parent, 3);
        assert_int_equal(syntax->n_comments, 2);
        assert_false(syntax->comments[0].alone);
        assert_true(syntax->comments[1].alone);
        assert_int_equal(syntax->n_identifiers, 7);
        assert_false(syntax->identifiers[1].attribute);
        assert_true(syntax->identifiers[2].attribute);
        assert_true(syntax->identifiers[4].attribute);
        assert_int_equal(syntax->identifiers[6].statement, 4);
}

static void tolerates_bytes_that_are_no_utf8(void **state)
{
        (void)state;
        CLEANUP(drop) struct fixture fixture;
        assert_int_equal(parse(&fixture, bytes_of("# caf\xe9\r\nx = 'na\xefve'\r\ny = 1\r\n")), 0);
        assert_int_equal(fixture.syntax.n_statements, 2);
        assert_int_equal(fixture.syntax.statements[1].first, 2);
        assert_false(fixture.syntax.has_errors);
}

static void keeps_what_surrounds_an_error(void **state)
{
        (void)state;
        CLEANUP(drop) struct fixture fixture;
        const char *source = "def f():\n    return 1\n\nx = = = )\n\ndef g():\n    return 2\n";
        assert_int_equal(parse(&fixture, bytes_of(source)), 0);
        assert_true(fixture.syntax.has_errors);
        assert_string_equal(syntax_function_at(&fixture.syntax, 6, 6, &fixture.arena), "g");
        uint32_t bad = (uint32_t)(strstr(source, "= = )") - source);
        assert_true(syntax_is_broken_at(&fixture.syntax, bad, bad + 5));
        assert_false(syntax_is_broken_at(&fixture.syntax, 10, 12));
}

static void refuses_what_is_no_text(void **state)
{
        (void)state;
        CLEANUP(drop) struct fixture fixture;
        assert_int_equal(parse(&fixture, (struct bytes){(const unsigned char *)"x = 1\n\0", 7}), ERR_MALFORMED);
}

static void takes_an_empty_file_and_a_deep_one(void **state)
{
        (void)state;
        CLEANUP(drop) struct fixture fixture;
        assert_int_equal(parse(&fixture, (struct bytes){0}), 0);
        assert_int_equal(fixture.syntax.n_lines, 0);
        assert_int_equal(syntax_statement_at(&fixture.syntax, 0, 0), SYNTAX_NONE);
        CLEANUP(drop) struct fixture deep;
        CLEANUP(text_clear) struct text source = TEXT_INIT;
        for (int i = 0; i < 20000; i++)
                text_add_char(&source, '(');
        parse(&deep, (struct bytes){(const unsigned char *)source.data, source.size});
}

/* A node of more than 65,535 children: tree-sitter 0.20.7 wrote past its memory. */
static void survives_more_children_than_two_bytes_count(void **state)
{
        (void)state;
        static const char *const parts[] = {"(", "[\n", "{", "# a\n", "if a:\n  # a\n"};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
                CLEANUP(drop) struct fixture fixture;
                CLEANUP(text_clear) struct text source = TEXT_INIT;
                for (int j = 0; j < 70000; j++)
                        text_add(&source, parts[i]);
                text_add(&source, "x = 1\n");
                parse(&fixture, (struct bytes){(const unsigned char *)source.data, source.size});
        }
}

int suite_analyze_syntax(void);
int suite_analyze_syntax(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(names_the_function_around),
                cmocka_unit_test(outlines_statements_comments_identifiers),
                cmocka_unit_test(tolerates_bytes_that_are_no_utf8),
                cmocka_unit_test(keeps_what_surrounds_an_error),
                cmocka_unit_test(refuses_what_is_no_text),
                cmocka_unit_test(takes_an_empty_file_and_a_deep_one),
                cmocka_unit_test(survives_more_children_than_two_bytes_count),
        };
        return cmocka_run_group_tests_name("analyze_syntax", tests, NULL, NULL);
}
