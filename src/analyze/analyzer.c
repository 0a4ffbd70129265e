#include "analyze/analyze.h"

#include <stdlib.h>

#include "analyze/syntax.h"
#include "base/cleanup.h"

struct analyzer {
        TSParser *parser;
};

int analyzer_new(struct analyzer **ret_analyzer, struct error *ret_error)
{
        TSParser *parser = syntax_parser_new(ret_error);
        if (parser == NULL)
                return ERR_UNSUPPORTED;
        struct analyzer *analyzer = heap_alloc(sizeof *analyzer);
        analyzer->parser = parser;
        *ret_analyzer = analyzer;
        return 0;
}

struct analyzer *analyzer_free(struct analyzer *analyzer)
{
        if (analyzer != NULL)
                syntax_parser_delete(&analyzer->parser);
        free(analyzer);
        return NULL;
}

static void fill_empty(struct hunk *hunk)
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

int analyzer_suggest(struct analyzer *analyzer, struct bytes current, struct arena *arena, struct extents *ret_extents,
                     struct error *ret_error)
{
        (void)analyzer, (void)current, (void)arena, (void)ret_error;
        *ret_extents = (struct extents){0};
        return 0;
}

int analyzer_describe(struct analyzer *analyzer, struct bytes current, struct bytes original, struct arena *arena,
                      struct hunks *hunks, struct error *ret_error)
{
        (void)original, (void)ret_error;
        for (size_t i = 0; i < hunks->count; i++)
                fill_empty(&hunks->items[i]);
        CLEANUP(syntax_clear) struct syntax syntax = {0};
        if (syntax_parse(analyzer->parser, current, &syntax, NULL) < 0)
                return 0;
        for (size_t i = 0; i < hunks->count; i++) {
                struct hunk *hunk = &hunks->items[i];
                uint32_t first = hunk->first_line > 0 ? hunk->first_line - 1 : 0;
                uint32_t last = hunk->last_line > 0 ? hunk->last_line - 1 : 0;
                hunk->function = syntax_function_at(&syntax, first, last, arena);
                hunk->parsed = !syntax_is_broken_at(&syntax, (uint32_t)hunk->start, (uint32_t)hunk->end);
        }
        return 0;
}

int analyzer_scan(struct analyzer *analyzer, struct bytes current, struct arena *arena, struct hunks *ret_hunks,
                  struct error *ret_error)
{
        (void)analyzer, (void)current, (void)arena, (void)ret_error;
        *ret_hunks = (struct hunks){0};
        return 0;
}
