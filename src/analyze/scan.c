/* Without a proven original nothing can be called inserted: only what the strong rules point at is worth a look. */
#include "analyze/analyze.h"

#include "analyze/reading.h"

/* Whole lines of the simple statement a match stands in; of a compound one only the lines that match. */
static void match_lines(const struct syntax *syntax, const struct rule_match *match, uint32_t *ret_first,
                        uint32_t *ret_last)
{
        uint32_t index = syntax_statement_at(syntax, match->start, match->end);
        const struct statement *statement = index != SYNTAX_NONE ? &syntax->statements[index] : NULL;
        bool simple = statement != NULL && (statement->kind == STATEMENT_SIMPLE || statement->kind == STATEMENT_IMPORT);
        *ret_first = simple ? statement->first : syntax_line(syntax, match->start);
        *ret_last =
                simple ? statement->last : syntax_line(syntax, match->end > match->start ? match->end - 1 : match->end);
}

static struct hunk hunk_over(const struct syntax *syntax, uint32_t first, uint32_t last)
{
        size_t start = syntax->lines[first], end = syntax->lines[last + 1];
        return (struct hunk){
                .id = "",
                .change = HUNK_INSERT,
                .first_line = first + 1,
                .last_line = last + 1,
                .start = start,
                .end = end,
        };
}

/* Matches come by their start, so that lines that touch follow one another. */
static size_t collect_hunks(const struct reading *reading, struct hunk *hunks)
{
        const struct syntax *syntax = &reading->syntax;
        size_t count = 0;
        for (size_t i = 0; i < reading->matches.count; i++) {
                if (!reading->matches.items[i].strong || syntax->n_lines == 0)
                        continue;
                uint32_t first, last;
                match_lines(syntax, &reading->matches.items[i], &first, &last);
                struct hunk *before = count > 0 ? &hunks[count - 1] : NULL;
                if (before == NULL || first > before->last_line)
                        hunks[count++] = hunk_over(syntax, first, last);
                else if (last + 1 > before->last_line)
                        *before = hunk_over(syntax, before->first_line - 1, last);
        }
        return count;
}

int analyzer_scan(struct analyzer *analyzer, struct bytes current, struct arena *arena, struct hunks *ret_hunks,
                  struct error *ret_error)
{
        const struct reading *reading = reading_of(analyzer, current);
        if (reading->status < 0) {
                if (ret_error != NULL)
                        *ret_error = reading->error;
                return reading->status;
        }
        struct hunks hunks = {arena_new_array(arena, struct hunk, reading->matches.count), 0};
        hunks.count = collect_hunks(reading, hunks.items);
        for (size_t i = 0; i < hunks.count; i++) {
                struct hunk *hunk = &hunks.items[i];
                hunk->text.size = hunk->end - hunk->start;
                hunk->text.data = arena_copy(arena, current.data + hunk->start, hunk->text.size);
        }
        int rc = analyzer_describe(analyzer, current, (struct bytes){0}, arena, &hunks, ret_error);
        if (rc == 0)
                *ret_hunks = hunks;
        return rc;
}
