#include "analyze/names.h"

#include <string.h>

enum { BASES_DEPTH = 4, MODULE_NAMES = 32 };

struct module_name {
        uint32_t key; /* its first identifier */
        bool filled;
        struct bindings bindings;
};

struct occurrences names_occurrences(struct code *code, struct bytes name, uint32_t start, uint32_t end)
{
        const struct syntax *syntax = code->syntax;
        uint32_t first = syntax_first_identifier(syntax, name);
        while (first != SYNTAX_NONE && syntax->identifiers[first].start < start)
                first = syntax->identifiers[first].next;
        return (struct occurrences){.next = first, .end = end};
}

/* The path from the root to a node; false when it is deeper than a place holds. */
static bool place_of_node(const struct syntax *syntax, uint32_t node, struct place *ret_place)
{
        size_t depth = 0;
        for (uint32_t at = node; at != SYNTAX_NONE; at = syntax->nodes[at].parent)
                if (++depth > PLACE_DEPTH)
                        return false;
        ret_place->depth = depth;
        for (uint32_t at = node; at != SYNTAX_NONE; at = syntax->nodes[at].parent)
                ret_place->nodes[--depth] = syntax->nodes[at].node;
        return true;
}

bool names_next(struct code *code, struct occurrences *occurrences, struct place *ret_place)
{
        const struct syntax *syntax = code->syntax;
        while (occurrences->next != SYNTAX_NONE && code_spend(code)) {
                const struct identifier *identifier = &syntax->identifiers[occurrences->next];
                if (identifier->start >= occurrences->end)
                        break;
                occurrences->next = identifier->next;
                if (place_of_node(syntax, identifier->node, ret_place))
                        return true;
        }
        return false;
}

TSNode names_scope(const struct place *place, size_t depth)
{
        while (depth > 1 && !node_is_scope(place->nodes[depth - 1]))
                depth--;
        return place->nodes[depth - 1];
}

TSNode names_class(struct code *code, uint32_t at)
{
        struct place place;
        code_locate(code, at, &place);
        for (size_t i = place.depth; i > 0; i--)
                if (syntax_is(place.nodes[i - 1], "class_definition"))
                        return place.nodes[i - 1];
        return NODE_NULL;
}

/* A binding always runs before what follows in the block that holds it. */
static bool always_before(const struct place *place, size_t depth, uint32_t at)
{
        while (depth > 1 && !syntax_is(place->nodes[depth - 1], "block") && !node_is_scope(place->nodes[depth - 1]))
                depth--;
        TSNode block = place->nodes[depth - 1];
        if (at == UINT32_MAX)
                return node_is_scope(block) || (depth > 1 && node_is_scope(place->nodes[depth - 2]));
        return at >= ts_node_start_byte(block) && at <= ts_node_end_byte(block);
}

/* The two bytes lie in different branches of one if or match, so that the code of only one of them runs. */
static bool is_exclusive(const struct place *place, uint32_t at)
{
        static const char *const branches[] = {"block", "elif_clause", "else_clause", "case_clause", NULL};
        size_t i = place->depth - 1;
        while (i > 0 && !node_contains(place->nodes[i], at))
                i--;
        TSNode meeting = place->nodes[i];
        bool choice = syntax_is(meeting, "if_statement") ||
                      (i > 0 && syntax_is(meeting, "block") && syntax_is(place->nodes[i - 1], "match_statement"));
        if (!choice || i + 1 == place->depth)
                return false;
        TSNode other = ts_node_first_child_for_byte(meeting, at);
        return node_is_any(place->nodes[i + 1], branches) && node_is_any(other, branches);
}

static void bindings_add(struct bindings *bindings, const struct binding *binding)
{
        if (binding->dominates)
                *bindings = (struct bindings){.count = 0};
        if (bindings->count < BINDINGS_LIMIT)
                bindings->items[bindings->count++] = *binding;
        else
                bindings->cut = true;
}

/* Bindings in one scope; `at` UINT32_MAX asks for those in force when the whole scope has run. */
static void collect_in_scope(struct code *code, struct bytes name, TSNode scope, uint32_t at, struct bindings *ret)
{
        struct bindings before = {.count = 0}, after = {.count = 0};
        struct place place;
        struct occurrences occurrences =
                names_occurrences(code, name, ts_node_start_byte(scope), ts_node_end_byte(scope));
        while (names_next(code, &occurrences, &place)) {
                struct binding binding;
                if (!names_binding_at(&place, &binding))
                        continue;
                bool comprehension =
                        at != UINT32_MAX && !node_is_scope(binding.scope) && node_contains(binding.scope, at);
                if (!ts_node_eq(binding.scope, scope) && !comprehension)
                        continue;
                if (binding.since > at) {
                        bool itself = ts_node_start_byte(binding.name) <= at; /* x = x + 1 */
                        if (!itself)
                                bindings_add(&after, &binding);
                        continue;
                }
                if (at != UINT32_MAX && !comprehension && is_exclusive(&place, at))
                        continue;
                binding.dominates = comprehension || always_before(&place, place.depth - 1, at);
                bindings_add(&before, &binding);
        }
        *ret = before.count > 0 ? before : after;
}

/* What the module as a whole binds does not depend on who asks; a few names (torch, logger) are asked for all the time.
 */
static void collect_in_module(struct code *code, struct bytes name, struct bindings *ret)
{
        uint32_t key = syntax_first_identifier(code->syntax, name);
        if (code->module_names == NULL)
                code->module_names = arena_new_array(code->arena, struct module_name, MODULE_NAMES);
        struct module_name *known = &code->module_names[key % MODULE_NAMES];
        if (key == SYNTAX_NONE || !known->filled || known->key != key) {
                known->key = key;
                known->filled = true;
                collect_in_scope(code, name, code->syntax->root, UINT32_MAX, &known->bindings);
        }
        *ret = known->bindings;
}

static bool all_global(const struct bindings *bindings)
{
        for (size_t i = 0; i < bindings->count; i++)
                if (bindings->items[i].kind == BINDING_GLOBAL)
                        return true;
        return false;
}

void names_reaching(struct code *code, struct bytes name, uint32_t at, struct bindings *ret_bindings)
{
        struct place place;
        code_locate(code, at, &place);
        struct bindings found = {.count = 0};
        bool innermost = true;
        for (size_t i = place.depth; i > 1; i--) {
                TSNode scope = place.nodes[i - 1];
                if (!node_is_scope(scope) || (syntax_is(scope, "class_definition") && !innermost))
                        continue;
                collect_in_scope(code, name, scope, innermost ? at : UINT32_MAX, &found);
                innermost = false;
                if (all_global(&found))
                        break;
                if (found.count > 0) {
                        *ret_bindings = found;
                        return;
                }
        }
        if (innermost)
                collect_in_scope(code, name, code->syntax->root, at, ret_bindings);
        else
                collect_in_module(code, name, ret_bindings);
}

bool names_is_self(struct code *code, TSNode node)
{
        node = node_unwrap(node);
        if (syntax_is(node, "call")) {
                TSNode arguments = node_field(node, "arguments");
                return code_text_is(code, node_field(node, "function"), "type") && node_count(arguments) == 1 &&
                       names_is_self(code, node_at(arguments, 0));
        }
        if (syntax_is(node, "attribute"))
                return code_text_is(code, node_field(node, "attribute"), "__class__") &&
                       names_is_self(code, node_field(node, "object"));
        if (!syntax_is(node, "identifier"))
                return false;
        if (code_text_is(code, node, "self") || code_text_is(code, node, "cls"))
                return true;
        TSNode class = names_class(code, ts_node_start_byte(node));
        return !ts_node_is_null(class) &&
               bytes_equal(code_text(code, node), code_text(code, node_field(class, "name")));
}

/* self.name = value at a place whose leaf is `name`. */
static bool attribute_binding(struct code *code, struct place *place, struct binding *ret_binding)
{
        if (place->depth < 3)
                return false;
        TSNode attribute = place->nodes[place->depth - 2];
        if (!syntax_is(attribute, "attribute") ||
            !node_is_field(attribute, "attribute", place->nodes[place->depth - 1]) ||
            !names_is_self(code, node_field(attribute, "object")))
                return false;
        place->depth--;
        return names_binding_at(place, ret_binding);
}

/* The class whose attribute `object.name` is: the one around for self and the like, else the class of that name. */
static TSNode class_of(struct code *code, TSNode object)
{
        if (names_is_self(code, object))
                return names_class(code, ts_node_start_byte(object));
        struct bindings bindings = {.count = 0};
        if (syntax_is(object, "identifier"))
                names_reaching(code, code_text(code, object), ts_node_start_byte(object), &bindings);
        bool class = bindings.count == 1 && bindings.items[0].kind == BINDING_CLASS;
        return class ? bindings.items[0].value : NODE_NULL;
}

static void collect_in_class(struct code *code, struct bytes name, TSNode class, uint32_t at, struct bindings *ret)
{
        struct place place;
        code_locate(code, at, &place);
        TSNode scope = names_scope(&place, place.depth);
        struct occurrences occurrences =
                names_occurrences(code, name, ts_node_start_byte(class), ts_node_end_byte(class));
        bool settled = false;
        while (names_next(code, &occurrences, &place)) {
                struct binding binding;
                bool in_class = names_binding_at(&place, &binding) && ts_node_eq(binding.scope, class);
                if (!in_class && !attribute_binding(code, &place, &binding))
                        continue;
                bool same = ts_node_eq(binding.scope, scope);
                if (same && (binding.since > at || is_exclusive(&place, at)))
                        continue;
                binding.dominates = same && always_before(&place, place.depth - 1, at);
                settled |= binding.dominates;
                if (same || !settled)
                        bindings_add(ret, &binding);
        }
}

void names_attribute(struct code *code, TSNode attribute, struct bindings *ret_bindings)
{
        struct bytes name = code_text(code, node_field(attribute, "attribute"));
        uint32_t at = ts_node_start_byte(attribute);
        TSNode class = class_of(code, node_field(attribute, "object"));
        *ret_bindings = (struct bindings){.count = 0};
        for (int depth = 0; depth < BASES_DEPTH && !ts_node_is_null(class) && ret_bindings->count == 0; depth++) {
                collect_in_class(code, name, class, at, ret_bindings);
                class = class_of(code, node_at(node_field(class, "superclasses"), 0));
        }
}

bool names_is_decorated(struct code *code, TSNode definition, const char *const *decorators)
{
        TSNode decorated = node_is_function(definition) ? node_parent(definition) : NODE_NULL;
        uint32_t count = syntax_is(decorated, "decorated_definition") ? node_count(decorated) : 0;
        for (uint32_t i = 0; i < count; i++) {
                TSNode decorator = node_at(decorated, i), name = node_at(decorator, 0);
                if (syntax_is(name, "call"))
                        name = node_field(name, "function");
                const char *qualified = syntax_is(decorator, "decorator") ? names_qualified(code, name) : "";
                for (size_t j = 0; decorators[j] != NULL; j++)
                        if (strcmp(qualified, decorators[j]) == 0)
                                return true;
        }
        return false;
}

TSNode names_definition(struct code *code, TSNode function)
{
        struct bindings bindings = {.count = 0};
        if (syntax_is(function, "identifier"))
                names_reaching(code, code_text(code, function), ts_node_start_byte(function), &bindings);
        else if (syntax_is(function, "attribute"))
                names_attribute(code, function, &bindings);
        for (size_t i = bindings.count; i > 0; i--)
                if (bindings.items[i - 1].kind == BINDING_FUNCTION)
                        return bindings.items[i - 1].value;
        return NODE_NULL;
}
