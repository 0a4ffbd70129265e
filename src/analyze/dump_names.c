#include "analyze/evaluate.h"

#include <string.h>

#include "analyze/names.h"

enum { CALLERS_LIMIT = 8, RESOLVE_DEPTH = 8 };

/* What a parameter is: the frame's argument, else the default; without a frame, what the calls in this file give it. */
static struct values evaluate_argument(const struct evaluation *evaluation, const struct binding *binding,
                                       const struct frame *frame)
{
        struct code *code = evaluation->code;
        TSNode parameters = node_field(binding->scope, "parameters");
        TSNode parameter = binding->name;
        while (!ts_node_is_null(parameter) && !ts_node_eq(node_parent(parameter), parameters))
                parameter = node_parent(parameter);
        int position = frame->bound ? -1 : 0;
        uint32_t count = node_count(parameters);
        for (uint32_t i = 0; i < count && !ts_node_eq(node_at(parameters, i), parameter); i++)
                position += !syntax_is(node_at(parameters, i), "comment");
        struct bytes text = code_text(code, binding->name);
        const char *name = arena_strndup(code->arena, (const char *)text.data, text.size);
        TSNode argument = code_argument(code, frame->call, position, name);
        if (!ts_node_is_null(argument)) {
                struct evaluation outer = {code, frame->caller, evaluation->depth};
                return evaluate(&outer, argument);
        }
        return ts_node_is_null(binding->value) ? values_unknown() : evaluate(evaluation, binding->value);
}

static struct values evaluate_parameter(const struct evaluation *evaluation, const struct binding *binding)
{
        for (const struct frame *frame = evaluation->frame; frame != NULL; frame = frame->caller)
                if (ts_node_eq(frame->function, binding->scope))
                        return evaluate_argument(evaluation, binding, frame);
        struct code *code = evaluation->code;
        struct values result = VALUES_NONE;
        struct bytes name = code_text(code, node_field(binding->scope, "name"));
        struct place place;
        size_t callers = 0;
        struct occurrences occurrences = names_occurrences(code, name, 0, UINT32_MAX);
        while (callers < CALLERS_LIMIT && names_next(code, &occurrences, &place)) {
                bool dotted = place.depth > 2 && syntax_is(place.nodes[place.depth - 2], "attribute");
                size_t above = place.depth - (dotted ? 3 : 2);
                struct frame frame;
                if (place.depth < 3 || !syntax_is(place.nodes[above], "call") || evaluation->depth == 0 ||
                    !dump_path_enter(code, place.nodes[above], NULL, &frame) ||
                    !ts_node_eq(frame.function, binding->scope))
                        continue;
                callers++;
                struct evaluation inner = {code, &frame, evaluation->depth - 1};
                result = values_union(code->arena, result, evaluate_argument(&inner, binding, &frame));
        }
        return callers > 0 && callers < CALLERS_LIMIT ? result : values_unknown();
}

/* name += value, name /= value: what it was before, then the rest. */
static struct values evaluate_augmented(const struct evaluation *evaluation, const struct binding *binding)
{
        TSNode operator= node_field(node_parent(binding->value), "operator");
        struct values left = evaluate(evaluation, binding->name), right = evaluate(evaluation, binding->value);
        if (left.kind == VALUES_NUMBER || right.kind == VALUES_NUMBER)
                return values_unknown();
        if (code_text_is(evaluation->code, operator, "/="))
                return evaluate_path_join(evaluation, left, right);
        bool appends = code_text_is(evaluation->code, operator, "+=");
        return appends ? evaluate_join(evaluation, left, right) : values_unknown();
}

/* self.path where path is a property. */
static struct values evaluate_property(const struct evaluation *evaluation, TSNode definition)
{
        static const char *const properties[] = {"property", "functools.cached_property", NULL};
        if (!names_is_decorated(evaluation->code, definition, properties))
                return values_unknown();
        struct frame frame = {.function = definition, .call = NODE_NULL, .bound = true, .caller = NULL};
        return evaluate_returns(evaluation, &frame);
}

static struct values evaluate_binding(const struct evaluation *evaluation, const struct binding *binding)
{
        switch (binding->kind) {
        case BINDING_VALUE:
                return binding->element == ELEMENT_WHOLE
                               ? evaluate(evaluation, binding->value)
                               : evaluate_element(evaluation, binding->value, binding->element);
        case BINDING_ELEMENT:
                return evaluate_each(evaluation, binding->value, binding->element);
        case BINDING_AUGMENTED:
                return evaluate_augmented(evaluation, binding);
        case BINDING_PARAMETER:
                return evaluate_parameter(evaluation, binding);
        case BINDING_FUNCTION:
                return evaluate_property(evaluation, binding->value);
        default:
                return values_unknown();
        }
}

static struct values evaluate_bindings(const struct evaluation *evaluation, const struct bindings *bindings)
{
        struct arena *arena = evaluation->code->arena;
        struct values result = bindings->cut ? values_unknown() : VALUES_NONE;
        for (size_t i = 0; i < bindings->count; i++)
                result = values_union(arena, result, evaluate_binding(evaluation, &bindings->items[i]));
        return bindings->count > 0 ? result : values_unknown();
}

struct values evaluate_name(const struct evaluation *evaluation, TSNode node)
{
        struct bindings bindings;
        names_reaching(evaluation->code, code_text(evaluation->code, node), ts_node_start_byte(node), &bindings);
        return evaluate_bindings(evaluation, &bindings);
}

struct values evaluate_attribute(const struct evaluation *evaluation, TSNode node)
{
        struct code *code = evaluation->code;
        TSNode object = node_field(node, "object");
        struct bytes attribute = code_text(code, node_field(node, "attribute"));
        struct bindings bindings;
        names_attribute(code, node, &bindings);
        if (bindings.count > 0)
                return evaluate_bindings(evaluation, &bindings);
        if (strcmp(names_qualified(code, node), "os.sep") == 0)
                return values_of(code->arena, BYTES_LITERAL("/"));
        return evaluate_path_part(evaluation, object, attribute);
}

TSNode evaluate_resolve(const struct evaluation *evaluation, TSNode node)
{
        struct code *code = evaluation->code;
        for (int i = 0; i < RESOLVE_DEPTH && code_spend(code); i++) {
                node = node_unwrap(node);
                struct bindings bindings = {.count = 0};
                if (syntax_is(node, "identifier"))
                        names_reaching(code, code_text(code, node), ts_node_start_byte(node), &bindings);
                else if (syntax_is(node, "attribute"))
                        names_attribute(code, node, &bindings);
                const struct binding *only = &bindings.items[0];
                if (bindings.count != 1 || only->kind != BINDING_VALUE || only->element != ELEMENT_WHOLE)
                        break;
                node = only->value;
        }
        return node;
}
