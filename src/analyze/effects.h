/* What a hunk does when it runs: when it fires, how often, what it writes and logs.
 *
 * Fills trigger, one_shot, cadence, writes and logs of a hunk of the current file, whose function is filled already. Of
 * what is deleted, or commented out, only the cadence is told: its absence is felt as often as its place is reached.
 * Everything is read off the source, in bounded time; nothing is executed.
 *
 * The hunk's strongest effects decide what is told: files it writes, else lines it logs, else whatever it changes;
 * imports and local variables only when there is nothing else.
 * trigger   the conditions around the strongest effects, those of the vendor's own code in the same function included,
 *           without the parts that only say "not yet done"; alternatives are joined with " or "
 * one_shot  each of the strongest effects hangs on such a guard, and nothing in the file takes it back
 * cadence   of the most frequent effect, so that a counter on every call beside a dump that happens once is every-call;
 *           what runs when a module is imported or an object made is once; unknown for comments and dead code */
#ifndef PRISTINE_ANALYZE_EFFECTS_H
#define PRISTINE_ANALYZE_EFFECTS_H

#include "analyze/syntax.h"
#include "base/arena.h"
#include "model/hunk.h"

/* original is needed for deletions and replacements only, and may be empty. */
void effects_describe(const struct syntax *syntax, struct bytes original, struct arena *arena, struct hunk *hunk);

#endif
