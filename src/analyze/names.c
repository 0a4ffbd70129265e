#include "analyze/names.h"

#include <string.h>

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

static bool is_field(TSNode parent, const char *field, TSNode child)
{
        TSNode found = node_field(parent, field);
        return !ts_node_is_null(found) && ts_node_eq(found, child);
}

static int32_t element_of(TSNode pattern, TSNode child)
{
        uint32_t count = node_count(pattern);
        for (uint32_t i = 0; i < count && i < 64; i++)
                if (ts_node_eq(node_at(pattern, i), child))
                        return (int32_t)i;
        return ELEMENT_NESTED;
}

static TSNode last_assigned(TSNode assignment)
{
        TSNode value = node_field(assignment, "right");
        for (int i = 0; i < 16 && syntax_is(value, "assignment"); i++)
                value = node_field(value, "right");
        return value;
}

/* How each construct binds the name in one of its fields, and which field holds what it is bound to. */
static const struct binder {
        const char *type, *field, *value;
        enum binding_kind kind;
} binders[] = {
        {"assignment", "left", "right", BINDING_VALUE},
        {"type_alias_statement", "left", "right", BINDING_VALUE}, /* type(self).x = … looks like one */
        {"augmented_assignment", "left", "right", BINDING_AUGMENTED},
        {"named_expression", "name", "value", BINDING_VALUE},
        {"for_statement", "left", "right", BINDING_ELEMENT},
        {"for_in_clause", "left", "right", BINDING_ELEMENT},
        {"default_parameter", "name", "value", BINDING_PARAMETER},
        {"typed_default_parameter", "name", "value", BINDING_PARAMETER},
        {"function_definition", "name", NULL, BINDING_FUNCTION},
        {"class_definition", "name", NULL, BINDING_CLASS},
        {"aliased_import", "alias", NULL, BINDING_IMPORT},
};

static bool binder_applies(TSNode parent, TSNode child, struct binding *binding)
{
        for (size_t i = 0; i < sizeof binders / sizeof *binders; i++) {
                const struct binder *binder = &binders[i];
                if (!syntax_is(parent, binder->type) || !is_field(parent, binder->field, child))
                        continue;
                binding->kind = binder->kind;
                binding->value = binder->value != NULL ? node_field(parent, binder->value) : parent;
                if (binder->kind == BINDING_VALUE && syntax_is(binding->value, "assignment"))
                        binding->value = last_assigned(binding->value);
                if (syntax_is(binding->value, "type"))
                        binding->value = node_at(binding->value, 0);
                bool local = binder->kind == BINDING_FUNCTION || binder->kind == BINDING_CLASS;
                binding->since = local                             ? ts_node_start_byte(parent)
                                 : ts_node_is_null(binding->value) ? ts_node_end_byte(parent)
                                                                   : ts_node_end_byte(binding->value);
                return binder->kind != BINDING_VALUE || !ts_node_is_null(binding->value);
        }
        return false;
}

/* The name is somewhere in the first part of an import: `import a.b` binds a, `from m import a` binds a. */
static bool import_applies(TSNode statement, TSNode dotted, TSNode leaf, struct binding *binding)
{
        bool from = syntax_is(statement, "import_from_statement");
        if (!from && !syntax_is(statement, "import_statement"))
                return false;
        if (ts_node_start_byte(dotted) != ts_node_start_byte(leaf) || is_field(statement, "module_name", dotted))
                return false;
        binding->kind = BINDING_IMPORT;
        binding->value = dotted;
        binding->since = ts_node_end_byte(statement);
        return true;
}

/* with … as name, except … as name, case … as name */
static bool as_applies(const struct place *place, size_t target, struct binding *binding)
{
        if (target < 2)
                return false;
        TSNode pattern = place->nodes[target - 1];
        bool with = syntax_is(place->nodes[target - 2], "with_item");
        binding->kind = with ? BINDING_VALUE : BINDING_OTHER;
        binding->value = node_at(pattern, 0);
        binding->since = ts_node_end_byte(pattern);
        return true;
}

/* Bindings told by the parent's type alone. */
static bool plain_applies(TSNode parent, TSNode child, struct binding *binding)
{
        static const char *const declared[] = {"global_statement", "nonlocal_statement", NULL};
        static const char *const parameters[] = {"parameters", "lambda_parameters", "typed_parameter", NULL};
        static const char *const splats[] = {"list_splat_pattern", "dictionary_splat_pattern", NULL};
        binding->since = ts_node_end_byte(child);
        if (node_is_any(parent, declared))
                binding->kind = BINDING_GLOBAL;
        else if (node_is_any(parent, parameters) && !is_field(parent, "type", child))
                binding->kind = BINDING_PARAMETER;
        else if (node_is_any(parent, splats))
                binding->kind = BINDING_OTHER;
        else
                return false;
        return true;
}

/* Index in the place of the construct that binds the leaf, 0 when none does. */
static size_t find_binder(const struct place *place, struct binding *binding)
{
        static const char *const patterns[] = {"pattern_list", "tuple_pattern", "list_pattern", NULL};
        TSNode leaf = place->nodes[place->depth - 1];
        for (size_t i = place->depth - 1; i-- > 0;) {
                TSNode parent = place->nodes[i], child = place->nodes[i + 1];
                if (node_is_any(parent, patterns)) {
                        bool first = binding->element == ELEMENT_WHOLE;
                        binding->element = first ? element_of(parent, child) : ELEMENT_NESTED;
                        continue;
                }
                if (syntax_is(parent, "type"))
                        continue;
                if (syntax_is(parent, "as_pattern_target"))
                        return as_applies(place, i, binding) ? i : 0;
                if (syntax_is(parent, "dotted_name"))
                        return i > 0 && import_applies(place->nodes[i - 1], parent, leaf, binding) ? i : 0;
                return binder_applies(parent, child, binding) || plain_applies(parent, child, binding) ? i : 0;
        }
        return 0;
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

static TSNode comprehension_of(const struct place *place, size_t depth)
{
        return depth > 0 && syntax_is(place->nodes[depth], "for_in_clause") ? place->nodes[depth - 1] : NODE_NULL;
}

bool names_binding_at(const struct place *place, struct binding *ret_binding)
{
        struct binding binding = {.element = ELEMENT_WHOLE, .value = NODE_NULL};
        size_t depth = place->depth > 1 ? find_binder(place, &binding) : 0;
        if (depth == 0 && (place->depth < 2 || binding.kind == BINDING_OTHER))
                return false;
        binding.name = place->nodes[place->depth - 1];
        bool outside = binding.kind == BINDING_FUNCTION || binding.kind == BINDING_CLASS;
        TSNode comprehension = comprehension_of(place, depth);
        binding.scope =
                ts_node_is_null(comprehension) ? names_scope(place, outside ? depth : depth + 1) : comprehension;
        if (!ts_node_is_null(comprehension))
                binding.since = ts_node_start_byte(comprehension);
        *ret_binding = binding;
        return true;
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
        collect_in_scope(code, name, code->syntax->root, innermost ? at : UINT32_MAX, ret_bindings);
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
        if (!syntax_is(attribute, "attribute") || !is_field(attribute, "attribute", place->nodes[place->depth - 1]) ||
            !names_is_self(code, node_field(attribute, "object")))
                return false;
        place->depth--;
        return names_binding_at(place, ret_binding);
}

void names_attribute(struct code *code, struct bytes name, uint32_t at, struct bindings *ret_bindings)
{
        struct place place;
        code_locate(code, at, &place);
        TSNode scope = names_scope(&place, place.depth), class = names_class(code, at);
        TSNode area = ts_node_is_null(class) ? code->syntax->root : class;
        struct occurrences occurrences =
                names_occurrences(code, name, ts_node_start_byte(area), ts_node_end_byte(area));
        bool settled = false;
        *ret_bindings = (struct bindings){.count = 0};
        while (names_next(code, &occurrences, &place)) {
                struct binding binding;
                bool in_class = names_binding_at(&place, &binding) && ts_node_eq(binding.scope, area);
                if (!in_class && !attribute_binding(code, &place, &binding))
                        continue;
                bool same = ts_node_eq(binding.scope, scope);
                if (same && (binding.since > at || is_exclusive(&place, at)))
                        continue;
                binding.dominates = same && always_before(&place, place.depth - 1, at);
                settled |= binding.dominates;
                if (same || !settled)
                        bindings_add(ret_bindings, &binding);
        }
}

TSNode names_definition(struct code *code, TSNode function)
{
        struct bindings bindings = {.count = 0};
        if (syntax_is(function, "identifier"))
                names_reaching(code, code_text(code, function), ts_node_start_byte(function), &bindings);
        else if (syntax_is(function, "attribute") && names_is_self(code, node_field(function, "object")))
                names_attribute(code, code_text(code, node_field(function, "attribute")), ts_node_start_byte(function),
                                &bindings);
        for (size_t i = bindings.count; i > 0; i--)
                if (bindings.items[i - 1].kind == BINDING_FUNCTION)
                        return bindings.items[i - 1].value;
        return NODE_NULL;
}
