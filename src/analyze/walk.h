/* The pieces of code in a range of the source: simple statements, and the headers of compound ones. */
#ifndef PRISTINE_ANALYZE_WALK_H
#define PRISTINE_ANALYZE_WALK_H

#include "analyze/code.h"

/* How much a statement tells by its form. */
enum strength {
        STRENGTH_NONE,        /* a header, of which only the calls matter, or a docstring, `pass` and the like */
        STRENGTH_PREPARATION, /* imports, variables of its own, definitions, leaving */
        STRENGTH_CHANGE,
        STRENGTH_LOG,
        STRENGTH_WRITE,
};

/* at: the byte to ask conditions of. */
typedef void piece_visitor(void *context, TSNode node, enum strength strength, uint32_t at);

/* Calls visit for every piece that overlaps bytes [start, end), in the order of the text. */
void walk_range(struct code *code, uint32_t start, uint32_t end, piece_visitor *visit, void *context);

#endif
