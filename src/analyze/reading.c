#include "analyze/reading.h"

void reading_clear(struct reading *reading)
{
        syntax_clear(&reading->syntax);
        arena_clear(&reading->arena);
        *reading = (struct reading){0};
}

const struct reading *reading_of(struct analyzer *analyzer, struct bytes source)
{
        struct reading *reading = &analyzer->latest;
        if (reading->filled && bytes_equal(reading->source, source))
                return reading;
        reading_clear(reading);
        reading->source = (struct bytes){arena_copy(&reading->arena, source.data, source.size), source.size};
        reading->status = syntax_parse(analyzer->parser, reading->source, &reading->syntax, &reading->error);
        if (reading->status == 0) {
                aliases_build(&reading->syntax, &reading->arena, &reading->aliases);
                rules_match(analyzer->rules, &reading->syntax, &reading->aliases, &reading->arena, &reading->matches);
        }
        reading->filled = true;
        return reading;
}

void reading_hunk_lines(const struct hunk *hunk, uint32_t *ret_first, uint32_t *ret_last)
{
        *ret_first = hunk->first_line > 0 ? hunk->first_line - 1 : 0;
        *ret_last = hunk->last_line > *ret_first ? hunk->last_line - 1 : *ret_first;
}
