/* Names for findings and hunks that survive what does not matter: no line number, PID or time enters them, so that an
 * acceptance holds after an unrelated edit moved the hunk. */
#ifndef PRISTINE_FLOW_IDENTITY_H
#define PRISTINE_FLOW_IDENTITY_H

#include "base/arena.h"
#include "model/finding.h"

/* Digest of the change and both texts. Equal hunks of one file are told apart by their ordinal among the equals. */
void identity_name_hunks(struct hunks *hunks, struct bytes original, struct arena *arena);

/* Digest of rule, prefix-relative subject and the hunks' ids. */
const char *identity_of_finding(const struct finding *finding, struct arena *arena);

#endif
