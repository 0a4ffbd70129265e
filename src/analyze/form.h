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

enum form_token_kind {
        TOKEN_END,
        TOKEN_OPEN,  /* ( or [ */
        TOKEN_CLOSE, /* ) or ] */
        TOKEN_STRING,
        TOKEN_WORD,
        TOKEN_BROKEN, /* a string that does not end */
};

struct form_token {
        enum form_token_kind kind;
        struct bytes text; /* as spelt, quotes included */
};

struct form_token form_next_token(struct cursor *cursor);
const char *form_unquote(struct arena *arena, struct bytes text); /* of a TOKEN_STRING */

/* The next pattern. *ret_end instead when there is none left. */
int form_read(struct cursor *cursor, struct arena *arena, struct form *ret_form, bool *ret_end,
              struct error *ret_error);

#endif
