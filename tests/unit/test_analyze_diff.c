#include "unit.h"

#include "analyze/diff.h"
#include "base/arena.h"
#include "base/cleanup.h"

/* "insert 2-3 after 1: X|Y|; …" for each hunk, newlines shown as "|". */
static char *told(const char *original, const char *current, struct arena *arena)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        struct hunks hunks;
        diff_lines(bytes_of(original), bytes_of(current), arena, &hunks);
        text_add(&text, "");
        for (size_t i = 0; i < hunks.count; i++) {
                const struct hunk *hunk = &hunks.items[i];
                text_addf(&text, "%s%s %u-%u after %u: ", i == 0 ? "" : "; ", hunk_change_name(hunk->change),
                          hunk->first_line, hunk->last_line, hunk->original_line);
                for (size_t at = 0; at < hunk->text.size; at++)
                        text_add_char(&text, hunk->text.data[at] == '\n' ? '|' : (char)hunk->text.data[at]);
        }
        return arena_strndup(arena, text.data, text.size);
}

static void hunks_are_exact_and_lowest(void **state)
{
        (void)state;
        static const char *const cases[][3] = {
                {"a\nb\n", "a\nb\n", ""},
                {"a\nb\n", "a\nX\nb\n", "insert 2-2 after 1: X|"},
                {"a\nb\n", "X\na\nb\nY\n", "insert 1-1 after 0: X|; insert 4-4 after 2: Y|"},
                {"", "X\n", "insert 1-1 after 0: X|"},
                {"X\n", "", "delete 0-0 after 0: X|"},
                {"a\nb\nc\n", "a\nc\n", "delete 1-1 after 1: b|"},
                {"a\nb\nc\n", "a\nB\nc\n", "replace 2-2 after 1: B|"},
                /* slides: the block X, blank may start at the blank before it */
                {"a\n\nb\n", "a\n\nX\n\nb\n", "insert 2-3 after 1: |X|"},
                {"a\na\n", "a\na\na\n", "insert 1-1 after 0: a|"},
                {"a\n\n\nb\n", "a\n\n\n\nb\n", "insert 2-2 after 1: |"},
                /* one block rather than two, though a greedy match would split it */
                {"x\ny\n", "x\na\nx\nb\ny\n", "insert 2-4 after 1: a|x|b|"},
                {"f\nend\ng\nend\n", "f\nend\nh\nend\ng\nend\n", "insert 2-3 after 1: end|h|"},
                {"a\nb", "a\nX\nb", "insert 2-2 after 1: X|"},
                {"a\nb", "a\nb\n", ""},
                {"a\nb\n", "a\r\nX\r\nb\r\n", "insert 2-2 after 1: X\r|"},
                {"a\nb\nc\nd\n", "d\nc\nb\na\n", NULL},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
                char *result = told(cases[i][0], cases[i][1], &arena);
                if (cases[i][2] != NULL)
                        assert_string_equal(result, cases[i][2]);
        }
}

static uint32_t next_random(uint32_t *state, uint32_t limit)
{
        *state = *state * 1664525U + 1013904223U;
        return (*state >> 8) % limit;
}

/* Replacing each hunk's current bytes by the original's must give the original, whatever the texts. */
static void hunks_turn_current_into_original(void **state)
{
        (void)state;
        for (uint32_t seed = 0; seed < 300; seed++) {
                CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
                CLEANUP(text_clear) struct text a = TEXT_INIT, b = TEXT_INIT, back = TEXT_INIT;
                uint32_t random = seed;
                for (uint32_t i = next_random(&random, 30); i > 0; i--)
                        text_addf(&a, "%u\n", next_random(&random, 5));
                for (uint32_t i = next_random(&random, 30); i > 0; i--)
                        text_addf(&b, "%u\n", next_random(&random, 5));
                text_add(&a, "");
                text_add(&b, seed % 2 ? "" : "last");
                struct bytes original = {(unsigned char *)a.data, a.size}, current = {(unsigned char *)b.data, b.size};
                struct hunks hunks;
                diff_lines(original, current, &arena, &hunks);
                size_t at = 0;
                for (size_t i = 0; i < hunks.count; i++) {
                        text_add_bytes(&back, current.data + at, hunks.items[i].start - at);
                        text_add_bytes(&back, original.data + hunks.items[i].original_start,
                                       hunks.items[i].original_end - hunks.items[i].original_start);
                        at = hunks.items[i].end;
                }
                text_add_bytes(&back, current.data + at, current.size - at);
                if (hunks.count > 0 || seed % 2)
                        assert_string_equal(back.data, a.data);
        }
}

int suite_analyze_diff(void);
int suite_analyze_diff(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(hunks_are_exact_and_lowest),
                cmocka_unit_test(hunks_turn_current_into_original),
        };
        return cmocka_run_group_tests_name("analyze_diff", tests, NULL, NULL);
}
