/* The stage that knows where to look: analysis suggests line ranges with penalties; disjoint ones whose bytes add up to
 * the excess are hypotheses, cheapest first.
 *
 * Which sums can still be reached from where is computed once, from the end backwards: reach[t][p] is the set of byte
 * sums that extents starting at the t-th start or later can give for a total penalty of exactly p. The enumeration then
 * takes only turns that lead to a solution, and carries the hash along in file order, so that common beginnings are
 * hashed once. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/parallel.h"
#include "origin/oracle_search.h"

enum { REACH_BYTES_MAX = 48 << 20, BITS = 64 };

struct reach {
        uint64_t *bits;            /* [n_starts + 1][levels][words] */
        uint32_t *starts;          /* distinct first lines, sorted */
        uint32_t *extent_of_start; /* index of the first extent there; n_starts + 1 of them */
        uint32_t n_starts, levels;
        size_t words;
};

static void reach_clear(struct reach *reach)
{
        free(reach->bits);
        free(reach->starts);
        free(reach->extent_of_start);
}

static uint64_t *reach_set(const struct reach *reach, uint32_t start, uint32_t penalty)
{
        return reach->bits + ((size_t)start * reach->levels + penalty) * reach->words;
}

static bool reach_has(const struct reach *reach, uint32_t start, uint32_t penalty, size_t sum)
{
        return reach_set(reach, start, penalty)[sum / BITS] >> (sum % BITS) & 1;
}

static void bits_or_shifted(uint64_t *to, const uint64_t *from, size_t shift, size_t words)
{
        size_t whole = shift / BITS, part = shift % BITS;
        for (size_t i = words; i-- > whole;) {
                uint64_t value = from[i - whole] << part;
                if (part > 0 && i > whole)
                        value |= from[i - whole - 1] >> (BITS - part);
                to[i] |= value;
        }
}

/* The first start at or after a line. */
static uint32_t reach_next(const struct reach *reach, uint32_t line)
{
        uint32_t low = 0, high = reach->n_starts;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (reach->starts[middle] < line)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static size_t extent_size(const struct variant *variant, const struct extent *extent)
{
        return variant->lines.offsets[extent->end] - variant->lines.offsets[extent->first];
}

static void reach_index_starts(struct reach *reach, const struct extents *extents)
{
        reach->starts = heap_alloc((extents->count + 1) * sizeof *reach->starts);
        reach->extent_of_start = heap_alloc((extents->count + 1) * sizeof *reach->extent_of_start);
        for (size_t i = 0; i < extents->count; i++)
                if (i == 0 || extents->items[i].first != extents->items[i - 1].first) {
                        reach->starts[reach->n_starts] = extents->items[i].first;
                        reach->extent_of_start[reach->n_starts++] = (uint32_t)i;
                }
        reach->extent_of_start[reach->n_starts] = (uint32_t)extents->count;
}

/* False when the tables would be too large even for one level. */
static bool reach_fill(struct reach *reach, const struct variant *variant, const struct extents *extents, size_t excess,
                       uint32_t levels)
{
        reach_index_starts(reach, extents);
        reach->words = excess / BITS + 1;
        size_t level_bytes = (size_t)(reach->n_starts + 1) * reach->words * sizeof *reach->bits;
        reach->levels = levels;
        while (reach->levels > 0 && level_bytes * reach->levels > REACH_BYTES_MAX)
                reach->levels--;
        if (reach->levels == 0)
                return false;
        reach->bits = heap_alloc(level_bytes * reach->levels);
        reach_set(reach, reach->n_starts, 0)[0] = 1;
        for (uint32_t t = reach->n_starts; t-- > 0;) {
                memcpy(reach_set(reach, t, 0), reach_set(reach, t + 1, 0),
                       reach->words * reach->levels * sizeof *reach->bits);
                for (uint32_t e = reach->extent_of_start[t]; e < reach->extent_of_start[t + 1]; e++) {
                        const struct extent *extent = &extents->items[e];
                        size_t size = extent_size(variant, extent);
                        uint32_t next = reach_next(reach, extent->end);
                        for (uint32_t p = extent->penalty; p < reach->levels && size <= excess; p++)
                                bits_or_shifted(reach_set(reach, t, p), reach_set(reach, next, p - extent->penalty),
                                                size, reach->words);
                }
        }
        return true;
}

struct walk {
        const struct cut *block; /* an unknown block that goes as well, or NULL; then no hash is carried along */
        struct search *search;
        const struct variant *variant;
        const struct extents *extents;
        const struct reach *reach;
        struct cut cuts[CUTS_MAX];
        size_t n_cuts;
        uint64_t left; /* hypotheses */
};

/* The unknown block takes its place among the cuts. */
static void walk_try_with_block(struct walk *walk)
{
        struct cut cuts[CUTS_MAX + 1];
        size_t n = 0;
        while (n < walk->n_cuts && walk->cuts[n].first < walk->block->first) {
                cuts[n] = walk->cuts[n];
                n++;
        }
        cuts[n] = *walk->block;
        memcpy(cuts + n + 1, walk->cuts + n, (walk->n_cuts - n) * sizeof *cuts);
        search_try(walk->search, walk->variant, cuts, walk->n_cuts + 1);
}

static bool walk_may_take(const struct walk *walk, const struct extent *extent)
{
        return walk->n_cuts < CUTS_MAX &&
               (walk->block == NULL || extent->end <= walk->block->first || extent->first >= walk->block->end);
}

static bool walk_hypothesis(struct walk *walk, const struct hash *state)
{
        if (walk->left == 0 || search_over(walk->search))
                return false;
        walk->left--;
        const struct cut *last = &walk->cuts[walk->n_cuts - 1];
        if (walk->block != NULL)
                walk_try_with_block(walk);
        else if (last->end == walk->variant->lines.count)
                search_try(walk->search, walk->variant, walk->cuts, walk->n_cuts);
        else
                search_try_tail(walk->search, walk->variant, state, walk->variant->lines.offsets[last->end], walk->cuts,
                                walk->n_cuts);
        return !atomic_load(&walk->search->over);
}

/* state has eaten everything up to byte `eaten` but the cuts. False ends the walk. */
static bool walk_from(struct walk *walk, uint32_t t, uint32_t penalty, size_t sum, const struct hash *state,
                      size_t eaten)
{
        const struct reach *reach = walk->reach;
        if (sum == 0 && penalty == 0 && walk->n_cuts > 0)
                return walk_hypothesis(walk, state);
        for (; t < reach->n_starts && reach_has(reach, t, penalty, sum); t++) {
                for (uint32_t e = reach->extent_of_start[t]; e < reach->extent_of_start[t + 1]; e++) {
                        const struct extent *extent = &walk->extents->items[e];
                        size_t size = extent_size(walk->variant, extent);
                        uint32_t next = reach_next(reach, extent->end);
                        if (size == 0 || size > sum || extent->penalty > penalty || !walk_may_take(walk, extent) ||
                            !reach_has(reach, next, penalty - extent->penalty, sum - size))
                                continue;
                        struct hash copy = *state;
                        size_t begin = walk->variant->lines.offsets[extent->first];
                        if (walk->block == NULL)
                                hash_add(&copy, walk->variant->text.data + eaten, begin - eaten);
                        walk->cuts[walk->n_cuts++] = (struct cut){extent->first, extent->end};
                        bool go_on = walk_from(walk, next, penalty - extent->penalty, sum - size, &copy,
                                               walk->variant->lines.offsets[extent->end]);
                        walk->n_cuts--;
                        if (!go_on)
                                return false;
                }
        }
        return true;
}

static bool extents_usable(const struct search *search, const struct variant *variant)
{
        const struct extents *extents = &search->extents;
        return extents->count > 0 && variant->excess > 0 && search->request->size >= 0 &&
               extents->items[extents->count - 1].end <= variant->lines.count;
}

void stage_extents(struct search *search, const struct variant *variant, uint32_t from, uint32_t to,
                   uint64_t hypotheses_max)
{
        CLEANUP(reach_clear) struct reach reach = {0};
        const struct extents *extents = &search->extents;
        if (!extents_usable(search, variant) || !reach_fill(&reach, variant, extents, variant->excess, to + 1))
                return;
        struct walk walk = {.search = search, .variant = variant, .extents = extents, .reach = &reach};
        struct hash state;
        hash_begin(&state);
        for (uint32_t penalty = from; penalty <= to && penalty < reach.levels && !search_over(search); penalty++) {
                walk.left = hypotheses_max;
                walk_from(&walk, 0, penalty, variant->excess, &state, 0);
        }
}

/* The blocks whose first line is one. */
struct block_work {
        struct search *search;
        const struct variant *variant;
        const struct reach *reach;
        uint32_t penalty;
};

static void blocks_from_line(void *context, unsigned worker, size_t index)
{
        enum { HYPOTHESES_PER_BLOCK = 64 };
        const struct block_work *work = context;
        const size_t *offsets = work->variant->lines.offsets;
        uint32_t first = (uint32_t)index;
        (void)worker;
        for (uint32_t end = first + 1; end <= work->variant->lines.count && !search_over(work->search); end++) {
                size_t size = offsets[end] - offsets[first];
                if (size >= work->variant->excess)
                        return;
                if (block_slides_up(work->variant, first, end) ||
                    !reach_has(work->reach, 0, work->penalty, work->variant->excess - size))
                        continue;
                struct cut block = {first, end};
                struct walk walk = {.block = &block,
                                    .search = work->search,
                                    .variant = work->variant,
                                    .extents = &work->search->extents,
                                    .reach = work->reach,
                                    .left = HYPOTHESES_PER_BLOCK};
                struct hash unused = {0};
                walk_from(&walk, 0, work->penalty, work->variant->excess - size, &unused, 0);
        }
}

void stage_extents_and_block(struct search *search, const struct variant *variant, uint32_t penalty)
{
        CLEANUP(reach_clear) struct reach reach = {0};
        if (!extents_usable(search, variant) ||
            !reach_fill(&reach, variant, &search->extents, variant->excess, penalty + 1) || reach.levels <= penalty)
                return;
        struct block_work work = {search, variant, &reach, penalty};
        parallel_for(search->workers, variant->lines.count, blocks_from_line, &work, &search->over);
}
