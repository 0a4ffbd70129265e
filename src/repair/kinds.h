/* The kinds of steps: one file each, one table. Each kind can look where its step stands, clear what an interrupted act
 * left behind, act, and take it back. */
#ifndef PRISTINE_REPAIR_KINDS_H
#define PRISTINE_REPAIR_KINDS_H

#include "fs/write.h"
#include "repair/ground.h"
#include "repair/recover.h"
#include "repair/repair.h"

struct step_kind {
        enum step_op op;
        bool cache;     /* see recover_decide() */
        bool keeps_old; /* the old bytes go into the journal before anything is changed */
        int undo_rank;  /* undo goes by rank, then backwards: sources before their bytecode */
        int (*look)(struct repair_run *run, const struct step *step, enum place *ret_place, struct error *ret_error);
        int (*settle)(struct repair_run *run, const struct step *step, struct error *ret_error);
        int (*act)(struct repair_run *run, struct step *step, struct error *ret_error);
        int (*undo)(struct repair_run *run, struct step *step, struct error *ret_error);
};

const struct step_kind *step_kind_of(enum step_op op);

extern const struct step_kind kind_replace_file, kind_create_file, kind_remove_bytecode, kind_quarantine,
        kind_delete_artifact, kind_verify;

/* Shared by the kinds. */

enum { TOKEN_HALF = 16 };

/* Name of a step's temporary file; nobody else's, and known to whoever has the journal. */
const char *step_temporary(const struct repair_run *run, const struct step *step);
/* A new file under that name with an object's bytes; `as_before` also gives it the times the file had. */
int step_write_object(struct repair_run *run, const struct step *step, const struct ground *ground,
                      const struct digest *digest, bool as_before, struct error *ret_error);
/* Copies an artifact to a name, with everything it had. */
int step_copy_file(struct repair_run *run, const struct step *step, const struct ground *from, int to_fd,
                   const char *to, struct error *ret_error);
/* After a crash of an act that moves a file aside before it goes, or of an undo that copies it back: what is left under
 * the temporary name goes back or away. */
int step_settle_aside(struct repair_run *run, const struct step *step, struct error *ret_error);
/* Everything an artifact was, but for its inode: a copy brought back counts. */
bool step_is_before(const struct step *step, const struct file_identity *found);

/* Whether the quarantine has the step's file, by its size and times; quarantine.c. */
bool quarantine_holds(struct repair_run *run, const struct step *step);
/* Where each file of the plan will go: sets the steps' targets. */
void quarantine_assign(struct repair_run *run);
/* Removes the step's file from the quarantine, and the quarantine when that was its last. */
int quarantine_forget(struct repair_run *run, const struct step *step, struct error *ret_error);

#endif
