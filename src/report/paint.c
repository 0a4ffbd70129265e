#include "report/paint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static const char *ink_code(const struct painter *painter, enum ink ink)
{
        static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[32m", "\033[36m"};
        return painter->style->color ? codes[ink] : "";
}

static const char *ink_end(const struct painter *painter, enum ink ink)
{
        return painter->style->color && ink != INK_PLAIN ? "\033[0m" : "";
}

/* Escapes what no terminal should obey, and where the locale is not UTF-8 everything beyond ASCII: there its bytes
 * would be taken for other characters, controls among them. */
static void add_safe(const struct painter *painter, struct text *text, struct bytes foreign, bool lines)
{
        CLEANUP(text_clear) struct text escaped = TEXT_INIT;
        text_add_escaped(&escaped, foreign, lines);
        if (painter->style->unicode) {
                text_add_bytes(text, escaped.data, escaped.size);
                return;
        }
        for (size_t i = 0; i < escaped.size; i++) {
                unsigned char byte = (unsigned char)escaped.data[i];
                if (byte < 0x80)
                        text_add_char(text, (char)byte);
                else
                        text_addf(text, "\\x%02x", byte);
        }
}

void paint_text(const struct painter *painter, enum ink ink, const char *foreign)
{
        text_add(painter->out, ink_code(painter, ink));
        add_safe(painter, painter->out, bytes_of(foreign), false);
        text_add(painter->out, ink_end(painter, ink));
}

static char *format_heap(const char *format, va_list args)
{
        char *line = NULL;
        if (vasprintf(&line, format, args) < 0)
                abort();
        return line;
}

void paint_format(const struct painter *painter, enum ink ink, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        AUTO_FREE char *line = format_heap(format, args);
        va_end(args);
        paint_text(painter, ink, line);
}

void paint_newline(const struct painter *painter)
{
        text_add_char(painter->out, '\n');
}

/* Columns that escaped text takes: one per code point. Wide characters are rare in paths and only cost a ragged edge.
 */
static size_t columns_of(const char *text, size_t size)
{
        size_t columns = 0;
        for (size_t i = 0; i < size; i++)
                columns += ((unsigned char)text[i] & 0xC0) != 0x80;
        return columns;
}

/* Words from `column` on; a line that is full goes on at `hang`. */
static void add_wrapped(const struct painter *painter, const struct text *words, size_t column, size_t hang)
{
        bool first = true;
        for (const char *word = words->data; word != NULL && *word != '\0';) {
                size_t size = strcspn(word, " "), width = columns_of(word, size);
                if (!first && column + 1 + width > painter->style->columns) {
                        text_addf(painter->out, "\n%*s", (int)hang, "");
                        column = hang;
                } else if (!first) {
                        text_add_char(painter->out, ' ');
                        column++;
                }
                text_add_bytes(painter->out, word, size);
                column += width;
                first = false;
                word += size + (word[size] == ' ');
        }
        text_add_char(painter->out, '\n');
}

void paint_block(const struct painter *painter, unsigned indent, unsigned hang, enum ink ink, const char *label,
                 const char *format, ...)
{
        CLEANUP(text_clear) struct text words = TEXT_INIT;
        va_list args;
        va_start(args, format);
        AUTO_FREE char *raw = format_heap(format, args);
        va_end(args);
        add_safe(painter, &words, bytes_of(raw), false);
        size_t column = indent + columns_of(label, strlen(label));
        size_t gap = column < hang ? hang - column : *label != '\0';
        ink = *label != '\0' ? ink : INK_PLAIN;
        text_addf(painter->out, "%*s%s%s%s%*s", (int)indent, "", ink_code(painter, ink), label, ink_end(painter, ink),
                  (int)gap, "");
        add_wrapped(painter, &words, column + gap, hang);
}

void paint_source_line(const struct painter *painter, enum ink ink, const char *mark, struct bytes line)
{
        text_add(painter->out, ink_code(painter, ink));
        text_add(painter->out, mark);
        add_safe(painter, painter->out, line, true);
        text_add(painter->out, ink_end(painter, ink));
        text_add_char(painter->out, '\n');
}

const char *glyph_dash(const struct painter *painter)
{
        return painter->style->unicode ? "\xe2\x80\x93" : "-";
}

const char *glyph_more(const struct painter *painter)
{
        return painter->style->unicode ? "\xe2\x80\xa6" : "...";
}
