/* Which names a statement binds, and who reads them. */
#include "analyze/suspicion.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static uint32_t hash_bytes(struct bytes text)
{
        uint32_t hash = 2166136261U;
        for (size_t i = 0; i < text.size; i++)
                hash = (hash ^ text.data[i]) * 16777619U;
        return hash;
}

static struct bytes spelling(const struct syntax *syntax, uint32_t identifier)
{
        const struct identifier *at = &syntax->identifiers[identifier];
        return (struct bytes){syntax->source.data + at->start, at->end - at->start};
}

/* Numbers the spellings by open addressing: sorting them would cost more than all the rest here. */
static void number_names(struct suspicion *suspicion)
{
        const struct syntax *syntax = suspicion->syntax;
        size_t size = 64;
        while (size < (size_t)syntax->n_identifiers * 2)
                size *= 2;
        AUTO_FREE uint32_t *table = heap_resize(NULL, size, sizeof *table);
        memset(table, 0xFF, size * sizeof *table);
        for (uint32_t i = 0; i < syntax->n_identifiers; i++) {
                struct bytes text = spelling(syntax, i);
                size_t slot = hash_bytes(text) & (size - 1);
                while (table[slot] != SYNTAX_NONE && !bytes_equal(text, spelling(syntax, table[slot])))
                        slot = (slot + 1) & (size - 1);
                if (table[slot] == SYNTAX_NONE) {
                        table[slot] = i;
                        suspicion->name[i] = suspicion->n_names++;
                } else {
                        suspicion->name[i] = suspicion->name[table[slot]];
                }
        }
}

static void index_uses(struct suspicion *suspicion)
{
        uint32_t count = suspicion->syntax->n_identifiers;
        suspicion->first_use = arena_new_array(suspicion->arena, uint32_t, (size_t)suspicion->n_names + 2);
        suspicion->uses = arena_new_array(suspicion->arena, uint32_t, count);
        uint32_t *next = suspicion->first_use + 1; /* one ahead, so that filling leaves the starts in place */
        for (uint32_t i = 0; i < count; i++)
                next[suspicion->name[i] + 1]++;
        for (uint32_t i = 1; i <= suspicion->n_names; i++)
                next[i] += next[i - 1];
        for (uint32_t i = 0; i < count; i++)
                suspicion->uses[next[suspicion->name[i]]++] = i;
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
        suspicion->name = arena_new_array(suspicion->arena, uint32_t, syntax->n_identifiers);
        suspicion->effects = arena_new_array(suspicion->arena, struct effect, syntax->n_statements);
        number_names(suspicion);
        index_uses(suspicion);
        for (uint32_t i = 0; i < syntax->n_statements; i++)
                find_effect(syntax, &syntax->statements[i], &suspicion->effects[i]);
}

/* Bytes in which the name is what the statement binds: its function for a local, else the whole file. */
static void reach(const struct suspicion *suspicion, uint32_t statement, uint32_t *ret_start, uint32_t *ret_end)
{
        uint32_t scope = suspicion->scope[statement];
        bool local = scope != SYNTAX_NONE && suspicion->syntax->statements[scope].kind == STATEMENT_FUNCTION;
        *ret_start = local ? suspicion->syntax->statements[scope].start : 0;
        *ret_end = local ? suspicion->syntax->statements[scope].end : UINT32_MAX;
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

/* An attribute may be meant when the class around is the same; elsewhere only a name that nobody chooses twice may. */
static bool is_same_member(const struct suspicion *suspicion, uint32_t owner, const struct identifier *use)
{
        const struct syntax *syntax = suspicion->syntax;
        bool member = use->attribute || in_class_body(suspicion, use->statement);
        return member && (owner == SYNTAX_NONE || lies_in(syntax, use, owner) || is_private(syntax, use));
}

struct question {
        uint32_t statement, within, owner;
        bool member;
        uint32_t start, end; /* bytes in which a local name means the same */
        int cost;            /* the answer: of the readers, -1 for none yet */
        bool others;
};

static void ask_use(const struct suspicion *suspicion, uint32_t name, const struct identifier *use,
                    struct question *question)
{
        uint32_t user = use->statement;
        if (user == SYNTAX_NONE || user == question->statement)
                return;
        bool same = question->member ? is_same_member(suspicion, question->owner, use)
                                     : !use->attribute && use->start >= question->start && use->start < question->end;
        if (!same || lies_in(suspicion->syntax, use, question->within))
                return;
        if (question->statement < user && user < suspicion->syntax->statements[question->statement].next)
                return; /* in a definition's own body */
        if (binds(suspicion, user, name)) {
                question->others = true;
                if (suspicion->effects[user].pure)
                        return;
        }
        if (suspicion->removal[user] > question->cost)
                question->cost = suspicion->removal[user];
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
        struct question question = {.statement = statement, .within = within, .cost = -1};
        question.owner = class_around(suspicion, statement);
        for (unsigned i = 0; i < effect->n_names; i++) {
                uint32_t name = suspicion->name[effect->names[i]];
                question.member = suspicion->syntax->identifiers[effect->names[i]].attribute ||
                                  in_class_body(suspicion, statement);
                reach(suspicion, statement, &question.start, &question.end);
                for (uint32_t j = suspicion->first_use[name]; j < suspicion->first_use[name + 1]; j++)
                        ask_use(suspicion, name, &suspicion->syntax->identifiers[suspicion->uses[j]], &question);
        }
        *ret_others = question.others;
        return question.cost;
}
