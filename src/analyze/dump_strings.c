#include "analyze/evaluate.h"

#include <string.h>

#include "analyze/literal.h"
#include "base/cleanup.h"

struct braces_context {
        const struct call *call;
};

static struct values braces_get(void *opaque, size_t position, struct bytes name)
{
        const struct call *call = ((struct braces_context *)opaque)->call;
        struct arena *arena = call->evaluation->code->arena;
        const char *keyword = name.size > 0 ? arena_strndup(arena, (const char *)name.data, name.size) : NULL;
        return evaluate_call_value(call, keyword != NULL ? -1 : (int)position, keyword);
}

struct values evaluate_format(const struct call *call)
{
        struct braces_context context = {call};
        struct literal_arguments arguments = {braces_get, &context};
        struct values format = evaluate_call_object(call), result = VALUES_NONE;
        struct arena *arena = call->evaluation->code->arena;
        for (size_t i = 0; i < format.count; i++)
                result = values_union(arena, result, literal_braces(arena, format.items[i], &arguments));
        return result;
}

struct values evaluate_join_parts(const struct call *call)
{
        TSNode parts = evaluate_resolve(call->evaluation, evaluate_call_argument(call, 0, NULL));
        struct values separator = evaluate_call_object(call);
        if (!syntax_is(parts, "tuple") && !syntax_is(parts, "list"))
                return values_unknown();
        struct values result = values_of(call->evaluation->code->arena, (struct bytes){NULL, 0});
        uint32_t count = node_count(parts);
        for (uint32_t i = 0; i < count && i < 64; i++) {
                if (i > 0)
                        result = evaluate_join(call->evaluation, result, separator);
                struct values part = evaluate(call->evaluation, node_at(parts, i));
                result = evaluate_join(call->evaluation, result, part);
        }
        return result;
}

/* A byte for a byte is exact even around what is not known; longer needles could lie across its edge. */
static struct values replace_one(const struct call *call, struct bytes item, struct bytes old, struct bytes new)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        if (old.size == 0 || (old.size > 1 && !pattern_is_known(item)))
                return values_unknown();
        for (size_t i = 0; i < item.size;) {
                bool hit = i + old.size <= item.size && memcmp(item.data + i, old.data, old.size) == 0;
                if (hit)
                        text_add_bytes(&text, new.data, new.size);
                else
                        text_add_char(&text, (char)item.data[i]);
                i += hit ? old.size : 1;
                if (text.size > VALUE_SIZE_LIMIT)
                        return values_unknown();
        }
        return values_of(call->evaluation->code->arena, (struct bytes){(const unsigned char *)text.data, text.size});
}

struct values evaluate_replace(const struct call *call)
{
        struct bytes old, new;
        struct values object = evaluate_call_object(call), result = VALUES_NONE;
        if (!values_known(evaluate_call_value(call, 0, NULL), &old) ||
            !values_known(evaluate_call_value(call, 1, NULL), &new) ||
            !ts_node_is_null(evaluate_call_argument(call, 2, NULL)))
                return values_unknown();
        for (size_t i = 0; i < object.count; i++)
                result = values_union(call->evaluation->code->arena, result,
                                      replace_one(call, object.items[i], old, new));
        return result;
}

static struct values strip_sides(const struct call *call, bool left, bool right)
{
        struct bytes set = BYTES_LITERAL(" \t\n\r\f\v");
        TSNode given = evaluate_call_argument(call, 0, NULL);
        if (!ts_node_is_null(given) && !values_known(evaluate(call->evaluation, given), &set))
                return values_unknown();
        struct values object = evaluate_call_object(call), result = VALUES_NONE;
        for (size_t i = 0; i < object.count; i++) {
                struct bytes item = object.items[i];
                while (left && item.size > 0 && memchr(set.data, item.data[0], set.size) != NULL) {
                        item.data++;
                        item.size--;
                }
                while (right && item.size > 0 && memchr(set.data, item.data[item.size - 1], set.size) != NULL)
                        item.size--;
                result = values_union(call->evaluation->code->arena, result,
                                      values_of(call->evaluation->code->arena, item));
        }
        return result;
}

struct values evaluate_strip(const struct call *call)
{
        return strip_sides(call, true, true);
}

struct values evaluate_lstrip(const struct call *call)
{
        return strip_sides(call, true, false);
}

struct values evaluate_rstrip(const struct call *call)
{
        return strip_sides(call, false, true);
}

static struct values change_case(const struct call *call, unsigned char from, unsigned char to)
{
        struct arena *arena = call->evaluation->code->arena;
        struct values object = evaluate_call_object(call), result = VALUES_NONE;
        for (size_t i = 0; i < object.count; i++) {
                unsigned char *data = arena_copy(arena, object.items[i].data, object.items[i].size);
                for (size_t j = 0; j < object.items[i].size; j++)
                        if (data[j] >= 0x80) /* letters of other scripts: not followed */
                                data[j] = VALUE_UNKNOWN;
                        else if (data[j] >= from && data[j] < from + 26)
                                data[j] = (unsigned char)(data[j] - from + to);
                result = values_union(arena, result, values_of(arena, (struct bytes){data, object.items[i].size}));
        }
        return result;
}

struct values evaluate_lower(const struct call *call)
{
        return change_case(call, 'A', 'a');
}

struct values evaluate_upper(const struct call *call)
{
        return change_case(call, 'a', 'A');
}
