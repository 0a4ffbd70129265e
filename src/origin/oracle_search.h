/* One search of the RECORD oracle, shared by its stages and by nobody else.
 *
 * A `variant` is the current text as it may have been before an editor touched its form: line endings converted, a byte
 * order mark gone, and at the very end `drop` bytes fewer or `add` more. Within a variant, stages look for whole lines
 * to leave out. `excess` is how many bytes of lines have to go; a stage tries only what adds up to it.
 *
 *     search_try_…()   hash one hypothesis; true when it is the original, which is then kept
 *     search_over()    time is up, somebody asked to stop, or it is found */
#ifndef PRISTINE_ORIGIN_ORACLE_SEARCH_H
#define PRISTINE_ORIGIN_ORACLE_SEARCH_H

#include "fs/hash.h"
#include "origin/oracle.h"

/* Lines of a text: line i is bytes [offsets[i], offsets[i + 1]). */
struct lines {
        size_t *offsets; /* count + 1 of them, heap */
        uint32_t count;
};

struct variant {
        struct bytes text;
        struct lines lines;
        size_t drop;      /* bytes that end the text but not the original */
        struct bytes add; /* bytes that end the original but not the text */
        size_t excess;    /* bytes of whole lines too many; meaningless when the size is unknown */
};

/* A run of lines [first, end) left out. */
struct cut {
        uint32_t first, end;
};

enum { CUTS_MAX = 64 };

struct search {
        const struct oracle_request *request;
        struct extents extents; /* suggested, once asked for */
        double end;             /* monotonic seconds */
        atomic_bool over, found;
        atomic_uint_least64_t hypotheses;
        struct bytes original; /* heap, when found */
        unsigned workers;
};

bool search_over(struct search *search);

/* Hashes the variant without the cuts (sorted, disjoint); `from` is a state that holds everything before cuts[n_done]
 * of which n_done cuts are left out already, at byte `at`. */
bool search_try(struct search *search, const struct variant *variant, const struct cut *cuts, size_t n_cuts);

/* The same when only the tail is new: `state` has eaten all up to where the last cut begins, and the text goes on at
 * byte `from`. Only for a cut that does not reach the end of the text. */
bool search_try_tail(struct search *search, const struct variant *variant, const struct hash *state, size_t from,
                     const struct cut *cuts, size_t n_cuts);

/* Line whose first byte is at `offset`, or UINT32_MAX. lines.count stands for the end. */
uint32_t lines_at(const struct lines *lines, size_t offset);

/* The block gives the same bytes when it starts one line earlier: only that one needs trying. */
bool block_slides_up(const struct variant *variant, uint32_t first, uint32_t end);

/* The stages. Each returns when it has tried all it knows or the search is over. */
void stage_one_block(struct search *search, const struct variant *variant);

/* `plausible`: pairs of blocks that read like inserted statements; else all the other pairs. */
void stage_two_blocks(struct search *search, const struct variant *variant, bool plausible);

/* Suggested extents of a total penalty from..to, at most hypotheses_max of each. */
void stage_extents(struct search *search, const struct variant *variant, uint32_t from, uint32_t to,
                   uint64_t hypotheses_max);
/* Suggested extents of that penalty together with one block of lines anywhere else. */
void stage_extents_and_block(struct search *search, const struct variant *variant, uint32_t penalty);

#endif
