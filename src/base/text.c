#include "base/text.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct bytes bytes_of(const char *string)
{
        return (struct bytes){(const unsigned char *)string, string != NULL ? strlen(string) : 0};
}

bool bytes_equal(struct bytes a, struct bytes b)
{
        return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool bytes_start_with(struct bytes bytes, const char *prefix)
{
        size_t length = strlen(prefix);
        return bytes.size >= length && (length == 0 || memcmp(bytes.data, prefix, length) == 0);
}

/* strncasecmp() asks the locale for every byte; this is called for most bytes of a source. */
bool bytes_start_with_word(struct bytes bytes, struct bytes word)
{
        if (bytes.size < word.size)
                return false;
        for (size_t i = 0; i < word.size; i++) {
                unsigned char c = bytes.data[i];
                if ((c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c) != word.data[i])
                        return false;
        }
        return true;
}

bool bytes_end_with(struct bytes bytes, const char *suffix)
{
        size_t length = strlen(suffix);
        return bytes.size >= length && (length == 0 || memcmp(bytes.data + bytes.size - length, suffix, length) == 0);
}

bool glob_matches(const char *glob, const char *path)
{
        int extended = strstr(glob, "@(") != NULL ? FNM_EXTMATCH : 0;
        return fnmatch(glob, path, FNM_PATHNAME | extended) == 0;
}

void text_clear(struct text *text)
{
        free(text->data);
        *text = TEXT_INIT;
}

static void text_reserve(struct text *text, size_t more)
{
        if (text->capacity - text->size > more)
                return;
        size_t capacity = text->capacity > 0 ? text->capacity : 64;
        while (capacity - text->size <= more)
                capacity *= 2;
        text->data = heap_resize(text->data, capacity, 1);
        text->capacity = capacity;
}

void text_add_bytes(struct text *text, const void *data, size_t size)
{
        text_reserve(text, size);
        if (size > 0)
                memcpy(text->data + text->size, data, size);
        text->size += size;
        text->data[text->size] = '\0';
}

void text_add(struct text *text, const char *string)
{
        text_add_bytes(text, string, strlen(string));
}

void text_add_char(struct text *text, char c)
{
        text_add_bytes(text, &c, 1);
}

void text_addf(struct text *text, const char *format, ...)
{
        va_list args, again;
        va_start(args, format);
        va_copy(again, args);
        int length = vsnprintf(NULL, 0, format, args);
        va_end(args);
        if (length < 0)
                abort();
        text_reserve(text, (size_t)length);
        vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
        va_end(again);
        text->size += (size_t)length;
}

char *text_steal(struct text *text)
{
        text_reserve(text, 0);
        text->data[text->size] = '\0';
        char *data = text->data;
        *text = TEXT_INIT;
        return data;
}

size_t utf8_decode(struct bytes bytes, unsigned *ret_point)
{
        if (bytes.size == 0)
                return 0;
        unsigned first = bytes.data[0];
        size_t length = first < 0x80                    ? 1
                        : first >= 0xC2 && first < 0xE0 ? 2
                        : (first & 0xF0) == 0xE0        ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
        if (length == 0 || length > bytes.size)
                return 0;
        unsigned point = length == 1 ? first : first & (0x7FU >> length);
        for (size_t i = 1; i < length; i++) {
                if ((bytes.data[i] & 0xC0) != 0x80)
                        return 0;
                point = point << 6 | (bytes.data[i] & 0x3FU);
        }
        bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
        if (overlong || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
                return 0;
        *ret_point = point;
        return length;
}

/* What a terminal could obey, or what could make a name look like another: controls, and format characters that are
 * invisible or change direction. */
static bool point_is_unsafe(unsigned point)
{
        static const unsigned ranges[][2] = {
                {0x00, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},        {0x061C, 0x061C}, {0x180E, 0x180E},
                {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
                {0xE000, 0xF8FF}, {0xE0000, 0xE0FFF}, {0xF0000, 0x10FFFF},
        };
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
                if (point >= ranges[i][0] && point <= ranges[i][1])
                        return true;
        return false;
}

static void text_add_unsafe_point(struct text *text, unsigned point)
{
        switch (point) {
        case '\n':
                text_add(text, "\\n");
                break;
        case '\t':
                text_add(text, "\\t");
                break;
        case '\r':
                text_add(text, "\\r");
                break;
        default:
                if (point < 0x100)
                        text_addf(text, "\\x%02x", point);
                else
                        text_addf(text, "\\u{%x}", point);
        }
}

void text_add_escaped(struct text *text, struct bytes bytes, bool lines)
{
        while (bytes.size > 0) {
                unsigned point = 0;
                size_t length = utf8_decode(bytes, &point);
                if (length == 0) {
                        text_addf(text, "\\x%02x", bytes.data[0]);
                        length = 1;
                } else if (lines && (point == '\n' || point == '\t')) {
                        text_add_char(text, (char)point);
                } else if (point == '\\' && !lines) {
                        text_add(text, "\\\\");
                } else if (point_is_unsafe(point)) {
                        text_add_unsafe_point(text, point);
                } else {
                        text_add_bytes(text, bytes.data, length);
                }
                bytes.data += length;
                bytes.size -= length;
        }
}
