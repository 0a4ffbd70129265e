#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "observe/artifact.h"
#include "observe/artifact_probe.h"

static void ranks_are_read_from_names(void **state)
{
        (void)state;
        static const struct {
                const char *name, *kind;
                uint32_t number;
        } cases[] = {
                {"nomla_debug_tp3.pt", "tp", 3},
                {"q_rank12.npy", "rank", 12},
                {"x-tp_0.pt", "tp", 0},
                {"a_pp1_tp2.pt", "tp", 2},
                {"http5.pt", "", 0},
                {"tp.pt", "", 0},
                {"q_tp1x.pt", "", 0},
                {"r7.pt", "r", 7},
                {"layer0.pt", "", 0},
                {"RANK=4.pt", "rank", 4},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                struct rank rank = artifact_rank(cases[i].name);
                assert_string_equal(rank.kind, cases[i].kind);
                assert_int_equal(rank.number, cases[i].number);
        }
}

static void formats_are_told_by_content(void **state)
{
        (void)state;
        assert_string_equal(artifact_format(BYTES_LITERAL("\x93NUMPY\x01\x00")), "npy");
        assert_string_equal(artifact_format(BYTES_LITERAL("\x02\x00\x00\x00\x00\x00\x00\x00{}")), "safetensors");
        assert_string_equal(artifact_format(BYTES_LITERAL("\x80\x04\x95")), "pickle");
        assert_string_equal(artifact_format(BYTES_LITERAL("PK\x03\x04 but cut short")), "");
        assert_string_equal(artifact_format(BYTES_LITERAL("")), "");
        assert_string_equal(artifact_format(BYTES_LITERAL("hello world")), "");
}

/* A directory of small npy files with the given names, all of one age. */
struct scene {
        char path[64];
        struct root root;
        struct arena arena;
};

static void scene_add(struct scene *scene, const char *name, bool is_dump, time_t when)
{
        char path[256];
        snprintf(path, sizeof path, "%s/%s", scene->path, name);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(is_dump ? "\x93NUMPY\x01" : "just text", file);
        fclose(file);
        struct timespec times[] = {{when, 0}, {when, 0}};
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void scene_open(struct scene *scene)
{
        struct error error;
        *scene = (struct scene){.path = "/tmp/pristine-unit-XXXXXX", .arena = ARENA_INIT};
        assert_non_null(mkdtemp(scene->path));
        assert_int_equal(root_open("/", &scene->root, &error), 0);
}

static void scene_close(struct scene *scene)
{
        DIR *dir = opendir(scene->path);
        for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
                unlinkat(dirfd(dir), entry->d_name, 0);
        closedir(dir);
        rmdir(scene->path);
        root_close(&scene->root);
        arena_clear(&scene->arena);
}

static struct artifact_families scene_sweep(struct scene *scene)
{
        const char *directories[] = {scene->path};
        struct artifact_families families;
        struct unknowns unknowns = {0};
        struct artifacts known = {0};
        assert_int_equal(artifact_sweep(&scene->root, &(struct strings){directories, 1}, &known, &scene->arena,
                                        &families, &unknowns, NULL),
                         0);
        return families;
}

static void families_are_found_and_work_is_left(void **state)
{
        (void)state;
        struct scene scene;
        scene_open(&scene);
        static const char *const ours[] = {"mla_tp0.npy", "mla_tp1.npy", "step_debug_1.npy", "step_debug_2.npy",
                                           "q_debug.npy"};
        static const char *const others[] = {
                "model.npy",   "checkpoint_tp0.npy", "checkpoint_tp1.npy", "model-00001-of-00002.npy",
                "photo_1.npy", "photo_2.npy",        "results.npy"};
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
                scene_add(&scene, ours[i], true, 1700000000);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
                scene_add(&scene, others[i], true, 1700000000);
        scene_add(&scene, "notes_tp0.npy", false, 1700000000);
        scene_add(&scene, "notes_tp1.npy", false, 1700000000);
        struct artifact_families families = scene_sweep(&scene);
        assert_int_equal(families.count, 3);
        size_t members = 0;
        for (size_t i = 0; i < families.count; i++)
                members += families.items[i].members.count;
        assert_int_equal(members, sizeof ours / sizeof *ours);
        for (size_t i = 0; i < families.count; i++)
                for (size_t j = 0; j < families.items[i].members.count; j++)
                        assert_true(glob_matches(families.items[i].pattern, families.items[i].members.items[j].path));
        scene_close(&scene);
}

static void links_and_open_files_are_not_ours(void **state)
{
        (void)state;
        struct scene scene;
        char a[256], b[256], glob[256];
        scene_open(&scene);
        scene_add(&scene, "a_tp0.npy", true, 1700000000);
        scene_add(&scene, "a_tp1.npy", true, 1700000000);
        scene_add(&scene, "a_tp2.npy", true, 1700000000);
        snprintf(a, sizeof a, "%s/a_tp0.npy", scene.path);
        snprintf(b, sizeof b, "%s/a_tp3.npy", scene.path);
        assert_int_equal(symlink("/etc/passwd", b), 0);
        snprintf(b, sizeof b, "%s/other-name", scene.path);
        assert_int_equal(link(a, b), 0);
        snprintf(a, sizeof a, "%s/a_tp1.npy", scene.path);
        AUTO_CLOSE int held = open(a, O_RDONLY);
        snprintf(glob, sizeof glob, "%s/a_tp*.npy", scene.path);
        const char *globs[] = {glob};
        struct artifacts artifacts;
        struct unknowns unknowns;
        bool cut;
        assert_int_equal(artifact_expand(&scene.root, &(struct strings){globs, 1}, &(struct strings){0}, 10,
                                         &scene.arena, &artifacts, &cut, &unknowns, NULL),
                         0);
        assert_int_equal(artifacts.count, 4);
        assert_non_null(strstr(artifacts.items[0].not_ours, "hard link"));
        assert_non_null(strstr(artifacts.items[1].not_ours, "held open"));
        assert_int_equal(artifacts.items[1].open_by[0], getpid());
        assert_null(artifacts.items[2].not_ours);
        assert_non_null(strstr(artifacts.items[3].not_ours, "symbolic link"));
        scene_close(&scene);
}

int suite_observe_artifact(void);
int suite_observe_artifact(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(ranks_are_read_from_names),
                cmocka_unit_test(formats_are_told_by_content),
                cmocka_unit_test(families_are_found_and_work_is_left),
                cmocka_unit_test(links_and_open_files_are_not_ours),
        };
        return cmocka_run_group_tests_name("observe_artifact", tests, NULL, NULL);
}
