#include "analyze/syntax.h"

#include <string.h>

#include "analyze/outline.h"
#include "base/cleanup.h"

enum {
        SOURCE_LIMIT = 2 * 1024 *
                       1024, /* the largest module seen in real environments has 1.6 MB; a tree takes 20 times that */
        PARSE_MICROSECONDS = 2000000,
        TAB_COLUMNS = 8,
};

const TSLanguage *tree_sitter_python(void);

TSParser *syntax_parser_new(struct error *ret_error)
{
        TSParser *parser = ts_parser_new();
        if (!ts_parser_set_language(parser, tree_sitter_python())) {
                error_set(ret_error, ERR_UNSUPPORTED, 0,
                          "the Python grammar has ABI %u, the tree-sitter library reads %u to %u: run tools/setup",
                          (unsigned)ts_language_version(tree_sitter_python()),
                          (unsigned)TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION,
                          (unsigned)TREE_SITTER_LANGUAGE_VERSION);
                ts_parser_delete(parser);
                return NULL;
        }
        ts_parser_set_timeout_micros(parser, PARSE_MICROSECONDS);
        return parser;
}

void syntax_parser_delete(TSParser **parser)
{
        if (*parser != NULL)
                ts_parser_delete(*parser);
        *parser = NULL;
}

static void split_lines(struct syntax *syntax)
{
        const unsigned char *data = syntax->source.data;
        size_t size = syntax->source.size, capacity = size / 16 + 16;
        syntax->lines = heap_resize(NULL, capacity, sizeof *syntax->lines);
        for (size_t at = 0; at < size;) {
                if (syntax->n_lines + 1 >= capacity) {
                        capacity *= 2;
                        syntax->lines = heap_resize(syntax->lines, capacity, sizeof *syntax->lines);
                }
                syntax->lines[syntax->n_lines++] = (uint32_t)at;
                const unsigned char *newline = memchr(data + at, '\n', size - at);
                at = newline != NULL ? (size_t)(newline - data) + 1 : size;
        }
        syntax->lines[syntax->n_lines] = (uint32_t)size;
}

int syntax_parse(TSParser *parser, struct bytes source, struct syntax *ret_syntax, struct error *ret_error)
{
        if (source.size > SOURCE_LIMIT)
                return error_set(ret_error, ERR_LIMIT, 0, "source of %zu bytes: more than %d are not analysed",
                                 source.size, SOURCE_LIMIT);
        if (source.size > 0 && memchr(source.data, '\0', source.size) != NULL)
                return error_set(ret_error, ERR_MALFORMED, 0, "no Python text: it holds NUL bytes");
        CLEANUP(syntax_clear) struct syntax syntax = {.source = source};
        syntax.tree = ts_parser_parse_string(parser, NULL, source.size > 0 ? (const char *)source.data : "",
                                             (uint32_t)source.size);
        if (syntax.tree == NULL) {
                ts_parser_reset(parser);
                return error_set(ret_error, ERR_LIMIT, 0, "source takes longer than %d s to parse",
                                 PARSE_MICROSECONDS / 1000000);
        }
        syntax.root = ts_tree_root_node(syntax.tree);
        syntax.has_errors = ts_node_has_error(syntax.root);
        split_lines(&syntax);
        if (!outline_build(&syntax))
                return error_set(ret_error, ERR_LIMIT, 0, "source with too many parts to analyse");
        if (syntax_is(syntax.root, "ERROR") && syntax.n_statements == 0)
                return error_set(ret_error, ERR_MALFORMED, 0, "no Python text: nothing in it parses");
        *ret_syntax = syntax;
        syntax = (struct syntax){0};
        return 0;
}

void syntax_clear(struct syntax *syntax)
{
        if (syntax->tree != NULL)
                ts_tree_delete(syntax->tree);
        free(syntax->nodes);
        free(syntax->lines);
        free(syntax->statements);
        free(syntax->comments);
        free(syntax->identifiers);
        free(syntax->names);
        *syntax = (struct syntax){0};
}

bool syntax_is(TSNode node, const char *type)
{
        return !ts_node_is_null(node) && strcmp(ts_node_type(node), type) == 0;
}

struct bytes syntax_text(const struct syntax *syntax, TSNode node)
{
        if (ts_node_is_null(node))
                return (struct bytes){0};
        uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
        return (struct bytes){syntax->source.data + start, end - start};
}

TSNode syntax_field(TSNode node, const char *field)
{
        return ts_node_child_by_field_name(node, field, (uint32_t)strlen(field));
}

uint32_t syntax_line(const struct syntax *syntax, uint32_t byte)
{
        uint32_t low = 0, high = syntax->n_lines;
        while (low + 1 < high) {
                uint32_t middle = low + (high - low) / 2;
                if (syntax->lines[middle] <= byte)
                        low = middle;
                else
                        high = middle;
        }
        return low;
}

struct bytes syntax_line_text(const struct syntax *syntax, uint32_t line)
{
        if (line >= syntax->n_lines)
                return (struct bytes){0};
        uint32_t start = syntax->lines[line];
        return (struct bytes){syntax->source.data + start, syntax->lines[line + 1] - start};
}

uint32_t syntax_indent(const struct syntax *syntax, uint32_t line, bool *ret_blank)
{
        struct bytes text = syntax_line_text(syntax, line);
        uint32_t column = 0;
        size_t at = 0;
        for (; at < text.size && (text.data[at] == ' ' || text.data[at] == '\t' || text.data[at] == '\f'); at++)
                column = text.data[at] == '\t' ? (column / TAB_COLUMNS + 1) * TAB_COLUMNS : column + 1;
        *ret_blank = at == text.size || text.data[at] == '\n' || text.data[at] == '\r';
        return column;
}

TSNode syntax_node_at(const struct syntax *syntax, uint32_t start, uint32_t end)
{
        return ts_node_named_descendant_for_byte_range(syntax->root, start, end);
}

/* Whatever covers the bytes is the statement that started last before them, or one around that. */
uint32_t syntax_statement_at(const struct syntax *syntax, uint32_t start, uint32_t end)
{
        uint32_t low = 0, high = syntax->n_statements;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (syntax->statements[middle].start <= start)
                        low = middle + 1;
                else
                        high = middle;
        }
        uint32_t found = low > 0 ? low - 1 : SYNTAX_NONE;
        while (found != SYNTAX_NONE && syntax->statements[found].end < end)
                found = syntax->statements[found].parent;
        return found;
}

bool syntax_is_broken_at(const struct syntax *syntax, uint32_t start, uint32_t end)
{
        if (!syntax->has_errors)
                return false;
        TSNode node = ts_node_descendant_for_byte_range(syntax->root, start, end);
        for (; !ts_node_is_null(node); node = ts_node_parent(node))
                if (syntax_is(node, "ERROR"))
                        return true;
        return false;
}

/* Between a body's end and the place asked for there may only be blank lines and lines indented like the body. */
static bool trails_body(const struct syntax *syntax, const struct statement *scope, uint32_t line, uint32_t indent)
{
        bool blank;
        uint32_t header = syntax_indent(syntax, scope->first, &blank);
        if (indent <= header)
                return false;
        for (uint32_t i = scope->last + 1; i < line; i++)
                if (syntax_indent(syntax, i, &blank) <= header && !blank)
                        return false;
        return true;
}

/* Blank lines at either end say nothing about where a hunk belongs. */
static void trim_blank_lines(const struct syntax *syntax, uint32_t *first, uint32_t *last)
{
        bool blank;
        while (*first < *last && (syntax_indent(syntax, *first, &blank), blank))
                (*first)++;
        while (*first < *last && (syntax_indent(syntax, *last, &blank), blank))
                (*last)--;
}

const char *syntax_function_at(const struct syntax *syntax, uint32_t first, uint32_t last, struct arena *arena)
{
        bool blank;
        uint32_t line = first;
        last = last < syntax->n_lines ? last : syntax->n_lines;
        trim_blank_lines(syntax, &line, &last);
        uint32_t indent = syntax_indent(syntax, line, &blank);
        CLEANUP(text_clear) struct text name = TEXT_INIT;
        for (uint32_t i = 0; i < syntax->n_statements;) {
                const struct statement *statement = &syntax->statements[i];
                bool decorated = statement->parent != SYNTAX_NONE &&
                                 syntax->statements[statement->parent].kind == STATEMENT_DECORATED;
                if (statement->first > line && !decorated)
                        break;
                bool whole = statement->first >= line && statement->last <= last;
                bool inside = (statement->last >= last && !whole) ||
                              (statement->last < line && !blank && trails_body(syntax, statement, line, indent));
                if (inside && (statement->kind == STATEMENT_FUNCTION || statement->kind == STATEMENT_CLASS)) {
                        struct bytes own = syntax_text(syntax, syntax_field(statement->node, "name"));
                        text_add(&name, name.size > 0 ? "." : "");
                        text_add_bytes(&name, own.data, own.size);
                }
                i = inside ? i + 1 : statement->next;
        }
        return arena_strndup(arena, name.size > 0 ? name.data : "", name.size);
}
