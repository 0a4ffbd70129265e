/* Shared by apply, undo and purge: rows of the steps of one run. */
#ifndef PRISTINE_REPAIR_STEPS_H
#define PRISTINE_REPAIR_STEPS_H

#include "repair/repair.h"

void step_mark(struct step *step, enum step_state state, const char *message); /* with time and user */
bool steps_stopped(const struct repair_run *run);
/* Plan and every step of the chosen option, durable on return. */
int steps_record_all(struct repair_run *run, struct error *ret_error);

/* Times of the directories that the steps change: noted before the first change, again when the plan is applied, and
 * set back when it is undone, where nobody else changed the directory in between. directories.c */
int directories_note_before(struct repair_run *run, struct error *ret_error);
int directories_note_after(struct repair_run *run, struct error *ret_error);
int directories_begin_undo(struct repair_run *run, struct error *ret_error);
void directories_end_undo(struct repair_run *run);

#endif
