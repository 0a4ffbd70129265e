/* The bytes a partial repair leaves: the original, with the wanted hunks as they stand in the current file. */
#include "base/cleanup.h"
#include "repair/draft.h"

bool hunk_stays(const struct hunk *hunk)
{
        return hunk->accepted || hunk->kept;
}

struct bytes compose_partial(const struct finding *finding, struct bytes current, struct arena *arena)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        struct bytes original = finding->origin.original;
        size_t done = 0; /* of the original */
        for (size_t i = 0; i < finding->hunks.count; i++) {
                const struct hunk *hunk = &finding->hunks.items[i];
                text_add_bytes(&text, original.data + done, hunk->original_start - done);
                if (hunk_stays(hunk))
                        text_add_bytes(&text, current.data + hunk->start, hunk->end - hunk->start);
                else
                        text_add_bytes(&text, original.data + hunk->original_start,
                                       hunk->original_end - hunk->original_start);
                done = hunk->original_end;
        }
        text_add_bytes(&text, original.data + done, original.size - done);
        return (struct bytes){arena_copy(arena, text.data, text.size), text.size};
}
