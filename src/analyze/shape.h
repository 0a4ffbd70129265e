/* The structural part of a pattern: which nodes must stand where. A shape is a list of steps in preorder; a step's
 * candidates are the children of what its parent step has matched, behind what its previous sibling step has matched.
 * So matching is plain backtracking over the list. */
#ifndef PRISTINE_ANALYZE_SHAPE_H
#define PRISTINE_ANALYZE_SHAPE_H

#include "analyze/form.h"
#include "analyze/syntax.h"

enum {
        SHAPE_STEPS = 32,
        SHAPE_CAPTURES = 8,
        SHAPE_SYMBOLS = 16, /* alternatives of one step */
        SHAPE_NO_STEP = 255,
};

struct shape_step {
        TSSymbol symbols[SHAPE_SYMBOLS];
        unsigned char n_symbols;        /* 0: any node, */
        bool named;                     /* … any named node */
        TSFieldId field;                /* 0: whatever field */
        unsigned char parent, previous; /* steps; SHAPE_NO_STEP for the root and for first children */
        bool anchored;                  /* no named node between it and the previous one, or the parent's beginning */
        bool last;                      /* no named node behind it */
        bool repeated;                  /* a run of such nodes */
        unsigned char captures;         /* bit i: it is capture i */
};

struct shape {
        const char *text; /* as form_read() spells it */
        struct shape_step steps[SHAPE_STEPS];
        unsigned n_steps;
        const char *captures[SHAPE_CAPTURES]; /* names */
        unsigned char capture_steps[SHAPE_CAPTURES];
        unsigned n_captures;
};

/* One way in which a shape fits at a node. */
struct shape_match {
        const struct shape *shape;
        uint32_t nodes[SHAPE_STEPS]; /* by step: index in syntax->nodes */
};

/* Returns true to go on to the next way, false to stop. */
typedef bool shape_found(void *context, const struct shape_match *match);

int shape_parse(const char *text, struct arena *arena, struct shape *ret_shape, struct error *ret_error);
/* Every way in which the shape fits with its first step at the node. */
void shape_match(const struct shape *shape, const struct syntax *syntax, uint32_t node, shape_found *found,
                 void *context);

int shape_capture(const struct shape *shape, const char *name); /* -1 when it captures nothing of that name */
/* Node captured by a match, the last of a run. */
uint32_t shape_captured(const struct shape_match *match, int capture);

#endif
