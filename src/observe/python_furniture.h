/* What the comparison with RECORD leaves open: the last stage of observing an environment, on one thread.
 *
 * Comes in with survey->facts (each counted under its state by survey_count()), the sorted `unowned` and `bytecode`
 * lists and the ownership with every look taken; goes out with the facts that are worth telling and the counts moved
 * accordingly. The stages, each in its file, in this order:
 *
 *     python_excuse()          facts that are normal are dropped, others restated   python_excuse.c
 *     furniture_bytecode()     stale bytecode                                       python_bytecode.c
 *     furniture_unowned()      modules nobody owns                                  python_unowned.c
 *     furniture_hooks()        what runs at every start of this Python              python_hooks.c
 *     furniture_distributions() partial and doubled distributions                   python_distributions.c */
#ifndef PRISTINE_OBSERVE_PYTHON_FURNITURE_H
#define PRISTINE_OBSERVE_PYTHON_FURNITURE_H

#include "observe/python_internal.h"

void furniture_arrange(struct survey *survey);

/* Whether the walk must keep a .pyc for furniture_bytecode(), from its name, the first bytes of the file and the size
 * and times of its source: true where Python might run it though the source says otherwise. Any thread, reads nothing.
 * `found` need hold nothing but mtime_ns; ask bytecode_header_is_open() first to be spared that fstat. */
bool bytecode_header_is_open(const struct environment *environment, struct bytes name,
                             const unsigned char header[BYTECODE_HEADER_SIZE],
                             const struct file_identity *source_found);
bool bytecode_is_open(const struct environment *environment, struct bytes name,
                      const unsigned char header[BYTECODE_HEADER_SIZE], const struct file_identity *found,
                      const struct file_identity *source_found);

void furniture_bytecode(struct survey *survey);

#endif
