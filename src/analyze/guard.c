#include "analyze/guard.h"

#include <string.h>

#include "analyze/names.h"

enum { ANYWHERE = -1 };

static unsigned truth_of(struct code *code, TSNode value)
{
        struct bytes text = code_text(code, node_unwrap(value));
        bool empty = bytes_equal(text, BYTES_LITERAL("\"\"")) || bytes_equal(text, BYTES_LITERAL("''"));
        if (syntax_is(value, "none"))
                return TRUTH_NONE;
        return syntax_is(value, "false") || bytes_equal(text, BYTES_LITERAL("0")) || empty ? TRUTH_FALSE : TRUTH_TRUE;
}

/* The same thing by its source; an attribute of the instance and of its class are one. */
static bool is_same(struct code *code, TSNode a, TSNode b)
{
        if (ts_node_is_null(a) || ts_node_is_null(b))
                return false;
        if (bytes_equal(code_text(code, a), code_text(code, b)))
                return true;
        return syntax_is(a, "attribute") && syntax_is(b, "attribute") &&
               bytes_equal(code_text(code, node_field(a, "attribute")), code_text(code, node_field(b, "attribute"))) &&
               names_is_self(code, node_field(a, "object")) && names_is_self(code, node_field(b, "object"));
}

/* Names the class rather than the instance. (self) in parentheses is what the grammar makes of type(self).x = …. */
static bool is_class_side(struct code *code, TSNode object)
{
        return names_is_self(code, object) && !code_text_is(code, object, "self");
}

/* The instance is given an attribute of its own, which hides the class's and does not end the guard. */
static bool has_own(struct code *code, const struct guard *guard)
{
        struct place place;
        struct occurrences occurrences = names_occurrences(code, guard->name, 0, UINT32_MAX);
        while (names_next(code, &occurrences, &place)) {
                TSNode attribute = place.depth > 1 ? place.nodes[place.depth - 2] : NODE_NULL;
                struct binding binding;
                place.depth--;
                if (syntax_is(attribute, "attribute") && code_text_is(code, node_field(attribute, "object"), "self") &&
                    names_binding_at(&place, &binding) && (truth_of(code, binding.value) & guard->done) == 0)
                        return true;
        }
        return false;
}

/* What is set on `object` is seen where the guard looks. */
static bool is_seen(struct code *code, const struct guard *guard, TSNode object)
{
        if (ts_node_is_null(guard->object) || ts_node_is_null(object))
                return false;
        if (bytes_equal(code_text(code, object), code_text(code, guard->object)))
                return true;
        if (!names_is_self(code, object) || !names_is_self(code, guard->object))
                return false;
        bool set_on_class = is_class_side(code, object), seen_on_class = is_class_side(code, guard->object);
        if (set_on_class == seen_on_class)
                return true;
        return set_on_class && !guard->own && !has_own(code, guard);
}

static bool flag_is_target(struct code *code, const struct guard *guard, TSNode target)
{
        if (syntax_is(target, "identifier"))
                return ts_node_is_null(guard->object) && !syntax_is(guard->whole, "subscript") &&
                       bytes_equal(code_text(code, target), guard->name);
        if (syntax_is(target, "attribute"))
                return bytes_equal(code_text(code, node_field(target, "attribute")), guard->name) &&
                       is_seen(code, guard, node_field(target, "object"));
        return syntax_is(target, "subscript") && syntax_is(guard->whole, "subscript") &&
               is_same(code, target, guard->whole);
}

/* The collection that the guard looks into gets what it looks for; `how` is the key, or mentions it. */
static bool grows(struct code *code, const struct guard *guard, TSNode collection, TSNode how, bool exactly)
{
        if (guard->kind == GUARD_FLAG) /* `not collection` */
                return (guard->done & TRUTH_TRUE) != 0 && flag_is_target(code, guard, collection);
        if (guard->kind != GUARD_MEMBER || !is_same(code, collection, guard->whole))
                return false;
        struct bytes key = code_text(code, guard->key);
        return exactly ? bytes_equal(code_text(code, how), key) : code_mentions(code, how, key);
}

/* object.__dict__["name"] = … */
static bool sets_in_dict(struct code *code, const struct guard *guard, TSNode target)
{
        TSNode container = node_field(target, "value");
        return guard->kind == GUARD_FLAG && code_text_is(code, node_field(container, "attribute"), "__dict__") &&
               bytes_equal(code_quoted(code, node_field(target, "subscript")), guard->name) &&
               is_seen(code, guard, node_field(container, "object"));
}

static bool target_sets(struct code *code, const struct guard *guard, TSNode target, unsigned truth)
{
        if (guard->kind == GUARD_FLAG && (truth & guard->done) != 0 && flag_is_target(code, guard, target))
                return true;
        return syntax_is(target, "subscript") &&
               (sets_in_dict(code, guard, target) ||
                grows(code, guard, node_field(target, "value"), node_field(target, "subscript"), true));
}

static bool assignment_sets(struct code *code, const struct guard *guard, TSNode assignment)
{
        TSNode value = assignment;
        for (int i = 0; i < 16 && syntax_is(value, "assignment"); i++)
                value = node_field(value, "right");
        if (ts_node_is_null(value))
                return false;
        for (int i = 0; i < 16 && syntax_is(assignment, "assignment"); i++) {
                TSNode target = node_field(assignment, "left");
                bool several = syntax_is(target, "pattern_list");
                uint32_t count = several ? node_count(target) : 1;
                bool paired = several && node_count(value) == count;
                for (uint32_t j = 0; j < count; j++)
                        if (target_sets(code, guard, several ? node_at(target, j) : target,
                                        truth_of(code, paired ? node_at(value, j) : value)))
                                return true;
                assignment = node_field(assignment, "right");
        }
        return false;
}

/* Methods that put something into a collection, and which argument is the key; ANYWHERE: mentioned in the first. */
static const struct grower {
        const char *method;
        int key;
} growers[] = {
        {"add", 0},    {"append", 0},        {"appendleft", 0},    {"setdefault", 0},
        {"insert", 1}, {"update", ANYWHERE}, {"extend", ANYWHERE},
};

static bool call_sets(struct code *code, const struct guard *guard, TSNode call)
{
        TSNode function = node_field(call, "function");
        TSNode object = node_field(function, "object"), method = node_field(function, "attribute");
        if (guard->kind == GUARD_FLAG && code_text_is(code, function, "setattr"))
                return bytes_equal(code_quoted(code, code_argument(code, call, 1, NULL)), guard->name) &&
                       is_seen(code, guard, code_argument(code, call, 0, NULL)) &&
                       (truth_of(code, code_argument(code, call, 2, NULL)) & guard->done) != 0;
        if (guard->kind == GUARD_EVENT)
                return code_text_is(code, method, "set") && is_same(code, object, guard->whole);
        for (size_t i = 0; i < sizeof growers / sizeof *growers; i++) {
                int key = growers[i].key == ANYWHERE ? 0 : growers[i].key;
                if (code_text_is(code, method, growers[i].method))
                        return grows(code, guard, object, code_argument(code, call, key, NULL),
                                     growers[i].key != ANYWHERE);
        }
        return false;
}

bool guard_is_set_by(struct code *code, const struct guard *guard, TSNode statement)
{
        /* `type(self).x = True` is a type alias to the grammar, of which (self).x is the left side. */
        if (syntax_is(statement, "type_alias_statement"))
                return target_sets(code, guard, node_at(node_field(statement, "left"), 0),
                                   truth_of(code, node_at(node_field(statement, "right"), 0)));
        TSNode expression = syntax_is(statement, "expression_statement") ? node_at(statement, 0) : NODE_NULL;
        if (syntax_is(expression, "assignment"))
                return assignment_sets(code, guard, expression);
        if (syntax_is(expression, "augmented_assignment")) {
                TSNode target = node_field(expression, "left");
                return target_sets(code, guard, target, TRUTH_TRUE) ||
                       grows(code, guard, target, node_field(expression, "right"), false);
        }
        return syntax_is(expression, "call") && call_sets(code, guard, expression);
}

/* `if not hasattr(self, "x"): self.x = 0` makes the flag, it does not take it back. */
static bool is_first_value(struct code *code, const struct place *place, struct bytes name)
{
        static const char *const absences[] = {"hasattr", "getattr", "is None", "not in", NULL};
        for (size_t i = 0; i < place->depth; i++) {
                if (!syntax_is(place->nodes[i], "if_statement"))
                        continue;
                TSNode test = node_field(place->nodes[i], "condition");
                bool absent = false;
                for (size_t j = 0; absences[j] != NULL; j++)
                        absent |= code_mentions(code, test, bytes_of(absences[j]));
                if (absent && code_mentions(code, test, name))
                        return true;
        }
        return false;
}

/* self.name.clear(), name.discard(…), del name[…] at a place whose leaf is the collection's name. */
static bool shrinks(struct code *code, const struct place *place)
{
        static const char *const methods[] = {"clear", "discard", "remove", "pop", "popitem", "difference_update"};
        size_t at = place->depth - 1;
        if (at > 0 && syntax_is(place->nodes[at - 1], "attribute") &&
            ts_node_end_byte(place->nodes[at - 1]) == ts_node_end_byte(place->nodes[at]))
                at--;
        if (at < 2)
                return false;
        TSNode method = node_field(place->nodes[at - 1], "attribute");
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
                if (code_text_is(code, method, methods[i]) && syntax_is(place->nodes[at - 2], "call"))
                        return true;
        return syntax_is(place->nodes[at - 1], "subscript") && syntax_is(place->nodes[at - 2], "delete_statement");
}

/* The assignment at the place gives the guard back the value that lets the code run. */
static bool reopens(struct code *code, const struct guard *guard, struct place *place)
{
        if (guard->kind == GUARD_MEMBER && shrinks(code, place))
                return true;
        bool attribute = place->depth > 1 && syntax_is(place->nodes[place->depth - 2], "attribute");
        if (attribute)
                place->depth--;
        if (attribute == (ts_node_is_null(guard->object) && !syntax_is(guard->whole, "attribute")))
                return false;
        struct binding binding;
        if (!names_binding_at(place, &binding) || binding.kind != BINDING_VALUE)
                return false;
        if (scope_runs_once(code, binding.scope) || is_first_value(code, place, guard->name))
                return false;
        if (guard->kind == GUARD_FLAG)
                return (truth_of(code, binding.value) & TRUTH_ANY & ~guard->done) != 0;
        return guard->kind != GUARD_COUNTER || syntax_is(binding.value, "integer");
}

/* The name by which the guard is found in the text. */
static struct bytes guard_name(struct code *code, const struct guard *guard)
{
        if (guard->kind == GUARD_FLAG || guard->kind == GUARD_COUNTER)
                return guard->name;
        TSNode attribute = node_field(guard->whole, "attribute");
        return code_text(code, ts_node_is_null(attribute) ? guard->whole : attribute);
}

/* Whether the function declares the name global or nonlocal. */
static bool declares(struct code *code, struct bytes name, TSNode function)
{
        struct place place;
        struct occurrences occurrences =
                names_occurrences(code, name, ts_node_start_byte(function), ts_node_end_byte(function));
        while (names_next(code, &occurrences, &place)) {
                struct binding binding;
                if (names_binding_at(&place, &binding) && binding.kind == BINDING_GLOBAL)
                        return true;
        }
        return false;
}

bool guard_is_taken_back(struct code *code, const struct guard *guard)
{
        if (guard->kind == GUARD_FILE || guard->kind == GUARD_EVENT || guard->kind == GUARD_TICKET)
                return false;
        struct place place;
        struct occurrences occurrences = names_occurrences(code, guard_name(code, guard), 0, UINT32_MAX);
        while (names_next(code, &occurrences, &place)) {
                bool local = ts_node_is_null(guard->object) && guard->kind == GUARD_FLAG;
                TSNode scope = names_scope(&place, place.depth);
                if (local && node_is_function(scope) && !declares(code, guard->name, scope))
                        continue;
                if (reopens(code, guard, &place))
                        return true;
        }
        return false;
}

bool guard_is_counted(struct code *code, const struct guard *guard)
{
        struct place place;
        struct occurrences occurrences = names_occurrences(code, guard->name, 0, UINT32_MAX);
        while (names_next(code, &occurrences, &place)) {
                bool attribute = place.depth > 1 && syntax_is(place.nodes[place.depth - 2], "attribute");
                place.depth -= attribute;
                struct binding binding;
                if (!names_binding_at(&place, &binding))
                        continue;
                bool adds = binding.kind == BINDING_VALUE && syntax_is(binding.value, "binary_operator") &&
                            code_mentions(code, binding.value, guard->name);
                if ((binding.kind == BINDING_AUGMENTED || adds) &&
                    flag_is_target(code, guard, place.nodes[place.depth - 1]))
                        return true;
        }
        return false;
}

bool guard_persists(struct code *code, const struct guard *guard)
{
        if (guard->kind == GUARD_FILE || guard->kind == GUARD_TICKET)
                return true;
        bool plain = guard->kind == GUARD_FLAG || guard->kind == GUARD_COUNTER;
        TSNode base = syntax_is(guard->whole, "subscript") ? node_field(guard->whole, "value") : guard->whole;
        plain &= syntax_is(guard->whole, "identifier");
        if (!syntax_is(base, "identifier"))
                return true;
        /* A flag or collection made in the call itself forgets; a collection that is handed in may last. */
        struct bindings bindings;
        names_reaching(code, code_text(code, base), ts_node_start_byte(base), &bindings);
        for (size_t i = 0; i < bindings.count; i++) {
                enum binding_kind kind = bindings.items[i].kind;
                if (node_is_function(bindings.items[i].scope) && (plain || kind == BINDING_VALUE))
                        return false;
        }
        return true;
}
