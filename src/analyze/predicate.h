/* The predicates of a pattern (listed in analyze/query.h): tree-sitter's C library leaves their evaluation to its
 * user. */
#ifndef PRISTINE_ANALYZE_PREDICATE_H
#define PRISTINE_ANALYZE_PREDICATE_H

#include <regex.h>

#include "analyze/form.h"
#include "analyze/aliases.h"
#include "analyze/shape.h"
#include "model/hunk.h"

enum predicate_test {
        TEST_TEXT,     /* equals one of the texts */
        TEST_SAME,     /* equals the text of the other capture */
        TEST_CONTAINS, /* one of the words, in whatever case */
        TEST_REGEX,
        TEST_NAME,
        TEST_ANCESTOR,
};

struct predicate {
        enum predicate_test test;
        bool negated;
        int capture, other; /* of the shape; other is -1 unless the test is TEST_SAME */
        struct bytes *texts;
        size_t n_texts;
        bool *starts; /* by byte, whether a text may start with it: of TEST_CONTAINS, and of the "x*" of TEST_NAME */
        bool *ends;   /* of the other texts of TEST_NAME: by byte, whether one ends with it */
        regex_t *regex;
};

/* One way in which a shape fits, and the meaning of a captured name, which many predicates ask for. */
struct predicate_subject {
        const struct syntax *syntax;
        const struct aliases *aliases;
        const struct shape_match *match;
        struct text name;
        unsigned regexes;  /* still allowed to be tried */
        int named_capture; /* whose meaning `name` is, -1 for none yet */
};

int predicate_parse(const struct form_predicate *form, const struct shape *shape, struct arena *arena,
                    struct predicate *ret_predicate, struct error *ret_error);
void predicate_clear(struct predicate *predicate);
bool predicate_holds(const struct predicate *predicate, struct predicate_subject *subject);

#endif
