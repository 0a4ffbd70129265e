/* Where a finished report goes. */
#ifndef PRISTINE_CLI_OUTPUT_H
#define PRISTINE_CLI_OUTPUT_H

#include "base/error.h"
#include "base/text.h"

/* To `path` by a temporary file beside it and rename, so that a reader finds the old report or the whole new one. A
 * device or pipe of that name is written to as it is. */
int output_to_file(const char *path, const struct text *report, struct error *ret_error);

/* A reader that has gone (`| head`) is no error; every other failure is. */
int output_to_descriptor(int fd, const char *name, const struct text *report, struct error *ret_error);

#endif
