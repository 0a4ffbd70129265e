/* Reads the text of a query.scm pattern by pattern: the structural part, in a normal spelling so that equal shapes are
 * equal strings, and the predicates that stood in it. Memory belongs to the arena given. */
#ifndef PRISTINE_ANALYZE_FORM_H
#define PRISTINE_ANALYZE_FORM_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"

struct form_word {
        const char *text; /* of a string: without quotes, escapes resolved */
        bool quoted;
};

struct form_predicate {
        struct form_word *words; /* the first is the operator, e.g. "#eq?" */
        size_t n_words;
};

struct form {
        const char *shape;
        struct form_predicate *predicates;
        size_t n_predicates;
};

/* The next pattern. *ret_end instead when there is none left. */
int form_read(struct cursor *cursor, struct arena *arena, struct form *ret_form, bool *ret_end,
              struct error *ret_error);

#endif
