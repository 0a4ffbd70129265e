/* How much a finding weighs: errors and warnings make an environment dirty, notes do not. */
#ifndef PRISTINE_MODEL_SEVERITY_H
#define PRISTINE_MODEL_SEVERITY_H

enum severity {
        SEVERITY_NOTE,
        SEVERITY_WARNING,
        SEVERITY_ERROR,
};

const char *severity_name(enum severity severity); /* "note", "warning", "error" */

#endif
