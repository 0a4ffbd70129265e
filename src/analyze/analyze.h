/* What a change does, when it fires, what it writes: by tree-sitter on the source bytes, nothing is executed.
 *
 *     analyzer_new()            parser, and the rules of rules/ (compiled in) as queries
 *     analyzer_suggest()        current bytes -> line extents that debugging may have inserted, for the oracle
 *     diff_lines()              original and current -> hunks                     (analyze/diff.h)
 *     analyzer_describe()       fills function, labels, trigger, one_shot, cadence, writes, logs of each hunk
 *     analyzer_scan()           every rule match of a whole file as hunks: for files without a proven original
 *
 * An analyzer belongs to one thread. */
#ifndef PRISTINE_ANALYZE_ANALYZE_H
#define PRISTINE_ANALYZE_ANALYZE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "model/hunk.h"

struct analyzer;

int analyzer_new(struct analyzer **ret_analyzer, struct error *ret_error);
struct analyzer *analyzer_free(struct analyzer *analyzer); /* returns NULL */

int analyzer_suggest(struct analyzer *analyzer, struct bytes current, struct arena *arena, struct extents *ret_extents,
                     struct error *ret_error);
int analyzer_describe(struct analyzer *analyzer, struct bytes current, struct bytes original, struct arena *arena,
                      struct hunks *hunks, struct error *ret_error);
int analyzer_scan(struct analyzer *analyzer, struct bytes current, struct arena *arena, struct hunks *ret_hunks,
                  struct error *ret_error);

#endif
