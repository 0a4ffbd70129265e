#include "unit.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "fs/hash.h"
#include "origin/oracle.h"

/* A small generator with a fixed seed: the same files in every run. */
static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
        random_state = random_state * 1664525U + 1013904223U;
        return (random_state >> 8) % limit;
}

static void add_line(struct text *text, const char *ending)
{
        static const char *const words[] = {"return x",           "x = f(y)", "",     "    y += 1",
                                            "        call(a, b)", "# why",    "pass", "\tz = [1]"};
        text_add(text, words[random_below(sizeof words / sizeof *words)]);
        if (random_below(3) == 0)
                text_addf(text, "  # %u", random_below(10));
        text_add(text, ending);
}

/* A text of n lines, and the same with blocks inserted before the given lines (sorted). */
static void make_texts(unsigned n, const unsigned *before, const unsigned *sizes, unsigned n_blocks, const char *ending,
                       struct text *original, struct text *current)
{
        for (unsigned line = 0; line <= n; line++) {
                for (unsigned b = 0; b < n_blocks; b++)
                        for (unsigned i = 0; before[b] == line && i < sizes[b]; i++) {
                                text_addf(current, "        dbg_%u = %u", random_below(1000), random_below(100000));
                                text_add(current, ending);
                        }
                if (line == n)
                        break;
                size_t start = original->size;
                add_line(original, ending);
                text_add_bytes(current, original->data + start, original->size - start);
        }
}

static struct bytes view(const struct text *text)
{
        return (struct bytes){(const unsigned char *)text->data, text->size};
}

static void suggest(void *context, struct extents *ret_extents)
{
        *ret_extents = *(struct extents *)context;
}

static struct oracle_result search(struct bytes original, struct bytes current, struct extents extents, bool with_size,
                                   struct arena *arena)
{
        struct oracle_request request = {.current = current,
                                         .size = with_size ? (int64_t)original.size : -1,
                                         .suggest = suggest,
                                         .suggest_context = &extents,
                                         .jobs = 2,
                                         .seconds = 20};
        struct oracle_result result;
        hash_bytes(original, &request.digest);
        oracle_search(&request, arena, &result);
        return result;
}

static void expect_found(struct bytes original, struct bytes current)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct oracle_result result = search(original, current, (struct extents){0}, true, &arena);
        assert_true(result.found);
        assert_false(result.cut);
        assert_true(bytes_equal(result.original, original));
}

static void any_one_block_is_found(void **state)
{
        (void)state;
        for (unsigned seed = 0; seed < 60; seed++) {
                CLEANUP(text_clear) struct text original = TEXT_INIT, current = TEXT_INIT;
                random_state = seed;
                unsigned n = 1 + random_below(80), before = random_below(n + 1), size = 1 + random_below(9);
                make_texts(n, &before, &size, 1, seed % 3 == 0 ? "\r\n" : "\n", &original, &current);
                expect_found(view(&original), view(&current));
        }
}

static void any_two_blocks_are_found(void **state)
{
        (void)state;
        for (unsigned seed = 100; seed < 130; seed++) {
                CLEANUP(text_clear) struct text original = TEXT_INIT, current = TEXT_INIT;
                random_state = seed;
                unsigned n = 10 + random_below(50);
                unsigned before[] = {random_below(n / 2), n / 2 + 1 + random_below(n / 2)};
                unsigned sizes[] = {1 + random_below(4), 1 + random_below(4)};
                make_texts(n, before, sizes, 2, "\n", &original, &current);
                expect_found(view(&original), view(&current));
        }
}

/* What editors do to the form of a file, alone and together with an inserted line. */
static void form_changes_are_undone(void **state)
{
        (void)state;
        static const char *const pairs[][2] = {
                {"a\nb\n", "a\nb"},
                {"a\nb", "a\nb\n"},
                {"a\nb", "a\nb\nX\n"},
                {"a\nb", "a\nX\nb\n"},
                {"a\nb\n", "a\nb\nX"},
                {"a\nb\n", "a\r\nb\r\n"},
                {"a\r\nb\r\n", "a\nb\n"},
                {"a\nb\n", "a\r\nX\r\nb\r\n"},
                {"a\r\nb", "a\r\nb\r\nX\r\n"},
                {"a\nb\n", "a\nX\r\nb\n"},
                {"a\nb\n", "\xEF\xBB\xBF"
                           "a\nb\n"},
                {"\xEF\xBB\xBF"
                 "a\nb\n",
                 "a\nX\nb\n"},
                {"", "X\nY\n"},
                {"", "X"},
                {"a", "X\na"},
                {"\ta\n", "\tX\n\ta\n"},
                {"a\n\n\nb\n", "a\n\n\n\nb\n"},
        };
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
                expect_found(bytes_of(pairs[i][0]), bytes_of(pairs[i][1]));
}

static void what_is_no_insertion_is_not_found(void **state)
{
        (void)state;
        static const char *const pairs[][2] = {{"a\nb\nc\n", "a\nB\nc\n"},
                                               {"a\nb\nc\n", "a\nc\n"},
                                               {"a b\n", "a bX\n"},
                                               {"a\n", ""},
                                               {"a\nb\n", "b\na\nc\n"}};
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
                CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
                struct oracle_result result =
                        search(bytes_of(pairs[i][0]), bytes_of(pairs[i][1]), (struct extents){0}, true, &arena);
                assert_false(result.found);
                assert_false(result.cut);
        }
}

static void a_missing_size_still_allows_one_block(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        assert_true(search(BYTES_LITERAL("a\nb\n"), BYTES_LITERAL("a\nX\nY\nb\n"), (struct extents){0}, false, &arena)
                            .found);
        assert_true(search(BYTES_LITERAL("a\nb\n"), BYTES_LITERAL("a\nb\n"), (struct extents){0}, false, &arena).found);
}

/* Twenty single lines in a text, each an extent among as many false ones: far beyond what blocks alone could find. */
static void suggested_extents_are_combined(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(text_clear) struct text original = TEXT_INIT, current = TEXT_INIT;
        struct extent items[64];
        struct extents extents = {items, 0};
        random_state = 7;
        for (uint32_t line = 0; line < 400; line++) {
                size_t start = current.size;
                text_addf(&current, "%*sline_%u = %u\n", (int)random_below(12), "", line, random_below(100000));
                if (line % 20 != 3)
                        text_add_bytes(&original, current.data + start, current.size - start);
                if (line % 20 == 3 || line % 20 == 11)
                        items[extents.count++] = (struct extent){line, line + 1, line % 20 == 3 ? 0 : 2};
        }
        struct oracle_result result = search(view(&original), view(&current), extents, true, &arena);
        assert_true(result.found);
        assert_true(bytes_equal(result.original, view(&original)));

        /* One inserted line that nothing suggested does not hide the others. */
        memmove(items, items + 1, (extents.count - 1) * sizeof *items);
        extents.count--;
        result = search(view(&original), view(&current), extents, true, &arena);
        assert_true(result.found);
}

static void a_search_without_time_says_that_it_was_cut(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct oracle_request request = {.current = BYTES_LITERAL("a\nX\nb\n"), .size = 4, .seconds = 0};
        struct oracle_result result;
        hash_bytes(BYTES_LITERAL("a\nb\n"), &request.digest);
        oracle_search(&request, &arena, &result);
        assert_false(result.found);
        assert_true(result.cut);
}

int suite_origin_oracle(void);
int suite_origin_oracle(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(any_one_block_is_found),
                cmocka_unit_test(any_two_blocks_are_found),
                cmocka_unit_test(form_changes_are_undone),
                cmocka_unit_test(what_is_no_insertion_is_not_found),
                cmocka_unit_test(a_missing_size_still_allows_one_block),
                cmocka_unit_test(suggested_extents_are_combined),
                cmocka_unit_test(a_search_without_time_says_that_it_was_cut),
        };
        return cmocka_run_group_tests_name("origin_oracle", tests, NULL, NULL);
}
