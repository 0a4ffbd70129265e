/* The sentences of a finding: one line on what is so, one on what to run or decide now. Source bytes may be in them
 * (names, globs): whoever prints escapes. */
#ifndef PRISTINE_JUDGE_WORDS_H
#define PRISTINE_JUDGE_WORDS_H

#include "base/arena.h"
#include "model/finding.h"

const char *words_summary(const struct finding *finding, struct arena *arena);
const char *words_next(const struct finding *finding, struct arena *arena);

#endif
