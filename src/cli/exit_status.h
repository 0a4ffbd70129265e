/* How a command ends, as the shell sees it. */
#ifndef PRISTINE_CLI_EXIT_STATUS_H
#define PRISTINE_CLI_EXIT_STATUS_H

#include "base/error.h"
#include "model/finding.h"

/* Part of the public contract. */
enum exit_status {
        EXIT_CLEAN = 0,      /* or done */
        EXIT_FINDINGS = 1,   /* or differences */
        EXIT_USAGE = 2,      /* or an internal error */
        EXIT_INCOMPLETE = 3, /* nothing wrong seen, but not everything could be looked at */
        EXIT_REFUSED = 4,    /* nothing was changed */
        EXIT_PARTWAY = 5,    /* the same command again resumes, `undo` takes it back */
};

int exit_status_of_error(int code);
int exit_status_of_verdict(enum verdict verdict);

#endif
