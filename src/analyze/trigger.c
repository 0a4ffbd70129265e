#include "analyze/trigger.h"

#include <string.h>

#include "base/cleanup.h"

static const char *const exits[] = {"return_statement", "continue_statement", "break_statement", "raise_statement",
                                    NULL};

static void conditions_add(struct conditions *conditions, struct condition condition)
{
        if (conditions->count < CONDITIONS_LIMIT)
                conditions->items[conditions->count++] = condition;
}

static bool is_true(struct code *code, TSNode test)
{
        test = node_unwrap(test);
        return syntax_is(test, "true") || code_text_is(code, test, "1");
}

/* The block of an if, elif, else or case. */
static TSNode block_of(TSNode node)
{
        return node_child_of(node, "block");
}

static void add_test(struct code *code, struct conditions *conditions, TSNode test, bool negated, TSNode body,
                     TSNode around)
{
        if (ts_node_is_null(test) || (!negated && is_true(code, test)))
                return;
        conditions_add(conditions, (struct condition){.kind = CONDITION_TEST,
                                                      .node = test,
                                                      .negated = negated,
                                                      .body = body,
                                                      .from = ts_node_is_null(body) ? 0 : ts_node_start_byte(body),
                                                      .around = around});
}

/* Inside `child` of an if: the test, or for a later branch that the tests before it failed. */
static void add_if(struct code *code, struct conditions *conditions, TSNode node, TSNode child, TSNode around)
{
        static const char *const branches[] = {"block", "elif_clause", "else_clause", NULL};
        if (!node_is_any(child, branches))
                return;
        TSNode test = node_field(node, "condition");
        bool first = syntax_is(child, "block");
        TSNode body = first ? child : block_of(child);
        add_test(code, conditions, test, !first, body, around);
        uint32_t count = first ? 0 : ts_node_child_count(node);
        for (uint32_t i = 0; i < count && conditions->count < CONDITIONS_LIMIT; i++) {
                TSNode clause = ts_node_child(node, i);
                bool here = ts_node_eq(clause, child);
                if (syntax_is(clause, "elif_clause"))
                        add_test(code, conditions, node_field(clause, "condition"), !here, body, around);
                if (here)
                        break;
        }
}

static void add_while(struct code *code, struct conditions *conditions, TSNode node, TSNode child, TSNode around)
{
        if (syntax_is(child, "block"))
                add_test(code, conditions, node_field(node, "condition"), false, child, around);
}

static void add_ternary(struct code *code, struct conditions *conditions, TSNode node, TSNode child, TSNode around)
{
        (void)around;
        TSNode test = node_at(node, 1);
        if (!ts_node_eq(test, child))
                add_test(code, conditions, test, !ts_node_eq(node_at(node, 0), child), NODE_NULL, NODE_NULL);
}

/* `x and f()`: f is reached when x holds; `x or f()`: when it does not. */
static void add_boolean(struct code *code, struct conditions *conditions, TSNode node, TSNode child, TSNode around)
{
        (void)around;
        TSNode left = node_field(node, "left");
        if (!ts_node_eq(left, child))
                add_test(code, conditions, left, code_text_is(code, node_field(node, "operator"), "or"), NODE_NULL,
                         NODE_NULL);
}

static void add_except(struct code *code, struct conditions *conditions, TSNode node, TSNode child, TSNode around)
{
        (void)code;
        if (syntax_is(child, "block"))
                conditions_add(conditions, (struct condition){.kind = CONDITION_EXCEPT,
                                                              .node = node,
                                                              .body = child,
                                                              .from = ts_node_start_byte(child),
                                                              .around = around});
}

static void add_case(struct code *code, struct conditions *conditions, TSNode node, TSNode child, TSNode around)
{
        bool wildcard = code_text_is(code, node_child_of(node, "case_pattern"), "_") &&
                        ts_node_is_null(node_field(node, "guard"));
        if (syntax_is(child, "block") && !wildcard)
                conditions_add(conditions, (struct condition){.kind = CONDITION_CASE,
                                                              .node = node,
                                                              .body = child,
                                                              .from = ts_node_start_byte(child),
                                                              .around = around});
}

/* [f(x) for x in xs if test] */
static void add_filters(struct code *code, struct conditions *conditions, TSNode node, TSNode child, TSNode around)
{
        (void)around;
        uint32_t count = ts_node_eq(node_field(node, "body"), child) ? node_count(node) : 0;
        for (uint32_t i = 0; i < count; i++) {
                TSNode clause = node_at(node, i);
                if (syntax_is(clause, "if_clause"))
                        add_test(code, conditions, node_at(clause, 0), false, NODE_NULL, NODE_NULL);
        }
}

/* A statement without alternatives whose block ends by leaving. */
static bool leaves_when_true(TSNode statement)
{
        if (!syntax_is(statement, "if_statement") || !ts_node_is_null(node_field(statement, "alternative")))
                return false;
        TSNode block = block_of(statement);
        uint32_t count = ts_node_is_null(block) ? 0 : node_count(block);
        for (uint32_t i = count; i > 0; i--)
                if (!syntax_is(node_at(block, i - 1), "comment"))
                        return node_is_any(node_at(block, i - 1), exits);
        return false;
}

/* Guards before `child` in the same block. */
static void add_guards(struct code *code, struct conditions *conditions, TSNode block, TSNode child, uint32_t since)
{
        CLEANUP(children_end) struct children children = children_begin(block, since);
        for (TSNode statement; !ts_node_is_null(statement = children_next(&children)) && code_spend(code);) {
                if (ts_node_start_byte(statement) >= ts_node_start_byte(child))
                        break;
                if (ts_node_start_byte(statement) >= since && leaves_when_true(statement))
                        conditions_add(conditions, (struct condition){.kind = CONDITION_TEST,
                                                                      .node = node_field(statement, "condition"),
                                                                      .negated = true,
                                                                      .leaves = true,
                                                                      .body = block,
                                                                      .from = ts_node_end_byte(statement)});
        }
}

typedef void condition_adder(struct code *code, struct conditions *conditions, TSNode node, TSNode child,
                             TSNode around);

static const struct {
        const char *type;
        condition_adder *add;
} adders[] = {
        {"if_statement", add_if},
        {"while_statement", add_while},
        {"conditional_expression", add_ternary},
        {"boolean_operator", add_boolean},
        {"except_clause", add_except},
        {"except_group_clause", add_except},
        {"case_clause", add_case},
        {"list_comprehension", add_filters},
        {"set_comprehension", add_filters},
        {"dictionary_comprehension", add_filters},
        {"generator_expression", add_filters},
};

void trigger_conditions(struct code *code, uint32_t at, uint32_t since, struct conditions *conditions)
{
        struct place place;
        code_locate(code, at, &place);
        size_t before = conditions->count;
        conditions->function = code->syntax->root;
        for (size_t i = 0; i + 1 < place.depth; i++) {
                TSNode node = place.nodes[i], child = place.nodes[i + 1];
                TSNode around = i > 0 && syntax_is(place.nodes[i - 1], "block") ? place.nodes[i - 1] : NODE_NULL;
                if (node_is_scope(node)) {
                        conditions->function = node;
                        if (ts_node_start_byte(node) < since)
                                conditions->count = before;
                }
                if (syntax_is(node, "block") || syntax_is(node, "module"))
                        add_guards(code, conditions, node, child, since);
                for (size_t j = 0; j < sizeof adders / sizeof *adders; j++)
                        if (syntax_is(node, adders[j].type))
                                adders[j].add(code, conditions, node, child, around);
        }
        for (size_t i = before; i < conditions->count; i++)
                conditions->items[i].at = at;
}

static void parts_add(struct parts *parts, size_t condition, TSNode node, bool negated)
{
        if (parts->count < PARTS_LIMIT)
                parts->items[parts->count++] = (struct part){.condition = condition, .node = node, .negated = negated};
}

/* Splits along `and`, and along `or` where the whole is negated. */
static void split(struct code *code, struct parts *parts, size_t condition, TSNode node, bool negated, unsigned depth)
{
        TSNode inner = node_unwrap(node);
        if (depth > 0 && syntax_is(inner, "not_operator")) {
                split(code, parts, condition, node_field(inner, "argument"), !negated, depth - 1);
        } else if (depth > 0 && syntax_is(inner, "boolean_operator") &&
                   code_text_is(code, node_field(inner, "operator"), negated ? "or" : "and")) {
                split(code, parts, condition, node_field(inner, "left"), negated, depth - 1);
                split(code, parts, condition, node_field(inner, "right"), negated, depth - 1);
        } else {
                parts_add(parts, condition, inner, negated);
        }
}

void trigger_parts(struct code *code, const struct conditions *conditions, struct parts *ret_parts)
{
        ret_parts->count = 0;
        for (size_t i = 0; i < conditions->count; i++) {
                const struct condition *condition = &conditions->items[i];
                if (condition->kind == CONDITION_TEST)
                        split(code, ret_parts, i, condition->node, condition->negated, 32);
        }
}

bool trigger_is_dead(struct code *code, const struct parts *parts)
{
        for (size_t i = 0; i < parts->count; i++) {
                const struct part *part = &parts->items[i];
                bool holds = is_true(code, part->node);
                bool fails = syntax_is(part->node, "false") || code_text_is(code, part->node, "0");
                if (part->negated ? holds : fails)
                        return true;
        }
        return false;
}

/* `a` binds looser than "and", so that it needs parentheses as a part of one; `not a` binds looser than operators. */
static bool is_loose(struct code *code, TSNode node)
{
        static const char *const loose[] = {"conditional_expression", "lambda", "named_expression", NULL};
        bool either = syntax_is(node, "boolean_operator") && code_text_is(code, node_field(node, "operator"), "or");
        return either || node_is_any(node, loose);
}

static bool is_atom(TSNode node)
{
        static const char *const atoms[] = {"identifier", "attribute", "call", "subscript", "true", "false", NULL};
        return node_is_any(node, atoms);
}

/* The comparison with its operator turned round, where that is exactly its negation; "" where it is not. */
static const char *turned(struct code *code, TSNode node)
{
        static const char *const pairs[][2] = {{"==", "!="}, {"is", "is not"}, {"in", "not in"}};
        if (!syntax_is(node, "comparison_operator") || node_count(node) != 2)
                return "";
        const char *operator= code_line(code, node_field(node, "operators"));
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
                for (int side = 0; side < 2; side++)
                        if (strcmp(operator, pairs[i][side]) == 0)
                                return arena_printf(code->arena, "%s %s %s", code_line(code, node_at(node, 0)),
                                                    pairs[i][!side], code_line(code, node_at(node, 1)));
        return "";
}

static const char *negation(struct code *code, TSNode node)
{
        const char *text = code_line(code, node);
        return arena_printf(code->arena, is_atom(node) ? "not %s" : "not (%s)", text);
}

static void add_and(struct text *text, const char *more)
{
        text_add(text, text->size > 0 ? " and " : "");
        text_add(text, more);
}

static void add_part(struct code *code, struct text *text, const struct part *part)
{
        const char *plain = code_line(code, part->node);
        const char *other = part->negated ? turned(code, part->node) : "";
        if (part->negated)
                add_and(text, *other != '\0' ? other : negation(code, part->node));
        else
                add_and(text, is_loose(code, part->node) ? arena_printf(code->arena, "(%s)", plain) : plain);
}

static const char *except_text(struct code *code, TSNode clause)
{
        TSNode value = node_field(clause, "value");
        if (syntax_is(value, "as_pattern"))
                value = node_at(value, 0);
        return ts_node_is_null(value) ? "except" : arena_printf(code->arena, "except %s", code_line(code, value));
}

static const char *case_text(struct code *code, TSNode clause)
{
        static const char *const constants[] = {"integer", "float", "string", "dotted_name", "concatenated_string",
                                                NULL};
        TSNode pattern = node_child_of(clause, "case_pattern"), guard = node_field(clause, "guard");
        TSNode match = node_parent(clause);
        while (!ts_node_is_null(match) && !syntax_is(match, "match_statement"))
                match = node_parent(match);
        const char *subject = code_line(code, node_field(match, "subject")), *text = code_line(code, pattern);
        bool wildcard = code_text_is(code, pattern, "_");
        bool constant = node_count(pattern) == 1 && node_is_any(node_at(pattern, 0), constants);
        const char *test = arena_printf(code->arena, constant ? "%s == %s" : "match %s: case %s", subject, text);
        if (ts_node_is_null(guard))
                return test;
        const char *more = code_line(code, node_at(guard, 0));
        return wildcard ? more : arena_printf(code->arena, "%s and %s", test, more);
}

/* A test of which nothing is left out stays as it was written. */
static void add_test_text(struct code *code, struct text *text, const struct conditions *conditions, size_t index,
                          const struct parts *parts)
{
        const struct condition *condition = &conditions->items[index];
        bool cut = condition->leaves;
        for (size_t i = 0; i < parts->count; i++)
                cut |= parts->items[i].condition == index && parts->items[i].guard;
        TSNode whole = node_unwrap(condition->node);
        bool alone = conditions->count == 1;
        if (!cut && condition->negated)
                add_and(text, negation(code, whole));
        else if (!cut && is_loose(code, whole) && !alone)
                add_and(text, arena_printf(code->arena, "(%s)", code_line(code, whole)));
        else if (!cut)
                add_and(text, code_line(code, whole));
        for (size_t i = 0; cut && i < parts->count; i++)
                if (parts->items[i].condition == index && !parts->items[i].guard)
                        add_part(code, text, &parts->items[i]);
}

const char *trigger_text(struct code *code, const struct conditions *conditions, const struct parts *parts)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        for (size_t i = 0; i < conditions->count; i++) {
                const struct condition *condition = &conditions->items[i];
                if (condition->kind == CONDITION_TEST)
                        add_test_text(code, &text, conditions, i, parts);
                else if (condition->kind == CONDITION_EXCEPT)
                        add_and(&text, except_text(code, condition->node));
                else
                        add_and(&text, case_text(code, condition->node));
        }
        return arena_strndup(code->arena, text.size > 0 ? text.data : "", text.size);
}
