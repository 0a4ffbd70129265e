/* Facts and what was learnt of them -> findings in their final words, status, verdict. Pure: no I/O. */
#ifndef PRISTINE_JUDGE_JUDGE_H
#define PRISTINE_JUDGE_JUDGE_H

#include "base/arena.h"
#include "model/environment.h"
#include "model/finding.h"

/* One fact as a finding without hunks, artifacts or id yet. */
void judge_fact(const struct environment *environment, const struct file_fact *fact, struct arena *arena,
                struct finding *ret_finding);

/* Sets severity, summary, status and next from all that the finding holds now. The id is not its concern
 * (flow/identity.h). */
void judge_finding(struct finding *finding, struct arena *arena);

/* Sorts the findings and sets the verdict. Accepted findings and notes do not count; an unknown in scope forbids clean.
 */
void judge_check(struct check *check);

#endif
