/* The journal: what was planned, done, accepted and remembered, durable before anything is changed. One SQLite database
 * (WAL, synchronous FULL) in the state directory, and beside it objects/: file contents named by their SHA-256, each
 * fsynced before a row speaks of it.
 *
 *     journal_open(state_dir, JOURNAL_READ, &journal, error)     ERR_NOT_FOUND: nothing was ever written there
 *     journal_load_…(), journal_find_…()                         into the caller's arena
 *     journal_close(journal)
 *
 * A writer (JOURNAL_WRITE) creates what is missing, brings an older database up to date, and holds the one writer's
 * lock (flock: it goes with the process, never stale) until it closes; a second writer is refused (ERR_REFUSED).
 * Readers are never kept out.
 *
 *     journal_add_plan()        a plan, its options and steps, and the objects its steps will put in place
 *     journal_store_file()      before-images, any number, then journal_sync_objects()
 *     journal_record()          states of a plan and some of its steps, in one transaction that is durable on return
 *
 * The state directory must belong to the user and be writable by nobody else: it decides what `undo` writes. */
#ifndef PRISTINE_JOURNAL_JOURNAL_H
#define PRISTINE_JOURNAL_JOURNAL_H

#include "base/arena.h"
#include "base/error.h"
#include "fs/write.h"
#include "model/acceptance.h"
#include "model/hunk.h"
#include "model/plan.h"

struct journal;

enum journal_mode { JOURNAL_READ, JOURNAL_WRITE };

int journal_open(const char *state_dir, enum journal_mode mode, struct journal **ret_journal, struct error *ret_error);
struct journal *journal_close(struct journal *journal); /* takes NULL, returns NULL */
void journal_cleanup(struct journal **journal);         /* fit for CLEANUP() */

/* Targets in which something was found, newest first: where an id without a target is looked for. Noting one that is
 * known already writes nothing; the state directory is created when it must be. */
int journal_note_target(const char *state_dir, const char *target, struct error *ret_error);
int journal_load_targets(struct journal *journal, struct arena *arena, struct strings *ret_targets,
                         struct error *ret_error);

/* For a check: globs that planned edits wrote to, all acceptances, and the plan that stopped part-way (NULL if none).
 */
int journal_load_remembered(struct journal *journal, struct arena *arena, struct strings *ret_globs,
                            struct error *ret_error);
int journal_load_acceptances(struct journal *journal, struct arena *arena, struct acceptance **ret_items,
                             size_t *ret_count, struct error *ret_error);
int journal_find_interrupted(struct journal *journal, struct arena *arena, const char **ret_plan,
                             struct error *ret_error);

/* The same three with one call for a check: an absent journal gives empty results. Any output may be NULL. */
struct journal_memory {
        struct strings globs;
        struct acceptance *acceptances;
        size_t n_acceptances;
        const char *interrupted_plan; /* NULL if none */
        bool undo_interrupted;        /* it was being taken back: only undo can go on */
};
int journal_recall(const char *state_dir, struct arena *arena, struct journal_memory *ret_memory,
                   struct error *ret_error);

/* Replaces an acceptance of the same path and hunk. */
int journal_add_acceptance(struct journal *journal, const struct acceptance *acceptance, struct error *ret_error);
/* By path and hunk exactly, as loaded. */
int journal_remove_acceptance(struct journal *journal, const struct acceptance *acceptance, struct error *ret_error);

/* Numbers the plan (its id is set, in the arena) and stores it; `globs` are remembered. */
int journal_add_plan(struct journal *journal, const struct strings *globs, struct arena *arena, struct plan *plan,
                     struct error *ret_error);
int journal_load_plan(struct journal *journal, const char *id, struct arena *arena, struct plan *ret_plan,
                      struct error *ret_error);
/* Id of the newest plan whose state is one of `states` (NULL-terminated), NULL if none. */
int journal_find_plan(struct journal *journal, const char *const *states, struct arena *arena, const char **ret_id,
                      struct error *ret_error);
/* Oldest first. */
int journal_load_plans(struct journal *journal, struct arena *arena, struct plan **ret_plans, size_t *ret_count,
                       struct error *ret_error);

/* Writes state, chosen option and token of the plan and everything that may change of `steps` of the chosen option. */
int journal_record(struct journal *journal, const struct plan *plan, struct step *const *steps, size_t n_steps,
                   struct error *ret_error);

/* Extended attributes that a step's file had, for its undo. Written by the same transaction as journal_record() when
 * called between journal_begin() and journal_commit(). */
int journal_save_xattrs(struct journal *journal, const struct plan *plan, uint32_t step, const struct xattrs *xattrs,
                        struct error *ret_error);
int journal_load_xattrs(struct journal *journal, const struct plan *plan, uint32_t step, struct arena *arena,
                        struct xattrs *ret_xattrs, struct error *ret_error);

/* When a directory was changed last before a plan began, and when the plan was done with it (INT64_MIN: not known). */
struct directory_time {
        const char *path;
        int64_t before_ns, after_ns;
};
/* Replaces all of the plan's. */
int journal_save_directories(struct journal *journal, const struct plan *plan, const struct directory_time *items,
                             size_t count, struct error *ret_error);
int journal_load_directories(struct journal *journal, const struct plan *plan, struct arena *arena,
                             struct directory_time **ret_items, size_t *ret_count, struct error *ret_error);

/* Transactions of several calls. Without them each call is one of its own. An uncommitted one ends with
 * journal_rollback(), which is harmless when there is none. */
int journal_begin(struct journal *journal, struct error *ret_error);
int journal_commit(struct journal *journal, struct error *ret_error);
void journal_rollback(struct journal *journal);

/* Objects. Storing what is there already costs a comparison. They are durable after journal_sync_objects(). */
int journal_store_bytes(struct journal *journal, struct bytes bytes, struct digest *ret_digest,
                        struct error *ret_error);
/* ERR_CHANGED when the file is not of this digest. */
int journal_store_file(struct journal *journal, int fd, const struct digest *digest, struct error *ret_error);
int journal_sync_objects(struct journal *journal, struct error *ret_error);
/* A descriptor for reading; whoever copies from it compares the digest (write_new_file() does). */
int journal_open_object(struct journal *journal, const struct digest *digest, int *ret_fd, struct error *ret_error);

#endif
