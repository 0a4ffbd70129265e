/* Plans and their execution.
 *
 *     repair_draft()      a check's findings -> options with their steps; reads, and hashes what steps will touch
 *     (flow stores the draft's contents and plan in the journal)
 *     repair_preflight()  is the ground still as planned, may we write there, is there room; changes nothing
 *     repair_begin()      before-images, attributes and every name that will be used become durable
 *     repair_apply()      the steps, each between an intent row and a done row
 *     repair_check_undo(), repair_undo()      the inverse, the same way
 *     repair_purge()      a plan's quarantine, out of existence
 *
 * A step that was interrupted is settled by looking at the files: as before = not done, as after = done, anything else
 * is a conflict and nothing is touched (recover.h). Therefore the same calls resume what a crash cut short. */
#ifndef PRISTINE_REPAIR_REPAIR_H
#define PRISTINE_REPAIR_REPAIR_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/error.h"
#include "fs/root.h"
#include "journal/journal.h"
#include "model/finding.h"
#include "model/plan.h"

struct repair_input {
        const struct root *root;
        const struct check *check; /* hunks that stay are marked accepted or kept */
        struct strings artifacts;  /* globs of --artifacts */
        /* Whether these bytes are a whole Python program: judges what a partial repair would leave. */
        bool (*parses)(void *context, struct bytes source);
        void *parses_context;
};

struct repair_draft {
        struct plan_option *options;
        size_t n_options;
        const char *recommended;
        struct strings searched, left, globs;
        struct bytes *contents; /* what the steps will put in place */
        size_t n_contents;
};

void repair_draft(const struct repair_input *input, struct arena *arena, struct repair_draft *ret_draft);

/* One plan under way. The steps are those of the chosen option; all memory is the arena's. */
struct repair_run {
        const struct root *root;
        struct journal *journal;
        struct arena *arena;
        struct plan *plan;
        struct plan_option *option;
        const char *quarantine;  /* --quarantine, resolved; "" = beside each artifact */
        const atomic_bool *stop; /* may be NULL */
        int locks[8];            /* of the environments, while the run lasts */
        size_t n_locks;
};

/* Sets plan->chosen. ERR_USAGE when there is no such option, ERR_REFUSED when it is not possible. */
int repair_choose(struct repair_run *run, const char *option, struct error *ret_error);
/* Takes the lock file of each environment that has one (uv's), so that no installer writes meanwhile. */
int repair_lock_environments(struct repair_run *run, struct error *ret_error);
void repair_run_close(struct repair_run *run); /* fit for CLEANUP() */

int repair_preflight(struct repair_run *run, struct error *ret_error);
int repair_begin(struct repair_run *run, bool delete_artifacts, struct error *ret_error);
/* ERR_PARTWAY once something was changed, else the reason itself and the plan is "planned" again. */
int repair_apply(struct repair_run *run, struct error *ret_error);

int repair_check_undo(struct repair_run *run, struct error *ret_error);
int repair_undo(struct repair_run *run, struct error *ret_error);

int repair_purge(struct repair_run *run, struct error *ret_error);

/* Whether the step's file is as the step left it. */
bool repair_step_holds(struct repair_run *run, const struct step *step);

#endif
