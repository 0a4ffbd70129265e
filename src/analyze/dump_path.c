#include "analyze/evaluate.h"

#include <string.h>

#include "analyze/literal.h"
#include "analyze/names.h"
#include "base/cleanup.h"

enum {
        EVALUATION_DEPTH = 24,
        FRAME_DEPTH = 4,
        BYTES_PER_FUEL = 256,
};

struct values evaluate_join(const struct evaluation *evaluation, struct values left, struct values right)
{
        struct values result = values_join(evaluation->code->arena, left, right);
        size_t size = 0;
        for (size_t i = 0; i < result.count; i++)
                size += result.items[i].size;
        for (size_t i = 0; i < size / BYTES_PER_FUEL; i++)
                if (!code_spend(evaluation->code))
                        return values_unknown();
        return result;
}

static struct values text_values(const struct evaluation *evaluation, struct bytes bytes)
{
        return values_of(evaluation->code->arena, bytes);
}

/* From behind an interpolation's brace to the end of its "=". */
static struct bytes text_between(const struct evaluation *evaluation, TSNode interpolation, TSNode last)
{
        uint32_t start = ts_node_start_byte(interpolation) + 1;
        return (struct bytes){evaluation->code->syntax->source.data + start, ts_node_end_byte(last) - start};
}

static struct values evaluate_interpolation(const struct evaluation *evaluation, TSNode node)
{
        struct bytes conversion = code_text(evaluation->code, node_child_of(node, "type_conversion"));
        TSNode specifier = node_child_of(node, "format_specifier");
        struct bytes spec = code_text(evaluation->code, specifier);
        if (spec.size > 0) { /* its ":" */
                spec.data++;
                spec.size--;
        }
        TSNode shows = node_child_of(node, "=");
        if (!ts_node_is_null(shows)) /* f"{rank=}" is "rank=" and the value */
                return evaluate_join(evaluation, text_values(evaluation, text_between(evaluation, node, shows)),
                                     values_unknown());
        if ((spec.size > 0 && memchr(spec.data, '{', spec.size) != NULL))
                return values_unknown();
        struct values value = evaluate(evaluation, node_field(node, "expression"));
        return literal_formatted(evaluation->code->arena, value, spec,
                                 conversion.size > 1 ? (char)conversion.data[1] : '\0');
}

static struct values evaluate_string(const struct evaluation *evaluation, TSNode node)
{
        struct values result = text_values(evaluation, (struct bytes){NULL, 0});
        struct bytes prefix = code_text(evaluation->code, ts_node_child(node, 0));
        bool formatted =
                prefix.size > 0 && (memchr(prefix.data, 'f', prefix.size) || memchr(prefix.data, 'F', prefix.size));
        uint32_t count = ts_node_child_count(node);
        for (uint32_t i = 1; i < count; i++) {
                TSNode child = ts_node_child(node, i);
                if (syntax_is(child, "string_content")) {
                        CLEANUP(text_clear) struct text text = TEXT_INIT;
                        literal_decode(&text, code_text(evaluation->code, child), prefix, formatted);
                        struct bytes piece = {(const unsigned char *)text.data, text.size};
                        result = evaluate_join(evaluation, result, text_values(evaluation, piece));
                } else if (syntax_is(child, "interpolation")) {
                        result = evaluate_join(evaluation, result, evaluate_interpolation(evaluation, child));
                }
        }
        return result;
}

static struct values evaluate_concatenated(const struct evaluation *evaluation, TSNode node)
{
        struct values result = text_values(evaluation, (struct bytes){NULL, 0});
        uint32_t count = node_count(node);
        for (uint32_t i = 0; i < count; i++)
                if (!syntax_is(node_at(node, i), "comment"))
                        result = evaluate_join(evaluation, result, evaluate(evaluation, node_at(node, i)));
        return result;
}

/* Only a number that Python prints as it is written: not 2.50, 1_000 or 0x10. */
static struct values evaluate_number(const struct evaluation *evaluation, TSNode node)
{
        struct bytes text = code_text(evaluation->code, node);
        bool plain = text.size == 1 || (text.size > 0 && text.data[0] != '0');
        for (size_t i = 0; i < text.size; i++)
                plain &= text.data[i] >= '0' && text.data[i] <= '9';
        struct values value = plain ? text_values(evaluation, text) : values_unknown();
        value.kind = VALUES_NUMBER;
        return value;
}

static struct values evaluate_text(const struct evaluation *evaluation, TSNode node) /* True, False */
{
        return text_values(evaluation, code_text(evaluation->code, node));
}

static struct values evaluate_none(const struct evaluation *evaluation, TSNode node)
{
        (void)evaluation;
        (void)node;
        return VALUES_NONE;
}

static struct values evaluate_parenthesized(const struct evaluation *evaluation, TSNode node)
{
        return evaluate(evaluation, node_at(node, 0));
}

static struct values evaluate_either(const struct evaluation *evaluation, TSNode left, TSNode right)
{
        struct values first = evaluate(evaluation, left);
        return values_union(evaluation->code->arena, first, evaluate(evaluation, right));
}

static struct values evaluate_boolean(const struct evaluation *evaluation, TSNode node)
{
        TSNode right = node_field(node, "right");
        bool either = code_text_is(evaluation->code, node_field(node, "operator"), "or");
        return either ? evaluate_either(evaluation, node_field(node, "left"), right) : evaluate(evaluation, right);
}

static struct values evaluate_conditional(const struct evaluation *evaluation, TSNode node)
{
        return evaluate_either(evaluation, node_at(node, 0), node_at(node, 2));
}

static struct values evaluate_named(const struct evaluation *evaluation, TSNode node)
{
        return evaluate(evaluation, node_field(node, "value"));
}

/* The right side of "%": a tuple, a dictionary, or one value. */
struct percent_context {
        const struct evaluation *evaluation;
        TSNode right;
};

static struct values percent_get(void *opaque, size_t position, struct bytes name)
{
        struct percent_context *context = opaque;
        if (name.size > 0)
                return evaluate_key(context->evaluation, context->right, name);
        if (syntax_is(context->right, "tuple"))
                return evaluate_element(context->evaluation, context->right, (int32_t)position);
        return position == 0 ? evaluate(context->evaluation, context->right) : values_unknown();
}

static struct values evaluate_percent(const struct evaluation *evaluation, struct values left, TSNode right)
{
        struct percent_context context = {evaluation, evaluate_resolve(evaluation, right)};
        struct literal_arguments arguments = {percent_get, &context};
        struct values result = VALUES_NONE;
        for (size_t i = 0; i < left.count; i++) {
                struct values one = literal_percent(evaluation->code->arena, left.items[i], &arguments);
                result = values_union(evaluation->code->arena, result, one);
        }
        return result;
}

static struct values evaluate_binary(const struct evaluation *evaluation, TSNode node)
{
        TSNode operator= node_field(node, "operator"), right = node_field(node, "right");
        struct values left = evaluate(evaluation, node_field(node, "left"));
        if (left.kind == VALUES_NUMBER)
                return values_unknown();
        if (code_text_is(evaluation->code, operator, "%"))
                return evaluate_percent(evaluation, left, right);
        struct values other = evaluate(evaluation, right);
        if (other.kind == VALUES_NUMBER)
                return values_unknown();
        if (code_text_is(evaluation->code, operator, "/"))
                return evaluate_path_join(evaluation, left, other);
        return code_text_is(evaluation->code, operator, "+") ? evaluate_join(evaluation, left, other)
                                                             : values_unknown();
}

typedef struct values evaluator(const struct evaluation *evaluation, TSNode node);

static const struct {
        const char *type;
        evaluator *evaluate;
} evaluators[] = {
        {"string", evaluate_string},
        {"concatenated_string", evaluate_concatenated},
        {"identifier", evaluate_name},
        {"attribute", evaluate_attribute},
        {"call", evaluate_call},
        {"binary_operator", evaluate_binary},
        {"integer", evaluate_number},
        {"float", evaluate_number},
        {"true", evaluate_text},
        {"false", evaluate_text},
        {"none", evaluate_none},
        {"parenthesized_expression", evaluate_parenthesized},
        {"conditional_expression", evaluate_conditional},
        {"boolean_operator", evaluate_boolean},
        {"named_expression", evaluate_named},
        {"subscript", evaluate_subscript},
};

struct values evaluate(const struct evaluation *evaluation, TSNode node)
{
        if (ts_node_is_null(node) || evaluation->depth == 0 || !code_spend(evaluation->code))
                return values_unknown();
        struct evaluation inner = *evaluation;
        inner.depth--;
        for (size_t i = 0; i < sizeof evaluators / sizeof *evaluators; i++)
                if (syntax_is(node, evaluators[i].type))
                        return evaluators[i].evaluate(&inner, node);
        return values_unknown();
}

struct values dump_path_evaluate(struct code *code, TSNode expression, const struct frame *frame)
{
        struct evaluation evaluation = {code, frame, EVALUATION_DEPTH};
        return evaluate(&evaluation, expression);
}

bool dump_path_enter(struct code *code, TSNode call, const struct frame *caller, struct frame *ret_frame)
{
        unsigned depth = 0;
        for (const struct frame *frame = caller; frame != NULL; frame = frame->caller)
                if (++depth >= FRAME_DEPTH)
                        return false;
        TSNode function = node_field(call, "function");
        TSNode definition = names_definition(code, function);
        if (ts_node_is_null(definition))
                return false;
        static const char *const unbound[] = {"staticmethod", NULL};
        bool bound = syntax_is(function, "attribute") && !names_is_decorated(code, definition, unbound);
        *ret_frame = (struct frame){definition, call, bound, caller};
        return true;
}
