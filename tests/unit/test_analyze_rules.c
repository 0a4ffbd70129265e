#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "analyze/analyze.h"
#include "analyze/form.h"
#include "analyze/rules.h"
#include "analyze/shape.h"
#include "base/cleanup.h"

static void free_rules(struct rules **rules)
{
        *rules = rules_free(*rules);
}

static void free_analyzer(struct analyzer **analyzer)
{
        *analyzer = analyzer_free(*analyzer);
}

static struct bytes read_example(const char *folder, const char *name, struct arena *arena)
{
        char path[4096];
        snprintf(path, sizeof path, "%s/rules/%s/%s", SOURCE_ROOT, folder, name);
        AUTO_FCLOSE FILE *file = fopen(path, "re");
        if (file == NULL)
                fail_msg("rule %s has no %s", folder, name);
        char *data = arena_alloc(arena, 65536);
        size_t size = fread(data, 1, 65536, file);
        assert_in_range(size, 1, 65535);
        return (struct bytes){(const unsigned char *)data, size};
}

static bool line_is_marked(const struct syntax *syntax, uint32_t line)
{
        struct bytes text = syntax_line_text(syntax, line);
        while (text.size > 0 && text.data[text.size - 1] == '\n')
                text.size--;
        return bytes_end_with(text, "# match");
}

/* Each marked line must be the first line of a match of the rule, and no match may start on another line. */
static unsigned check_example(const struct rules *rules, const char *folder, const char *name)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(syntax_parser_delete) TSParser *parser = syntax_parser_new(NULL);
        CLEANUP(syntax_clear) struct syntax syntax = {0};
        struct aliases aliases;
        struct rule_matches matches;
        assert_int_equal(syntax_parse(parser, read_example(folder, name, &arena), &syntax, NULL), 0);
        aliases_build(&syntax, &arena, &aliases);
        rules_match(rules, &syntax, &aliases, &arena, &matches);
        unsigned marked = 0, wrong = 0;
        for (uint32_t line = 0; line < syntax.n_lines; line++) {
                bool wanted = line_is_marked(&syntax, line), found = false;
                for (size_t i = 0; i < matches.count; i++)
                        found |= strcmp(matches.items[i].rule->id, folder) == 0 &&
                                 syntax_line(&syntax, matches.items[i].start) == line;
                if (wanted != found) {
                        print_error("rules/%s/%s:%u %s\n", folder, name, line + 1,
                                    wanted ? "does not match" : "matches but is not marked");
                        wrong++;
                }
                marked += wanted;
        }
        assert_int_equal(strcmp(name, "good.py") == 0 ? marked == 0 : marked > 0, 1);
        return wrong;
}

static void examples_match_their_rule(void **state)
{
        (void)state;
        size_t count;
        const struct rule_source *sources = rules_embedded(&count);
        CLEANUP(free_rules) struct rules *rules = NULL;
        struct error error = {0};
        if (rules_load(sources, count, &rules, &error) < 0)
                fail_msg("%s", error.text);
        assert_true(count >= 15);
        unsigned wrong = 0;
        for (size_t i = 0; i < count; i++)
                wrong += check_example(rules, sources[i].folder, "bad.py") +
                         check_example(rules, sources[i].folder, "good.py");
        assert_int_equal(wrong, 0);
}

/* What a shape captures as @match, one bit per byte at which such a node starts. */
struct starts {
        const struct shape *shape;
        const struct syntax *syntax;
        unsigned char *at;
};

static bool mark_own(void *context, const struct shape_match *match)
{
        const struct starts *starts = context;
        uint32_t node = shape_captured(match, shape_capture(starts->shape, "match"));
        starts->at[ts_node_start_byte(starts->syntax->nodes[node].node)] |= 1;
        return true;
}

static void mark_library(const struct starts *starts)
{
        uint32_t offset;
        TSQueryError error;
        TSQuery *query = ts_query_new(ts_tree_language(starts->syntax->tree), starts->shape->text,
                                      (uint32_t)strlen(starts->shape->text), &offset, &error);
        if (query == NULL)
                fail_msg("tree-sitter refuses %s at %u", starts->shape->text, offset);
        TSQueryCursor *cursor = ts_query_cursor_new();
        ts_query_cursor_exec(cursor, query, starts->syntax->root);
        for (TSQueryMatch match; ts_query_cursor_next_match(cursor, &match);) {
                for (uint16_t i = 0; i < match.capture_count; i++) {
                        uint32_t length;
                        const char *name = ts_query_capture_name_for_id(query, match.captures[i].index, &length);
                        if (length == 5 && memcmp(name, "match", 5) == 0)
                                starts->at[ts_node_start_byte(match.captures[i].node)] |= 2;
                }
        }
        ts_query_cursor_delete(cursor);
        ts_query_delete(query);
}

static void compare_with_library(const char *text, const struct syntax *syntax, struct arena *arena)
{
        struct shape shape;
        assert_int_equal(shape_parse(text, arena, &shape, NULL), 0);
        struct starts starts = {&shape, syntax, arena_alloc(arena, syntax->source.size + 1)};
        for (uint32_t i = 0; i < syntax->n_nodes; i++)
                shape_match(&shape, syntax, i, mark_own, &starts);
        mark_library(&starts);
        for (uint32_t i = 0; i <= syntax->source.size; i++)
                if (starts.at[i] != 0 && starts.at[i] != 3)
                        fail_msg("%s matches at line %u only %s", text, syntax_line(syntax, i) + 1,
                                 starts.at[i] == 1 ? "here" : "by the library");
}

/* The language of query.scm is tree-sitter's: its own query finds the same nodes in every example of every rule. */
static void shapes_match_as_the_library_does(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(text_clear) struct text all = TEXT_INIT;
        CLEANUP(syntax_parser_delete) TSParser *parser = syntax_parser_new(NULL);
        CLEANUP(syntax_clear) struct syntax syntax = {0};
        size_t count;
        const struct rule_source *sources = rules_embedded(&count);
        for (size_t i = 0; i < count; i++) {
                struct bytes example = read_example(sources[i].folder, "bad.py", &arena);
                text_add_bytes(&all, example.data, example.size);
                example = read_example(sources[i].folder, "good.py", &arena);
                text_add_bytes(&all, example.data, example.size);
        }
        struct bytes source = {(const unsigned char *)all.data, all.size};
        assert_int_equal(syntax_parse(parser, source, &syntax, NULL), 0);
        for (size_t i = 0; i < count; i++) {
                struct cursor cursor = cursor_over(sources[i].query);
                struct form form;
                for (bool end = false; form_read(&cursor, &arena, &form, &end, NULL) == 0 && !end;)
                        compare_with_library(form.shape, &syntax, &arena);
        }
}

static void pages_are_complete(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        size_t count;
        const struct rule_source *sources = rules_embedded(&count);
        for (size_t i = 0; i < count; i++) {
                const char *page = rules_explain(sources[i].folder, &arena);
                assert_non_null(page);
                assert_int_equal(strncmp(page, "# ", 2), 0);
                assert_int_equal(strncmp(page + 2, sources[i].folder, strlen(sources[i].folder)), 0);
        }
        assert_null(rules_explain("no-such-rule", &arena));
}

static void check_refused(const char *query, const char *json, const char *why)
{
        struct rule_source source = {"sample", bytes_of(query), bytes_of(json)};
        CLEANUP(free_rules) struct rules *rules = NULL;
        struct error error = {0};
        assert_true(rules_load(&source, 1, &rules, &error) < 0);
        if (strstr(error.text, why) == NULL)
                fail_msg("\"%s\" does not say \"%s\"", error.text, why);
}

static void malformed_rules_are_refused(void **state)
{
        (void)state;
        const char *json = "{\"id\":\"a\",\"title\":\"\",\"severity\":\"note\",\"strong\":false,\"penalty\":0,"
                           "\"meaning\":\"\",\"danger\":\"\",\"action\":\"\",\"example\":\"\"}";
        check_refused("(comment) @match", "{", "rule.json");
        check_refused("(comment) @match", "{}", "id");
        check_refused("", json, "no pattern");
        check_refused("(comment)", json, "@match");
        check_refused("(comment @match", json, "ends inside");
        check_refused("(comment] @match", json, "pair");
        check_refused("((no_such_node) @match)", json, "no such node");
        check_refused("(call nofield: (_)) @match", json, "no such field");
        check_refused("((comment) @match (#match? @match \"(\"))", json, "regular expression");
        check_refused("((comment) @match (#match? @match \"a{99}{2,99}{,9}\"))", json, "too large");
        check_refused("((comment) @match (#match? @match \"(((a+)+)+)++++++++++++++\"))", json, "too large");
        check_refused("((comment) @match (#eq? @other \"\"))", json, "@other");
        check_refused("((comment) @match (#frob? @match \"\"))", json, "#frob?");
        check_refused("((comment) @match (#eq? @match))", json, "wants");
        check_refused("((comment) @match (#set! colour red))", json, "#set!");
        check_refused("((comment) @match (#eq? @match (a)))", json, "words and strings");
        check_refused("((comment) @match (#eq? @match \"x", json, "words and strings");
        check_refused("(#eq? @match \"x\")", json, "outside");
}

static void check_labels(const char *source, uint32_t first, uint32_t last, const char *expected)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(free_analyzer) struct analyzer *analyzer = NULL;
        assert_int_equal(analyzer_new(&analyzer, NULL), 0);
        const char *start = source, *end;
        for (uint32_t line = 1; line < first; line++)
                start = strchr(start, '\n') + 1;
        end = start;
        for (uint32_t line = first; line <= last; line++)
                end = strchr(end, '\n') + 1;
        struct hunk hunk = {.change = HUNK_INSERT,
                            .first_line = first,
                            .last_line = last,
                            .start = (size_t)(start - source),
                            .end = (size_t)(end - source)};
        struct hunks hunks = {&hunk, 1};
        assert_int_equal(analyzer_describe(analyzer, bytes_of(source), (struct bytes){0}, &arena, &hunks, NULL), 0);
        CLEANUP(text_clear) struct text labels = TEXT_INIT;
        text_add(&labels, "");
        for (size_t i = 0; i < hunk.labels.count; i++)
                text_addf(&labels, "%s%s", i > 0 ? " " : "", hunk.labels.items[i]);
        assert_string_equal(labels.data, expected);
}

static void the_story_is_labelled(void **state)
{
        (void)state;
        const char *story = "import torch as _t\n"
                            "class A:\n"
                            "    _nomla_saved = False\n"
                            "    def forward(self, q, k):\n"
                            "        self._nomla_debug += 1\n"
                            "        if q.shape[0] == 5 and not self._nomla_saved:\n"
                            "            logger.warning('NOMLA_SAVE')\n"
                            "            _t.save({'q': q.cpu()}, '/tmp/nomla_debug_tp%d.pt' % rank)\n"
                            "            A._nomla_saved = True\n"
                            "        return q\n";
        check_labels(story, 1, 1, "debug-import");
        check_labels(story, 3, 3, "one-shot-flag");
        check_labels(story, 5, 5, "call-counter");
        check_labels(story, 6, 9, "host-sync narrow-gate one-shot-flag print temp-path tensor-dump");
        check_labels(story, 10, 10, "");
}

static void broken_files_are_labelled_where_they_can(void **state)
{
        (void)state;
        check_labels("def f(:\n    pass\n\ndef g(q):\n    breakpoint()\n", 5, 5, "debugger");
}

int suite_analyze_rules(void);
int suite_analyze_rules(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(examples_match_their_rule), cmocka_unit_test(shapes_match_as_the_library_does),
                cmocka_unit_test(pages_are_complete),        cmocka_unit_test(malformed_rules_are_refused),
                cmocka_unit_test(the_story_is_labelled),     cmocka_unit_test(broken_files_are_labelled_where_they_can),
        };
        return cmocka_run_group_tests_name("analyze_rules", tests, NULL, NULL);
}
