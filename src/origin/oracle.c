#include "origin/oracle.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/parallel.h"
#include "origin/oracle_search.h"

enum { VARIANTS_MAX = 16, LINES_MAX = 1 << 22 };

static const unsigned char BOM[] = {0xEF, 0xBB, 0xBF};

struct variants {
        struct variant items[VARIANTS_MAX];
        size_t count;
        void *owned[4]; /* converted texts and line tables */
        size_t n_owned;
};

static void variants_clear(struct variants *variants)
{
        for (size_t i = 0; i < variants->n_owned; i++)
                free(variants->owned[i]);
        for (size_t i = 0; i < variants->count; i++)
                if (i == 0 || variants->items[i].lines.offsets != variants->items[i - 1].lines.offsets)
                        free(variants->items[i].lines.offsets);
}

static struct lines lines_of(struct bytes text)
{
        struct lines lines = {0};
        size_t capacity = text.size / 24 + 16;
        lines.offsets = heap_resize(NULL, capacity, sizeof *lines.offsets);
        lines.offsets[0] = 0;
        for (size_t at = 0; at < text.size;) {
                const unsigned char *newline = memchr(text.data + at, '\n', text.size - at);
                at = newline != NULL ? (size_t)(newline - text.data) + 1 : text.size;
                if (lines.count + 2 >= capacity) {
                        capacity *= 2;
                        lines.offsets = heap_resize(lines.offsets, capacity, sizeof *lines.offsets);
                }
                lines.offsets[++lines.count] = at;
        }
        return lines;
}

/* Adds one variant if its lines can give the size at all. */
static void variants_add(struct variants *variants, const struct oracle_request *request, struct bytes text,
                         struct lines lines, size_t drop, struct bytes add)
{
        struct variant variant = {.text = text, .lines = lines, .drop = drop, .add = add};
        size_t give = text.size + add.size;
        if (text.size < drop || variants->count == VARIANTS_MAX)
                return;
        if (request->size >= 0) {
                if (give - drop < (uint64_t)request->size)
                        return;
                variant.excess = give - drop - (size_t)request->size;
        }
        variants->items[variants->count++] = variant;
}

/* The text as it is, without its final line ending, with one. */
static void variants_add_endings(struct variants *variants, const struct oracle_request *request, struct bytes text)
{
        struct lines lines = lines_of(text);
        size_t before = variants->count;
        bool crlf = bytes_end_with(text, "\r\n"), newline = bytes_end_with(text, "\n");
        variants_add(variants, request, text, lines, 0, (struct bytes){0});
        if (newline)
                variants_add(variants, request, text, lines, crlf ? 2 : 1, (struct bytes){0});
        else
                variants_add(variants, request, text, lines, 0, BYTES_LITERAL("\n"));
        if (variants->count == before)
                free(lines.offsets);
}

static struct bytes without_cr(struct bytes text)
{
        unsigned char *data = heap_alloc(text.size);
        size_t size = 0;
        for (size_t i = 0; i < text.size; i++)
                if (text.data[i] != '\r' || i + 1 == text.size || text.data[i + 1] != '\n')
                        data[size++] = text.data[i];
        return (struct bytes){data, size};
}

static struct bytes with_cr(struct bytes text)
{
        unsigned char *data = heap_alloc(2 * text.size);
        size_t size = 0;
        for (size_t i = 0; i < text.size; i++) {
                if (text.data[i] == '\n' && (i == 0 || text.data[i - 1] != '\r'))
                        data[size++] = '\r';
                data[size++] = text.data[i];
        }
        return (struct bytes){data, size};
}

static struct bytes with_bom(struct bytes text)
{
        unsigned char *data = heap_alloc(text.size + sizeof BOM);
        memcpy(data, BOM, sizeof BOM);
        if (text.size > 0)
                memcpy(data + sizeof BOM, text.data, text.size);
        return (struct bytes){data, text.size + sizeof BOM};
}

static void variants_add_owned(struct variants *variants, const struct oracle_request *request, struct bytes text)
{
        variants->owned[variants->n_owned++] = (void *)text.data;
        variants_add_endings(variants, request, text);
}

/* What an editor may have done to the whole file, likeliest first. */
static void variants_make(struct variants *variants, const struct oracle_request *request)
{
        struct bytes text = request->current;
        variants_add_endings(variants, request, text);
        if (text.size > 0 && memmem(text.data, text.size, "\r\n", 2) != NULL)
                variants_add_owned(variants, request, without_cr(text));
        if (text.size > 0 && memchr(text.data, '\n', text.size) != NULL)
                variants_add_owned(variants, request, with_cr(text));
        if (text.size >= sizeof BOM && memcmp(text.data, BOM, sizeof BOM) == 0)
                variants_add_endings(variants, request, (struct bytes){text.data + sizeof BOM, text.size - sizeof BOM});
        else
                variants_add_owned(variants, request, with_bom(text));
}

static void run_one_block(struct search *search, const struct variants *variants)
{
        for (size_t i = 0; i < variants->count && !search_over(search); i++)
                stage_one_block(search, &variants->items[i]);
}

static void run_cheap_extents(struct search *search, const struct variants *variants)
{
        if (search->request->suggest != NULL)
                search->request->suggest(search->request->suggest_context, &search->extents);
        for (size_t i = 0; i < variants->count && !search_over(search); i++)
                stage_extents(search, &variants->items[i], 0, 4, 3000);
}

static void run_extents_and_block(struct search *search, const struct variants *variants)
{
        for (uint32_t penalty = 0; penalty <= 1 && !search_over(search); penalty++)
                stage_extents_and_block(search, &variants->items[0], penalty);
}

static void run_likely_pairs(struct search *search, const struct variants *variants)
{
        for (size_t i = 0; i < variants->count && i < 2 && !search_over(search); i++)
                stage_two_blocks(search, &variants->items[i], true);
}

static void run_more_extents(struct search *search, const struct variants *variants)
{
        for (size_t i = 0; i < variants->count && !search_over(search); i++)
                stage_extents(search, &variants->items[i], 0, 10, 30000);
}

static void run_all_pairs(struct search *search, const struct variants *variants)
{
        for (size_t i = 0; i < variants->count && !search_over(search); i++) {
                stage_two_blocks(search, &variants->items[i], i >= 2);
                stage_two_blocks(search, &variants->items[i], false);
        }
}

static void run_rest(struct search *search, const struct variants *variants)
{
        for (uint32_t penalty = 2; penalty <= 6 && !search_over(search); penalty++)
                stage_extents_and_block(search, &variants->items[0], penalty);
        stage_extents(search, &variants->items[0], 0, 16, UINT64_MAX);
}

static const struct {
        const char *name;
        void (*run)(struct search *search, const struct variants *variants);
} stages[] = {
        {"one block of lines", run_one_block},
        {"lines that rules point at", run_cheap_extents},
        {"lines that rules point at and one more block", run_extents_and_block},
        {"two likely blocks of lines", run_likely_pairs},
        {"more lines that rules point at", run_more_extents},
        {"any two blocks of lines", run_all_pairs},
        {"what is left", run_rest},
};

static double monotonic_seconds(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void oracle_search(const struct oracle_request *request, struct arena *arena, struct oracle_result *ret_result)
{
        CLEANUP(variants_clear) struct variants variants = {0};
        double start = monotonic_seconds();
        struct search search = {.request = request, .end = start + request->seconds};
        struct oracle_result result = {.stage = ""};
        search.workers = parallel_workers(request->jobs);
        if (request->current.size <= LINES_MAX * (size_t)4)
                variants_make(&variants, request);
        for (size_t i = 0; i < sizeof stages / sizeof *stages && variants.count > 0 && !search_over(&search); i++) {
                result.stage = stages[i].name;
                stages[i].run(&search, &variants);
        }
        result.found = search.found;
        result.cut = !search.found && search.over;
        result.hypotheses = search.hypotheses;
        result.seconds = monotonic_seconds() - start;
        if (search.found) {
                result.original.data = arena_copy(arena, search.original.data, search.original.size);
                result.original.size = search.original.size;
                free((void *)search.original.data);
        }
        *ret_result = result;
}
