/* The RECORD oracle: the hash and size of the installed bytes are known, so look for the whole lines of the current
 * file whose removal gives them. Finding them is proof without any network: nobody can guess a SHA-256.
 *
 * Hypotheses, likeliest first: the bytes as they are but for line endings or the final newline; one block of lines; the
 * extents that analysis suggests, in growing penalty; suggested extents with one unknown block; any two blocks. The
 * size difference prunes each stage; midstates of the unchanged prefix save most of the hashing. When RECORD gives no
 * size, only the stages that stay affordable run. */
#ifndef PRISTINE_ORIGIN_ORACLE_H
#define PRISTINE_ORIGIN_ORACLE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "model/digest.h"
#include "model/hunk.h"

struct oracle_request {
        struct bytes current;
        struct digest digest; /* of the original */
        int64_t size;         /* of the original in bytes, -1 when RECORD does not say */
        /* Called at most once, when no single block gives the original: asks analysis where to look. May be NULL. */
        void (*suggest)(void *context, struct extents *ret_extents);
        void *suggest_context;
        unsigned jobs;  /* threads, 0: all processors */
        double seconds; /* the most this search may take */
        const atomic_bool *stop;
};

struct oracle_result {
        bool found;
        bool cut;              /* time or stop ended the search before every hypothesis was tried */
        struct bytes original; /* in the arena, when found */
        const char *stage;     /* which kind of hypothesis held, or was being tried when the search was cut */
        uint64_t hypotheses;   /* tried */
        double seconds;
};

void oracle_search(const struct oracle_request *request, struct arena *arena, struct oracle_result *ret_result);

#endif
