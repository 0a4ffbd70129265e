/* Stages that know nothing of what was inserted: any one block of whole lines, any two. The size says how many bytes
 * are too many, so that a start fixes the end; a block that can slide over equal lines is tried once. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/parallel.h"
#include "origin/oracle_search.h"

enum {
        LINES_WITHOUT_SIZE = 400, /* RECORD gives no size: every pair of lines is a block, so only short files */
        CHECK_EVERY = 64
};

static const unsigned char *line_data(const struct variant *variant, uint32_t line)
{
        return variant->text.data + variant->lines.offsets[line];
}

bool block_slides_up(const struct variant *variant, uint32_t first, uint32_t end)
{
        if (first == 0 || end == variant->lines.count)
                return false;
        const size_t *offsets = variant->lines.offsets;
        size_t before = offsets[first] - offsets[first - 1], last = offsets[end] - offsets[end - 1];
        return before == last && memcmp(line_data(variant, first - 1), line_data(variant, end - 1), last) == 0;
}

static bool try_block(struct search *search, const struct variant *variant, const struct hash *state, uint32_t first,
                      uint32_t end)
{
        struct cut cut = {first, end};
        if (block_slides_up(variant, first, end))
                return false;
        if (end == variant->lines.count)
                return search_try(search, variant, &cut, 1);
        return search_try_tail(search, variant, state, variant->lines.offsets[end], &cut, 1);
}

static void one_block_any_size(struct search *search, const struct variant *variant)
{
        struct hash state;
        if (search_try(search, variant, NULL, 0) || variant->lines.count > LINES_WITHOUT_SIZE)
                return;
        hash_begin(&state);
        for (uint32_t first = 0; first < variant->lines.count && !search_over(search); first++) {
                for (uint32_t end = first + 1; end <= variant->lines.count; end++)
                        if (try_block(search, variant, &state, first, end))
                                return;
                hash_add(&state, line_data(variant, first),
                         variant->lines.offsets[first + 1] - variant->lines.offsets[first]);
        }
}

void stage_one_block(struct search *search, const struct variant *variant)
{
        const size_t *offsets = variant->lines.offsets;
        struct hash state;
        size_t eaten = 0;
        if (search->request->size < 0) {
                one_block_any_size(search, variant);
                return;
        }
        if (variant->excess == 0) {
                search_try(search, variant, NULL, 0);
                return;
        }
        hash_begin(&state);
        uint32_t end = 0;
        for (uint32_t first = 0; first < variant->lines.count; first++) {
                while (end < variant->lines.count && offsets[end] < offsets[first] + variant->excess)
                        end++;
                if (offsets[end] != offsets[first] + variant->excess)
                        continue;
                hash_add(&state, variant->text.data + eaten, offsets[first] - eaten);
                eaten = offsets[first];
                if (try_block(search, variant, &state, first, end) || (first % CHECK_EVERY == 0 && search_over(search)))
                        return;
        }
}

/* What a line looks like to the rough reading that tells likely blocks from unlikely ones. */
struct look {
        uint32_t indent; /* UINT32_MAX for a blank line */
        int32_t depth;   /* brackets opened less those closed, from the top to the end of this line */
};

static struct look *lines_look(const struct variant *variant)
{
        struct look *looks = heap_alloc((variant->lines.count + 1) * sizeof *looks);
        int32_t depth = 0;
        for (uint32_t line = 0; line < variant->lines.count; line++) {
                const unsigned char *at = line_data(variant, line), *end = line_data(variant, line + 1);
                const unsigned char *begin = at;
                while (at < end && (*at == ' ' || *at == '\t'))
                        at++;
                looks[line].indent = at == end || *at == '\n' || *at == '\r' ? UINT32_MAX : (uint32_t)(at - begin);
                for (; at < end && *at != '#'; at++)
                        depth += (*at == '(' || *at == '[' || *at == '{') - (*at == ')' || *at == ']' || *at == '}');
                looks[line].depth = depth;
        }
        return looks;
}

struct pair_work {
        struct search *search;
        const struct variant *variant;
        const struct look *looks;
        bool plausible;
};

/* Statements someone put in: brackets close what they open, and no line stands further left than the first. */
static bool block_is_plausible(const struct pair_work *work, uint32_t first, uint32_t end, uint32_t least_indent)
{
        int32_t before = first > 0 ? work->looks[first - 1].depth : 0;
        return work->looks[end - 1].depth == before && work->looks[first].indent <= least_indent;
}

static uint32_t least_indent_with(const struct pair_work *work, uint32_t least, uint32_t line)
{
        return work->looks[line].indent < least ? work->looks[line].indent : least;
}

static uint32_t least_indent_of(const struct pair_work *work, uint32_t first, uint32_t end)
{
        uint32_t least = UINT32_MAX;
        for (uint32_t line = first; line < end; line++)
                least = least_indent_with(work, least, line);
        return least;
}

/* Second blocks of `left` bytes behind the first. One running state goes through the text; each candidate copies it. */
static bool pair_second_blocks(const struct pair_work *work, struct hash state, struct cut block, bool first_plausible,
                               size_t left)
{
        const struct variant *variant = work->variant;
        const size_t *offsets = variant->lines.offsets;
        size_t eaten = offsets[block.end];
        uint32_t end = block.end;
        for (uint32_t first = block.end + 1; first < variant->lines.count; first++) {
                while (end < variant->lines.count && offsets[end] < offsets[first] + left)
                        end++;
                if (offsets[end] < offsets[first] + left)
                        return false;
                if (offsets[end] != offsets[first] + left || block_slides_up(variant, first, end))
                        continue;
                bool plausible =
                        first_plausible && block_is_plausible(work, first, end, least_indent_of(work, first, end));
                if (plausible != work->plausible)
                        continue;
                hash_add(&state, variant->text.data + eaten, offsets[first] - eaten);
                eaten = offsets[first];
                struct cut cuts[] = {block, {first, end}};
                bool hit = end == variant->lines.count
                                   ? search_try(work->search, variant, cuts, 2)
                                   : search_try_tail(work->search, variant, &state, offsets[end], cuts, 2);
                if (hit)
                        return true;
        }
        return false;
}

static void pairs_from_line(void *context, unsigned worker, size_t index)
{
        const struct pair_work *work = context;
        const size_t *offsets = work->variant->lines.offsets;
        uint32_t first = (uint32_t)index, least = UINT32_MAX;
        struct hash state;
        (void)worker;
        if (search_over(work->search))
                return;
        hash_begin(&state);
        hash_add(&state, work->variant->text.data, offsets[first]);
        for (uint32_t end = first + 1; end < work->variant->lines.count; end++) {
                size_t size = offsets[end] - offsets[first];
                if (size >= work->variant->excess)
                        return;
                least = least_indent_with(work, least, end - 1);
                bool plausible = block_is_plausible(work, first, end, least);
                if (block_slides_up(work->variant, first, end) || (work->plausible && !plausible))
                        continue;
                if (pair_second_blocks(work, state, (struct cut){first, end}, plausible,
                                       work->variant->excess - size) ||
                    search_over(work->search))
                        return;
        }
}

void stage_two_blocks(struct search *search, const struct variant *variant, bool plausible)
{
        if (search->request->size < 0 || variant->excess < 2)
                return;
        AUTO_FREE struct look *looks = lines_look(variant);
        struct pair_work work = {search, variant, looks, plausible};
        parallel_for(search->workers, variant->lines.count, pairs_from_line, &work, &search->over);
}
