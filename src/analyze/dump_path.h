/* What path may an expression name? A partial evaluation of string expressions, which executes nothing: literals, the
 * three ways of formatting, concatenation, os.path and pathlib, names as far as the source shows what they are bound
 * to. The answer is a set of patterns (values.h); what cannot be known is an unknown run in them.
 *
 * A frame says what the parameters of a function are, when a call of it is followed. */
#ifndef PRISTINE_ANALYZE_DUMP_PATH_H
#define PRISTINE_ANALYZE_DUMP_PATH_H

#include "analyze/code.h"
#include "analyze/values.h"

struct frame {
        TSNode function;            /* the definition that is entered */
        TSNode call;                /* from where */
        bool bound;                 /* the first parameter is the object before the dot */
        const struct frame *caller; /* NULL: the code of the hunk itself */
};

/* frame may be NULL. */
struct values dump_path_evaluate(struct code *code, TSNode expression, const struct frame *frame);

/* Enters the definition that the call reaches, if it is in this file; false when it is not, or too deep. */
bool dump_path_enter(struct code *code, TSNode call, const struct frame *caller, struct frame *ret_frame);

#endif
