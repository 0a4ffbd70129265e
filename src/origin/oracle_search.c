#include "origin/oracle_search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"

static double monotonic_seconds(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool search_over(struct search *search)
{
        if (atomic_load_explicit(&search->over, memory_order_relaxed))
                return true;
        bool asked = search->request->stop != NULL && atomic_load(search->request->stop);
        if (asked || monotonic_seconds() >= search->end)
                atomic_store(&search->over, true);
        return atomic_load(&search->over);
}

uint32_t lines_at(const struct lines *lines, size_t offset)
{
        uint32_t low = 0, high = lines->count;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (lines->offsets[middle] < offset)
                        low = middle + 1;
                else
                        high = middle;
        }
        return lines->offsets[low] == offset ? low : UINT32_MAX;
}

/* Composes the original of a hypothesis that held. Threads may find the same one; the first keeps it. */
static void search_keep(struct search *search, const struct variant *variant, const struct cut *cuts, size_t n_cuts)
{
        bool expected = false;
        if (!atomic_compare_exchange_strong(&search->found, &expected, true))
                return;
        unsigned char *data = heap_alloc(variant->text.size + variant->add.size + 1);
        size_t size = 0, at = 0;
        for (size_t i = 0; i <= n_cuts; i++) {
                size_t end = i < n_cuts ? variant->lines.offsets[cuts[i].first] : variant->text.size;
                if (end > at)
                        memcpy(data + size, variant->text.data + at, end - at);
                size += end - at;
                at = i < n_cuts ? variant->lines.offsets[cuts[i].end] : at;
        }
        size = size > variant->drop ? size - variant->drop : 0;
        if (variant->add.size > 0)
                memcpy(data + size, variant->add.data, variant->add.size);
        search->original = (struct bytes){data, size + variant->add.size};
        atomic_store(&search->over, true);
}

static bool search_settle(struct search *search, const struct variant *variant, struct hash *hash,
                          const struct cut *cuts, size_t n_cuts)
{
        struct digest digest;
        hash_end(hash, &digest);
        atomic_fetch_add_explicit(&search->hypotheses, 1, memory_order_relaxed);
        if (!digest_equal(&digest, &search->request->digest))
                return false;
        search_keep(search, variant, cuts, n_cuts);
        return true;
}

bool search_try(struct search *search, const struct variant *variant, const struct cut *cuts, size_t n_cuts)
{
        struct hash hash;
        size_t kept = variant->text.size;
        for (size_t i = 0; i < n_cuts; i++)
                kept -= variant->lines.offsets[cuts[i].end] - variant->lines.offsets[cuts[i].first];
        if (kept < variant->drop)
                return false;
        kept -= variant->drop;
        hash_begin(&hash);
        size_t at = 0;
        for (size_t i = 0; i <= n_cuts && kept > 0; i++) {
                size_t end = i < n_cuts ? variant->lines.offsets[cuts[i].first] : variant->text.size;
                size_t size = end - at < kept ? end - at : kept;
                hash_add(&hash, variant->text.data + at, size);
                kept -= size;
                at = i < n_cuts ? variant->lines.offsets[cuts[i].end] : at;
        }
        hash_add(&hash, variant->add.data, variant->add.size);
        return search_settle(search, variant, &hash, cuts, n_cuts);
}

bool search_try_tail(struct search *search, const struct variant *variant, const struct hash *state, size_t from,
                     const struct cut *cuts, size_t n_cuts)
{
        if (from + variant->drop > variant->text.size)
                return search_try(search, variant, cuts, n_cuts);
        struct hash hash = *state;
        hash_add(&hash, variant->text.data + from, variant->text.size - variant->drop - from);
        hash_add(&hash, variant->add.data, variant->add.size);
        return search_settle(search, variant, &hash, cuts, n_cuts);
}
