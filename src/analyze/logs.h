/* The constant text of log and print calls: what to grep a log for. */
#ifndef PRISTINE_ANALYZE_LOGS_H
#define PRISTINE_ANALYZE_LOGS_H

#include "analyze/dump_path.h"

/* Whether the call logs or prints. *ret_texts: of each message it may give, the first and the longest run of bytes that
 * is the same every time and lies on one line, without white space around it; none where nothing is constant.
 * *ret_once: the logger itself says it only once. */
bool logs_match(struct code *code, TSNode call, const struct frame *frame, struct strings *ret_texts, bool *ret_once);

#endif
