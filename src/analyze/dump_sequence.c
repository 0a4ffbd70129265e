#include "analyze/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/names.h"

enum { ELEMENTS_LIMIT = 64, RANGE_LIMIT = 64 };

static const char *const sequence_types[] = {"tuple", "list", "set", "expression_list", "pattern_list", NULL};

static struct values element_values(const struct evaluation *evaluation, TSNode item, int32_t element)
{
        return element == ELEMENT_WHOLE ? evaluate(evaluation, item) : evaluate_element(evaluation, item, element);
}

struct values evaluate_element(const struct evaluation *evaluation, TSNode sequence, int32_t element)
{
        sequence = evaluate_resolve(evaluation, sequence);
        if (element < 0 || !node_is_any(sequence, sequence_types))
                return values_unknown();
        int32_t at = 0;
        uint32_t count = node_count(sequence);
        for (uint32_t i = 0; i < count && i < ELEMENTS_LIMIT; i++) {
                TSNode item = node_at(sequence, i);
                if (syntax_is(item, "list_splat"))
                        break;
                if (!syntax_is(item, "comment") && at++ == element)
                        return evaluate(evaluation, item);
        }
        return values_unknown();
}

struct values evaluate_key(const struct evaluation *evaluation, TSNode dictionary, struct bytes key)
{
        uint32_t count = syntax_is(dictionary, "dictionary") ? node_count(dictionary) : 0;
        for (uint32_t i = 0; i < count && i < ELEMENTS_LIMIT; i++) {
                TSNode pair = node_at(dictionary, i);
                struct bytes known;
                if (syntax_is(pair, "pair") && values_known(evaluate(evaluation, node_field(pair, "key")), &known) &&
                    bytes_equal(known, key))
                        return evaluate(evaluation, node_field(pair, "value"));
        }
        return values_unknown();
}

/* Keys or values of a dictionary literal. */
static struct values each_of_dictionary(const struct evaluation *evaluation, TSNode dictionary, const char *field,
                                        int32_t element)
{
        struct values result = VALUES_NONE;
        uint32_t count = syntax_is(dictionary, "dictionary") ? node_count(dictionary) : 0;
        for (uint32_t i = 0; i < count && i < ELEMENTS_LIMIT; i++) {
                TSNode item = node_field(node_at(dictionary, i), field);
                if (!ts_node_is_null(item))
                        result = values_union(evaluation->code->arena, result,
                                              element_values(evaluation, item, element));
        }
        return count > 0 && count <= ELEMENTS_LIMIT ? result : values_unknown();
}

static struct values each_of_range(const struct evaluation *evaluation, TSNode call)
{
        TSNode second = code_argument(evaluation->code, call, 1, NULL);
        struct bytes bounds[2] = {BYTES_LITERAL("0"), BYTES_LITERAL("0")};
        TSNode last = ts_node_is_null(second) ? code_argument(evaluation->code, call, 0, NULL) : second;
        if ((!ts_node_is_null(second) &&
             !values_known(evaluate(evaluation, code_argument(evaluation->code, call, 0, NULL)), &bounds[0])) ||
            !values_known(evaluate(evaluation, last), &bounds[1]) ||
            !ts_node_is_null(code_argument(evaluation->code, call, 2, NULL)))
                return values_unknown();
        struct arena *arena = evaluation->code->arena;
        long start = strtol(arena_strndup(arena, (const char *)bounds[0].data, bounds[0].size), NULL, 10);
        long end = strtol(arena_strndup(arena, (const char *)bounds[1].data, bounds[1].size), NULL, 10);
        struct values result = VALUES_NONE;
        if (start < 0 || end <= start || end > RANGE_LIMIT)
                return values_unknown();
        for (long i = start; i < end; i++) {
                struct values one = values_of(arena, bytes_of(arena_printf(arena, "%ld", i)));
                one.kind = VALUES_NUMBER;
                result = values_union(arena, result, one);
        }
        return result;
}

static struct values each_of_string(const struct evaluation *evaluation, TSNode string)
{
        struct bytes text;
        struct values result = VALUES_NONE;
        if (!values_known(evaluate(evaluation, string), &text) || text.size > ELEMENTS_LIMIT)
                return values_unknown();
        for (size_t i = 0; i < text.size; i++) {
                if (text.data[i] >= 0x80)
                        return values_unknown();
                result = values_union(evaluation->code->arena, result,
                                      values_of(evaluation->code->arena, (struct bytes){text.data + i, 1}));
        }
        return result;
}

static struct values each_of_call(const struct evaluation *evaluation, TSNode call, int32_t element)
{
        struct code *code = evaluation->code;
        static const char *const same[] = {"sorted", "list", "tuple", "set", "reversed", "iter", "frozenset"};
        TSNode function = node_field(call, "function");
        const char *name = names_qualified(code, function);
        TSNode first = code_argument(code, call, 0, NULL);
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
                if (strcmp(name, same[i]) == 0)
                        return evaluate_each(evaluation, first, element);
        if (strcmp(name, "enumerate") == 0)
                return element == 1 ? evaluate_each(evaluation, first, ELEMENT_WHOLE) : values_unknown();
        if (strcmp(name, "zip") == 0 && element >= 0)
                return evaluate_each(evaluation, code_argument(code, call, element, NULL), ELEMENT_WHOLE);
        if (strcmp(name, "range") == 0)
                return each_of_range(evaluation, call);
        TSNode attribute = node_field(function, "attribute");
        TSNode object = evaluate_resolve(evaluation, node_field(function, "object"));
        if (code_text_is(code, attribute, "items") && element >= 0)
                return each_of_dictionary(evaluation, object, element == 0 ? "key" : "value", ELEMENT_WHOLE);
        if (code_text_is(code, attribute, "keys"))
                return each_of_dictionary(evaluation, object, "key", element);
        if (code_text_is(code, attribute, "values"))
                return each_of_dictionary(evaluation, object, "value", element);
        return values_unknown();
}

struct values evaluate_each(const struct evaluation *evaluation, TSNode iterable, int32_t element)
{
        iterable = ts_node_is_null(iterable) ? iterable : evaluate_resolve(evaluation, iterable);
        if (evaluation->depth == 0 || !code_spend(evaluation->code))
                return values_unknown();
        struct evaluation inner = *evaluation;
        inner.depth--;
        if (syntax_is(iterable, "call"))
                return each_of_call(&inner, iterable, element);
        if (syntax_is(iterable, "dictionary"))
                return each_of_dictionary(&inner, iterable, "key", element);
        if (syntax_is(iterable, "string"))
                return each_of_string(&inner, iterable);
        uint32_t count = node_is_any(iterable, sequence_types) ? node_count(iterable) : 0;
        struct values result = VALUES_NONE;
        for (uint32_t i = 0; i < count && i < ELEMENTS_LIMIT; i++) {
                TSNode item = node_at(iterable, i);
                if (!syntax_is(item, "comment"))
                        result = values_union(inner.code->arena, result, element_values(&inner, item, element));
        }
        return count > 0 && count <= ELEMENTS_LIMIT ? result : values_unknown();
}

struct values evaluate_subscript(const struct evaluation *evaluation, TSNode node)
{
        TSNode value = node_field(node, "value"), index = node_field(node, "subscript");
        if (strcmp(names_qualified(evaluation->code, value), "os.environ") == 0)
                return code_text_is(evaluation->code, index, "\"HOME\"") ? evaluate_home(evaluation) : values_unknown();
        TSNode container = evaluate_resolve(evaluation, value);
        struct bytes key;
        const char *split = names_qualified(evaluation->code, node_field(container, "function"));
        bool first = code_text_is(evaluation->code, index, "0");
        if (strcmp(split, "os.path.splitext") == 0 || strcmp(split, "os.path.split") == 0)
                return evaluate_path_part(evaluation, code_argument(evaluation->code, container, 0, "p"),
                                          bytes_of(split[12] == '\0' ? first ? "dirname" : "name"
                                                   : first           ? "unsuffixed"
                                                                     : "suffix"));
        if (syntax_is(index, "slice"))
                return values_unknown();
        bool known = values_known(evaluate(evaluation, index), &key);
        if (syntax_is(container, "dictionary"))
                return known ? evaluate_key(evaluation, container, key)
                             : each_of_dictionary(evaluation, container, "value", ELEMENT_WHOLE);
        bool digit = known && key.size == 1 && key.data[0] >= '0' && key.data[0] <= '9';
        return digit ? evaluate_element(evaluation, container, key.data[0] - '0')
                     : evaluate_each(evaluation, container, ELEMENT_WHOLE);
}
