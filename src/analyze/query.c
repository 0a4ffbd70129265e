#include "analyze/query.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/predicate.h"
#include "base/cleanup.h"

enum {
        SOURCE_LIMIT = 64 * 1024, /* of one query.scm */
        PATTERN_LIMIT = 4096,     /* of all rules */
        REGEX_LIMIT = 1000000,    /* tries per file: about a second, a hundred times what a large module takes */
};

const TSLanguage *tree_sitter_python(void);

/* One rule's pattern: a shape, and what must hold of its captures. */
struct pattern {
        uint32_t owner;
        struct pattern *next; /* of the same shape */
        struct predicate *predicates;
        size_t n_predicates;
        int match_capture;
        int penalty, strong;
};

/* Many rules ask for the same shape (a call, a comment) and differ in predicates only: it is matched once for all. */
struct shared_shape {
        struct shape shape;
        struct pattern *patterns;
        struct shared_shape *next; /* of all */
};

/* By the symbol a shape starts with. */
struct start {
        const struct shared_shape *shape;
        struct start *next;
};

struct query {
        struct arena arena;
        struct shared_shape *shapes;
        size_t n_patterns;
        struct start **starts;
        uint32_t n_symbols;
};

struct query *query_new(void)
{
        struct query *query = heap_alloc(sizeof *query);
        query->n_symbols = ts_language_symbol_count(tree_sitter_python());
        query->starts = arena_new_array(&query->arena, struct start *, query->n_symbols);
        return query;
}

static void clear_pattern(struct pattern *pattern)
{
        for (size_t i = 0; i < pattern->n_predicates; i++)
                predicate_clear(&pattern->predicates[i]);
}

struct query *query_free(struct query *query)
{
        if (query == NULL)
                return NULL;
        for (struct shared_shape *shape = query->shapes; shape != NULL; shape = shape->next)
                for (struct pattern *pattern = shape->patterns; pattern != NULL; pattern = pattern->next)
                        clear_pattern(pattern);
        arena_clear(&query->arena);
        free(query);
        return NULL;
}

static int find_shape(struct query *query, const char *text, struct shared_shape **ret_shape, struct error *ret_error)
{
        for (struct shared_shape *known = query->shapes; known != NULL; known = known->next) {
                if (strcmp(known->shape.text, text) == 0) {
                        *ret_shape = known;
                        return 0;
                }
        }
        struct shared_shape *shared = arena_new(&query->arena, struct shared_shape);
        int rc = shape_parse(text, &query->arena, &shared->shape, ret_error);
        if (rc < 0)
                return rc;
        shared->next = query->shapes;
        query->shapes = shared;
        const struct shape_step *root = &shared->shape.steps[0];
        for (unsigned i = 0; i < root->n_symbols; i++) {
                struct start *start = arena_new(&query->arena, struct start);
                *start = (struct start){shared, query->starts[root->symbols[i]]};
                query->starts[root->symbols[i]] = start;
        }
        *ret_shape = shared;
        return 0;
}

static int set_property(struct pattern *pattern, const struct form_predicate *form, struct error *ret_error)
{
        const char *key = form->n_words == 3 ? form->words[1].text : "";
        const char *value = form->n_words == 3 ? form->words[2].text : "";
        if (strcmp(key, "penalty") == 0 && value[0] >= '0' && value[0] <= '9' && value[1] == '\0')
                pattern->penalty = value[0] - '0';
        else if (strcmp(key, "strong") == 0 && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0))
                pattern->strong = strcmp(value, "true") == 0;
        else
                return error_set(ret_error, ERR_MALFORMED, 0, "#set! knows penalty 0 to 9 and strong true or false");
        return 0;
}

static int add_predicates(struct query *query, const struct form *form, const struct shape *shape,
                          struct pattern *pattern, struct error *ret_error)
{
        pattern->predicates = arena_new_array(&query->arena, struct predicate, form->n_predicates);
        for (size_t i = 0; i < form->n_predicates; i++) {
                const struct form_predicate *source = &form->predicates[i];
                bool property = !source->words[0].quoted && strcmp(source->words[0].text, "#set!") == 0;
                int rc = property ? set_property(pattern, source, ret_error)
                                  : predicate_parse(source, shape, &query->arena,
                                                    &pattern->predicates[pattern->n_predicates], ret_error);
                if (rc < 0)
                        return rc;
                pattern->n_predicates += !property;
        }
        return 0;
}

static int add_pattern(struct query *query, uint32_t owner, const struct form *form, struct error *ret_error)
{
        if (query->n_patterns >= PATTERN_LIMIT)
                return error_set(ret_error, ERR_LIMIT, 0, "more than %d patterns", PATTERN_LIMIT);
        struct shared_shape *shared;
        int rc = find_shape(query, form->shape, &shared, ret_error);
        if (rc < 0)
                return rc;
        struct pattern *pattern = arena_new(&query->arena, struct pattern);
        *pattern = (struct pattern){.owner = owner, .penalty = -1, .strong = -1};
        pattern->match_capture = shape_capture(&shared->shape, "match");
        if (pattern->match_capture < 0)
                return error_set(ret_error, ERR_MALFORMED, 0, "nothing is captured as @match in the pattern %s",
                                 form->shape);
        rc = add_predicates(query, form, &shared->shape, pattern, ret_error);
        if (rc < 0) {
                clear_pattern(pattern);
                return rc;
        }
        pattern->next = shared->patterns;
        shared->patterns = pattern;
        query->n_patterns++;
        return 0;
}

int query_add(struct query *query, uint32_t owner, struct bytes source, struct error *ret_error)
{
        if (source.size > SOURCE_LIMIT)
                return error_set(ret_error, ERR_LIMIT, 0, "query.scm of %zu bytes, at most %d are read", source.size,
                                 SOURCE_LIMIT);
        struct cursor cursor = cursor_over(source);
        size_t before = query->n_patterns;
        for (bool end = false; !end;) {
                struct form form;
                int rc = form_read(&cursor, &query->arena, &form, &end, ret_error);
                if (rc == 0 && !end)
                        rc = add_pattern(query, owner, &form, ret_error);
                if (rc < 0)
                        return rc;
        }
        return query->n_patterns > before ? 0 : error_set(ret_error, ERR_MALFORMED, 0, "query.scm: no pattern at all");
}

struct run {
        struct predicate_subject subject;
        const struct pattern *patterns;
        query_found *found;
        void *context;
};

static void clear_run(struct run *run)
{
        text_clear(&run->subject.name);
}

static bool pattern_holds(const struct pattern *pattern, struct predicate_subject *subject)
{
        for (size_t i = 0; i < pattern->n_predicates; i++)
                if (!predicate_holds(&pattern->predicates[i], subject))
                        return false;
        return true;
}

static bool offer_match(void *context, const struct shape_match *match)
{
        struct run *run = context;
        run->subject.match = match;
        run->subject.named_capture = -1;
        for (const struct pattern *pattern = run->patterns; pattern != NULL; pattern = pattern->next) {
                if (!pattern_holds(pattern, &run->subject))
                        continue;
                uint32_t node = shape_captured(match, pattern->match_capture);
                run->found(run->context, &(struct query_match){pattern->owner, run->subject.syntax->nodes[node].node,
                                                               pattern->penalty, pattern->strong});
        }
        return true;
}

void query_run(const struct query *query, const struct syntax *syntax, const struct aliases *aliases,
               query_found *found, void *context)
{
        CLEANUP(clear_run)
        struct run run = {
                .subject = {.syntax = syntax, .aliases = aliases, .regexes = REGEX_LIMIT, .name = TEXT_INIT},
                .found = found,
                .context = context,
        };
        for (uint32_t i = 0; i < syntax->n_nodes; i++) {
                TSSymbol symbol = syntax->nodes[i].symbol;
                for (const struct start *start = symbol < query->n_symbols ? query->starts[symbol] : NULL;
                     start != NULL; start = start->next) {
                        run.patterns = start->shape->patterns;
                        shape_match(&start->shape->shape, syntax, i, offer_match, &run);
                }
        }
}
