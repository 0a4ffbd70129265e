#include "analyze/evaluate.h"

#include <string.h>

struct values evaluate_path_join(const struct evaluation *evaluation, struct values left, struct values right)
{
        struct arena *arena = evaluation->code->arena;
        struct values result = VALUES_NONE;
        if (left.count == 0)
                left = values_unknown();
        if (right.count == 0 || left.count * right.count > VALUES_LIMIT)
                right = values_unknown();
        for (size_t i = 0; i < left.count; i++)
                for (size_t j = 0; j < right.count; j++) {
                        struct bytes start = left.items[i], rest = right.items[j];
                        bool absolute = rest.size > 0 && rest.data[0] == '/';
                        bool separated = start.size == 0 || start.data[start.size - 1] == '/';
                        struct values one = values_of(arena, absolute ? (struct bytes){NULL, 0} : start);
                        if (!absolute && !separated)
                                one = evaluate_join(evaluation, one, values_of(arena, BYTES_LITERAL("/")));
                        one = evaluate_join(evaluation, one, values_of(arena, rest));
                        result = values_union(arena, result, one);
                }
        return result;
}

/* Where the last component starts. */
static size_t name_start(struct bytes path)
{
        size_t at = path.size;
        while (at > 0 && path.data[at - 1] != '/')
                at--;
        return at;
}

/* Where the last component's suffix starts; its end when it shows none. */
static size_t suffix_start(struct bytes path)
{
        size_t at = path.size, start = name_start(path);
        while (at > start + 1 && path.data[at - 1] != '.' && path.data[at - 1] != VALUE_UNKNOWN)
                at--;
        return at > start + 1 && path.data[at - 1] == '.' ? at - 1 : path.size;
}

static struct bytes path_part(struct bytes path, struct bytes part)
{
        size_t name = name_start(path), suffix = suffix_start(path);
        if (bytes_equal(part, BYTES_LITERAL("dirname")) && name == 0 && pattern_is_known(path))
                return (struct bytes){NULL, 0};
        bool shown = name > 0 || pattern_is_known(path); /* what is not known may hold slashes */
        bool above = bytes_equal(part, BYTES_LITERAL("parent")) || bytes_equal(part, BYTES_LITERAL("dirname"));
        if (above && !shown)
                return BYTES_LITERAL("\0");
        if (above) {
                size_t end = name > 1 ? name - 1 : name;
                return end > 0 ? (struct bytes){path.data, end} : BYTES_LITERAL(".");
        }
        if (bytes_equal(part, BYTES_LITERAL("name")))
                return (struct bytes){path.data + name, path.size - name};
        if (bytes_equal(part, BYTES_LITERAL("stem")))
                return (struct bytes){path.data + name, suffix - name};
        if (bytes_equal(part, BYTES_LITERAL("suffix")))
                return (struct bytes){path.data + suffix, path.size - suffix};
        return (struct bytes){path.data, suffix}; /* "unsuffixed" */
}

struct values evaluate_path_part(const struct evaluation *evaluation, TSNode object, struct bytes part)
{
        static const char *const parts[] = {"parent", "dirname", "name", "stem", "suffix", "unsuffixed"};
        bool known = false;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
                known |= bytes_equal(part, bytes_of(parts[i]));
        struct values path = known ? evaluate(evaluation, object) : VALUES_NONE, result = VALUES_NONE;
        for (size_t i = 0; i < path.count; i++)
                result = values_union(evaluation->code->arena, result,
                                      values_of(evaluation->code->arena, path_part(path.items[i], part)));
        return result.count > 0 ? result : values_unknown();
}

static struct values returns_below(const struct evaluation *evaluation, TSNode node, unsigned depth)
{
        struct values result = VALUES_NONE;
        uint32_t count = depth > 0 && code_spend(evaluation->code) ? node_count(node) : 0;
        for (uint32_t i = 0; i < count; i++) {
                TSNode child = node_at(node, i);
                struct values one = VALUES_NONE;
                if (syntax_is(child, "return_statement"))
                        one = evaluate(evaluation, node_at(child, 0));
                else if (!node_is_scope(child) && !syntax_is(child, "expression_statement"))
                        one = returns_below(evaluation, child, depth - 1);
                result = values_union(evaluation->code->arena, result, one);
        }
        return result;
}

struct values evaluate_returns(const struct evaluation *evaluation, const struct frame *frame)
{
        if (evaluation->depth == 0)
                return values_unknown();
        struct evaluation inner = {evaluation->code, frame, evaluation->depth - 1};
        struct values result = returns_below(&inner, node_field(frame->function, "body"), 16);
        return result.count > 0 ? result : values_unknown();
}
