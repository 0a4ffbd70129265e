/* Which finding a person means: the beginning of its id, its path, or its prefix-relative path. */
#ifndef PRISTINE_FLOW_SELECT_H
#define PRISTINE_FLOW_SELECT_H

#include <stdbool.h>

#include "model/finding.h"

bool finding_is_meant(const struct finding *finding, const char *subject);

#endif
