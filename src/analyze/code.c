#include "analyze/code.h"

#include <string.h>

enum { LINE_NODES = 4096, LINE_DEPTH = 100, ARGUMENTS_LIMIT = 256 };

bool code_spend(struct code *code)
{
        if (code->fuel == 0)
                return false;
        code->fuel--;
        return true;
}

struct bytes code_text(const struct code *code, TSNode node)
{
        return syntax_text(code->syntax, node);
}

bool code_text_is(const struct code *code, TSNode node, const char *text)
{
        return bytes_equal(code_text(code, node), bytes_of(text));
}

bool code_mentions(const struct code *code, TSNode node, struct bytes word)
{
        struct bytes text = code_text(code, node);
        return text.size > 0 && word.size > 0 && memmem(text.data, text.size, word.data, word.size) != NULL;
}

struct bytes code_quoted(const struct code *code, TSNode node)
{
        return syntax_is(node, "string") ? code_text(code, node_child_of(node, "string_content"))
                                         : (struct bytes){NULL, 0};
}

struct line {
        struct text text;
        uint32_t end; /* of the source that is in already */
        unsigned left;
};

/* A gap becomes one space, but a line break just inside brackets is layout and goes. */
static bool line_wants_space(const struct code *code, const struct line *line, uint32_t start)
{
        const unsigned char *source = code->syntax->source.data;
        if (start <= line->end)
                return false;
        bool broken = memchr(source + line->end, '\n', start - line->end) != NULL;
        bool opened = strchr("([{", line->text.data[line->text.size - 1]) != NULL;
        bool closes = strchr(")]}", source[start]) != NULL;
        return !(broken && (opened || closes));
}

static void line_add(const struct code *code, struct line *line, TSNode node)
{
        uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
        if (line->text.size > 0 && line_wants_space(code, line, start))
                text_add_char(&line->text, ' ');
        text_add_bytes(&line->text, code->syntax->source.data + start, end - start);
        line->end = end;
}

static void line_add_tree(const struct code *code, struct line *line, TSNode node, unsigned depth)
{
        static const char *const dropped[] = {"comment", "line_continuation", NULL};
        if (line->left == 0 || node_is_any(node, dropped))
                return;
        line->left--;
        uint32_t count = ts_node_child_count(node);
        if (count == 0 || depth == 0 || syntax_is(node, "string")) {
                line_add(code, line, node);
                return;
        }
        for (uint32_t i = 0; i < count; i++)
                line_add_tree(code, line, ts_node_child(node, i), depth - 1);
}

const char *code_line(const struct code *code, TSNode node)
{
        struct line line = {.text = TEXT_INIT, .left = LINE_NODES};
        if (!ts_node_is_null(node))
                line_add_tree(code, &line, node, LINE_DEPTH);
        const char *text = arena_strndup(code->arena, line.text.size > 0 ? line.text.data : "", line.text.size);
        text_clear(&line.text);
        return text;
}

void code_locate(const struct code *code, uint32_t byte, struct place *ret_place)
{
        ret_place->depth = 0;
        TSNode node = code->syntax->root;
        while (ret_place->depth < PLACE_DEPTH) {
                ret_place->nodes[ret_place->depth++] = node;
                TSNode child = ts_node_first_child_for_byte(node, byte);
                if (ts_node_is_null(child) || ts_node_start_byte(child) > byte)
                        return;
                node = child;
        }
}

bool node_is_any(TSNode node, const char *const *types)
{
        for (size_t i = 0; types[i] != NULL; i++)
                if (syntax_is(node, types[i]))
                        return true;
        return false;
}

TSNode node_field(TSNode node, const char *name)
{
        TSNode found = ts_node_is_null(node) ? node : syntax_field(node, name);
        /* A comment between a header and its block is given the block's field name by the grammar. */
        while (syntax_is(found, "comment"))
                found = ts_node_next_sibling(found);
        return found;
}

bool node_is_field(TSNode node, const char *name, TSNode child)
{
        TSNode found = ts_node_is_null(node) ? node : syntax_field(node, name);
        return !ts_node_is_null(found) && ts_node_eq(found, child);
}

TSNode node_parent(TSNode node)
{
        return ts_node_is_null(node) ? node : ts_node_parent(node);
}

uint32_t node_count(TSNode node)
{
        return ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
}

TSNode node_at(TSNode node, uint32_t index)
{
        return ts_node_is_null(node) ? node : ts_node_named_child(node, index);
}

TSNode node_child_of(TSNode node, const char *type)
{
        uint32_t count = ts_node_is_null(node) ? 0 : ts_node_child_count(node);
        for (uint32_t i = 0; i < count; i++) {
                TSNode child = ts_node_child(node, i);
                if (syntax_is(child, type))
                        return child;
        }
        return NODE_NULL;
}

struct children children_begin(TSNode node, uint32_t byte)
{
        return (struct children){.cursor = ts_tree_cursor_new(node), .ended = ts_node_is_null(node), .byte = byte};
}

TSNode children_next(struct children *children)
{
        while (!children->ended) {
                bool moved = children->started
                                     ? ts_tree_cursor_goto_next_sibling(&children->cursor)
                                     : ts_tree_cursor_goto_first_child_for_byte(&children->cursor, children->byte) >= 0;
                children->started = true;
                children->ended = !moved;
                TSNode child = moved ? ts_tree_cursor_current_node(&children->cursor) : NODE_NULL;
                if (moved && ts_node_is_named(child) && ts_node_end_byte(child) > children->byte)
                        return child;
        }
        return NODE_NULL;
}

void children_end(struct children *children)
{
        ts_tree_cursor_delete(&children->cursor);
}

TSNode node_unwrap(TSNode node)
{
        for (int i = 0; i < 64 && syntax_is(node, "parenthesized_expression"); i++) {
                TSNode inner = NODE_NULL;
                uint32_t count = node_count(node);
                for (uint32_t j = 0; j < count && ts_node_is_null(inner); j++)
                        if (!syntax_is(ts_node_named_child(node, j), "comment"))
                                inner = ts_node_named_child(node, j);
                if (ts_node_is_null(inner))
                        return node;
                node = inner;
        }
        return node;
}

bool node_contains(TSNode node, uint32_t byte)
{
        return !ts_node_is_null(node) && ts_node_start_byte(node) <= byte && byte < ts_node_end_byte(node);
}

bool node_is_function(TSNode node)
{
        return syntax_is(node, "function_definition") || syntax_is(node, "lambda");
}

bool node_is_scope(TSNode node)
{
        return node_is_function(node) || syntax_is(node, "class_definition") || syntax_is(node, "module");
}

TSNode code_argument(const struct code *code, TSNode call, int position, const char *keyword)
{
        TSNode arguments = node_field(call, "arguments");
        uint32_t count = syntax_is(arguments, "argument_list") ? node_count(arguments) : 0;
        int seen = 0;
        bool splat = false;
        for (uint32_t i = 0; i < count && i < ARGUMENTS_LIMIT; i++) {
                TSNode argument = ts_node_named_child(arguments, i);
                bool named = syntax_is(argument, "keyword_argument");
                if (named && keyword != NULL && code_text_is(code, syntax_field(argument, "name"), keyword))
                        return node_field(argument, "value");
                splat |= syntax_is(argument, "list_splat");
                if (named || splat || syntax_is(argument, "comment"))
                        continue;
                if (seen++ == position)
                        return argument;
        }
        return NODE_NULL;
}
