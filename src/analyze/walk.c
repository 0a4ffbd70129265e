#include "analyze/walk.h"

#include <string.h>

enum { WALK_DEPTH = 150 };

struct walk {
        struct code *code;
        uint32_t start, end;
        piece_visitor *visit;
        void *context;
};

static const char *const compounds[] = {"module",
                                        "block",
                                        "if_statement",
                                        "elif_clause",
                                        "else_clause",
                                        "for_statement",
                                        "while_statement",
                                        "with_statement",
                                        "try_statement",
                                        "except_clause",
                                        "except_group_clause",
                                        "finally_clause",
                                        "match_statement",
                                        "case_clause",
                                        "function_definition",
                                        "class_definition",
                                        "decorated_definition",
                                        "ERROR",
                                        NULL};
static const char *const prepares[] = {"import_statement",
                                       "import_from_statement",
                                       "future_import_statement",
                                       "global_statement",
                                       "nonlocal_statement",
                                       "pass_statement",
                                       "return_statement",
                                       "continue_statement",
                                       "break_statement",
                                       "string",
                                       "ellipsis",
                                       NULL};
/* Waiting for the device, or copying from it, costs on every call, whatever becomes of the result. */
static const char *const syncs[] = {"cpu", "item", "tolist", "numpy", "synchronize"};

static bool has_sync(struct code *code, TSNode node, unsigned depth)
{
        if (depth == 0 || !code_spend(code))
                return false;
        TSNode method = syntax_is(node, "call") ? node_field(node_field(node, "function"), "attribute") : NODE_NULL;
        for (size_t i = 0; i < sizeof syncs / sizeof *syncs && !ts_node_is_null(method); i++)
                if (code_text_is(code, method, syncs[i]))
                        return true;
        uint32_t count = node_count(node);
        for (uint32_t i = 0; i < count; i++)
                if (has_sync(code, node_at(node, i), depth - 1))
                        return true;
        return false;
}

/* Every target is a plain name. */
static bool is_local_target(TSNode target)
{
        if (!syntax_is(target, "pattern_list") && !syntax_is(target, "tuple_pattern"))
                return syntax_is(target, "identifier");
        uint32_t count = node_count(target);
        for (uint32_t i = 0; i < count; i++)
                if (!syntax_is(node_at(target, i), "identifier"))
                        return false;
        return true;
}

static enum strength strength_of(struct code *code, TSNode statement)
{
        TSNode inner = syntax_is(statement, "expression_statement") ? node_at(statement, 0) : statement;
        if (node_is_any(inner, prepares))
                return STRENGTH_PREPARATION;
        bool assigns = syntax_is(inner, "assignment") && is_local_target(node_field(inner, "left"));
        TSNode value = node_field(inner, "right");
        bool plain = assigns && !syntax_is(value, "assignment") && !has_sync(code, value, 12);
        return plain ? STRENGTH_PREPARATION : STRENGTH_CHANGE;
}

static bool overlaps(const struct walk *walk, TSNode node)
{
        return ts_node_start_byte(node) < walk->end && ts_node_end_byte(node) > walk->start;
}

static bool starts_inside(const struct walk *walk, TSNode node)
{
        uint32_t at = ts_node_start_byte(node);
        return at >= walk->start && at < walk->end;
}

/* Only the header is in the range: what it decides is the code below. */
static void walk_lone_header(const struct walk *walk, TSNode node)
{
        TSNode block = starts_inside(walk, node) ? node_child_of(node, "block") : NODE_NULL;
        if (!ts_node_is_null(block) && !overlaps(walk, block))
                walk->visit(walk->context, node_child_of(node, ":"), STRENGTH_CHANGE, ts_node_start_byte(block));
}

static void walk_node(const struct walk *walk, TSNode node, unsigned depth)
{
        if (depth == 0 || !overlaps(walk, node) || syntax_is(node, "comment") || !code_spend(walk->code))
                return;
        if (!node_is_any(node, compounds)) {
                walk->visit(walk->context, node, strength_of(walk->code, node), ts_node_start_byte(node));
                return;
        }
        bool holds = syntax_is(node, "module") || syntax_is(node, "block") || syntax_is(node, "ERROR");
        bool scope = node_is_scope(node) && !holds;
        uint32_t at = walk->start;
        for (TSNode child; !ts_node_is_null(child = node_next_child(node, &at)) && overlaps(walk, child);) {
                bool header = !holds && !node_is_any(child, compounds) && !syntax_is(child, "comment");
                if (!header)
                        walk_node(walk, child, depth - 1);
                else if (!scope)
                        walk->visit(walk->context, child, STRENGTH_NONE, ts_node_start_byte(child));
        }
        if (scope && starts_inside(walk, node))
                walk->visit(walk->context, node_field(node, "name"), STRENGTH_PREPARATION, ts_node_start_byte(node));
        if (!holds && !scope)
                walk_lone_header(walk, node);
}

void walk_range(struct code *code, uint32_t start, uint32_t end, piece_visitor *visit, void *context)
{
        struct walk walk = {code, start, end, visit, context};
        walk_node(&walk, code->syntax->root, WALK_DEPTH);
}
