/* One line on a terminal's stderr that says how far a long command is. It appears after half a second and is gone
 * before anything else is printed. Calls may come from several threads. */
#ifndef PRISTINE_CLI_PROGRESS_H
#define PRISTINE_CLI_PROGRESS_H

#include <stdint.h>

void progress_begin(void); /* now is when the command began */
void progress_show(void *context, const char *stage, uint64_t done, uint64_t total);
void progress_erase(void);

#endif
