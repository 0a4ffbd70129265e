/* The file under analysis and the questions one asks of a single node. tree-sitter's nodes are values and cost nothing
 * to pass; whatever is made here lives in the arena. Walking up from a node costs as much as a descent from the root,
 * so that a place in the source is kept as the path down to it.
 *
 * `fuel` bounds the work on one hunk: every step that could multiply (an evaluation, a look at an occurrence) takes
 * one unit, and what is not known when it is gone stays unknown. */
#ifndef PRISTINE_ANALYZE_CODE_H
#define PRISTINE_ANALYZE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/syntax.h"
#include "base/arena.h"
#include "base/text.h"

struct code {
        const struct syntax *syntax;
        struct arena *arena;
        unsigned fuel;
        TSNode latest; /* whose qualified name was asked for last: the same call is looked at from several sides */
        const char *latest_name;
        struct module_name *module_names; /* names.c: what the module binds, as far as it was asked for */
};

#define PLACE_DEPTH 192

/* The nodes from the root (nodes[0]) down to the smallest one at a byte. Deeper nesting than PLACE_DEPTH is cut. */
struct place {
        TSNode nodes[PLACE_DEPTH];
        size_t depth;
};

bool code_spend(struct code *code);                           /* false when the fuel is gone */
struct bytes code_text(const struct code *code, TSNode node); /* empty for the null node */
bool code_text_is(const struct code *code, TSNode node, const char *text);
bool code_mentions(const struct code *code, TSNode node, struct bytes word); /* its source contains the bytes */
struct bytes code_quoted(const struct code *code, TSNode node);              /* a string literal's inside, as written */
/* The node's source on one line: runs of white space and comments outside strings become one space. */
const char *code_line(const struct code *code, TSNode node);
void code_locate(const struct code *code, uint32_t byte, struct place *ret_place);

#define NODE_NULL ((TSNode){.id = NULL})

/* All of these take the null node for one without children, and give it where there is nothing. */
bool node_is_any(TSNode node, const char *const *types); /* a NULL-terminated list */
TSNode node_field(TSNode node, const char *name);        /* skips comments that took the field's name */
bool node_is_field(TSNode node, const char *name, TSNode child);
TSNode node_parent(TSNode node);
uint32_t node_count(TSNode node);                    /* of named children */
TSNode node_at(TSNode node, uint32_t index);         /* the named child */
TSNode node_child_of(TSNode node, const char *type); /* the first child of that type */
/* The named children that reach beyond a byte, one after the other; null at the end. Going from child to child costs no
 * more in a block of a hundred thousand statements, or comments.
 *
 *     CLEANUP(children_end) struct children children = children_begin(node, byte);
 *     for (TSNode child; !ts_node_is_null(child = children_next(&children));) … */
struct children {
        TSTreeCursor cursor;
        bool started, ended;
        uint32_t byte;
};
struct children children_begin(TSNode node, uint32_t byte);
TSNode children_next(struct children *children);
void children_end(struct children *children);
TSNode node_unwrap(TSNode node); /* without parentheses around it */
bool node_contains(TSNode node, uint32_t byte);
/* An argument of a call, by position or keyword (keyword may be NULL, position negative); null where it is not given,
 * or not visibly so behind a "*". */
TSNode code_argument(const struct code *code, TSNode call, int position, const char *keyword);

bool node_is_function(TSNode node); /* def or lambda */
bool node_is_scope(TSNode node);    /* module, class, def or lambda */

#endif
