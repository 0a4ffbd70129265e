/* A loop over independent indices on several threads. Work is handed out in order, so the first indices start first.
 * body(context, worker, index): worker < workers tells which per-thread scratch to use. Returns when all are done.
 * Indices not yet handed out are dropped once *stop (may be NULL) is true: for a deadline or a signal. */
#ifndef PRISTINE_BASE_PARALLEL_H
#define PRISTINE_BASE_PARALLEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef void parallel_body(void *context, unsigned worker, size_t index);

unsigned parallel_workers(unsigned wanted); /* wanted, or when 0 the processors this process may run on; 1 to 64 */
void parallel_for(unsigned workers, size_t count, parallel_body *body, void *context, const atomic_bool *stop);

#endif
