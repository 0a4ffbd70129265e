#include "analyze/literal.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static void add_utf8(struct text *text, unsigned long point)
{
        if (point == 0 || point > 0x10FFFF) {
                text_add_char(text, VALUE_UNKNOWN);
        } else if (point < 0x80) {
                text_add_char(text, (char)point);
        } else if (point < 0x800) {
                text_add_char(text, (char)(0xC0 | point >> 6));
                text_add_char(text, (char)(0x80 | (point & 0x3F)));
        } else if (point < 0x10000) {
                text_add_char(text, (char)(0xE0 | point >> 12));
                text_add_char(text, (char)(0x80 | (point >> 6 & 0x3F)));
                text_add_char(text, (char)(0x80 | (point & 0x3F)));
        } else {
                text_add_char(text, (char)(0xF0 | point >> 18));
                text_add_char(text, (char)(0x80 | (point >> 12 & 0x3F)));
                text_add_char(text, (char)(0x80 | (point >> 6 & 0x3F)));
                text_add_char(text, (char)(0x80 | (point & 0x3F)));
        }
}

/* Up to `digits` digits of a base at piece[at]; the number of them. */
static size_t read_number(struct bytes piece, size_t at, size_t digits, int base, unsigned long *ret_number)
{
        char buffer[9] = "";
        size_t size = 0;
        const char *const allowed = base == 8 ? "01234567" : "0123456789abcdefABCDEF";
        while (size < digits && at + size < piece.size && piece.data[at + size] != '\0' &&
               strchr(allowed, piece.data[at + size]) != NULL) {
                buffer[size] = (char)piece.data[at + size];
                size++;
        }
        *ret_number = strtoul(buffer, NULL, base);
        return size;
}

/* One escape at piece[at] == '\\'; the number of bytes it takes. */
static size_t decode_escape(struct text *text, struct bytes piece, size_t at, bool is_bytes)
{
        static const char names[] = "\\'\"abfnrtv", meanings[] = "\\'\"\a\b\f\n\r\t\v";
        static const struct {
                char letter;
                size_t digits;
        } numbers[] = {{'x', 2}, {'u', 4}, {'U', 8}};
        char letter = at + 1 < piece.size ? (char)piece.data[at + 1] : '\0';
        const char *known = letter != '\0' ? strchr(names, letter) : NULL;
        unsigned long point = 0;
        if (known != NULL) {
                text_add_char(text, meanings[known - names]);
                return 2;
        }
        if (letter == '\n')
                return 2;
        size_t octal = read_number(piece, at + 1, 3, 8, &point);
        if (octal > 0) {
                add_utf8(text, point);
                return 1 + octal;
        }
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
                if (letter != numbers[i].letter || (is_bytes && letter != 'x'))
                        continue;
                if (read_number(piece, at + 2, numbers[i].digits, 16, &point) != numbers[i].digits)
                        break;
                if (is_bytes && point >= 0x80)
                        text_add_char(text, (char)point);
                else
                        add_utf8(text, point);
                return 2 + numbers[i].digits;
        }
        const unsigned char *close = letter == 'N' ? memchr(piece.data + at, '}', piece.size - at) : NULL;
        if (close != NULL && !is_bytes) {
                text_add_char(text, VALUE_UNKNOWN);
                return (size_t)(close - (piece.data + at)) + 1;
        }
        text_add_char(text, '\\'); /* Python keeps the backslash of an escape it does not know */
        return 1;
}

static bool prefix_has(struct bytes prefix, char letter)
{
        for (size_t i = 0; i < prefix.size; i++)
                if ((prefix.data[i] | 0x20) == letter)
                        return true;
        return false;
}

void literal_decode(struct text *text, struct bytes piece, struct bytes prefix, bool doubled)
{
        bool raw = prefix_has(prefix, 'r'), is_bytes = prefix_has(prefix, 'b');
        for (size_t at = 0; at < piece.size;) {
                unsigned char byte = piece.data[at];
                if (byte == '\\' && !raw) {
                        at += decode_escape(text, piece, at, is_bytes);
                        continue;
                }
                text_add_char(text, (char)byte);
                bool pair =
                        doubled && (byte == '{' || byte == '}') && at + 1 < piece.size && piece.data[at + 1] == byte;
                at += pair ? 2 : 1;
        }
}

static bool all_digits(struct bytes bytes)
{
        for (size_t i = 0; i < bytes.size; i++)
                if (bytes.data[i] < '0' || bytes.data[i] > '9')
                        return false;
        return bytes.size > 0;
}

/* [0][width][d|s|i|u] on known digits; anything else that is not empty changes the text in ways not followed here. */
static struct values format_one(struct arena *arena, struct bytes value, struct bytes spec)
{
        if (spec.size > 0 && spec.data[spec.size - 1] == 's')
                spec.size--;
        if (spec.size == 0)
                return values_of(arena, value);
        bool integer = strchr("diu", spec.data[spec.size - 1]) != NULL;
        spec.size -= integer;
        if (!all_digits(value) || (spec.size > 0 && !all_digits(spec)) || spec.size > 3)
                return values_unknown();
        unsigned long width = 0;
        for (size_t i = 0; i < spec.size; i++)
                width = width * 10 + spec.data[i] - '0';
        char fill = spec.size > 0 && spec.data[0] == '0' ? '0' : ' ';
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        for (size_t i = value.size; i < width; i++)
                text_add_char(&text, fill);
        text_add_bytes(&text, value.data, value.size);
        return values_of(arena, bytes_of(text.data));
}

struct values literal_formatted(struct arena *arena, struct values value, struct bytes spec, char conversion)
{
        struct values all = VALUES_NONE;
        for (size_t i = 0; i < value.count; i++) {
                bool quoted = (conversion == 'r' || conversion == 'a') && !all_digits(value.items[i]);
                bool plain = pattern_is_known(value.items[i]) || spec.size == 0;
                struct values one = quoted || !plain ? values_unknown() : format_one(arena, value.items[i], spec);
                all = values_union(arena, all, one);
        }
        return all.count > 0 ? all : values_unknown();
}

static struct bytes bytes_slice(struct bytes bytes, size_t start, size_t end)
{
        return (struct bytes){bytes.data + start, end - start};
}

static struct values add_plain(struct arena *arena, struct values result, struct bytes plain)
{
        return plain.size == 0 ? result : values_join(arena, result, values_of(arena, plain));
}

static size_t span_of(struct bytes bytes, size_t at, const char *set)
{
        while (at < bytes.size && bytes.data[at] != '\0' && strchr(set, bytes.data[at]) != NULL)
                at++;
        return at;
}

/* The conversion at format[at], just after its "%". Gives the end. */
static size_t percent_one(struct arena *arena, struct bytes format, size_t at, size_t *position,
                          const struct literal_arguments *arguments, struct values *result)
{
        struct bytes name = {NULL, 0};
        if (at < format.size && format.data[at] == '(') {
                const unsigned char *close = memchr(format.data + at, ')', format.size - at);
                size_t end = close != NULL ? (size_t)(close - format.data) : format.size;
                name = bytes_slice(format, at + 1, end);
                at = close != NULL ? end + 1 : end;
        }
        size_t spec = at;
        at = span_of(format, at, "#0- +");
        at = span_of(format, at, "0123456789.*");
        size_t spec_end = at;
        at = span_of(format, at, "hlL");
        char type = at < format.size ? (char)format.data[at] : '\0';
        if (type == '%') {
                *result = add_plain(arena, *result, BYTES_LITERAL("%"));
                return at + 1;
        }
        struct bytes flags = bytes_slice(format, spec, spec_end);
        for (size_t i = 0; i < flags.size; i++)
                *position += flags.data[i] == '*'; /* a width of its own from the arguments */
        struct values value = arguments->get(arguments->context, name.size > 0 ? 0 : (*position)++, name);
        bool simple = type != '\0' && strchr("sdiu", type) != NULL;
        value = simple ? literal_formatted(arena, value, flags, '\0') : values_unknown();
        *result = values_join(arena, *result, value);
        return at < format.size ? at + 1 : at;
}

struct values literal_percent(struct arena *arena, struct bytes format, const struct literal_arguments *arguments)
{
        struct values result = values_of(arena, (struct bytes){NULL, 0});
        size_t position = 0, plain = 0;
        for (size_t at = 0; at < format.size;) {
                if (format.data[at] != '%') {
                        at++;
                        continue;
                }
                result = add_plain(arena, result, bytes_slice(format, plain, at));
                at = plain = percent_one(arena, format, at + 1, &position, arguments, &result);
        }
        return add_plain(arena, result, bytes_slice(format, plain, format.size));
}

/* End of the replacement field whose "{" is before `at`: the matching "}", or the end of the format. */
static size_t field_end(struct bytes format, size_t at)
{
        for (unsigned depth = 1; at < format.size; at++) {
                depth += format.data[at] == '{';
                depth -= format.data[at] == '}';
                if (depth == 0)
                        break;
        }
        return at;
}

static struct values brace_field(struct arena *arena, struct bytes field, size_t *position,
                                 const struct literal_arguments *arguments)
{
        size_t end = 0;
        while (end < field.size && field.data[end] != '!' && field.data[end] != ':')
                end++;
        struct bytes name = bytes_slice(field, 0, end);
        bool converted = end + 1 < field.size && field.data[end] == '!';
        char conversion = converted ? (char)field.data[end + 1] : '\0';
        end += converted ? 2 : 0;
        struct bytes spec = end < field.size ? bytes_slice(field, end + 1, field.size) : (struct bytes){NULL, 0};
        unsigned long number = 0;
        bool numbered = all_digits(name) && name.size < 4;
        for (size_t i = 0; numbered && i < name.size; i++)
                number = number * 10 + name.data[i] - '0';
        bool part = false; /* {a.b} and {a[0]} reach into the argument */
        for (size_t i = 0; i < name.size; i++)
                part |= name.data[i] == '.' || name.data[i] == '[';
        if (part)
                return values_unknown();
        if (name.size == 0)
                number = (*position)++;
        struct values value = arguments->get(arguments->context, number, numbered ? (struct bytes){NULL, 0} : name);
        return literal_formatted(arena, value, spec, conversion);
}

struct values literal_braces(struct arena *arena, struct bytes format, const struct literal_arguments *arguments)
{
        struct values result = values_of(arena, (struct bytes){NULL, 0});
        size_t position = 0, plain = 0;
        for (size_t at = 0; at < format.size;) {
                unsigned char byte = format.data[at];
                if (byte != '{' && byte != '}') {
                        at++;
                        continue;
                }
                bool doubled = at + 1 < format.size && format.data[at + 1] == byte;
                /* Of a doubled brace, and of a stray "}", one stays. */
                result = add_plain(arena, result, bytes_slice(format, plain, doubled || byte == '}' ? at + 1 : at));
                if (doubled || byte == '}') {
                        at = plain = at + (doubled ? 2 : 1);
                        continue;
                }
                size_t end = field_end(format, at + 1);
                struct bytes field = bytes_slice(format, at + 1, end);
                result = values_join(arena, result, brace_field(arena, field, &position, arguments));
                at = plain = end < format.size ? end + 1 : end;
        }
        return add_plain(arena, result, bytes_slice(format, plain, format.size));
}
