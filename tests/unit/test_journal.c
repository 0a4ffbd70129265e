/* The journal: round trips, its state directory, migrations. */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "journal/store.h"

static char place[64];

static void place_remove(void)
{
        static const char *const names[] = {"state/objects/unfinished", "state/journal.sqlite",
                                            "state/journal.sqlite-wal", "state/journal.sqlite-shm", "state/lock"};
        char path[256];
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
                snprintf(path, sizeof path, "%s/%s", place, names[i]);
                unlink(path);
        }
        static const char *const directories[] = {"state/objects", "state", ""};
        for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
                snprintf(path, sizeof path, "%s/%s", place, directories[i]);
                rmdir(path);
        }
}

static int setup(void **state)
{
        (void)state;
        snprintf(place, sizeof place, "/tmp/pristine-test-XXXXXX");
        return mkdtemp(place) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
        (void)state;
        place_remove();
        return 0;
}

static const char *state_dir(void)
{
        static char path[128];
        snprintf(path, sizeof path, "%s/state", place);
        return path;
}

static struct plan sample_plan(struct step *steps, size_t n_steps, struct plan_option *option)
{
        static const char *targets[] = {"/srv/env\xff\n"};
        static const char *risks[] = {"none at all"};
        *option = (struct plan_option){.name = "surgical",
                                       .possible = true,
                                       .why_not = "",
                                       .files = 1,
                                       .proof = PROOF_RECORD,
                                       .risks = {risks, 1},
                                       .steps = steps,
                                       .n_steps = n_steps};
        return (struct plan){.root = "/",
                             .recommended = "surgical",
                             .state = "planned",
                             .chosen = "",
                             .token = "",
                             .created_ns = 17,
                             .targets = {targets, 1},
                             .options = option,
                             .n_options = 1};
}

static struct step sample_step(void)
{
        struct step step = {.number = 1,
                            .op = STEP_REPLACE_FILE,
                            .path = "/srv/env/x\xfe.py",
                            .base = "/srv/env",
                            .target = "",
                            .finding = "f00",
                            .before = {.device = UINT64_MAX,
                                       .inode = 5,
                                       .links = 2,
                                       .size = 7,
                                       .mode = 0100644,
                                       .uid = 1,
                                       .gid = UINT32_MAX,
                                       .mtime_ns = -5,
                                       .has_digest = true},
                            .has_after = true,
                            .reversible = true,
                            .when_ns = INT64_MIN,
                            .message = ""};
        hash_bytes(BYTES_LITERAL("before"), &step.before.digest);
        hash_bytes(BYTES_LITERAL("after"), &step.after);
        return step;
}

static void test_plan_round_trip(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct step step = sample_step(), *changed = &step;
        struct plan_option option;
        struct plan plan = sample_plan(&step, 1, &option), back;
        static const char *globs[] = {"/tmp/a_tp*.pt"};
        struct strings remembered = {globs, 1}, loaded;
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &journal, NULL), 0);
        assert_int_equal(journal_add_plan(journal, &remembered, &arena, &plan, NULL), 0);
        assert_string_equal(plan.id, "P0001");
        plan.state = "applying";
        plan.chosen = "surgical";
        plan.token = "0123";
        step.state = STATE_DOING;
        step.when_ns = 99;
        assert_int_equal(journal_record(journal, &plan, &changed, 1, NULL), 0);
        journal = journal_close(journal);

        assert_int_equal(journal_open(state_dir(), JOURNAL_READ, &journal, NULL), 0);
        assert_int_equal(journal_load_plan(journal, "P0001", &arena, &back, NULL), 0);
        assert_string_equal(back.state, "applying");
        assert_string_equal(back.targets.items[0], "/srv/env\xff\n");
        assert_int_equal(back.options[0].n_steps, 1);
        const struct step *found = &back.options[0].steps[0];
        assert_string_equal(found->path, step.path);
        assert_true(found->before.device == UINT64_MAX && found->before.gid == UINT32_MAX);
        assert_true(found->before.mtime_ns == -5 && found->when_ns == 99);
        assert_true(digest_equal(&found->before.digest, &step.before.digest));
        assert_true(found->has_after && digest_equal(&found->after, &step.after));
        assert_int_equal(found->state, STATE_DOING);
        assert_int_equal(journal_load_remembered(journal, &arena, &loaded, NULL), 0);
        assert_int_equal(loaded.count, 1);
        const char *interrupted = NULL;
        assert_int_equal(journal_find_interrupted(journal, &arena, &interrupted, NULL), 0);
        assert_string_equal(interrupted, "P0001");
        assert_int_equal(journal_load_plan(journal, "P0002", &arena, &back, NULL), ERR_NOT_FOUND);
        assert_int_equal(journal_load_plan(journal, "nonsense", &arena, &back, NULL), ERR_NOT_FOUND);
}

static void test_xattrs_and_rollback(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct step step = sample_step();
        struct plan_option option;
        struct plan plan = sample_plan(&step, 1, &option);
        struct strings none = {0};
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &journal, NULL), 0);
        assert_int_equal(journal_add_plan(journal, &none, &arena, &plan, NULL), 0);
        plan.chosen = "surgical";
        struct xattr items[] = {{"user.a", BYTES_LITERAL("\0x")}, {"user.b", {NULL, 0}}};
        struct xattrs xattrs = {items, 2}, back;
        assert_int_equal(journal_save_xattrs(journal, &plan, 1, &xattrs, NULL), 0);
        assert_int_equal(journal_save_xattrs(journal, &plan, 1, &xattrs, NULL), 0); /* replaces */
        assert_int_equal(journal_load_xattrs(journal, &plan, 1, &arena, &back, NULL), 0);
        assert_int_equal(back.count, 2);
        assert_true(bytes_equal(back.items[0].value, items[0].value));
        xattrs.count = 0;
        assert_int_equal(journal_begin(journal, NULL), 0);
        assert_int_equal(journal_save_xattrs(journal, &plan, 1, &xattrs, NULL), 0);
        journal_rollback(journal);
        assert_int_equal(journal_load_xattrs(journal, &plan, 1, &arena, &back, NULL), 0);
        assert_int_equal(back.count, 2);
        /* A step that does not exist has no attributes: foreign keys are on. */
        xattrs.count = 1;
        assert_int_not_equal(journal_save_xattrs(journal, &plan, 9, &xattrs, NULL), 0);
}

static void test_acceptances(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct acceptance acceptance = {.path = "/a", .hunk = "", .finding = "1", .rule = "r", .reason = "wanted"};
        struct acceptance *items = NULL;
        size_t count = 0;
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &journal, NULL), 0);
        assert_int_equal(journal_add_acceptance(journal, &acceptance, NULL), 0);
        acceptance.reason = "still wanted";
        assert_int_equal(journal_add_acceptance(journal, &acceptance, NULL), 0);
        assert_int_equal(journal_load_acceptances(journal, &arena, &items, &count, NULL), 0);
        assert_int_equal(count, 1);
        assert_string_equal(items[0].reason, "still wanted");
        assert_int_equal(journal_remove_acceptance(journal, &acceptance, NULL), 0);
        assert_int_equal(journal_load_acceptances(journal, &arena, &items, &count, NULL), 0);
        assert_int_equal(count, 0);
}

static void test_one_writer(void **state)
{
        (void)state;
        CLEANUP(journal_cleanup) struct journal *first = NULL;
        CLEANUP(journal_cleanup) struct journal *second = NULL;
        struct error error = {0};
        assert_int_equal(journal_open(state_dir(), JOURNAL_READ, &second, &error), ERR_NOT_FOUND);
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &first, &error), 0);
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &second, &error), ERR_REFUSED);
        assert_non_null(strstr(error.text, "another pristine"));
        assert_int_equal(journal_open(state_dir(), JOURNAL_READ, &second, &error), 0);
}

static void test_writable_by_others_is_refused(void **state)
{
        (void)state;
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct error error = {0};
        assert_int_equal(mkdir(state_dir(), 0700), 0);
        assert_int_equal(chmod(state_dir(), 0770), 0);
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &journal, &error), ERR_REFUSED);
        assert_int_equal(journal_open(state_dir(), JOURNAL_READ, &journal, &error), ERR_REFUSED);
        assert_non_null(strstr(error.text, "others can write"));
}

static void test_versions(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct journal_memory memory = {.n_acceptances = 7};
        struct error error = {0};
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &journal, NULL), 0);
        int version = -1;
        assert_int_equal(journal_version(journal, &version, NULL), 0);
        assert_int_equal(version, journal_n_migrations);
        /* As a crash before the first migration leaves it: empty, and made good by the next writer. */
        assert_int_equal(journal_execute(journal, "PRAGMA user_version = 0", NULL), 0);
        journal = journal_close(journal);
        assert_int_equal(journal_recall(state_dir(), &arena, &memory, NULL), 0);
        assert_int_equal(memory.n_acceptances, 0);
        assert_int_equal(journal_open(state_dir(), JOURNAL_READ, &journal, NULL), ERR_NOT_FOUND);

        char path[256];
        snprintf(path, sizeof path, "%s/journal.sqlite", state_dir());
        assert_int_equal(unlink(path), 0);
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &journal, NULL), 0);
        assert_int_equal(journal_execute(journal, "PRAGMA user_version = 1000", NULL), 0);
        journal = journal_close(journal);
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &journal, &error), ERR_UNSUPPORTED);
        assert_int_equal(journal_recall(state_dir(), &arena, &memory, &error), ERR_UNSUPPORTED);
        assert_non_null(strstr(error.text, "newer"));
}

static void test_objects(void **state)
{
        (void)state;
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct digest digest;
        char hex[DIGEST_HEX_SIZE], path[256];
        AUTO_CLOSE int fd = -1;
        assert_int_equal(journal_open(state_dir(), JOURNAL_WRITE, &journal, NULL), 0);
        assert_int_equal(journal_store_bytes(journal, BYTES_LITERAL("abc"), &digest, NULL), 0);
        assert_int_equal(journal_store_bytes(journal, BYTES_LITERAL("abc"), &digest, NULL), 0);
        assert_int_equal(journal_sync_objects(journal, NULL), 0);
        assert_int_equal(journal_open_object(journal, &digest, &fd, NULL), 0);
        struct digest other;
        hash_bytes(BYTES_LITERAL("abd"), &other);
        assert_int_equal(journal_store_file(journal, fd, &other, NULL), ERR_CHANGED);
        int none = -1;
        assert_int_equal(journal_open_object(journal, &other, &none, NULL), ERR_NOT_FOUND);
        /* A damaged object is written anew. */
        digest_to_hex(&digest, hex);
        snprintf(path, sizeof path, "%s/objects/%s", state_dir(), hex);
        assert_int_equal(truncate(path, 1), 0);
        assert_int_equal(journal_store_bytes(journal, BYTES_LITERAL("abc"), &digest, NULL), 0);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, 3);
        unlink(path);
}

int suite_journal(void);
int suite_journal(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        const struct CMUnitTest tests[] = {
                TEST(test_plan_round_trip), TEST(test_xattrs_and_rollback),           TEST(test_acceptances),
                TEST(test_one_writer),      TEST(test_writable_by_others_is_refused), TEST(test_versions),
                TEST(test_objects),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
