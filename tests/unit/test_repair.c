/* A plan from a hand-made check, applied, cut short, taken back. The whole story on real distributions is an
 * integration test; here are the corners that are hard to reach from outside. */
#include "unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "fs/identify.h"
#include "repair/kinds.h"

enum { ARTIFACTS = 2 };

static const char ORIGINAL[] = "x = 1\ny = 2\n", EDITED[] = "x = 1\nprint(x)\ny = 2\nz = 3\n";

/* One environment, its module with two inserted hunks, bytecode, two dumps; and a journal. */
struct world {
        struct arena arena;
        char place[64];
        const char *module, *bytecode, *state_dir;
        const char *dumps[ARTIFACTS];
        struct root root;
        struct journal *journal;
        struct environment environment;
        struct finding finding;
        struct hunk hunks[2];
        struct artifact artifacts[ARTIFACTS];
        struct check check;
        struct plan plan;
        struct repair_run run;
        bool parses;
};

static struct world world;

static const char *at(const char *name)
{
        return arena_printf(&world.arena, "%s/%s", world.place, name);
}

static void put(const char *path, const char *text)
{
        AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static bool exists(const char *path)
{
        return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static struct file_identity identify(const char *path)
{
        AUTO_CLOSE int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        struct file_identity identity = {0};
        if (fd >= 0)
                assert_int_equal(fs_identify(fd, &identity, NULL), 0);
        return identity;
}

static bool holds(const char *path, const char *text)
{
        struct file_identity identity = identify(path);
        struct digest digest;
        hash_bytes(bytes_of(text), &digest);
        return identity.has_digest && digest_equal(&identity.digest, &digest);
}

static bool parses(void *context, struct bytes source)
{
        (void)context;
        (void)source;
        return world.parses;
}

/* Hunk 0 is print(x), hunk 1 is z = 3. */
static void make_finding(void)
{
        static const char *writes[] = {"/nowhere/*"};
        world.hunks[0] = (struct hunk){
                .id = "aaaa", .start = 6, .end = 15, .original_start = 6, .original_end = 6, .writes = {writes, 1}};
        world.hunks[1] = (struct hunk){.id = "bbbb", .start = 21, .end = 27, .original_start = 12, .original_end = 12};
        for (int i = 0; i < ARTIFACTS; i++)
                world.artifacts[i] = (struct artifact){.path = world.dumps[i], .found = identify(world.dumps[i])};
        world.environment.path = at("env");
        world.finding = (struct finding){
                .id = "f",
                .rule = "file-modified",
                .severity = SEVERITY_ERROR,
                .path = world.module,
                .subject = "m.py",
                .environment = &world.environment,
                .found = identify(world.module),
                .exists = true,
                .origin = {.source = ORIGIN_RECORD_ORACLE, .proven = true, .original = bytes_of(ORIGINAL), .note = ""},
                .hunks = {world.hunks, 2},
                .artifacts = {world.artifacts, ARTIFACTS},
                .pattern = "",
        };
        world.check = (struct check){.findings = {&world.finding, 1}};
}

static int setup(void **state)
{
        (void)state;
        world = (struct world){.arena = ARENA_INIT, .root = ROOT_INIT, .parses = true};
        snprintf(world.place, sizeof world.place, "/var/tmp/pristine-test-XXXXXX");
        if (mkdtemp(world.place) == NULL)
                return -1;
        mkdir(at("env"), 0755);
        mkdir(at("env/__pycache__"), 0755);
        mkdir(at("dumps"), 0755);
        world.module = at("env/m.py");
        world.bytecode = at("env/__pycache__/m.cpython-311.opt-1.pyc");
        world.state_dir = at("state");
        put(world.module, EDITED);
        chmod(world.module, 0640);
        setxattr(world.module, "user.note", "kept", 4, 0);
        struct timespec times[2] = {{.tv_sec = 1000, .tv_nsec = 5}, {.tv_sec = 2000, .tv_nsec = 7}};
        utimensat(AT_FDCWD, world.module, times, 0);
        put(world.bytecode, "compiled");
        for (int i = 0; i < ARTIFACTS; i++) {
                world.dumps[i] = at(i == 0 ? "dumps/a_tp0.pt" : "dumps/a_tp1.pt");
                put(world.dumps[i], i == 0 ? "dump zero" : "dump one");
        }
        make_finding();
        return root_open("/", &world.root, NULL);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        (void)st;
        (void)type;
        (void)ftw;
        return remove(path);
}

static int teardown(void **state)
{
        (void)state;
        repair_run_close(&world.run);
        world.journal = journal_close(world.journal);
        root_close(&world.root);
        nftw(world.place, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        arena_clear(&world.arena);
        return 0;
}

/* Drafts, stores, loads again, and is ready to begin. */
static void make_plan(void)
{
        static const char *globs[] = {"/named/*"};
        struct repair_input input = {
                .root = &world.root, .check = &world.check, .artifacts = {globs, 1}, .parses = parses};
        struct repair_draft draft;
        struct digest digest;
        repair_draft(&input, &world.arena, &draft);
        world.plan = (struct plan){.root = "/",
                                   .token = "",
                                   .recommended = draft.recommended,
                                   .state = "planned",
                                   .chosen = "",
                                   .options = draft.options,
                                   .n_options = draft.n_options,
                                   .left = draft.left};
        assert_int_equal(journal_open(world.state_dir, JOURNAL_WRITE, &world.journal, NULL), 0);
        for (size_t i = 0; i < draft.n_contents; i++)
                assert_int_equal(journal_store_bytes(world.journal, draft.contents[i], &digest, NULL), 0);
        assert_int_equal(journal_add_plan(world.journal, &draft.globs, &world.arena, &world.plan, NULL), 0);
}

/* As a new process finds it. */
static void load_plan(void)
{
        repair_run_close(&world.run);
        assert_int_equal(journal_load_plan(world.journal, "P0001", &world.arena, &world.plan, NULL), 0);
        world.run = (struct repair_run){.root = &world.root,
                                        .journal = world.journal,
                                        .arena = &world.arena,
                                        .plan = &world.plan,
                                        .quarantine = ""};
        assert_int_equal(repair_choose(&world.run, world.plan.chosen, NULL), 0);
}

static int apply_plan(struct error *error)
{
        load_plan();
        int result = repair_preflight(&world.run, error);
        if (result == 0)
                result = repair_begin(&world.run, false, error);
        return result == 0 ? repair_apply(&world.run, error) : result;
}

static int undo_plan(struct error *error)
{
        load_plan();
        int result = repair_check_undo(&world.run, error);
        return result == 0 ? repair_undo(&world.run, error) : result;
}

static void assert_dirty(void)
{
        struct stat st;
        char value[8];
        assert_true(holds(world.module, EDITED));
        assert_int_equal(stat(world.module, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0640);
        assert_int_equal(st.st_mtim.tv_sec, 2000);
        assert_int_equal(st.st_mtim.tv_nsec, 7);
        assert_int_equal(getxattr(world.module, "user.note", value, sizeof value), 4);
        assert_true(holds(world.bytecode, "compiled"));
        assert_true(holds(world.dumps[0], "dump zero") && holds(world.dumps[1], "dump one"));
        /* Nothing of ours is left beside them. */
        assert_int_equal(remove(at("dumps/a_tp0.pt")) | remove(at("dumps/a_tp1.pt")) | rmdir(at("dumps")), 0);
}

static void test_apply_and_undo(void **state)
{
        (void)state;
        struct error error = {0};
        make_plan();
        assert_string_equal(world.plan.recommended, "surgical");
        assert_int_equal(world.plan.options[0].proof, PROOF_RECORD);
        assert_int_equal(world.plan.options[0].n_steps, 5);
        assert_int_equal(apply_plan(&error), 0);
        assert_true(holds(world.module, ORIGINAL));
        struct stat st;
        char value[8];
        assert_int_equal(stat(world.module, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0640);
        assert_true(st.st_mtim.tv_sec > 2000); /* never an old time after a repair */
        assert_int_equal(getxattr(world.module, "user.note", value, sizeof value), 4);
        assert_false(exists(world.bytecode) || exists(world.dumps[0]) || exists(world.dumps[1]));
        put(world.bytecode, "compiled anew by Python");
        assert_int_equal(undo_plan(&error), 0);
        assert_dirty();
}

static void test_moved_ground(void **state)
{
        (void)state;
        struct error error = {0};
        make_plan();
        put(world.dumps[1], "dump two"); /* same inode, same size */
        assert_int_equal(apply_plan(&error), ERR_CHANGED);
        assert_non_null(strstr(error.text, world.dumps[1]));
        assert_true(holds(world.module, EDITED) && exists(world.dumps[0]));
        put(at("env/__pycache__/m.cpython-312.pyc"), "new");
        assert_int_equal(apply_plan(&error), ERR_CHANGED);
}

static void test_undo_refuses_later_change(void **state)
{
        (void)state;
        struct error error = {0};
        make_plan();
        assert_int_equal(apply_plan(&error), 0);
        put(world.module, "x = 'my own work'\n");
        assert_int_equal(undo_plan(&error), ERR_CHANGED);
        assert_true(holds(world.module, "x = 'my own work'\n"));
        assert_false(exists(world.dumps[0]));
}

/* The journal says `doing`, whatever the step had got to. */
static void test_interrupted_steps_are_settled(void **state)
{
        (void)state;
        struct error error = {0};
        make_plan();
        assert_int_equal(apply_plan(&error), 0);
        for (size_t i = 0; i < world.run.option->n_steps; i++) {
                struct step *step = &world.run.option->steps[i];
                world.plan.state = "applying";
                step->state = STATE_DOING;
                assert_int_equal(journal_record(world.journal, &world.plan, &step, 1, NULL), 0);
        }
        load_plan();
        assert_int_equal(repair_apply(&world.run, &error), 0);
        assert_true(holds(world.module, ORIGINAL));
        for (size_t i = 0; i < world.run.option->n_steps; i++) {
                struct step *step = &world.run.option->steps[i];
                world.plan.state = "applying";
                step->state = STATE_DOING;
                assert_int_equal(journal_record(world.journal, &world.plan, &step, 1, NULL), 0);
        }
        assert_int_equal(undo_plan(&error), 0);
        assert_dirty();
}

/* What a crash between the exchange and the removal of the old file leaves; and between a removal's two halves. */
static void test_leftovers_of_a_crash(void **state)
{
        (void)state;
        struct error error = {0};
        make_plan();
        load_plan();
        assert_int_equal(repair_preflight(&world.run, &error), 0);
        assert_int_equal(repair_begin(&world.run, false, &error), 0);
        for (size_t i = 0; i < world.run.option->n_steps; i++) {
                struct step *step = &world.run.option->steps[i];
                const char *slash = strrchr(step->path, '/');
                if (slash == NULL)
                        continue;
                const char *spare = arena_printf(&world.arena, "%.*s/%s", (int)(slash - step->path), step->path,
                                                 step_temporary(&world.run, step));
                if (step->op == STEP_REPLACE_FILE)
                        put(spare, "x = 1\ny "); /* our new file, cut short */
                else if (step->op == STEP_REMOVE_BYTECODE)
                        assert_int_equal(rename(step->path, spare), 0);
                step->state = STATE_DOING;
                assert_int_equal(journal_record(world.journal, &world.plan, &step, 1, NULL), 0);
        }
        assert_int_equal(undo_plan(&error), 0);
        assert_dirty();
}

static void test_failure_before_any_change(void **state)
{
        (void)state;
        struct error error = {0};
        make_plan();
        load_plan();
        assert_int_equal(repair_preflight(&world.run, &error), 0);
        assert_int_equal(repair_begin(&world.run, false, &error), 0);
        put(world.module, "changed at the last moment\n");
        assert_int_equal(repair_apply(&world.run, &error), ERR_CHANGED);
        assert_string_equal(world.plan.state, "planned");
        assert_true(holds(world.module, "changed at the last moment\n") && exists(world.dumps[0]));
}

static void test_stopped_before_any_change(void **state)
{
        (void)state;
        struct error error = {0};
        atomic_bool stop = true;
        make_plan();
        load_plan();
        world.run.stop = &stop;
        assert_int_equal(repair_preflight(&world.run, &error), 0);
        assert_int_equal(repair_begin(&world.run, false, &error), 0);
        assert_int_equal(repair_apply(&world.run, &error), ERR_REFUSED);
        assert_string_equal(world.plan.state, "planned");
        assert_dirty();
}

static void test_held_open(void **state)
{
        (void)state;
        struct error error = {0};
        make_plan();
        AUTO_CLOSE int fd = open(world.dumps[0], O_RDONLY | O_CLOEXEC);
        assert_int_equal(apply_plan(&error), ERR_CHANGED);
        assert_non_null(strstr(error.text, "held open"));
        assert_dirty();
}

static void test_failure_part_way(void **state)
{
        (void)state;
        struct error error = {0};
        make_plan();
        load_plan();
        assert_int_equal(repair_preflight(&world.run, &error), 0);
        assert_int_equal(repair_begin(&world.run, false, &error), 0);
        put(world.dumps[1], "it grew meanwhile");
        assert_int_equal(repair_apply(&world.run, &error), ERR_PARTWAY);
        assert_true(holds(world.module, ORIGINAL));
        assert_true(holds(world.dumps[1], "it grew meanwhile"));
        const char *interrupted = NULL;
        assert_int_equal(journal_find_interrupted(world.journal, &world.arena, &interrupted, NULL), 0);
        assert_string_equal(interrupted, "P0001");
        /* The step that failed changed nothing, so the rest can go back. */
        assert_int_equal(undo_plan(&error), 0);
        assert_true(holds(world.module, EDITED) && holds(world.dumps[0], "dump zero"));
        assert_true(holds(world.dumps[1], "it grew meanwhile"));
}

static void test_kept_hunk(void **state)
{
        (void)state;
        struct error error = {0};
        world.hunks[1].kept = true;
        make_plan();
        assert_int_equal(world.plan.options[0].proof, PROOF_SYNTAX);
        assert_int_equal(apply_plan(&error), 0);
        assert_true(holds(world.module, "x = 1\ny = 2\nz = 3\n"));
        assert_int_equal(undo_plan(&error), 0);
        assert_dirty();
}

static void test_kept_hunk_that_leaves_no_program(void **state)
{
        (void)state;
        world.hunks[1].kept = true;
        world.parses = false;
        make_plan();
        assert_string_equal(world.plan.recommended, "");
        assert_true(world.plan.left.count > 0);
}

static void test_unproven_and_accepted_are_left(void **state)
{
        (void)state;
        world.finding.origin.proven = false;
        make_plan();
        assert_string_equal(world.plan.recommended, "");
        assert_non_null(strstr(world.plan.left.items[0], world.module));
        world.journal = journal_close(world.journal);
        world.finding.origin.proven = true;
        world.finding.accepted = true;
        make_plan();
        assert_string_equal(world.plan.recommended, "");
}

static void test_links_are_never_taken(void **state)
{
        (void)state;
        assert_int_equal(link(world.dumps[0], at("dumps/second")), 0);
        assert_int_equal(unlink(world.dumps[1]), 0);
        assert_int_equal(symlink(at("env/m.py"), world.dumps[1]), 0);
        make_plan();
        for (size_t i = 0; i < world.plan.options[0].n_steps; i++)
                assert_int_not_equal(world.plan.options[0].steps[i].op, STEP_QUARANTINE);
        assert_int_equal(world.plan.left.count, 2);
}

static void test_quarantine_elsewhere_and_purge(void **state)
{
        (void)state;
        struct error error = {0};
        char elsewhere[] = "/dev/shm/pristine-test-XXXXXX"; /* another file system, where there is one */
        assert_non_null(mkdtemp(elsewhere));
        make_plan();
        for (int round = 0; round < 2; round++) {
                load_plan();
                world.run.quarantine = elsewhere;
                assert_int_equal(repair_preflight(&world.run, &error), 0);
                assert_int_equal(repair_begin(&world.run, false, &error), 0);
                assert_int_equal(repair_apply(&world.run, &error), 0);
                assert_false(exists(world.dumps[0]));
                if (round == 0)
                        assert_int_equal(undo_plan(&error), 0);
        }
        load_plan();
        assert_int_equal(repair_purge(&world.run, &error), 0);
        assert_int_equal(rmdir(elsewhere), 0);
        assert_int_equal(undo_plan(&error), 0); /* the code goes back, the dumps cannot */
        assert_true(holds(world.module, EDITED));
        assert_false(exists(world.dumps[0]));
}

static void test_delete(void **state)
{
        (void)state;
        struct error error = {0};
        make_plan();
        load_plan();
        assert_int_equal(repair_preflight(&world.run, &error), 0);
        assert_int_equal(repair_begin(&world.run, true, &error), 0);
        assert_int_equal(repair_apply(&world.run, &error), 0);
        assert_int_equal(rmdir(at("dumps")), 0);
}

static void test_installer_at_work(void **state)
{
        (void)state;
        struct error error = {0};
        AUTO_CLOSE int fd = -1, directory = open(at("env"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        make_plan();
        load_plan();
        assert_int_equal(write_lock_file(directory, ".lock", true, &fd, NULL), 0);
        assert_int_equal(repair_lock_environments(&world.run, &error), ERR_REFUSED);
        cleanup_close(&fd);
        fd = -1;
        assert_int_equal(repair_lock_environments(&world.run, &error), 0);
        assert_int_equal(world.run.n_locks, 1);
}

static void test_decisions(void **state)
{
        (void)state;
        /* What must never happen, in every combination. */
        for (int s = STATE_TODO; s <= STATE_FAILED; s++)
                for (int p = PLACE_BEFORE; p <= PLACE_OTHER; p++) {
                        enum decision apply = recover_decide(DIRECTION_APPLY, (enum step_state)s, (enum place)p, false);
                        enum decision undo = recover_decide(DIRECTION_UNDO, (enum step_state)s, (enum place)p, false);
                        assert_true(apply != DECISION_ACT || p == PLACE_BEFORE);
                        assert_true(undo != DECISION_ACT || p == PLACE_AFTER);
                        assert_true(undo != DECISION_ACT || s == STATE_DOING || s == STATE_DONE);
                        assert_true(apply != DECISION_MARK || p == PLACE_AFTER);
                        assert_true(undo != DECISION_MARK || p == PLACE_BEFORE);
                }
        assert_int_equal(recover_decide(DIRECTION_APPLY, STATE_DOING, PLACE_OTHER, false), DECISION_CONFLICT);
        assert_int_equal(recover_decide(DIRECTION_UNDO, STATE_DONE, PLACE_OTHER, false), DECISION_CONFLICT);
        assert_int_equal(recover_decide(DIRECTION_UNDO, STATE_DONE, PLACE_OTHER, true), DECISION_ACT);
}

int suite_repair(void);
int suite_repair(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        const struct CMUnitTest tests[] = {
                TEST(test_apply_and_undo),
                TEST(test_moved_ground),
                TEST(test_undo_refuses_later_change),
                TEST(test_interrupted_steps_are_settled),
                TEST(test_leftovers_of_a_crash),
                TEST(test_failure_before_any_change),
                TEST(test_stopped_before_any_change),
                TEST(test_held_open),
                TEST(test_failure_part_way),
                TEST(test_kept_hunk),
                TEST(test_kept_hunk_that_leaves_no_program),
                TEST(test_unproven_and_accepted_are_left),
                TEST(test_links_are_never_taken),
                TEST(test_quarantine_elsewhere_and_purge),
                TEST(test_delete),
                TEST(test_installer_at_work),
                cmocka_unit_test(test_decisions),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
