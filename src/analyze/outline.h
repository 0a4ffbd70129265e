/* Fills the nodes, statements, comments and identifiers of a parsed syntax in one walk over its tree. Part of
 * analyze/syntax.h; nobody else calls it. */
#ifndef PRISTINE_ANALYZE_OUTLINE_H
#define PRISTINE_ANALYZE_OUTLINE_H

#include "analyze/syntax.h"

/* False when the tree has more nodes than are kept. */
bool outline_build(struct syntax *syntax);

#endif
