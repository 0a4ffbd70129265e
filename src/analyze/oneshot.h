/* Guards that let code run once: a flag that the guarded code itself sets, whatever it hangs on. */
#ifndef PRISTINE_ANALYZE_ONESHOT_H
#define PRISTINE_ANALYZE_ONESHOT_H

#include "analyze/trigger.h"

/* Marks the parts that only say "not yet done": a flag of an instance, class, module or function, a member of a
 * collection, a file that is not there, which the code on the way to the place makes true. True when there is one that
 * nothing in the file takes back, or a counter compared with one number; a counter's comparison is not marked, since
 * it says which time it happens. */
bool oneshot_mark(struct code *code, const struct conditions *conditions, struct parts *parts);

/* The definition runs its body once by its decorator (functools.cache without parameters, run_once, …). */
bool oneshot_decorated(struct code *code, TSNode definition);

#endif
