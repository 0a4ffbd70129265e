/* One guard "not yet done", taken apart: what it hangs on, and which statement makes it true for good. */
#ifndef PRISTINE_ANALYZE_GUARD_H
#define PRISTINE_ANALYZE_GUARD_H

#include "analyze/trigger.h"

enum guard_kind {
        GUARD_NONE,
        GUARD_FLAG,    /* a variable, attribute or item of its own */
        GUARD_MEMBER,  /* a key in a collection */
        GUARD_FILE,    /* a file that exists */
        GUARD_EVENT,   /* event.is_set() */
        GUARD_COUNTER, /* counter == 3 */
        GUARD_TICKET,  /* next(counter) == 3: counts by itself */
};

/* What a flag can be, as bits. */
enum truth {
        TRUTH_FALSE = 1,
        TRUTH_NONE = 2,
        TRUTH_TRUE = 4,
        TRUTH_ANY = TRUTH_FALSE | TRUTH_NONE | TRUTH_TRUE,
};

struct guard {
        enum guard_kind kind;
        struct bytes name; /* of the variable or attribute, the text of the item */
        TSNode object;     /* what has the attribute; null for a variable */
        TSNode whole;      /* the variable, attribute, item, collection, event or path */
        TSNode key;        /* what is looked for in a collection */
        unsigned done;     /* the values of a flag that end it */
        bool own;          /* asks for an attribute of the object itself, not of its class */
};

/* GUARD_NONE when the part is no such guard by its form. */
struct guard guard_read(struct code *code, const struct part *part);

/* The statement alone, not what it holds, sets the guard. */
bool guard_is_set_by(struct code *code, const struct guard *guard, TSNode statement);
/* Somewhere in the file, outside what runs when an object or module is made, the guard is taken back. */
bool guard_is_taken_back(struct code *code, const struct guard *guard);
/* A counter that something in the file counts up. */
bool guard_is_counted(struct code *code, const struct guard *guard);
/* The guard outlives the call: a local variable does not. */
bool guard_persists(struct code *code, const struct guard *guard);

/* Module level, class bodies and what makes an object: runs once for each. */
bool scope_runs_once(struct code *code, TSNode scope);
bool scope_name_runs_once(struct bytes name); /* of a function */

#endif
