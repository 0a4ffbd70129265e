/* When a place in the code is reached: the chain of conditions around it, and its text for a person.
 *
 *     trigger_conditions()   what must hold for the byte to be reached, outermost first
 *     oneshot_mark()         (oneshot.h) which parts of them only say "not yet done"
 *     trigger_text()         the rest as source text
 *
 * Counted are if, elif, else, while, case, except, the ternary, `and` and `or`, the filter of a comprehension, and a
 * guard that leaves before the place is reached (`if not wanted: return`), the latter only from a given byte on: what
 * was there before the hunk is not its trigger. */
#ifndef PRISTINE_ANALYZE_TRIGGER_H
#define PRISTINE_ANALYZE_TRIGGER_H

#include "analyze/code.h"

enum condition_kind {
        CONDITION_TEST,   /* node is an expression */
        CONDITION_EXCEPT, /* node is an except_clause */
        CONDITION_CASE,   /* node is a case_clause */
};

struct condition {
        enum condition_kind kind;
        TSNode node;
        bool negated;
        bool leaves;   /* a guard that leaves when its test holds: the place is what follows it */
        TSNode body;   /* the code under the condition… */
        uint32_t from; /* …from this byte on */
        TSNode around; /* the block that holds the statement, or null */
        uint32_t at;   /* the place it leads to */
};

enum { CONDITIONS_LIMIT = 48, PARTS_LIMIT = 48 };

struct conditions {
        struct condition items[CONDITIONS_LIMIT];
        size_t count;
        TSNode function; /* innermost def, lambda or class around the place, or the module */
};

/* A conjunct of a condition: `a and not b` has the parts a and b, the latter negated. */
struct part {
        size_t condition; /* index */
        TSNode node;
        bool negated;
        bool guard; /* says "not yet done" */
};

struct parts {
        struct part items[PARTS_LIMIT];
        size_t count;
};

/* Adds to *conditions. A definition that starts before byte `since` sets the count back: what is around it decided
 * whether it exists, not when it runs. */
void trigger_conditions(struct code *code, uint32_t at, uint32_t since, struct conditions *conditions);
void trigger_parts(struct code *code, const struct conditions *conditions, struct parts *ret_parts);
const char *trigger_text(struct code *code, const struct conditions *conditions, const struct parts *parts);
/* `if False`: it is never reached. */
bool trigger_is_dead(struct code *code, const struct parts *parts);

#endif
