#include "report/paint.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

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

void paint_text(const struct painter *painter, enum ink ink, const char *foreign)
{
        text_add(painter->out, ink_code(painter, ink));
        text_add_escaped(painter->out, bytes_of(foreign), false);
        text_add(painter->out, ink_end(painter, ink));
}

static void text_add_va(struct text *text, const char *format, va_list args)
{
        char *line = NULL;
        if (vasprintf(&line, format, args) < 0)
                abort();
        text_add(text, line);
        free(line);
}

void paint_format(const struct painter *painter, enum ink ink, const char *format, ...)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        va_list args;
        va_start(args, format);
        text_add_va(&text, format, args);
        va_end(args);
        paint_text(painter, ink, text.data);
}

void paint_newline(const struct painter *painter)
{
        text_add_char(painter->out, '\n');
}

/* Columns that escaped text takes: one per code point. Wide characters are rare in paths and only cost a ragged edge.
 */
static unsigned columns_of(const char *text, size_t size)
{
        unsigned columns = 0;
        for (size_t i = 0; i < size; i++)
                columns += ((unsigned char)text[i] & 0xC0) != 0x80;
        return columns;
}

void paint_block(const struct painter *painter, unsigned indent, unsigned hang, enum ink ink, const char *label,
                 const char *format, ...)
{
        CLEANUP(text_clear) struct text raw = TEXT_INIT, text = TEXT_INIT;
        va_list args;
        va_start(args, format);
        text_add_va(&raw, format, args);
        va_end(args);
        text_add_escaped(&text, (struct bytes){(const unsigned char *)raw.data, raw.size}, false);
        unsigned column = indent + columns_of(label, strlen(label));
        text_addf(painter->out, "%*s%s%s%s", (int)indent, "", ink_code(painter, ink), label, ink_end(painter, ink));
        text_addf(painter->out, "%*s", column < hang ? (int)(hang - column) : 1, "");
        column = column < hang ? hang : column + 1;
        bool first = true;
        for (const char *word = text.data; word != NULL && *word != '\0';) {
                size_t size = strcspn(word, " ");
                unsigned width = columns_of(word, size);
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
                word += size;
                word += *word == ' ';
        }
        text_add_char(painter->out, '\n');
}

void paint_source(const struct painter *painter, enum ink ink, const char *mark, struct bytes text)
{
        while (text.size > 0) {
                const unsigned char *end = memchr(text.data, '\n', text.size);
                size_t size = end != NULL ? (size_t)(end - text.data) : text.size;
                text_add(painter->out, ink_code(painter, ink));
                text_add(painter->out, mark);
                text_add_escaped(painter->out, (struct bytes){text.data, size}, true);
                text_add(painter->out, ink_end(painter, ink));
                text_add_char(painter->out, '\n');
                if (end == NULL)
                        text_add(painter->out, "\\ no newline at the end\n");
                size += end != NULL;
                text.data += size;
                text.size -= size;
        }
}

const char *glyph_dash(const struct painter *painter)
{
        return painter->style->unicode ? "\xe2\x80\x93" : "-";
}

void text_add_size(struct text *text, uint64_t bytes)
{
        static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
        double value = (double)bytes;
        size_t unit = 0;
        while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
                value /= 1024;
                unit++;
        }
        text_addf(text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

void text_add_count(struct text *text, uint64_t count)
{
        char digits[32];
        int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
        for (int i = 0; i < length; i++) {
                if (i > 0 && (length - i) % 3 == 0)
                        text_add_char(text, ',');
                text_add_char(text, digits[i]);
        }
}

void text_add_time(struct text *text, int64_t nanoseconds)
{
        time_t seconds = (time_t)(nanoseconds / 1000000000);
        struct tm tm;
        char buffer[64];
        if (nanoseconds == INT64_MIN || gmtime_r(&seconds, &tm) == NULL ||
            strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%SZ", &tm) == 0)
                return;
        text_add(text, buffer);
}

static bool rank_follows(const struct rank *rank, const struct rank *before)
{
        return strcmp(rank->kind, before->kind) == 0 &&
               (rank->number == before->number || rank->number == before->number + 1);
}

void text_add_ranks(struct text *text, const struct painter *painter, const struct artifacts *artifacts)
{
        const char *lead = "";
        for (size_t i = 0; i < artifacts->count;) {
                const struct rank *first = &artifacts->items[i].rank, *last = first;
                size_t j = i + 1;
                while (first->kind != NULL && j < artifacts->count && artifacts->items[j].rank.kind != NULL &&
                       rank_follows(&artifacts->items[j].rank, last))
                        last = &artifacts->items[j++].rank;
                if (first->kind != NULL && first->kind[0] != '\0') {
                        text_addf(text, "%s%s%" PRIu32, lead, first->kind, first->number);
                        if (last->number != first->number)
                                text_addf(text, "%s%" PRIu32, glyph_dash(painter), last->number);
                        lead = ", ";
                }
                i = j;
        }
}
