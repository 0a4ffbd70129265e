#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "observe/python_ownership.h"
#include "folder.h"

#define SITE "lib/python3.11/site-packages"

struct world {
        struct folder folder;
        struct site site;
        struct environment environment;
        struct ownership ownership;
};

static void world_open(struct world *world, const char *site)
{
        *world = (struct world){.folder = folder_new()};
        if (*site != '\0')
                folder_make_directory(&world->folder, site);
        world->site = (struct site){.path = site, .importable = true};
        world->environment = (struct environment){.path = world->folder.path, .sites = &world->site, .n_sites = 1};
}

static void world_add(struct world *world, const char *record)
{
        uint32_t rows;
        if (world->ownership.n_directories == 0)
                ownership_open(world->folder.fd, &world->environment, &world->ownership);
        struct bytes bytes = {(const unsigned char *)strdup(record), strlen(record)};
        assert_true(ownership_add_record(&world->ownership, (uint32_t)world->ownership.n_records, 0, bytes, &rows));
}

static void world_close(struct world *world)
{
        ownership_clear(&world->ownership);
        folder_remove(&world->folder);
}

static size_t claims_on(const struct world *world, const char *path)
{
        size_t count = 0;
        uint32_t file = ownership_path(&world->ownership, bytes_of(path));
        if (file == OWNERSHIP_NONE)
                return 0;
        for (uint32_t i = world->ownership.files[file].first_claim; i != OWNERSHIP_NONE;
             i = world->ownership.claims[i].next)
                count++;
        return count;
}

static void one_file_has_one_name(void **state)
{
        (void)state;
        struct world world;
        world_open(&world, SITE);
        world_add(&world, "pkg/a.py,,\n./pkg/./a.py,,\npkg//a.py,,\nother/../pkg/a.py,,\n../site-packages/pkg/a.py,,\n"
                          "../../../bin/tool,,\npkg/sub/b.py,,\ntop.py,,\n");
        CLEANUP(text_clear) struct text absolute = TEXT_INIT;
        text_addf(&absolute, "%s/" SITE "/pkg/a.py,,7\n", world.folder.path);
        world_add(&world, absolute.data);
        assert_int_equal(claims_on(&world, SITE "/pkg/a.py"), 6);
        assert_int_equal(claims_on(&world, "bin/tool"), 1);
        assert_int_equal(claims_on(&world, SITE "/pkg/sub/b.py"), 1);
        assert_int_equal(claims_on(&world, SITE "/top.py"), 1);
        assert_int_equal(world.ownership.n_strays, 0);
        assert_int_equal(world.ownership.n_files, 4);
        uint32_t file = ownership_path(&world.ownership, bytes_of(SITE "/pkg/a.py"));
        assert_int_equal(world.ownership.claims[world.ownership.files[file].last_claim].size, 7);
        assert_int_equal(world.ownership.claims[world.ownership.files[file].last_claim].owner, 1);
        world_close(&world);
}

static void what_leads_outside_is_kept_apart(void **state)
{
        (void)state;
        struct world world;
        world_open(&world, SITE);
        world_add(&world, "../../../../outside.py,,\n/etc/passwd,,\npkg/../../../../../etc/shadow,,\n"
                          "../../../bin/../../x,,\n");
        assert_int_equal(world.ownership.n_strays, 4);
        for (size_t i = 0; i < 4; i++)
                assert_true(world.ownership.strays[i].outside);
        assert_int_equal(world.ownership.n_files, 0);
        world_close(&world);
}

static void what_is_no_path_is_told(void **state)
{
        (void)state;
        struct world world;
        world_open(&world, SITE);
        CLEANUP(text_clear) struct text record = TEXT_INIT;
        text_add(&record, "../../..,,\n");
        for (int i = 0; i < 300; i++)
                text_add_char(&record, 'n');
        text_add(&record, ".py,,\n");
        for (int i = 0; i < 3000; i++)
                text_add(&record, "d/");
        text_add(&record, "x.py,,\n");
        world_add(&world, record.data);
        assert_int_equal(world.ownership.n_strays, 3);
        for (size_t i = 0; i < 3; i++) {
                assert_false(world.ownership.strays[i].outside);
                assert_non_null(world.ownership.strays[i].why);
        }
        world_close(&world);
}

static void cached_bytecode_is_nobodys(void **state)
{
        (void)state;
        struct world world;
        world_open(&world, SITE);
        world_add(&world, "pkg/a.py,,\npkg/__pycache__/a.cpython-311.pyc,sha256=00,1\npkg/b.pyc,,\n"
                          "pkg/__pycache__/x.nbi,,\n");
        assert_int_equal(claims_on(&world, SITE "/pkg/__pycache__/a.cpython-311.pyc"), 0);
        assert_int_equal(claims_on(&world, SITE "/pkg/b.pyc"), 1);
        assert_int_equal(claims_on(&world, SITE "/pkg/__pycache__/x.nbi"), 1);
        world_close(&world);
}

static void lib64_that_is_lib(void **state)
{
        (void)state;
        struct world world;
        world_open(&world, SITE);
        assert_int_equal(symlinkat("lib", world.folder.fd, "lib64"), 0);
        world_add(&world, "../../../lib64/python3.11/site-packages/pkg/a.py,,\npkg/a.py,,\n");
        assert_int_equal(claims_on(&world, SITE "/pkg/a.py"), 2);
        world_close(&world);
}

/* Shapes that only what is on disk can explain. */
static void the_disk_settles_rare_shapes(void **state)
{
        (void)state;
        struct world world;
        world_open(&world, SITE);
        folder_write(&world.folder, SITE "/win/a.py", "x");
        folder_write(&world.folder, SITE "/rooted/a.py", "x");
        folder_write(&world.folder, SITE "/with,comma.py", "x");
        world_add(&world, "win\\a.py,,\nnot\\there.py,,\n/rooted/a.py,,\nn-1.data/scripts/gone,,\n"
                          "with,comma.py,3\n");
        assert_int_equal(claims_on(&world, SITE "/win/a.py"), 1);
        assert_int_equal(claims_on(&world, SITE "/not\\there.py"), 1);
        assert_int_equal(claims_on(&world, SITE "/rooted/a.py"), 1);
        assert_int_equal(claims_on(&world, SITE "/n-1.data/scripts/gone"), 0);
        assert_int_equal(claims_on(&world, SITE "/with,comma.py"), 1);
        assert_int_equal(world.ownership.n_strays, 0);
        world_close(&world);
}

static void target_trees_have_their_scripts_beneath(void **state)
{
        (void)state;
        struct world world;
        world_open(&world, "");
        folder_write(&world.folder, "bin/tool", "x");
        world_add(&world, "../../bin/tool,,\npkg/a.py,,\n../../bin/gone,,\n");
        assert_int_equal(claims_on(&world, "bin/tool"), 1);
        assert_int_equal(claims_on(&world, "pkg/a.py"), 1);
        assert_int_equal(world.ownership.n_strays, 1);
        world_close(&world);
}

static void many_directories_and_claims(void **state)
{
        (void)state;
        struct world world;
        world_open(&world, SITE);
        CLEANUP(text_clear) struct text record = TEXT_INIT;
        for (int i = 0; i < 5000; i++)
                text_addf(&record, "d%d/e%d/f%d.py,,%d\n", i % 7, i % 101, i, i);
        for (int i = 0; i < 5000; i++)
                text_add(&record, "same.py,,\n");
        world_add(&world, record.data);
        assert_int_equal(claims_on(&world, SITE "/same.py"), 5000);
        char path[100];
        for (int i = 0; i < 5000; i++) {
                snprintf(path, sizeof path, SITE "/d%d/e%d/f%d.py", i % 7, i % 101, i);
                uint32_t file = ownership_path(&world.ownership, bytes_of(path));
                assert_int_not_equal(file, OWNERSHIP_NONE);
                assert_int_equal(world.ownership.claims[world.ownership.files[file].first_claim].size, i);
        }
        for (uint32_t i = 1; i < world.ownership.n_directories; i++)
                assert_true(world.ownership.directories[i].parent < i);
        world_close(&world);
}

/* Bits 63 and 31 of one word and of the next undo each other in a sum of products, whatever came before: with such a
 * hash and a fixed key these names would all share one slot. */
static void names_cannot_be_made_to_crowd(void **state)
{
        (void)state;
        enum { PAIRS = 8, NAMES = 1 << PAIRS };
        struct world world;
        char row[PAIRS * 16 + 4];
        world_open(&world, "");
        CLEANUP(text_clear) struct text record = TEXT_INIT;
        for (int i = 0; i < NAMES; i++) {
                char *end = stpcpy(row, "");
                for (int bit = 0; bit < PAIRS; bit++)
                        end = stpcpy(end, i >> bit & 1 ? "abcdefg\xe8ijk\xecmno\xf0" : "abcdefghijklmnop");
                text_addf(&record, "%s,,\n", row);
        }
        world_add(&world, record.data);
        const struct ownership_table *table = &world.ownership.file_table;
        size_t longest = 0, run = 0;
        for (size_t at = 0; at <= table->mask; at++) {
                run = table->slots[at].index == OWNERSHIP_NONE ? 0 : run + 1;
                longest = run > longest ? run : longest;
        }
        assert_int_equal(world.ownership.n_files, NAMES);
        assert_true(longest < NAMES / 2);
        world_close(&world);
}

static void add_nested(struct text *record, int number, int depth)
{
        text_addf(record, "%d", number);
        for (int level = 1; level < depth; level++)
                text_add(record, "/d");
        text_add(record, "/f,,\n");
}

/* Every level of a path costs memory, and a RECORD has room for 32 million of them. */
static void what_is_too_deep_or_too_much_is_told(void **state)
{
        (void)state;
        enum { DEEPEST = 128, ROWS = OWNERSHIP_DIRECTORIES_MAX / DEEPEST + 8 };
        struct world world;
        world_open(&world, "");
        CLEANUP(text_clear) struct text record = TEXT_INIT;
        add_nested(&record, 0, DEEPEST + 1);
        world_add(&world, record.data);
        assert_int_equal(world.ownership.n_files, 0);
        assert_int_equal(world.ownership.n_strays, 1);
        for (int i = 1; i <= ROWS; i++)
                add_nested(&record, i, DEEPEST);
        text_add(&record, "g,,\n");
        world_add(&world, record.data);
        assert_true(world.ownership.n_directories <= OWNERSHIP_DIRECTORIES_MAX);
        assert_true(world.ownership.n_strays > 2);
        assert_false(world.ownership.strays[2].outside);
        assert_int_equal(world.ownership.n_files + world.ownership.n_strays, ROWS + 3);
        assert_int_equal(claims_on(&world, "g"), 1);
        world_close(&world);
}

int suite_observe_ownership(void);
int suite_observe_ownership(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_file_has_one_name),
                cmocka_unit_test(what_leads_outside_is_kept_apart),
                cmocka_unit_test(what_is_no_path_is_told),
                cmocka_unit_test(cached_bytecode_is_nobodys),
                cmocka_unit_test(lib64_that_is_lib),
                cmocka_unit_test(the_disk_settles_rare_shapes),
                cmocka_unit_test(target_trees_have_their_scripts_beneath),
                cmocka_unit_test(many_directories_and_claims),
                cmocka_unit_test(names_cannot_be_made_to_crowd),
                cmocka_unit_test(what_is_too_deep_or_too_much_is_told),
        };
        return cmocka_run_group_tests_name("observe_ownership", tests, NULL, NULL);
}
