#include "analyze/rules.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query.h"
#include "base/cleanup.h"

enum {
        RULE_LIMIT = 1024,
        JSON_LIMIT = 64 * 1024,
        PENALTY_LIMIT = 9,
};

struct rules {
        struct arena arena;
        struct rule *items;
        size_t count;
        struct query *query;
};

static void cleanup_json(json_t **json)
{
        json_decref(*json);
}

static bool is_label(const char *text)
{
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
        return length > 0 && length <= 64 && text[length] == '\0';
}

static int read_severity(const char *word, enum severity *ret_severity)
{
        for (int i = SEVERITY_NOTE; i <= SEVERITY_ERROR; i++) {
                if (strcmp(word, severity_name((enum severity)i)) == 0) {
                        *ret_severity = (enum severity)i;
                        return 0;
                }
        }
        return ERR_MALFORMED;
}

static int fill_rule(json_t *json, struct arena *arena, struct rule *ret_rule, struct error *ret_error)
{
        const char *id, *title, *severity, *meaning, *danger, *action, *example;
        int strong, penalty;
        json_error_t error;
        if (json_unpack_ex(json, &error, JSON_STRICT, "{s:s, s:s, s:s, s:b, s:i, s:s, s:s, s:s, s:s}", "id", &id,
                           "title", &title, "severity", &severity, "strong", &strong, "penalty", &penalty, "meaning",
                           &meaning, "danger", &danger, "action", &action, "example", &example) < 0)
                return error_set(ret_error, ERR_MALFORMED, 0, "rule.json: %s", error.text);
        struct rule rule = {
                .id = arena_strdup(arena, id),
                .title = arena_strdup(arena, title),
                .strong = strong != 0,
                .penalty = (uint32_t)penalty,
                .meaning = arena_strdup(arena, meaning),
                .danger = arena_strdup(arena, danger),
                .action = arena_strdup(arena, action),
                .example = arena_strdup(arena, example),
        };
        if (!is_label(id))
                return error_set(ret_error, ERR_MALFORMED, 0, "rule.json: id is not lower-case words joined by -");
        if (read_severity(severity, &rule.severity) < 0)
                return error_set(ret_error, ERR_MALFORMED, 0, "rule.json: severity is none of note, warning, error");
        if (penalty < 0 || penalty > PENALTY_LIMIT)
                return error_set(ret_error, ERR_MALFORMED, 0, "rule.json: penalty is not in 0 to %d", PENALTY_LIMIT);
        *ret_rule = rule;
        return 0;
}

static int read_rule(struct bytes source, struct arena *arena, struct rule *ret_rule, struct error *ret_error)
{
        if (source.size > JSON_LIMIT)
                return error_set(ret_error, ERR_LIMIT, 0, "rule.json of %zu bytes, at most %d are read", source.size,
                                 JSON_LIMIT);
        json_error_t error;
        CLEANUP(cleanup_json)
        json_t *json = json_loadb((const char *)source.data, source.size, JSON_REJECT_DUPLICATES, &error);
        if (json == NULL)
                return error_set(ret_error, ERR_MALFORMED, 0, "rule.json line %d: %s", error.line, error.text);
        return fill_rule(json, arena, ret_rule, ret_error);
}

static int load_one(struct rules *rules, const struct rule_source *source, struct error *ret_error)
{
        int rc = read_rule(source->json, &rules->arena, &rules->items[rules->count], ret_error);
        if (rc == 0)
                rc = query_add(rules->query, (uint32_t)rules->count, source->query, ret_error);
        if (rc < 0)
                return error_add(ret_error, "rule %s", source->folder);
        rules->count++;
        return 0;
}

int rules_load(const struct rule_source *sources, size_t count, struct rules **ret_rules, struct error *ret_error)
{
        if (count > RULE_LIMIT)
                return error_set(ret_error, ERR_LIMIT, 0, "more than %d rules", RULE_LIMIT);
        struct rules *rules = heap_alloc(sizeof *rules);
        rules->items = arena_new_array(&rules->arena, struct rule, count);
        rules->query = query_new();
        int rc = 0;
        for (size_t i = 0; i < count && rc == 0; i++)
                rc = load_one(rules, &sources[i], ret_error);
        if (rc < 0) {
                rules_free(rules);
                return rc;
        }
        *ret_rules = rules;
        return 0;
}

struct rules *rules_free(struct rules *rules)
{
        if (rules == NULL)
                return NULL;
        query_free(rules->query);
        arena_clear(&rules->arena);
        free(rules);
        return NULL;
}

struct collector {
        const struct rules *rules;
        struct rule_match *items;
        size_t count, capacity;
};

static void collect(void *context, const struct query_match *match)
{
        struct collector *collector = context;
        const struct rule *rule = &collector->rules->items[match->owner];
        heap_reserve(collector->items, collector->count, collector->capacity);
        collector->items[collector->count++] = (struct rule_match){
                .rule = rule,
                .start = ts_node_start_byte(match->node),
                .end = ts_node_end_byte(match->node),
                .penalty = match->penalty >= 0 ? (uint32_t)match->penalty : rule->penalty,
                .strong = match->strong >= 0 ? match->strong != 0 : rule->strong,
        };
}

static int compare_matches(const void *a, const void *b)
{
        const struct rule_match *left = a, *right = b;
        if (left->start != right->start)
                return left->start < right->start ? -1 : 1;
        if (left->end != right->end)
                return left->end < right->end ? -1 : 1;
        int order = strcmp(left->rule->id, right->rule->id);
        return order != 0 ? order : (left->penalty > right->penalty) - (left->penalty < right->penalty);
}

void rules_match(const struct rules *rules, const struct syntax *syntax, const struct aliases *aliases,
                 struct arena *arena, struct rule_matches *ret_matches)
{
        struct collector collector = {.rules = rules};
        query_run(rules->query, syntax, aliases, collect, &collector);
        if (collector.count > 0)
                qsort(collector.items, collector.count, sizeof *collector.items, compare_matches);
        ret_matches->count = collector.count;
        ret_matches->items = arena_copy(arena, collector.items, collector.count * sizeof *collector.items);
        free(collector.items);
}

/* Source text as a block of a page: each line behind four blanks. */
static const char *indented(const char *text, struct arena *arena)
{
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        for (const char *line = text; *line != '\0';) {
                size_t size = strcspn(line, "\n");
                text_addf(&out, "    %.*s\n", (int)size, line);
                line += size + (line[size] == '\n');
        }
        return arena_strndup(arena, out.data, out.size);
}

const char *rules_explain(const char *label, struct arena *arena)
{
        size_t count;
        const struct rule_source *sources = rules_embedded(&count);
        for (size_t i = 0; i < count; i++) {
                struct rule rule;
                if (strcmp(sources[i].folder, label) == 0 && read_rule(sources[i].json, arena, &rule, NULL) == 0)
                        return arena_printf(arena,
                                            "# %s: %s\n\n%s\n\n## Why it is dangerous\n\n%s\n\n## What to do\n\n%s\n\n"
                                            "## Example\n\n%s",
                                            rule.id, rule.title, rule.meaning, rule.danger, rule.action,
                                            indented(rule.example, arena));
        }
        return NULL;
}
