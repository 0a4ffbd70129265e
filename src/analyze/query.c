#include "analyze/query.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/predicate.h"
#include "base/cleanup.h"

enum {
        SOURCE_LIMIT = 64 * 1024, /* of one query.scm */
        PATTERN_LIMIT = 4096,     /* of all rules */
};

const TSLanguage *tree_sitter_python(void);

/* One rule's pattern: a shape, and what must hold of its captures. */
struct pattern {
        uint32_t owner;
        uint32_t next; /* of the same shape, UINT32_MAX at the end */
        struct predicate *predicates;
        size_t n_predicates;
        int penalty, strong;
};

struct shape {
        const char *text;
        uint32_t offset;        /* in the compiled text */
        uint32_t first_pattern; /* UINT32_MAX when none */
};

struct query {
        struct arena arena;
        struct pattern *patterns;
        size_t n_patterns, patterns_capacity;
        struct shape *shapes;
        size_t n_shapes, shapes_capacity;
        TSQuery *compiled;
        TSQueryCursor *cursor;
        uint32_t match_id; /* of the capture @match */
};

struct query *query_new(void)
{
        struct query *query = heap_alloc(sizeof *query);
        query->cursor = ts_query_cursor_new();
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
        for (size_t i = 0; i < query->n_patterns; i++)
                clear_pattern(&query->patterns[i]);
        if (query->compiled != NULL)
                ts_query_delete(query->compiled);
        ts_query_cursor_delete(query->cursor);
        free(query->patterns);
        free(query->shapes);
        arena_clear(&query->arena);
        free(query);
        return NULL;
}

static struct shape *shape_of(struct query *query, const char *text)
{
        for (size_t i = 0; i < query->n_shapes; i++)
                if (strcmp(query->shapes[i].text, text) == 0)
                        return &query->shapes[i];
        heap_reserve(query->shapes, query->n_shapes, query->shapes_capacity);
        query->shapes[query->n_shapes] = (struct shape){.text = text, .first_pattern = UINT32_MAX};
        return &query->shapes[query->n_shapes++];
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

/* The shape's words are separated by single blanks, so a capture ends at one or at the end. */
static bool shape_captures(const char *shape, const char *name)
{
        size_t length = strlen(name);
        for (const char *at = strchr(shape, '@'); at != NULL; at = strchr(at + 1, '@'))
                if (strncmp(at + 1, name, length) == 0 && (at[1 + length] == '\0' || at[1 + length] == ' '))
                        return true;
        return false;
}

static int check_captures(const char *shape, const struct predicate *predicate, struct error *ret_error)
{
        if (!shape_captures(shape, predicate->capture))
                return error_set(ret_error, ERR_MALFORMED, 0, "nothing is captured as @%s", predicate->capture);
        if (predicate->other != NULL && !shape_captures(shape, predicate->other))
                return error_set(ret_error, ERR_MALFORMED, 0, "nothing is captured as @%s", predicate->other);
        return 0;
}

static int add_predicate(struct query *query, struct pattern *pattern, const struct form *form, size_t index,
                         struct error *ret_error)
{
        const struct form_predicate *source = &form->predicates[index];
        if (!source->words[0].quoted && strcmp(source->words[0].text, "#set!") == 0)
                return set_property(pattern, source, ret_error);
        struct predicate *predicate = &pattern->predicates[pattern->n_predicates];
        int rc = predicate_parse(source, &query->arena, predicate, ret_error);
        if (rc < 0)
                return rc;
        pattern->n_predicates++;
        return check_captures(form->shape, predicate, ret_error);
}

static int add_pattern(struct query *query, uint32_t owner, const struct form *form, struct error *ret_error)
{
        if (!shape_captures(form->shape, "match"))
                return error_set(ret_error, ERR_MALFORMED, 0, "a pattern does not say what @match is");
        if (query->n_patterns >= PATTERN_LIMIT)
                return error_set(ret_error, ERR_LIMIT, 0, "more than %d patterns", PATTERN_LIMIT);
        heap_reserve(query->patterns, query->n_patterns, query->patterns_capacity);
        struct pattern *pattern = &query->patterns[query->n_patterns];
        *pattern = (struct pattern){.owner = owner, .penalty = -1, .strong = -1};
        pattern->predicates = arena_new_array(&query->arena, struct predicate, form->n_predicates);
        for (size_t i = 0; i < form->n_predicates; i++) {
                int rc = add_predicate(query, pattern, form, i, ret_error);
                if (rc < 0) {
                        clear_pattern(pattern);
                        return rc;
                }
        }
        struct shape *shape = shape_of(query, form->shape);
        pattern->next = shape->first_pattern;
        shape->first_pattern = (uint32_t)query->n_patterns++;
        return 0;
}

int query_add(struct query *query, uint32_t owner, struct bytes source, struct error *ret_error)
{
        if (source.size > SOURCE_LIMIT)
                return error_set(ret_error, ERR_LIMIT, 0, "query.scm of %zu bytes, at most %d are read", source.size,
                                 SOURCE_LIMIT);
        struct cursor cursor = cursor_over(source);
        for (bool end = false; !end;) {
                struct form form;
                int rc = form_read(&cursor, &query->arena, &form, &end, ret_error);
                if (rc == 0 && !end)
                        rc = add_pattern(query, owner, &form, ret_error);
                if (rc < 0)
                        return rc;
        }
        return 0;
}

static const char *error_name(TSQueryError error)
{
        static const char *const names[] = {"",
                                            "syntax",
                                            "no such node type",
                                            "no such field",
                                            "no such capture",
                                            "impossible structure",
                                            "other language"};
        return (size_t)error < sizeof names / sizeof *names ? names[error] : "unknown";
}

static int refuse(const struct query *query, uint32_t offset, TSQueryError error, uint32_t *ret_owner,
                  struct error *ret_error)
{
        size_t at = query->n_shapes;
        while (at > 1 && query->shapes[at - 1].offset > offset)
                at--;
        const struct shape *shape = &query->shapes[at > 0 ? at - 1 : 0];
        *ret_owner = query->patterns[shape->first_pattern].owner;
        return error_set(ret_error, ERR_MALFORMED, 0, "%s at character %u of the pattern %s", error_name(error),
                         offset - shape->offset, shape->text);
}

static uint32_t capture_id(const struct query *query, const char *name)
{
        for (uint32_t i = 0; i < ts_query_capture_count(query->compiled); i++) {
                uint32_t length;
                const char *found = ts_query_capture_name_for_id(query->compiled, i, &length);
                if (length == strlen(name) && memcmp(found, name, length) == 0)
                        return i;
        }
        return UINT32_MAX;
}

/* That each shape captures what its predicates name was checked when they were added. */
static void resolve_captures(struct query *query)
{
        for (size_t i = 0; i < query->n_patterns; i++) {
                const struct pattern *pattern = &query->patterns[i];
                for (size_t j = 0; j < pattern->n_predicates; j++) {
                        struct predicate *predicate = &pattern->predicates[j];
                        predicate->capture_id = capture_id(query, predicate->capture);
                        if (predicate->other != NULL)
                                predicate->other_id = capture_id(query, predicate->other);
                }
        }
        query->match_id = capture_id(query, "match");
}

int query_compile(struct query *query, uint32_t *ret_owner, struct error *ret_error)
{
        CLEANUP(text_clear) struct text source = TEXT_INIT;
        text_add(&source, "");
        for (size_t i = 0; i < query->n_shapes; i++) {
                query->shapes[i].offset = (uint32_t)source.size;
                text_addf(&source, "%s\n", query->shapes[i].text);
        }
        if (query->n_shapes == 0)
                return error_set(ret_error, ERR_MALFORMED, 0, "no pattern at all");
        uint32_t offset = 0;
        TSQueryError error = TSQueryErrorNone;
        query->compiled = ts_query_new(tree_sitter_python(), source.data, (uint32_t)source.size, &offset, &error);
        if (query->compiled == NULL || ts_query_pattern_count(query->compiled) != query->n_shapes)
                return refuse(query, offset, error, ret_owner, ret_error);
        resolve_captures(query);
        return 0;
}

static bool pattern_holds(const struct pattern *pattern, struct predicate_subject *subject)
{
        for (size_t i = 0; i < pattern->n_predicates; i++)
                if (!predicate_holds(&pattern->predicates[i], subject))
                        return false;
        return true;
}

static void clear_subject(struct predicate_subject *subject)
{
        text_clear(&subject->name);
}

void query_run(const struct query *query, const struct syntax *syntax, const struct aliases *aliases,
               query_found *found, void *context)
{
        TSQueryMatch match;
        CLEANUP(clear_subject)
        struct predicate_subject subject = {.syntax = syntax, .aliases = aliases, .match = &match, .name = TEXT_INIT};
        ts_query_cursor_exec(query->cursor, query->compiled, syntax->root);
        while (ts_query_cursor_next_match(query->cursor, &match)) {
                TSNode node = predicate_captured(&match, query->match_id);
                if (ts_node_is_null(node) || match.pattern_index >= query->n_shapes)
                        continue;
                subject.named_capture = UINT32_MAX;
                for (uint32_t i = query->shapes[match.pattern_index].first_pattern; i != UINT32_MAX;
                     i = query->patterns[i].next) {
                        const struct pattern *pattern = &query->patterns[i];
                        if (pattern_holds(pattern, &subject))
                                found(context,
                                      &(struct query_match){pattern->owner, node, pattern->penalty, pattern->strong});
                }
        }
}
