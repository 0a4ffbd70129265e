#include "analyze/walk.h"

#include "analyze/names.h"
#include "base/cleanup.h"

enum { WALK_DEPTH = 150, SYNC_DEPTH = 12 };

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
static const char *const inert[] = {
        "global_statement", "nonlocal_statement", "pass_statement", "string", "concatenated_string", "ellipsis", NULL};
static const char *const prepares[] = {"import_statement",
                                       "import_from_statement",
                                       "future_import_statement",
                                       "return_statement",
                                       "continue_statement",
                                       "break_statement",
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

static bool overlaps(const struct walk *walk, TSNode node)
{
        return ts_node_start_byte(node) < walk->end && ts_node_end_byte(node) > walk->start;
}

static bool starts_inside(const struct walk *walk, TSNode node)
{
        uint32_t at = ts_node_start_byte(node);
        return at >= walk->start && at < walk->end;
}

/* The name is met in the same function outside the range: what is bound to it there is not the hunk's own. */
static bool is_shared(const struct walk *walk, TSNode name)
{
        struct place place;
        code_locate(walk->code, ts_node_start_byte(name), &place);
        TSNode scope = names_scope(&place, place.depth);
        if (!node_is_function(scope))
                return false;
        struct occurrences occurrences = names_occurrences(walk->code, code_text(walk->code, name),
                                                           ts_node_start_byte(scope), ts_node_end_byte(scope));
        while (names_next(walk->code, &occurrences, &place)) {
                TSNode leaf = place.nodes[place.depth - 1];
                TSNode around = place.depth > 1 ? place.nodes[place.depth - 2] : NODE_NULL;
                bool other = node_is_field(around, "attribute", leaf) || node_is_field(around, "name", leaf);
                if (!other && !starts_inside(walk, leaf))
                        return true;
        }
        return false;
}

/* Every target is a plain name that only the range itself uses. */
static bool is_own_target(const struct walk *walk, TSNode target)
{
        bool several = syntax_is(target, "pattern_list") || syntax_is(target, "tuple_pattern");
        uint32_t count = several ? node_count(target) : 1;
        for (uint32_t i = 0; i < count; i++) {
                TSNode name = several ? node_at(target, i) : target;
                if (!syntax_is(name, "identifier") || is_shared(walk, name))
                        return false;
        }
        return true;
}

static enum strength strength_of(const struct walk *walk, TSNode statement)
{
        TSNode inner = syntax_is(statement, "expression_statement") ? node_at(statement, 0) : statement;
        if (node_is_any(inner, inert))
                return STRENGTH_NONE;
        if (node_is_any(inner, prepares))
                return STRENGTH_PREPARATION;
        TSNode value = node_field(inner, "right");
        bool plain = syntax_is(inner, "assignment") && !syntax_is(value, "assignment") &&
                     is_own_target(walk, node_field(inner, "left")) && !has_sync(walk->code, value, SYNC_DEPTH);
        return plain ? STRENGTH_PREPARATION : STRENGTH_CHANGE;
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
                walk->visit(walk->context, node, strength_of(walk, node), ts_node_start_byte(node));
                return;
        }
        bool holds = syntax_is(node, "module") || syntax_is(node, "block") || syntax_is(node, "ERROR");
        bool scope = node_is_scope(node) && !holds;
        CLEANUP(children_end) struct children children = children_begin(node, walk->start);
        for (TSNode child; !ts_node_is_null(child = children_next(&children)) && overlaps(walk, child);) {
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
