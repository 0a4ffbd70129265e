/* Which names a statement binds, and who reads them. */
#include "analyze/suspicion.h"

#include <string.h>

enum { USES_LIMIT = 500 }; /* a name used more often is not one for debugging */

/* From the syntax's chains of equal identifiers: numbers the spellings, and lays their occurrences side by side, so
 * that those from some place on are found by bisection. */
static void number_names(struct suspicion *suspicion)
{
        const struct syntax *syntax = suspicion->syntax;
        uint32_t count = syntax->n_identifiers, filled = 0;
        suspicion->name = arena_new_array(suspicion->arena, uint32_t, count);
        suspicion->uses = arena_new_array(suspicion->arena, uint32_t, count);
        suspicion->first_use = arena_new_array(suspicion->arena, uint32_t, (size_t)count + 1);
        memset(suspicion->name, 0xFF, count * sizeof *suspicion->name);
        for (uint32_t i = 0; i < count; i++) {
                if (suspicion->name[i] != SYNTAX_NONE)
                        continue;
                suspicion->first_use[suspicion->n_names] = filled;
                for (uint32_t use = i; use != SYNTAX_NONE; use = syntax->identifiers[use].next) {
                        suspicion->name[use] = suspicion->n_names;
                        suspicion->uses[filled++] = use;
                }
                suspicion->n_names++;
        }
        suspicion->first_use[suspicion->n_names] = filled;
}

static uint32_t identifier_at(const struct syntax *syntax, uint32_t byte)
{
        uint32_t low = 0, high = syntax->n_identifiers;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (syntax->identifiers[middle].start < byte)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low < syntax->n_identifiers && syntax->identifiers[low].start == byte ? low : SYNTAX_NONE;
}

static void add_name(const struct syntax *syntax, TSNode node, struct effect *effect)
{
        uint32_t identifier =
                syntax_is(node, "identifier") ? identifier_at(syntax, ts_node_start_byte(node)) : SYNTAX_NONE;
        if (identifier == SYNTAX_NONE || effect->n_names == EFFECT_NAMES)
                effect->pure = false;
        else
                effect->names[effect->n_names++] = identifier;
}

/* What an assignment to `target` changes: x, self.x, x[i], x.y[i].z = … change x, x, x, z; a, b = … both. */
static void add_target(const struct syntax *syntax, TSNode target, struct effect *effect)
{
        while (syntax_is(target, "subscript") || syntax_is(target, "parenthesized_expression"))
                target =
                        syntax_is(target, "subscript") ? syntax_field(target, "value") : ts_node_named_child(target, 0);
        if (syntax_is(target, "attribute")) {
                add_name(syntax, syntax_field(target, "attribute"), effect);
        } else if (syntax_is(target, "pattern_list") || syntax_is(target, "tuple_pattern")) {
                uint32_t count = ts_node_named_child_count(target);
                for (uint32_t i = 0; i < count && effect->pure; i++) {
                        TSNode part = ts_node_named_child(target, i);
                        add_name(syntax, syntax_is(part, "attribute") ? syntax_field(part, "attribute") : part, effect);
                }
        } else {
                add_name(syntax, target, effect);
        }
}

static bool is_mutator(struct bytes method)
{
        static const char *const methods[] = {"add",    "append", "appendleft", "clear",      "discard", "extend",
                                              "insert", "pop",    "remove",     "setdefault", "update"};
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
                if (bytes_equal(method, bytes_of(methods[i])))
                        return true;
        return false;
}

static void add_expression(const struct syntax *syntax, TSNode statement, struct effect *effect)
{
        TSNode node = ts_node_named_child(statement, 0);
        TSNode function = syntax_is(node, "call") ? syntax_field(node, "function") : (TSNode){0};
        effect->pure = ts_node_named_child_count(statement) == 1;
        if (syntax_is(node, "assignment") || syntax_is(node, "augmented_assignment")) {
                for (; syntax_is(node, "assignment") || syntax_is(node, "augmented_assignment");
                     node = syntax_field(node, "right"))
                        add_target(syntax, syntax_field(node, "left"), effect);
        } else if (syntax_is(function, "attribute") &&
                   is_mutator(syntax_text(syntax, syntax_field(function, "attribute")))) {
                add_target(syntax, syntax_field(function, "object"), effect);
        } else if (!syntax_is(node, "string")) {
                effect->pure = false;
        }
}

/* import a.b binds a; import a.b as c, c; from m import d, d. */
static void add_imports(const struct syntax *syntax, TSNode statement, struct effect *effect)
{
        TSNode module = syntax_field(statement, "module_name");
        uint32_t count = ts_node_named_child_count(statement);
        effect->pure = true;
        for (uint32_t i = 0; i < count; i++) {
                TSNode child = ts_node_named_child(statement, i);
                if (!ts_node_is_null(module) && ts_node_eq(child, module))
                        continue;
                bool aliased = syntax_is(child, "aliased_import");
                add_name(syntax, aliased ? syntax_field(child, "alias") : ts_node_named_child(child, 0), effect);
        }
        effect->pure = effect->pure && !syntax_is(statement, "future_import_statement");
}

static void find_effect(const struct syntax *syntax, const struct statement *statement, struct effect *effect)
{
        TSNode node = statement->node;
        if (statement->kind == STATEMENT_IMPORT) {
                add_imports(syntax, node, effect);
        } else if (statement->kind == STATEMENT_FUNCTION || statement->kind == STATEMENT_CLASS) {
                effect->pure = true;
                add_name(syntax, syntax_field(node, "name"), effect);
        } else if (syntax_is(node, "expression_statement")) {
                add_expression(syntax, node, effect);
        } else if (syntax_is(node, "global_statement") || syntax_is(node, "nonlocal_statement")) {
                effect->pure = true;
                for (uint32_t i = 0; i < ts_node_named_child_count(node); i++)
                        add_name(syntax, ts_node_named_child(node, i), effect);
        } else if (syntax_is(node, "delete_statement")) {
                effect->pure = true;
                add_target(syntax, ts_node_named_child(node, 0), effect);
        } else {
                effect->pure = syntax_is(node, "pass_statement") || syntax_is(node, "break_statement") ||
                               syntax_is(node, "continue_statement");
        }
}

void uses_build(struct suspicion *suspicion)
{
        const struct syntax *syntax = suspicion->syntax;
        suspicion->effects = arena_new_array(suspicion->arena, struct effect, syntax->n_statements);
        number_names(suspicion);
        for (uint32_t i = 0; i < syntax->n_statements; i++)
                find_effect(syntax, &syntax->statements[i], &suspicion->effects[i]);
}

static bool in_class_body(const struct suspicion *suspicion, uint32_t statement)
{
        uint32_t scope = statement != SYNTAX_NONE ? suspicion->scope[statement] : SYNTAX_NONE;
        return scope != SYNTAX_NONE && suspicion->syntax->statements[scope].kind == STATEMENT_CLASS;
}

static bool binds(const struct suspicion *suspicion, uint32_t statement, uint32_t name)
{
        const struct effect *effect = &suspicion->effects[statement];
        for (unsigned i = 0; i < effect->n_names; i++)
                if (suspicion->name[effect->names[i]] == name)
                        return true;
        return false;
}

static uint32_t class_around(const struct suspicion *suspicion, uint32_t statement)
{
        uint32_t scope = suspicion->scope[statement];
        while (scope != SYNTAX_NONE && suspicion->syntax->statements[scope].kind != STATEMENT_CLASS)
                scope = suspicion->scope[scope];
        return scope;
}

static bool lies_in(const struct syntax *syntax, const struct identifier *use, uint32_t statement)
{
        return statement != SYNTAX_NONE && use->start >= syntax->statements[statement].start &&
               use->start < syntax->statements[statement].end;
}

static bool is_private(const struct syntax *syntax, const struct identifier *name)
{
        return syntax->source.data[name->start] == '_';
}

/* One question: who reads a name that a statement binds? */
struct question {
        const struct suspicion *suspicion;
        uint32_t statement, within, name;
        bool member;         /* an attribute, or a name of a class's body */
        uint32_t start, end; /* bytes in which the name means the same */
        int cost;            /* the answer: of the readers, -1 for none yet */
        bool others;
};

/* A local name means the same in its function, an attribute in its class; elsewhere only an attribute that nobody
 * would choose twice may. */
static void set_reach(struct question *question, const struct identifier *bound)
{
        const struct suspicion *suspicion = question->suspicion;
        const struct syntax *syntax = suspicion->syntax;
        uint32_t scope = suspicion->scope[question->statement];
        question->member = bound->attribute || in_class_body(suspicion, question->statement);
        if (question->member)
                scope = is_private(syntax, bound) ? SYNTAX_NONE : class_around(suspicion, question->statement);
        bool bounded =
                scope != SYNTAX_NONE && (question->member || syntax->statements[scope].kind == STATEMENT_FUNCTION);
        question->start = bounded ? syntax->statements[scope].start : 0;
        question->end = bounded ? syntax->statements[scope].end : UINT32_MAX;
}

static void ask_use(struct question *question, const struct identifier *use)
{
        const struct suspicion *suspicion = question->suspicion;
        uint32_t user = use->statement;
        if (user == SYNTAX_NONE || user == question->statement)
                return;
        bool member = use->attribute || (question->member && in_class_body(suspicion, user));
        if (member != question->member || lies_in(suspicion->syntax, use, question->within))
                return;
        if (question->statement < user && user < suspicion->syntax->statements[question->statement].next)
                return; /* in a definition's own body */
        if (binds(suspicion, user, question->name)) {
                question->others = true;
                if (suspicion->effects[user].pure)
                        return;
        }
        if (suspicion->removal[user] > question->cost)
                question->cost = suspicion->removal[user];
}

static uint32_t first_use_from(const struct suspicion *suspicion, uint32_t name, uint32_t byte)
{
        uint32_t low = suspicion->first_use[name], high = suspicion->first_use[name + 1];
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (suspicion->syntax->identifiers[suspicion->uses[middle]].start < byte)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static void ask(struct question *question, uint32_t bound)
{
        const struct suspicion *suspicion = question->suspicion;
        const struct syntax *syntax = suspicion->syntax;
        question->name = suspicion->name[bound];
        set_reach(question, &syntax->identifiers[bound]);
        uint32_t last = suspicion->first_use[question->name + 1];
        uint32_t from = first_use_from(suspicion, question->name, question->start);
        for (uint32_t i = from; i < last; i++) {
                const struct identifier *use = &syntax->identifiers[suspicion->uses[i]];
                if (use->start >= question->end || (question->cost == COST_NEVER && question->others))
                        return;
                if (i - from >= USES_LIMIT) {
                        question->cost = COST_NEVER;
                        return;
                }
                ask_use(question, use);
        }
}

bool uses_member(const struct suspicion *suspicion, uint32_t statement)
{
        const struct effect *effect = &suspicion->effects[statement];
        return in_class_body(suspicion, statement) ||
               (effect->n_names > 0 && suspicion->syntax->identifiers[effect->names[0]].attribute);
}

int uses_cost(const struct suspicion *suspicion, uint32_t statement, uint32_t within, bool *ret_others)
{
        const struct effect *effect = &suspicion->effects[statement];
        struct question question = {.suspicion = suspicion, .statement = statement, .within = within, .cost = -1};
        for (unsigned i = 0; i < effect->n_names; i++)
                ask(&question, effect->names[i]);
        *ret_others = question.others;
        return question.cost;
}
