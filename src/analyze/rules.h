/* The rules of rules/: what code that debugging leaves behind looks like, as data. A rule is a folder with query.scm
 * (tree-sitter patterns, see analyze/query.h), rule.json (the words a person reads, the weights), bad.py and good.py
 * (which must and must not match). Meson compiles the folders into the program; adding one needs no C.
 *
 *     rules_embedded()   the folders compiled in
 *     rules_load()       sources -> rules, compiled; refuses what is malformed and says where
 *     rules_match()      every place of a file that a rule points at
 *     rules_explain()    a rule's page, for `pristine explain`
 *
 * struct rules belongs to one thread. */
#ifndef PRISTINE_ANALYZE_RULES_H
#define PRISTINE_ANALYZE_RULES_H

#include "analyze/aliases.h"
#include "analyze/syntax.h"
#include "model/severity.h"

struct rule_source {
        const char *folder;
        struct bytes query, json;
};

struct rule {
        const char *id; /* the label: "tensor-dump" */
        const char *title;
        enum severity severity;
        bool strong;      /* says something about a file whose original is not known */
        uint32_t penalty; /* how unlikely it is that a place it points at was inserted: see struct extent */
        const char *meaning, *danger, *action, *example;
};

struct rules;

struct rule_match {
        const struct rule *rule;
        uint32_t start, end; /* bytes */
        uint32_t penalty;
        bool strong;
};

struct rule_matches {
        struct rule_match *items; /* by start, then end */
        size_t count;
};

const struct rule_source *rules_embedded(size_t *ret_count); /* sorted by folder */

int rules_load(const struct rule_source *sources, size_t count, struct rules **ret_rules, struct error *ret_error);
struct rules *rules_free(struct rules *rules); /* returns NULL */

void rules_match(const struct rules *rules, const struct syntax *syntax, const struct aliases *aliases,
                 struct arena *arena, struct rule_matches *ret_matches);

/* The page of the embedded rule with this label ("# ID: title", "## Heading", paragraphs, examples indented by four
 * blanks); NULL when there is none. */
const char *rules_explain(const char *label, struct arena *arena);

#endif
