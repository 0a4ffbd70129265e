/* Which calls write files or log lines, and what they name. A table each; a call that reaches a definition in the same
 * file is followed into it. */
#ifndef PRISTINE_ANALYZE_WRITES_H
#define PRISTINE_ANALYZE_WRITES_H

#include "analyze/dump_path.h"

/* Whether the call itself writes a file; *ret_paths is where (the empty set: to no file after all). */
bool writes_match(struct code *code, TSNode call, const struct frame *frame, struct values *ret_paths);

/* Calls visit(context, call, frame, deferred) for each call beneath the node that starts in bytes [start, end), and
 * for those of the definitions they reach, in the order of the text. frame is NULL for the former; deferred: inside a
 * lambda, which runs when somebody calls it. */
typedef void calls_visitor(void *context, TSNode call, const struct frame *frame, bool deferred);
void calls_visit(struct code *code, TSNode node, uint32_t start, uint32_t end, calls_visitor *visit, void *context);

#endif
