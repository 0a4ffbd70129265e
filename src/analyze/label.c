#include "analyze/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static int compare_labels(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* First match that starts at or behind the byte. */
static size_t first_match(const struct rule_matches *matches, size_t byte)
{
        size_t low = 0, high = matches->count;
        while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (matches->items[middle].start < byte)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

void label_range(const struct reading *reading, size_t start, size_t end, struct arena *arena,
                 struct strings *ret_labels)
{
        const struct rule_matches *matches = &reading->matches;
        AUTO_FREE const char **labels = NULL;
        size_t count = 0, capacity = 0, kept = 0;
        for (size_t i = first_match(matches, start); i < matches->count && matches->items[i].start < end; i++) {
                if (matches->items[i].end > end)
                        continue;
                heap_reserve(labels, count, capacity);
                labels[count++] = matches->items[i].rule->id;
        }
        if (count > 0)
                qsort(labels, count, sizeof *labels, compare_labels);
        for (size_t i = 0; i < count; i++)
                if (kept == 0 || strcmp(labels[kept - 1], labels[i]) != 0)
                        labels[kept++] = labels[i];
        /* The names are the rules' own, which a report outlives. */
        for (size_t i = 0; i < kept; i++)
                labels[i] = arena_strdup(arena, labels[i]);
        ret_labels->items = arena_copy(arena, labels, kept * sizeof *labels);
        ret_labels->count = kept;
}
