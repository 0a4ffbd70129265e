#include "analyze/shape.h"

#include <string.h>

const TSLanguage *tree_sitter_python(void);

struct parser {
        const TSLanguage *language;
        struct cursor cursor;
        struct arena *arena;
        struct shape shape;
        struct error *error;
};

static int refuse(const struct parser *parser, const char *what, struct bytes where)
{
        return error_set(parser->error, ERR_MALFORMED, 0, "%s \"%.*s\" in the pattern %s", what, (int)where.size,
                         (const char *)where.data, parser->shape.text);
}

static bool token_is(struct form_token token, const char *text)
{
        return bytes_equal(token.text, bytes_of(text));
}

static struct form_token peek(const struct parser *parser)
{
        struct cursor ahead = parser->cursor;
        return form_next_token(&ahead);
}

static int add_symbol(struct parser *parser, struct shape_step *step, struct bytes name, bool named)
{
        TSSymbol symbol =
                ts_language_symbol_for_name(parser->language, (const char *)name.data, (uint32_t)name.size, named);
        bool visible = symbol != 0 && symbol < ts_language_symbol_count(parser->language) &&
                       ts_language_symbol_type(parser->language, symbol) !=
                               TSSymbolTypeAuxiliary; /* a supertype such as (expression) */
        if (!visible)
                return refuse(parser, "no such node type", name);
        if (step->n_symbols == SHAPE_SYMBOLS)
                return refuse(parser, "too many alternatives at", name);
        step->symbols[step->n_symbols++] = symbol;
        return 0;
}

/* (type), (_), _ or "text"; `open` is the token that starts it. Stops behind the type of a parenthesised node. */
static int read_type(struct parser *parser, struct form_token open, struct shape_step *step)
{
        if (open.kind == TOKEN_STRING)
                return add_symbol(parser, step, bytes_of(form_unquote(parser->arena, open.text)), false);
        if (token_is(open, "_"))
                return 0;
        if (!token_is(open, "("))
                return refuse(parser, "no node at", open.text);
        struct form_token type = form_next_token(&parser->cursor);
        if (type.kind != TOKEN_WORD)
                return refuse(parser, "no node type at", type.text);
        step->named = true;
        return token_is(type, "_") ? 0 : add_symbol(parser, step, type.text, true);
}

static int read_alternatives(struct parser *parser, struct shape_step *step)
{
        for (struct form_token token = form_next_token(&parser->cursor); token.kind != TOKEN_CLOSE;
             token = form_next_token(&parser->cursor)) {
                int rc = token_is(token, "_") ? refuse(parser, "no alternative", token.text)
                                              : read_type(parser, token, step);
                if (rc < 0)
                        return rc;
                if (token.kind == TOKEN_OPEN && form_next_token(&parser->cursor).kind != TOKEN_CLOSE)
                        return refuse(parser, "an alternative with children at", token.text);
        }
        return step->n_symbols > 0 ? 0 : refuse(parser, "no alternatives at", BYTES_LITERAL("[]"));
}

static int add_capture(struct parser *parser, struct shape_step *step, struct bytes name)
{
        struct shape *shape = &parser->shape;
        const char *copy = arena_strndup(parser->arena, (const char *)name.data, name.size);
        if (shape_capture(shape, copy) >= 0)
                return refuse(parser, "captured twice:", name);
        if (shape->n_captures == SHAPE_CAPTURES)
                return refuse(parser, "too many captures at", name);
        step->captures |= (unsigned char)(1U << shape->n_captures);
        shape->captures[shape->n_captures++] = copy;
        return 0;
}

static int read_suffixes(struct parser *parser, struct shape_step *step)
{
        for (struct form_token token = peek(parser); token.kind == TOKEN_WORD; token = peek(parser)) {
                if (token_is(token, "+"))
                        step->repeated = true;
                else if (token.text.data[0] != '@')
                        return 0;
                else if (add_capture(parser, step, (struct bytes){token.text.data + 1, token.text.size - 1}) < 0)
                        return ERR_MALFORMED;
                form_next_token(&parser->cursor);
        }
        return 0;
}

static int read_pattern(struct parser *parser, struct shape_step step);

/* The children of a node, up to and with its ")". */
static int read_children(struct parser *parser, unsigned char parent)
{
        struct shape_step child = {.parent = parent, .previous = SHAPE_NO_STEP};
        for (struct form_token token = peek(parser); token.kind != TOKEN_CLOSE; token = peek(parser)) {
                bool field = token.kind == TOKEN_WORD && token.text.data[token.text.size - 1] == ':';
                if (field || token_is(token, "."))
                        form_next_token(&parser->cursor);
                if (field) {
                        child.field = ts_language_field_id_for_name(parser->language, (const char *)token.text.data,
                                                                    (uint32_t)token.text.size - 1);
                        if (child.field == 0)
                                return refuse(parser, "no such field", token.text);
                } else if (token_is(token, ".")) {
                        child.anchored = true;
                } else {
                        unsigned index = parser->shape.n_steps;
                        int rc = read_pattern(parser, child);
                        if (rc < 0)
                                return rc;
                        child = (struct shape_step){.parent = parent, .previous = (unsigned char)index};
                }
        }
        if (child.anchored && child.previous != SHAPE_NO_STEP)
                parser->shape.steps[child.previous].last = true;
        form_next_token(&parser->cursor);
        return 0;
}

/* `step` says where it stands; what it is comes from the text. */
static int read_pattern(struct parser *parser, struct shape_step step)
{
        if (parser->shape.n_steps == SHAPE_STEPS)
                return refuse(parser, "too many nodes in", BYTES_LITERAL("it"));
        unsigned index = parser->shape.n_steps++;
        struct form_token open = form_next_token(&parser->cursor);
        int rc = token_is(open, "[") ? read_alternatives(parser, &step) : read_type(parser, open, &step);
        if (rc == 0 && token_is(open, "("))
                rc = read_children(parser, (unsigned char)index);
        if (rc == 0)
                rc = read_suffixes(parser, &step);
        step.last = parser->shape.steps[index].last;
        parser->shape.steps[index] = step;
        return rc;
}

/* A group `((node) @match)`, written for the sake of its predicates, is that node. */
static int read_group(struct parser *parser, struct shape_step root)
{
        struct cursor ahead = parser->cursor;
        bool group = token_is(form_next_token(&ahead), "(") && form_next_token(&ahead).kind == TOKEN_OPEN;
        if (group)
                form_next_token(&parser->cursor);
        int rc = group ? read_group(parser, root) : read_pattern(parser, root);
        if (rc == 0 && group && form_next_token(&parser->cursor).kind != TOKEN_CLOSE)
                rc = refuse(parser, "several nodes side by side in", BYTES_LITERAL("a group"));
        return rc == 0 && group ? read_suffixes(parser, &parser->shape.steps[0]) : rc;
}

int shape_parse(const char *text, struct arena *arena, struct shape *ret_shape, struct error *ret_error)
{
        struct parser parser = {
                .language = tree_sitter_python(),
                .cursor = cursor_over(bytes_of(text)),
                .arena = arena,
                .shape = {.text = text},
                .error = ret_error,
        };
        int rc = read_group(&parser, (struct shape_step){.parent = SHAPE_NO_STEP, .previous = SHAPE_NO_STEP});
        if (rc == 0 && peek(&parser).kind != TOKEN_END)
                rc = refuse(&parser, "not understood:", peek(&parser).text);
        if (rc == 0 && parser.shape.steps[0].n_symbols == 0)
                rc = refuse(&parser, "a pattern that starts with any node:", BYTES_LITERAL("_"));
        if (rc < 0)
                return rc;
        for (unsigned i = 0; i < parser.shape.n_steps; i++)
                for (unsigned j = 0; j < parser.shape.n_captures; j++)
                        if (parser.shape.steps[i].captures >> j & 1)
                                parser.shape.capture_steps[j] = (unsigned char)i;
        *ret_shape = parser.shape;
        return 0;
}

int shape_capture(const struct shape *shape, const char *name)
{
        for (unsigned i = 0; i < shape->n_captures; i++)
                if (strcmp(shape->captures[i], name) == 0)
                        return (int)i;
        return -1;
}

uint32_t shape_captured(const struct shape_match *match, int capture)
{
        return match->nodes[match->shape->capture_steps[capture]];
}

struct matcher {
        const struct syntax *syntax;
        struct shape_match match;
        shape_found *found;
        void *context;
};

static bool step_fits(const struct shape_step *step, const struct syntax_node *node)
{
        if (step->field != 0 && step->field != node->field)
                return false;
        for (unsigned i = 0; i < step->n_symbols; i++)
                if (step->symbols[i] == node->symbol)
                        return true;
        return step->n_symbols == 0 && (node->named || !step->named);
}

/* First named node from `at` on among the siblings before `end`; `end` when there is none. */
static uint32_t next_named(const struct syntax *syntax, uint32_t at, uint32_t end)
{
        while (at < end && !syntax->nodes[at].named)
                at = syntax->nodes[at].next;
        return at;
}

/* Where a run of nodes that fit ends. */
static uint32_t run_end(const struct syntax *syntax, const struct shape_step *step, uint32_t at, uint32_t end)
{
        for (uint32_t ahead = next_named(syntax, syntax->nodes[at].next, end);
             ahead < end && step_fits(step, &syntax->nodes[ahead]);
             ahead = next_named(syntax, syntax->nodes[at].next, end))
                at = ahead;
        return at;
}

static bool match_from(struct matcher *matcher, unsigned index)
{
        const struct shape *shape = matcher->match.shape;
        if (index == shape->n_steps)
                return matcher->found(matcher->context, &matcher->match);
        const struct shape_step *step = &shape->steps[index];
        const struct syntax_node *nodes = matcher->syntax->nodes;
        uint32_t parent = matcher->match.nodes[step->parent], end = nodes[parent].next;
        uint32_t at = step->previous == SHAPE_NO_STEP ? parent + 1 : nodes[matcher->match.nodes[step->previous]].next;
        for (; at < end; at = nodes[at].next) {
                if (step_fits(step, &nodes[at])) {
                        uint32_t taken = step->repeated ? run_end(matcher->syntax, step, at, end) : at;
                        matcher->match.nodes[index] = taken;
                        bool placed = !step->last || next_named(matcher->syntax, nodes[taken].next, end) == end;
                        if (placed && !match_from(matcher, index + 1))
                                return false;
                }
                if (step->anchored && nodes[at].named)
                        break;
        }
        return true;
}

void shape_match(const struct shape *shape, const struct syntax *syntax, uint32_t node, shape_found *found,
                 void *context)
{
        struct matcher matcher = {.syntax = syntax, .match.shape = shape, .found = found, .context = context};
        if (!step_fits(&shape->steps[0], &syntax->nodes[node]))
                return;
        matcher.match.nodes[0] = node;
        match_from(&matcher, 1);
}
