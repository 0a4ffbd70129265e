/* The queries of all rules as one tree-sitter query, run in one pass over a file.
 *
 *     query_new()
 *     query_add()        once per rule: the text of its query.scm
 *     query_compile()
 *     query_run()        per file: calls `found` for each pattern that holds
 *     query_free()
 *
 * Compiling costs per pattern, and many rules ask for the same shape (a call, a comment) and differ in predicates only:
 * predicates are taken out of the text, equal shapes are compiled once, and each match is offered to all who asked.
 *
 * Predicates (a pattern holds when all of them do; a capture that matched nothing fails a positive one):
 *   (#eq? @a "text") (#eq? @a @b) (#any-of? @a "t" …)   the source text
 *   (#match? @a "regex")                                POSIX extended; "(?i)" in front ignores case
 *   (#name? @a "torch.save" "*.cpu" "pdb.*")            the meaning (analyze/aliases.h); one * at either end
 *   (#has-ancestor? @a function_definition …)           some node around it is of one of these types
 *   each also as #not-…
 *   (#set! key value)                                   penalty NUMBER, strong true|false: overrides the rule's own
 * What is reported is the capture @match. */
#ifndef PRISTINE_ANALYZE_QUERY_H
#define PRISTINE_ANALYZE_QUERY_H

#include "analyze/aliases.h"
#include "analyze/syntax.h"

struct query;

/* One pattern that holds at one place. */
struct query_match {
        uint32_t owner; /* as given to query_add() */
        TSNode node;
        int penalty; /* -1 where the pattern leaves it to the rule */
        int strong;  /* likewise; else 0 or 1 */
};

typedef void query_found(void *context, const struct query_match *match);

struct query *query_new(void);
struct query *query_free(struct query *query); /* returns NULL */

int query_add(struct query *query, uint32_t owner, struct bytes source, struct error *ret_error);
/* On failure *ret_owner tells whose pattern the library refused. */
int query_compile(struct query *query, uint32_t *ret_owner, struct error *ret_error);
void query_run(const struct query *query, const struct syntax *syntax, const struct aliases *aliases,
               query_found *found, void *context);

#endif
