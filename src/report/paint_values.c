/* Numbers, sizes, times and ranks as people read them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "report/paint.h"

void text_add_size(struct text *text, uint64_t bytes)
{
        static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
        double value = (double)bytes;
        size_t unit = 0;
        /* 1023.96 KiB would round to "1024.0 KiB". */
        while (value >= (unit == 0 ? 1024 : 1023.95) && unit + 1 < sizeof units / sizeof *units) {
                value /= 1024;
                unit++;
        }
        if (unit == 0)
                text_addf(text, "%.0f %s", value, bytes == 1 ? "byte" : units[0]);
        else
                text_addf(text, "%.1f %s", value, units[unit]);
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

void text_add_counted(struct text *text, uint64_t count, const char *one, const char *several)
{
        text_add_count(text, count);
        text_addf(text, " %s", count == 1 ? one : several);
}

void text_add_time(struct text *text, int64_t nanoseconds)
{
        int64_t second = 1000000000;
        time_t seconds = (time_t)(nanoseconds / second - (nanoseconds % second < 0));
        struct tm tm;
        char buffer[64];
        if (nanoseconds == INT64_MIN || gmtime_r(&seconds, &tm) == NULL ||
            strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%SZ", &tm) == 0)
                return;
        text_add(text, buffer);
}

static int rank_compare(const void *left, const void *right)
{
        const struct rank *a = left, *b = right;
        int order = strcmp(a->kind, b->kind);
        return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

void text_add_ranks(struct text *text, const struct painter *painter, const struct artifact *const *artifacts,
                    size_t count)
{
        AUTO_FREE struct rank *ranks = heap_alloc((count + 1) * sizeof *ranks);
        size_t n_ranks = 0;
        for (size_t i = 0; i < count; i++)
                if (artifacts[i]->rank.kind != NULL && artifacts[i]->rank.kind[0] != '\0')
                        ranks[n_ranks++] = artifacts[i]->rank;
        qsort(ranks, n_ranks, sizeof *ranks, rank_compare);
        for (size_t i = 0, next; i < n_ranks; i = next) {
                const struct rank *last = &ranks[i];
                for (next = i + 1; next < n_ranks; last = &ranks[next++])
                        if (strcmp(ranks[next].kind, last->kind) != 0 || ranks[next].number - last->number > 1)
                                break;
                text_addf(text, "%s%s%" PRIu32, i > 0 ? ", " : "", ranks[i].kind, ranks[i].number);
                if (last->number != ranks[i].number)
                        text_addf(text, "%s%" PRIu32, glyph_dash(painter), last->number);
        }
}

void text_add_joined(struct text *text, const struct strings *strings)
{
        for (size_t i = 0; i < strings->count; i++)
                text_addf(text, "%s%s", i > 0 ? ", " : "", strings->items[i]);
}
