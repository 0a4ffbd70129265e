/* Observer `python`: an installed environment read from its files alone. Python is never started.
 *
 *     python_find_environment()   PATH (a venv or a site-packages directory) -> sites, distributions
 *     python_observe()            RECORDs -> ownership map -> every file's state, facts for all that is not ok
 *
 * Facts: facts/environments.md (shared). Memory belongs to the arena given. */
#ifndef PRISTINE_OBSERVE_PYTHON_H
#define PRISTINE_OBSERVE_PYTHON_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/error.h"
#include "fs/root.h"
#include "model/environment.h"
#include "model/finding.h"

struct observe_options {
        unsigned jobs;           /* 0: all processors */
        bool vendor_notes;       /* also give notes that only -v shows */
        const char *stat_cache;  /* file of --trust-stat, or NULL: hash everything */
        const atomic_bool *stop; /* signal or deadline; may be NULL */
        /* Called from the observing threads, seldom; may be NULL. `code_done` turns true once every code file is
         * judged. */
        void (*progress)(void *context, uint64_t files_done, uint64_t files, uint64_t bytes_done, uint64_t bytes,
                         bool code_done);
        void *progress_context;
        /* Called once, from the calling thread, when all code is judged and large binaries are still to be hashed:
         * what is known by then, excuses made. The facts are good during the call. May be NULL. */
        void (*code_judged)(void *context, const struct environment *environment, const struct file_facts *facts,
                            uint64_t bytes_left);
};

/* ERR_NOT_FOUND when the path holds no environment, with what was looked for in the text. */
int python_find_environment(const struct root *root, const char *path, struct arena *arena,
                            struct environment *ret_environment, struct error *ret_error);

/* Fills environment->counts and gives the facts. What could not be looked at is added to unknowns (in scope). */
int python_observe(const struct root *root, struct environment *environment, const struct observe_options *options,
                   struct arena *arena, struct file_facts *ret_facts, struct unknowns *ret_unknowns,
                   struct error *ret_error);

#endif
