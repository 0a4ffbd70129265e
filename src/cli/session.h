/* What belongs to the process rather than to a command: the stop flag that Ctrl-C and --deadline set, progress on
 * stderr, the question on the terminal, and where the report goes. The only mutable globals of the program live behind
 * this. */
#ifndef PRISTINE_CLI_SESSION_H
#define PRISTINE_CLI_SESSION_H

#include "base/text.h"
#include "cli/options.h"
#include "flow/flow.h"
#include "report/report.h"

/* Fills the context from the options and arms signals and deadline. */
int session_begin(const struct options *options, struct flow_context *ret_context, struct error *ret_error);

/* Takes the progress line off the terminal, so that the report starts on a clean one. */
void session_end_progress(void);

/* The style of what is written to -o FILE or to standard output. */
struct report_style session_style(const struct options *options, const char *command);

/* Writes the finished report: to FILE by a temporary file and rename, else to standard output. A closed pipe is fine,
 * any other failure is not. */
int session_write(const struct options *options, const struct text *report, struct error *ret_error);

/* "pristine: error: …" on stderr, escaped. */
void session_complain(const char *message);

bool session_was_interrupted(void);

#endif
