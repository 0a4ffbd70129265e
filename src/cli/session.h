/* What belongs to the process rather than to a command: the stop flag that signals and --deadline set, the question on
 * the terminal, how to print and where to. The mutable globals of the program live behind this and progress.h.
 *
 *     session_guard_descriptors()   first of all
 *     session_begin()               before a command runs
 *     session_style()               when its report is made
 *     session_write()               when it is done; session_complain() for an error */
#ifndef PRISTINE_CLI_SESSION_H
#define PRISTINE_CLI_SESSION_H

#include "base/text.h"
#include "cli/options.h"
#include "flow/flow.h"
#include "report/report.h"

/* Fills descriptors 0 to 2 where the caller closed them, so that no file opened later is taken for one of them. */
void session_guard_descriptors(void);

/* Checks the global options, fills the context from them, arms signals and deadline. */
int session_begin(const struct options *options, struct flow_context *ret_context, struct error *ret_error);

struct report_style session_style(const struct options *options, const char *command);

/* Writes the finished report to -o FILE or standard output. */
int session_write(const struct options *options, const struct text *report, struct error *ret_error);

/* "pristine: …" on stderr, escaped. */
void session_complain(const char *message);

#endif
