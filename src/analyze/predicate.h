/* The predicates of a pattern (listed in analyze/query.h): tree-sitter's C library leaves their evaluation to its
 * user. */
#ifndef PRISTINE_ANALYZE_PREDICATE_H
#define PRISTINE_ANALYZE_PREDICATE_H

#include <regex.h>

#include "analyze/form.h"
#include "analyze/aliases.h"
#include "model/hunk.h"

enum predicate_test {
        TEST_TEXT, /* equals one of the texts */
        TEST_SAME, /* equals the text of the other capture */
        TEST_REGEX,
        TEST_NAME,
        TEST_ANCESTOR,
};

struct predicate {
        enum predicate_test test;
        bool negated;
        const char *capture, *other; /* names, without the @ */
        uint32_t capture_id, other_id;
        struct strings texts;
        regex_t *regex;
};

/* What one match of the library's has captured, and the meaning of a captured name, which many predicates ask for. */
struct predicate_subject {
        const struct syntax *syntax;
        const struct aliases *aliases;
        const TSQueryMatch *match;
        struct text name;
        uint32_t named_capture; /* whose meaning `name` is, UINT32_MAX for none yet */
};

/* Ids are not known before the query is compiled: left to the caller. */
int predicate_parse(const struct form_predicate *form, struct arena *arena, struct predicate *ret_predicate,
                    struct error *ret_error);
void predicate_clear(struct predicate *predicate);
bool predicate_holds(const struct predicate *predicate, struct predicate_subject *subject);

/* First node captured under the id; a null node when there is none. */
TSNode predicate_captured(const TSQueryMatch *match, uint32_t capture_id);

#endif
