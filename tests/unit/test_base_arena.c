#include "unit.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/arena.h"

static void memory_is_zero_and_apart(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        char *before = NULL;
        for (size_t size = 1; size < 100000; size = size * 3 + 1) {
                char *block = arena_alloc(&arena, size);
                for (size_t i = 0; i < size; i++)
                        assert_int_equal(block[i], 0);
                memset(block, 'x', size);
                assert_true(before == NULL || *before == 'x');
                before = block;
        }
}

/* What one thread has made outlives it, in whatever state either arena is. */
static void an_adopted_arena_lives_on(void **state)
{
        (void)state;
        for (int filled = 0; filled < 4; filled++) {
                CLEANUP(arena_clear) struct arena to = ARENA_INIT;
                struct arena from = ARENA_INIT;
                const char *mine = filled & 1 ? arena_strdup(&to, "mine") : "mine";
                const char *theirs = filled & 2 ? arena_printf(&from, "the%s", "irs") : "theirs";
                if (filled & 2)
                        arena_alloc(&from, 1 << 20);
                arena_adopt(&to, &from);
                assert_null(from.blocks);
                arena_clear(&from);
                for (int i = 0; i < 1000; i++)
                        memset(arena_alloc(&to, 1000), 'y', 1000);
                assert_string_equal(mine, "mine");
                assert_string_equal(theirs, "theirs");
        }
}

int suite_base_arena(void);
int suite_base_arena(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(memory_is_zero_and_apart),
                cmocka_unit_test(an_adopted_arena_lives_on),
        };
        return cmocka_run_group_tests_name("base_arena", tests, NULL, NULL);
}
