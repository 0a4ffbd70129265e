#include "analyze/names.h"

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
                if (!syntax_is(parent, binder->type) || !node_is_field(parent, binder->field, child))
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
        if (ts_node_start_byte(dotted) != ts_node_start_byte(leaf) || node_is_field(statement, "module_name", dotted))
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
        else if (node_is_any(parent, parameters) && !node_is_field(parent, "type", child))
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
