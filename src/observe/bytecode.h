/* Observer: the compiled files that belong to one module, by their names. */
#ifndef PRISTINE_OBSERVE_BYTECODE_H
#define PRISTINE_OBSERVE_BYTECODE_H

#include "base/arena.h"
#include "fs/root.h"
#include "model/hunk.h"

/* Absolute paths, sorted: every `__pycache__/STEM.TAG[.opt-N].pyc` beside the module, whatever the tag, and a legacy
 * `STEM.pyc` in its own directory. Nothing when the module is no ".py". */
int bytecode_of_module(const struct root *root, const char *module, struct arena *arena, struct strings *ret_paths,
                       struct error *ret_error);

#endif
