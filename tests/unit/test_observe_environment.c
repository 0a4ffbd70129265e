#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "folder.h"
#include "observe/python.h"

#define PYTHON "env/lib/python3.11"
#define SITE PYTHON "/site-packages"
#define CFG "home = /usr/bin\nVersion = 3.11.2\n"

/* A folder with an environment in `env`, and what python_find_environment() said last. */
struct world {
        struct folder folder;
        struct arena arena;
        struct root root;
        struct environment environment;
        struct error error;
};

static int set_up(void **state)
{
        struct world *world = test_malloc(sizeof *world);
        *world = (struct world){.folder = folder_new(), .arena = ARENA_INIT, .root = ROOT_INIT};
        assert_int_equal(root_open("/", &world->root, NULL), 0);
        folder_make_directory(&world->folder, SITE "/pkg-1.0.dist-info");
        folder_make_directory(&world->folder, "env/bin");
        folder_write(&world->folder, "env/pyvenv.cfg", CFG);
        folder_write(&world->folder, "env/bin/python", "");
        folder_write(&world->folder, SITE "/pkg-1.0.dist-info/RECORD", "");
        folder_write(&world->folder, SITE "/pkg-1.0.dist-info/INSTALLER", "pip\n");
        *state = world;
        return 0;
}

static int tear_down(void **state)
{
        struct world *world = *state;
        root_close(&world->root);
        arena_clear(&world->arena);
        folder_remove(&world->folder);
        test_free(world);
        return 0;
}

/* `path` beneath the folder. */
static int find(struct world *world, const char *path)
{
        world->environment = (struct environment){0};
        world->error = (struct error){0};
        return python_find_environment(&world->root, arena_printf(&world->arena, "%s/%s", world->folder.path, path),
                                       &world->arena, &world->environment, &world->error);
}

static void assert_prefix(const struct world *world, const char *name)
{
        char whole[256];
        snprintf(whole, sizeof whole, "%s/%s", world->folder.path, name);
        assert_string_equal(world->environment.path, whole);
}

/* The sites joined with a space, those that modules are not found in, in brackets. */
static void assert_sites(const struct world *world, const char *expected)
{
        char text[1024] = "";
        size_t size = 0;
        for (size_t i = 0; i < world->environment.n_sites; i++) {
                const struct site *site = &world->environment.sites[i];
                size += (size_t)snprintf(text + size, sizeof text - size, site->importable ? "%s%s" : "%s(%s)",
                                         i > 0 ? " " : "", site->path);
        }
        assert_string_equal(text, expected);
}

static void link_to(const struct world *world, const char *target, const char *path)
{
        assert_int_equal(symlinkat(target, world->folder.fd, path), 0);
}

static void move(const struct world *world, const char *from, const char *to)
{
        assert_int_equal(renameat(world->folder.fd, from, world->folder.fd, to), 0);
}

static void test_every_path_that_names_it(void **state)
{
        struct world *world = *state;
        static const char *const paths[] = {
                "env",  "env/", "env/bin", "env/bin/python",          "env/lib",
                PYTHON, SITE,   SITE "/",  SITE "/pkg-1.0.dist-info", "env/./lib/../",
                "link",
        };
        link_to(world, "env", "link");
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
                assert_int_equal(find(world, paths[i]), 0);
                assert_prefix(world, "env");
                assert_sites(world, "lib/python3.11/site-packages (bin)");
                assert_int_equal(world->environment.n_distributions, 1);
        }
}

static void test_what_is_filled(void **state)
{
        struct world *world = *state;
        folder_write(&world->folder, SITE "/two_words-2.0.post1+cu12.dist-info/INSTALLER", "  uv \r\nmore\n");
        folder_write(&world->folder, SITE "/two_words-2.0.post1+cu12.dist-info/direct_url.json",
                     "{\"url\": \"file:///x\", \"dir_info\": {\"editable\": true}}");
        folder_write(&world->folder, SITE "/again-3.dist-info/INSTALLER", "uv");
        folder_write(&world->folder, SITE "/~ame-1.dist-info/RECORD", "");
        folder_write(&world->folder, SITE "/bare.dist-info/METADATA", "");
        folder_write(&world->folder, SITE "/file-1.dist-info", "no directory");
        folder_write(&world->folder, SITE "/.dist-info/RECORD", "");
        folder_write(&world->folder, SITE "/egg-1.egg-info/PKG-INFO", "");
        assert_int_equal(find(world, "env"), 0);
        const struct environment *environment = &world->environment;
        static const struct distribution expected[] = {
                {.name = "again", .version = "3", .installer = "uv"},
                {.name = "bare", .version = "", .installer = ""},
                {.name = "pkg", .version = "1.0", .installer = "pip", .has_record = true},
                {.name = "two_words", .version = "2.0.post1+cu12", .installer = "uv", .editable = true},
                {.name = "~ame", .version = "1", .installer = "", .debris = true},
        };
        assert_int_equal(environment->n_distributions, sizeof expected / sizeof *expected);
        for (size_t i = 0; i < environment->n_distributions; i++) {
                const struct distribution *found = &environment->distributions[i];
                assert_string_equal(found->name, expected[i].name);
                assert_string_equal(found->version, expected[i].version);
                assert_string_equal(found->installer, expected[i].installer);
                assert_int_equal(found->has_record, expected[i].has_record);
                assert_int_equal(found->editable, expected[i].editable);
                assert_int_equal(found->debris, expected[i].debris);
                assert_int_equal(found->site, 0);
        }
        assert_string_equal(environment->distributions[2].info, "lib/python3.11/site-packages/pkg-1.0.dist-info");
        assert_int_equal(environment->n_installers, 2);
        assert_string_equal(environment->installers[0], "pip");
        assert_string_equal(environment->installers[1], "uv");
}

static void test_versions(void **state)
{
        struct world *world = *state;
        static const struct {
                const char *cfg, *python;
                int minor;
        } cases[] = {
                {"version = 3.11.2\n", "3.11.2", 11},
                {"VERSION=3.12", "3.12", 12},
                {"version_info = 3.11.7.final.0\n", "3.11.7", 11},
                {"version = 3.9.1\nVersion_Info=3.10.2.final.0\r\n", "3.10.2", 10},
                {"versions = 3.9\nxversion = 3.8\n", "3.11", 11},
                {"version\n= 3.9\n", "3.11", 11},
                {"version = 3.999999999999999999999\n", "3.11", 11},
                {"version = \n", "3.11", 11},
                {"", "3.11", 11},
                {"version = 3.13t\n", "3.13", 13},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                folder_write(&world->folder, "env/pyvenv.cfg", cases[i].cfg);
                assert_int_equal(find(world, "env"), 0);
                assert_string_equal(world->environment.python, cases[i].python);
                assert_int_equal(world->environment.python_major, 3);
                assert_int_equal(world->environment.python_minor, cases[i].minor);
        }
}

static void test_other_pythons(void **state)
{
        struct world *world = *state;
        assert_int_equal(unlinkat(world->folder.fd, "env/pyvenv.cfg", 0), 0);
        move(world, PYTHON, "env/lib/python3.13t");
        assert_int_equal(find(world, "env"), 0);
        assert_sites(world, "lib/python3.13t/site-packages (bin)");
        assert_int_equal(world->environment.python_minor, 13);
        move(world, "env/lib/python3.13t", "env/lib/pypy3.10");
        assert_int_equal(find(world, "env/lib/pypy3.10/site-packages"), 0);
        assert_sites(world, "lib/pypy3.10/site-packages (bin)");
        assert_string_equal(world->environment.python, "3.10");
        assert_int_equal(world->environment.n_distributions, 1);
}

static void test_lib64(void **state)
{
        struct world *world = *state;
        static const char *const same[] = {"lib", "./lib", "../env/lib"};
        for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
                link_to(world, same[i], "env/lib64");
                assert_int_equal(find(world, "env/lib64/python3.11/site-packages"), 0);
                assert_prefix(world, "env");
                assert_sites(world, "lib/python3.11/site-packages (bin)");
                assert_int_equal(unlinkat(world->folder.fd, "env/lib64", 0), 0);
        }
        folder_make_directory(&world->folder, "env/lib64/python3.11/site-packages/arch-2.dist-info");
        assert_int_equal(find(world, "env"), 0);
        assert_sites(world, "lib/python3.11/site-packages lib64/python3.11/site-packages (bin)");
        assert_int_equal(world->environment.n_distributions, 2);
        assert_int_equal(world->environment.distributions[1].site, 1);
}

/* What cannot be looked into is a site all the same, for the walk to say so: never an environment of nothing. */
static void test_links_in_the_place_of_directories(void **state)
{
        struct world *world = *state;
        link_to(world, "python3.11", PYTHON "x"); /* as conda's python3.1: the same under another name */
        assert_int_equal(find(world, "env"), 0);
        assert_sites(world, "lib/python3.11/site-packages (bin)");
        move(world, SITE, "elsewhere");
        link_to(world, "../../../elsewhere", SITE);
        assert_int_equal(find(world, "env"), 0);
        assert_sites(world, "lib/python3.11/site-packages (bin)");
        assert_int_equal(world->environment.n_distributions, 0);
        assert_int_equal(find(world, SITE), 0);
        assert_prefix(world, "elsewhere");
        move(world, PYTHON, "python3.11");
        link_to(world, "../../python3.11", PYTHON);
        assert_int_equal(find(world, "env"), 0);
        assert_sites(world, "lib/python3.11 (bin)");
        move(world, "env/lib", "lib");
        link_to(world, "../lib", "env/lib");
        assert_int_equal(find(world, "env"), 0);
        assert_sites(world, "lib (bin)");
        assert_int_equal(unlinkat(world->folder.fd, "env/pyvenv.cfg", 0), 0);
        assert_int_equal(find(world, "env"), ERR_NOT_FOUND);
}

static void test_target_tree(void **state)
{
        struct world *world = *state;
        folder_write(&world->folder, "target/pkg-1.0.dist-info/RECORD", "");
        assert_int_equal(find(world, "target/"), 0);
        assert_prefix(world, "target");
        assert_sites(world, "");
        assert_true(world->environment.n_sites == 1 && world->environment.sites[0].importable);
        assert_string_equal(world->environment.distributions[0].info, "pkg-1.0.dist-info");
        assert_string_equal(world->environment.python, "");
        folder_make_directory(&world->folder, "target/bin");
        assert_int_equal(find(world, "target"), 0);
        assert_int_equal(world->environment.n_sites, 2);
        assert_int_equal(world->environment.n_distributions, 1);
}

static void test_no_environment(void **state)
{
        struct world *world = *state;
        folder_make_directory(&world->folder, "empty");
        assert_int_equal(find(world, "empty"), ERR_NOT_FOUND);
        assert_non_null(strstr(world->error.text, "no pyvenv.cfg, no lib/python3.*/site-packages"));
        assert_int_equal(find(world, "nowhere"), ERR_NOT_FOUND);
        assert_non_null(strstr(world->error.text, "nowhere"));
        folder_write(&world->folder, "rest/pyvenv.cfg", CFG);
        assert_int_equal(find(world, "rest"), ERR_NOT_FOUND);
        assert_non_null(strstr(world->error.text, "what is left of a venv"));
        assert_int_equal(find(world, "env/bin/python/"), ERR_NOT_FOUND);
        assert_int_equal(find(world, "env/bin/nothing"), ERR_NOT_FOUND);
}

static void test_root(void **state)
{
        struct world *world = *state;
        struct root root = ROOT_INIT;
        assert_int_equal(root_open(world->folder.path, &root, NULL), 0);
        link_to(world, "/env", "absolute"); /* inside the root it leads into the root */
        assert_int_equal(python_find_environment(&root, "/absolute/lib", &world->arena, &world->environment, NULL), 0);
        assert_string_equal(world->environment.path, "/env");
        assert_int_equal(python_find_environment(&root, "/env/bin/python", &world->arena, &world->environment, NULL),
                         0);
        assert_string_equal(world->environment.path, "/env");
        root_close(&root);
}

static void test_files_that_would_hang_or_fill(void **state)
{
        struct world *world = *state;
        static const char *const fifos[] = {"env/pyvenv.cfg", SITE "/pkg-1.0.dist-info/INSTALLER",
                                            SITE "/pkg-1.0.dist-info/direct_url.json", SITE "/pkg-1.0.dist-info/RECORD",
                                            "env/lib/python3.9"};
        for (size_t i = 0; i < sizeof fifos / sizeof *fifos; i++) {
                unlinkat(world->folder.fd, fifos[i], 0);
                assert_int_equal(mkfifoat(world->folder.fd, fifos[i], 0600), 0);
        }
        assert_int_equal(find(world, "env"), 0);
        assert_string_equal(world->environment.python, "3.11");
        assert_string_equal(world->environment.distributions[0].installer, "");
        assert_int_equal(unlinkat(world->folder.fd, "env/pyvenv.cfg", 0), 0);
        folder_write(&world->folder, "env/pyvenv.cfg", "version = 3.12\n");
        assert_int_equal(truncate(arena_printf(&world->arena, "%s/env/pyvenv.cfg", world->folder.path), 1 << 30), 0);
        assert_int_equal(find(world, "env"), 0);
        assert_string_equal(world->environment.python, "3.11");
}

static void test_names_are_bytes(void **state)
{
        struct world *world = *state;
        folder_make_directory(&world->folder, SITE "/\xff\x1b\n-1\xfe.dist-info");
        assert_int_equal(find(world, "env"), 0);
        assert_int_equal(world->environment.n_distributions, 2);
        assert_string_equal(world->environment.distributions[1].name, "\xff\x1b\n");
        assert_string_equal(world->environment.distributions[1].version, "1\xfe");
}

static void test_more_pythons_than_anybody_has(void **state)
{
        struct world *world = *state;
        for (int i = 0; i < 80; i++)
                folder_make_directory(&world->folder,
                                      arena_printf(&world->arena, "env/lib/python3.%d/site-packages", 100 + i));
        assert_int_equal(find(world, "env"), ERR_LIMIT);
        assert_non_null(strstr(world->error.text, "64"));
}

int suite_observe_environment(void);
int suite_observe_environment(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_every_path_that_names_it, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_what_is_filled, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_versions, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_other_pythons, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_lib64, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_links_in_the_place_of_directories, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_target_tree, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_no_environment, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_root, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_files_that_would_hang_or_fill, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_names_are_bytes, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_more_pythons_than_anybody_has, set_up, tear_down),
        };
        return cmocka_run_group_tests_name("observe_environment", tests, NULL, NULL);
}
