/* One contiguous change of a file against its original, and what analysis says it does. Lines are 1-based and
 * inclusive, as editors show them; byte ranges are half-open. Memory belongs to the run's arena. */
#ifndef PRISTINE_MODEL_HUNK_H
#define PRISTINE_MODEL_HUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum hunk_change {
        HUNK_INSERT,
        HUNK_DELETE,
        HUNK_REPLACE,
};

enum cadence {
        CADENCE_UNKNOWN,
        CADENCE_EVERY_CALL,
        CADENCE_ON_TRIGGER,
        CADENCE_ONCE,
};

struct strings {
        const char **items;
        size_t count;
};

struct hunk {
        const char *id; /* digest of change and text: hexadecimal, stable under moves of the hunk */
        enum hunk_change change;
        uint32_t first_line,
                last_line;      /* in the current file; for a deletion both name the line before it (0 at the top) */
        uint32_t original_line; /* last line of the original before the change, 0 at the top */
        size_t start, end;      /* bytes of the current file */
        size_t original_start, original_end; /* bytes of the original that stood here; empty for an insertion */
        struct bytes text; /* the current bytes (for a deletion the original's): borrowed from the arena */

        /* Filled by analysis; empty strings and lists where it has nothing to say. */
        const char *function;  /* "DeepseekV2Attention.forward", "" at module level */
        struct strings labels; /* of the rules that match, sorted, distinct */
        const char *trigger;   /* the condition as source text, "" when unconditional */
        bool one_shot;
        enum cadence cadence;
        struct strings writes; /* globs of paths written; what is unknown is "*" */
        struct strings logs;   /* literals of log and print calls */
        bool parsed;           /* false: the syntax could not be read, so that silence means nothing */
        bool accepted;         /* wanted by an acceptance of this very hunk: stays when the others go */
        bool kept;             /* the same by --keep, for one plan */
};

struct hunks {
        struct hunk *items; /* in file order */
        size_t count;
};

/* A range of whole lines [first, end), zero-based, that may have been inserted. penalty 0 is the likeliest; each step
 * up is roughly an order less likely. Input to the RECORD oracle, made by analysis. */
struct extent {
        uint32_t first, end;
        uint32_t penalty;
};

struct extents {
        struct extent *items; /* sorted by first, then end; may overlap: the oracle takes disjoint ones */
        size_t count;
};

const char *hunk_change_name(enum hunk_change change); /* "insert", "delete", "replace" */
const char *cadence_name(enum cadence cadence);        /* "every-call", "on-trigger", "once", "" */

#endif
