/* What a string expression may evaluate to: a small set of patterns. A pattern is bytes in which NUL stands for a run
 * that is not known (no path holds a NUL). Immutable, in the arena, bounded in number and length: what goes beyond
 * becomes unknown, never wrong.
 *
 * The empty set means "no string at all" (None, an in-memory buffer); as a part of something larger it counts as
 * unknown. */
#ifndef PRISTINE_ANALYZE_VALUES_H
#define PRISTINE_ANALYZE_VALUES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"
#include "model/hunk.h"

enum {
        VALUES_LIMIT = 64,
        VALUE_SIZE_LIMIT = 4096,
        VALUE_UNKNOWN = '\0',
};

enum value_kind {
        VALUES_TEXT,
        VALUES_NUMBER, /* "+" and "%" on it are arithmetic */
        VALUES_FILE,   /* an open file: stands for its path */
};

struct values {
        const struct bytes *items;
        size_t count;
        enum value_kind kind;
};

#define VALUES_NONE ((struct values){.items = NULL})

struct values values_unknown(void);
struct values values_of(struct arena *arena, struct bytes pattern); /* copies, collapses unknown runs, cuts */
struct values values_join(struct arena *arena, struct values left, struct values right);  /* every left + right */
struct values values_union(struct arena *arena, struct values left, struct values right); /* distinct, in order */
bool values_is_unknown(struct values values); /* nothing at all is known of it */
/* The one string it is for certain. */
bool values_known(struct values values, struct bytes *ret_text);

bool pattern_is_known(struct bytes pattern);
/* `general` matches whatever `special` does, where an unknown run does not cross "/". */
bool pattern_covers(struct bytes general, struct bytes special);

/* The patterns as globs of paths in canonical spelling: metacharacters escaped, "./" and doubled slashes gone, no glob
 * that another one covers, none of which nothing is known, no device or kernel file. */
struct strings values_globs(struct arena *arena, struct values values);

#endif
