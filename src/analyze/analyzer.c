#include "analyze/analyze.h"

#include <stdlib.h>

#include "analyze/effects.h"
#include "analyze/reading.h"
#include "base/cleanup.h"

int analyzer_new(struct analyzer **ret_analyzer, struct error *ret_error)
{
        struct analyzer *analyzer = heap_alloc(sizeof *analyzer);
        size_t count;
        const struct rule_source *sources = rules_embedded(&count);
        analyzer->parser = syntax_parser_new(ret_error);
        int rc = analyzer->parser != NULL ? rules_load(sources, count, &analyzer->rules, ret_error) : ERR_UNSUPPORTED;
        if (rc < 0) {
                analyzer_free(analyzer);
                return rc;
        }
        *ret_analyzer = analyzer;
        return 0;
}

struct analyzer *analyzer_free(struct analyzer *analyzer)
{
        if (analyzer == NULL)
                return NULL;
        reading_clear(&analyzer->latest);
        syntax_parser_delete(&analyzer->parser);
        rules_free(analyzer->rules);
        free(analyzer);
        return NULL;
}

int analyzer_suggest(struct analyzer *analyzer, struct bytes current, struct arena *arena, struct extents *ret_extents,
                     struct error *ret_error)
{
        const struct reading *reading = reading_of(analyzer, current);
        if (reading->status < 0) {
                if (ret_error != NULL)
                        *ret_error = reading->error;
                return reading->status;
        }
        suggest_extents(reading, arena, ret_extents);
        return 0;
}

static void clear_description(struct hunk *hunk)
{
        hunk->function = "";
        hunk->labels = (struct strings){0};
        hunk->trigger = "";
        hunk->one_shot = false;
        hunk->cadence = CADENCE_UNKNOWN;
        hunk->writes = (struct strings){0};
        hunk->logs = (struct strings){0};
        hunk->parsed = false;
}

static void describe_hunk(const struct reading *reading, struct bytes original, struct arena *arena, struct hunk *hunk)
{
        uint32_t first, last;
        reading_hunk_lines(hunk, &first, &last);
        hunk->function = syntax_function_at(&reading->syntax, first, last, arena);
        effects_describe(&reading->syntax, original, arena, hunk);
        if (hunk->change == HUNK_DELETE) {
                hunk->parsed = true;
                return;
        }
        label_range(reading, hunk->start, hunk->end, arena, &hunk->labels);
        hunk->parsed = hunk->labels.count > 0 ||
                       !syntax_is_broken_at(&reading->syntax, (uint32_t)hunk->start, (uint32_t)hunk->end);
}

int analyzer_describe(struct analyzer *analyzer, struct bytes current, struct bytes original, struct arena *arena,
                      struct hunks *hunks, struct error *ret_error)
{
        (void)ret_error;
        const struct reading *reading = reading_of(analyzer, current);
        for (size_t i = 0; i < hunks->count; i++) {
                clear_description(&hunks->items[i]);
                if (reading->status == 0)
                        describe_hunk(reading, original, arena, &hunks->items[i]);
        }
        return 0;
}
