/* Line hunks between two texts. Lines end at "\n" (which belongs to them); a last line without one is a line. The
 * fewest changed lines win; among equal scripts the fewest hunks; where identical neighbours let an inserted or deleted
 * block slide, it is put at the lowest possible first line. Bytes, not characters: any encoding passes. Where only
 * insertions remain once line ends and a byte order mark are left out of the comparison, they are: a file that an
 * editor converted shows what was added, not every line. */
#ifndef PRISTINE_ANALYZE_DIFF_H
#define PRISTINE_ANALYZE_DIFF_H

#include "base/arena.h"
#include "base/text.h"
#include "model/hunk.h"

/* Hunks carry everything but what analyzer_describe() fills. Gives one replacing hunk where the texts are so different
 * that a finer script would cost too much. */
void diff_lines(struct bytes original, struct bytes current, struct arena *arena, struct hunks *ret_hunks);

#endif
