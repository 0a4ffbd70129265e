/* libFuzzer: Python source, every few lines of which are taken for a hunk. Whatever the source, effects_describe() ends
 * in bounded time and gives bounded, printable-length answers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/effects.h"
#include "analyze/values.h"
#include "base/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void describe_range(const struct syntax *syntax, uint32_t first, uint32_t end)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct hunk hunk = {
                .change = HUNK_INSERT, .start = syntax->lines[first], .end = syntax->lines[end], .function = ""};
        effects_describe(syntax, (struct bytes){0}, &arena, &hunk);
        if (hunk.writes.count > VALUES_LIMIT)
                abort();
        for (size_t i = 0; i < hunk.writes.count; i++)
                if (strlen(hunk.writes.items[i]) > VALUE_SIZE_LIMIT)
                        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct error error = {0};
        CLEANUP(syntax_parser_delete) TSParser *parser = syntax_parser_new(&error);
        CLEANUP(syntax_clear) struct syntax syntax = {0};
        if (parser == NULL || size > 65536 || syntax_parse(parser, (struct bytes){data, size}, &syntax, &error) < 0)
                return 0;
        for (uint32_t width = 1; width <= syntax.n_lines && width <= 8; width *= 4)
                for (uint32_t first = 0; first + width <= syntax.n_lines && first < 64; first += width)
                        describe_range(&syntax, first, first + width);
        describe_range(&syntax, 0, syntax.n_lines);
        return 0;
}
