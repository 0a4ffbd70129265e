/* How likely each statement of a file was inserted for debugging, as a cost: 0 certainly looks like it, each step up is
 * roughly an order less likely, COST_NEVER means it cannot have been. Private to analyze/.
 *
 * Three sources of evidence, taken round and round until nothing changes:
 *   rules    what a statement does (writes a tensor, counts calls, …), and words such as "debug" in it
 *   uses     what only binds or changes names can have been inserted exactly when all that reads those names was: so
 *            `_rank = get_rank()` costs what the dump that uses it costs, and `q = q.cpu()` whose result the model
 * needs cannot have been inserted, whatever a rule says bodies   an if, for, with, try or def costs what its statements
 * cost; what is only used inside counts for nothing */
#ifndef PRISTINE_ANALYZE_SUSPICION_H
#define PRISTINE_ANALYZE_SUSPICION_H

#include "analyze/reading.h"

enum {
        COST_CEILING = 4, /* beyond it a guess is worth nothing */
        COST_NEVER = 9,
        ORDINARY_COMMENT = 3,
        EFFECT_NAMES = 6,
};

/* The names that a statement binds or changes. */
struct effect {
        bool pure; /* it does nothing else: without its readers it is not missed */
        unsigned char n_names;
        uint32_t names[EFFECT_NAMES]; /* identifiers of the syntax */
};

struct suspicion {
        const struct syntax *syntax;
        struct arena *arena;
        unsigned char *own;     /* by statement: what the rules say about its own text (of a compound: its header) */
        unsigned char *cost;    /* by statement: as a whole */
        unsigned char *body;    /* by statement: of a definition, what is in it */
        unsigned char *removal; /* by statement: the least of its own cost and those of the statements around it */
        uint32_t *scope;        /* by statement: def or class around it */
        struct effect *effects; /* by statement */
        uint32_t *name;         /* by identifier: number of its spelling */
        uint32_t n_names;
        uint32_t *first_use;     /* by spelling: where in `uses` its occurrences start; [n_names] is the end */
        uint32_t *uses;          /* identifiers, by spelling, in source order */
        unsigned char *comments; /* by comment: cost of that line alone */
};

void suspicion_build(const struct reading *reading, struct arena *arena, struct suspicion *ret_suspicion);

/* Words that people give to what they mean to remove again. */
bool suspicion_has_word(struct bytes text);
/* Bytes of a statement without the statements inside it. */
struct bytes suspicion_own_text(const struct syntax *syntax, uint32_t statement);

/* uses.c: spellings, occurrences, effects */
void uses_build(struct suspicion *suspicion);
/* It binds attributes: by self.x = …, or in the body of a class. */
bool uses_member(const struct suspicion *suspicion, uint32_t statement);
/* Greatest removal cost among the readers of what the statement binds, not counting those inside `within`
 * (SYNTAX_NONE: counting all); -1 when there is none. *ret_others: something else binds one of its names too. */
int uses_cost(const struct suspicion *suspicion, uint32_t statement, uint32_t within, bool *ret_others);

#endif
