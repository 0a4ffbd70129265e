#include "analyze/values.h"

#include <string.h>

#include "base/cleanup.h"

static const struct bytes unknown_item = {(const unsigned char *)"\0", 1};

struct values values_unknown(void)
{
        return (struct values){.items = &unknown_item, .count = 1};
}

bool pattern_is_known(struct bytes pattern)
{
        return pattern.size == 0 || memchr(pattern.data, VALUE_UNKNOWN, pattern.size) == NULL;
}

/* Adjacent unknown runs are one; beyond the limit the rest is unknown. */
static struct bytes pattern_make(struct arena *arena, struct bytes left, struct bytes right)
{
        size_t total = left.size + right.size, size = 0;
        unsigned char *data = arena_alloc(arena, total < VALUE_SIZE_LIMIT ? total + 1 : VALUE_SIZE_LIMIT);
        for (size_t i = 0; i < total; i++) {
                unsigned char byte = i < left.size ? left.data[i] : right.data[i - left.size];
                if (size + 1 == VALUE_SIZE_LIMIT)
                        byte = VALUE_UNKNOWN;
                if (byte != VALUE_UNKNOWN || size == 0 || data[size - 1] != VALUE_UNKNOWN)
                        data[size++] = byte;
                if (size == VALUE_SIZE_LIMIT)
                        break;
        }
        return (struct bytes){data, size};
}

struct values values_of(struct arena *arena, struct bytes pattern)
{
        struct bytes *item = arena_new(arena, struct bytes);
        *item = pattern_make(arena, pattern, (struct bytes){NULL, 0});
        return (struct values){.items = item, .count = 1};
}

bool values_is_unknown(struct values values)
{
        return values.count == 0 || (values.count == 1 && bytes_equal(values.items[0], unknown_item));
}

bool values_known(struct values values, struct bytes *ret_text)
{
        if (values.count != 1 || !pattern_is_known(values.items[0]))
                return false;
        *ret_text = values.items[0];
        return true;
}

struct values values_join(struct arena *arena, struct values left, struct values right)
{
        if (left.count == 0)
                left = values_unknown();
        if (right.count == 0 || left.count * right.count > VALUES_LIMIT)
                right = values_unknown();
        struct bytes *items = arena_new_array(arena, struct bytes, left.count * right.count);
        for (size_t i = 0; i < left.count; i++)
                for (size_t j = 0; j < right.count; j++)
                        items[i * right.count + j] = pattern_make(arena, left.items[i], right.items[j]);
        return (struct values){.items = items, .count = left.count * right.count};
}

static bool values_have(struct values values, struct bytes pattern)
{
        for (size_t i = 0; i < values.count; i++)
                if (bytes_equal(values.items[i], pattern))
                        return true;
        return false;
}

struct values values_union(struct arena *arena, struct values left, struct values right)
{
        if (left.count == 0 || right.count == 0)
                return left.count == 0 ? right : left;
        struct bytes *items = arena_new_array(arena, struct bytes, left.count + right.count);
        struct values all = {.items = items, .kind = left.kind == right.kind ? left.kind : VALUES_TEXT};
        memcpy(items, left.items, left.count * sizeof *items);
        all.count = left.count;
        for (size_t i = 0; i < right.count; i++)
                if (!values_have(all, right.items[i]))
                        items[all.count++] = right.items[i];
        return all.count <= VALUES_LIMIT ? all : values_unknown();
}

/* Greedy matching with one point to come back to, as for any glob: linear in practice, quadratic at worst, and both
 * sides are short. An unknown run of `special` is matched by an unknown run only. */
bool pattern_covers(struct bytes general, struct bytes special)
{
        size_t at = 0, with = 0, star = SIZE_MAX, from = 0;
        while (at < special.size) {
                if (with < general.size && general.data[with] == VALUE_UNKNOWN) {
                        star = with++;
                        from = at;
                } else if (with < general.size && general.data[with] == special.data[at]) {
                        with++;
                        at++;
                } else if (star != SIZE_MAX && special.data[from] != '/') {
                        with = star + 1;
                        at = ++from;
                } else {
                        return false;
                }
        }
        while (with < general.size && general.data[with] == VALUE_UNKNOWN)
                with++;
        return with == general.size;
}

/* Doubled slashes and "." components go; what is unknown stays where it is. */
static struct bytes pattern_tidy(struct arena *arena, struct bytes pattern)
{
        unsigned char *data = arena_alloc(arena, pattern.size + 1);
        size_t size = 0;
        for (size_t i = 0; i < pattern.size; i++) {
                bool at_start = size == 0 || data[size - 1] == '/';
                bool dot = at_start && pattern.data[i] == '.' && i + 1 < pattern.size && pattern.data[i + 1] == '/';
                bool doubled = size > 0 && at_start && pattern.data[i] == '/';
                if (dot)
                        i++;
                else if (!doubled)
                        data[size++] = pattern.data[i];
        }
        return (struct bytes){data, size};
}

static bool pattern_is_worth_telling(struct bytes pattern)
{
        static const char *const kernel[] = {"/dev/null", "/dev/std", "/dev/fd/", "/dev/tty", "/proc/", "/sys/"};
        for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++)
                if (bytes_start_with(pattern, kernel[i]))
                        return false;
        for (size_t i = 0; i < pattern.size; i++)
                if (pattern.data[i] != VALUE_UNKNOWN && pattern.data[i] != '/' && pattern.data[i] != '.')
                        return true;
        return false;
}

static const char *pattern_glob(struct arena *arena, struct bytes pattern)
{
        CLEANUP(text_clear) struct text glob = TEXT_INIT;
        for (size_t i = 0; i < pattern.size; i++) {
                unsigned char byte = pattern.data[i];
                if (byte == VALUE_UNKNOWN)
                        text_add_char(&glob, '*');
                else if (byte == '*' || byte == '?' || byte == '[')
                        text_addf(&glob, "[%c]", byte);
                else if (byte == '\\')
                        text_add(&glob, "[\\\\]"); /* even in brackets one escapes the other */
                else if (byte == '@' && i + 1 < pattern.size && pattern.data[i + 1] == '(')
                        text_add(&glob, "[@]"); /* "@(a|b)" is a choice to glob_matches() */
                else
                        text_add_char(&glob, (char)byte);
        }
        return arena_strndup(arena, glob.data, glob.size);
}

static bool values_cover(const struct bytes *items, size_t count, size_t which)
{
        for (size_t i = 0; i < count; i++) {
                bool mutual = i != which && pattern_covers(items[i], items[which]);
                if (mutual && (i < which || !pattern_covers(items[which], items[i])))
                        return true;
        }
        return false;
}

struct strings values_globs(struct arena *arena, struct values values)
{
        struct bytes *items = arena_new_array(arena, struct bytes, values.count);
        size_t count = 0;
        for (size_t i = 0; i < values.count; i++) {
                struct bytes tidy = pattern_tidy(arena, values.items[i]);
                if (pattern_is_worth_telling(tidy))
                        items[count++] = tidy;
        }
        struct strings globs = {.items = arena_new_array(arena, const char *, count)};
        for (size_t i = 0; i < count && globs.count < VALUES_LIMIT; i++) {
                const char *glob = values_cover(items, count, i) ? "" : pattern_glob(arena, items[i]);
                if (*glob != '\0' && strlen(glob) <= VALUE_SIZE_LIMIT)
                        globs.items[globs.count++] = glob;
        }
        return globs;
}
