/* The queries of all rules, run in one pass over a file.
 *
 *     query_new()
 *     query_add()        once per rule: the text of its query.scm
 *     query_run()        per file: calls `found` for each pattern that holds
 *     query_free()
 *
 * The language is tree-sitter's, of which this is understood: node types, (_) and _, "anonymous" nodes, [alternatives]
 * of those, fields, captures, the anchor `.`, and + behind a node. Predicates (a pattern holds when all of them do):
 *   (#eq? @a "text") (#eq? @a @b) (#any-of? @a "t" …)   the source text
 *   (#contains? @a "text" …)                            lower-case words, anywhere in it in whatever case; cheap
 *   (#match? @a "regex")                                POSIX extended; "(?i)" in front ignores case
 *   (#name? @a "torch.save" "*.cpu" "pdb.*")            the meaning (analyze/aliases.h); one * at either end
 *   (#has-ancestor? @a function_definition …)           some node around it is of one of these types
 *   each also as #not-…
 *   (#set! key value)                                   penalty NUMBER, strong true|false: overrides the rule's own
 * What is reported is the capture @match.
 *
 * Why not the library's own query: it takes 42 ms to compile these rules, which is most of what analysing twenty files
 * may cost, and evaluates no predicates. The unit tests hold both against each other. */
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
void query_run(const struct query *query, const struct syntax *syntax, const struct aliases *aliases,
               query_found *found, void *context);

#endif
