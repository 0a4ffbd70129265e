/* libFuzzer: Python source -> suggested extents and suspects. Whatever the source, extents are ranges of its lines,
 * sorted, distinct and few, and the time is bounded. */
#include <stdint.h>

#include "analyze/analyze.h"
#include "base/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_extents(const struct extents *extents, size_t lines)
{
        for (size_t i = 0; i < extents->count; i++) {
                const struct extent *at = &extents->items[i], *before = at - 1;
                bool sorted =
                        i == 0 || before->first < at->first || (before->first == at->first && before->end < at->end);
                if (at->first >= at->end || at->end > lines || !sorted || extents->count > 4000)
                        __builtin_trap();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        static struct analyzer *analyzer; /* compiling the rules takes longer than all the rest */
        struct bytes source = {data, size};
        struct extents extents;
        struct hunks hunks;
        size_t lines = size > 0 && data[size - 1] != '\n';
        for (size_t i = 0; i < size; i++)
                lines += data[i] == '\n';
        if (size > 65536 || (analyzer == NULL && analyzer_new(&analyzer, NULL) < 0))
                return 0;
        if (analyzer_suggest(analyzer, source, &arena, &extents, NULL) == 0)
                check_extents(&extents, lines);
        if (analyzer_scan(analyzer, source, &arena, &hunks, NULL) == 0)
                for (size_t i = 0; i < hunks.count; i++)
                        if (hunks.items[i].last_line > lines)
                                __builtin_trap();
        return 0;
}
