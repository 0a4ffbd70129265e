#include "unit.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "folder.h"
#include "fs/hash.h"
#include "fs/stat_cache.h"
#include "observe/python.h"

#define SITE "lib/python3.11/site-packages"
#define INFO SITE "/pkg-1.dist-info"
#define OTHER_INFO SITE "/other-1.dist-info"

/* An environment of two distributions, as python_find_environment() would give it. */
struct world {
        struct folder folder;
        struct arena arena;
        struct root root;
        struct site site;
        struct distribution distributions[2];
        struct environment environment;
        struct text records[2];
        struct file_facts facts;
        struct unknowns unknowns;
};

static void world_open(struct world *world)
{
        *world = (struct world){.folder = folder_new(), .arena = ARENA_INIT, .root = ROOT_INIT};
        world->site = (struct site){.path = SITE, .importable = true};
        static const char *const infos[] = {INFO, OTHER_INFO}, *const names[] = {"pkg", "other"};
        for (int i = 0; i < 2; i++)
                world->distributions[i] = (struct distribution){
                        .name = names[i],
                        .version = "1",
                        .installer = "pip",
                        .info = infos[i],
                        .has_record = true,
                        .record_mtime_ns = INT64_MIN,
                };
        world->environment = (struct environment){
                .path = world->folder.path,
                .python = "3.11",
                .python_major = 3,
                .python_minor = 11,
                .sites = &world->site,
                .n_sites = 1,
                .distributions = world->distributions,
                .n_distributions = 2,
        };
        folder_make_directory(&world->folder, SITE);
        assert_int_equal(root_open("/", &world->root, NULL), 0);
}

static void world_close(struct world *world)
{
        for (int i = 0; i < 2; i++)
                text_clear(&world->records[i]);
        root_close(&world->root);
        arena_clear(&world->arena);
        folder_remove(&world->folder);
}

/* A row with the hash of `content`, which need not be what is on disk. */
static void add_row(struct world *world, int owner, const char *path, const char *content)
{
        struct digest digest;
        char hex[DIGEST_HEX_SIZE];
        hash_bytes(bytes_of(content), &digest);
        digest_to_hex(&digest, hex);
        text_addf(&world->records[owner], "%s,sha256=%s,%zu\n", path, hex, strlen(content));
}

static void install(struct world *world, int owner, const char *path, const char *content)
{
        char whole[512];
        snprintf(whole, sizeof whole, SITE "/%s", path);
        folder_write(&world->folder, whole, content);
        add_row(world, owner, path, content);
}

/* RECORDs a minute old, so that what is changed now is an edit. */
static void world_observe(struct world *world, const struct observe_options *options)
{
        struct error error = {0};
        for (int i = 0; i < 2; i++) {
                char path[512];
                if (world->records[i].size == 0)
                        text_add(&world->records[i], "");
                snprintf(path, sizeof path, "%s/RECORD", world->distributions[i].info);
                folder_write(&world->folder, path, world->records[i].data != NULL ? world->records[i].data : "");
                struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - 60}};
                assert_int_equal(utimensat(world->folder.fd, path, times, 0), 0);
        }
        world->environment.counts = (struct file_counts){0};
        if (python_observe(&world->root, &world->environment, options, &world->arena, &world->facts, &world->unknowns,
                           &error) < 0)
                fail_msg("%s", error.text);
}

static const struct file_fact *fact_at(const struct world *world, const char *path)
{
        for (size_t i = 0; i < world->facts.count; i++)
                if (strcmp(world->facts.items[i].path, path) == 0)
                        return &world->facts.items[i];
        return NULL;
}

static void assert_fact(const struct world *world, const char *path, enum file_state state, const char *rule)
{
        const struct file_fact *fact = fact_at(world, path);
        if (fact == NULL)
                fail_msg("nothing is said of %s", path);
        assert_int_equal(fact->state, state);
        assert_string_equal(fact->rule, rule);
}

static uint64_t count_of(const struct world *world, enum file_state state)
{
        return world->environment.counts.by_state[state];
}

static const struct observe_options plain = {.jobs = 2};

static void what_is_as_installed_is_silent(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        install(&world, 0, "pkg/__init__.py", "");
        install(&world, 0, "pkg/a.py", "a = 1\n");
        install(&world, 1, "other.py", "b = 1\n");
        text_add(&world.records[0], "pkg-1.dist-info/RECORD,,\npkg-1.dist-info/INSTALLER,,\n");
        world_observe(&world, &plain);
        assert_int_equal(world.facts.count, 0);
        assert_int_equal(world.unknowns.count, 0);
        assert_int_equal(count_of(&world, FILE_OK), 3);
        assert_int_equal(world.distributions[0].n_rows, 4);
        world_close(&world);
}

static void differences_are_told_apart(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        install(&world, 0, "pkg/a.py", "a = 1\n");
        install(&world, 0, "pkg/same_size.py", "a = 1\n");
        install(&world, 0, "pkg/gone.py", "a = 1\n");
        install(&world, 0, "pkg/kept.py", "a = 1\n");
        folder_write(&world.folder, SITE "/pkg/a.py", "a = 1\nbreakpoint()\n");
        folder_write(&world.folder, SITE "/pkg/same_size.py", "a = 2\n");
        assert_int_equal(unlinkat(world.folder.fd, SITE "/pkg/gone.py", 0), 0);
        folder_write(&world.folder, SITE "/pkg/new.py", "");
        world_observe(&world, &plain);
        assert_fact(&world, SITE "/pkg/a.py", FILE_MODIFIED, "file-modified");
        assert_fact(&world, SITE "/pkg/same_size.py", FILE_MODIFIED, "file-modified");
        assert_fact(&world, SITE "/pkg/gone.py", FILE_MISSING, "file-missing");
        assert_fact(&world, SITE "/pkg/new.py", FILE_UNOWNED, "unowned-module");
        assert_int_equal(world.facts.count, 4);
        const struct file_fact *fact = fact_at(&world, SITE "/pkg/a.py");
        assert_true(fact->has_expected && fact->exists && fact->found.has_digest && fact->is_text_source);
        assert_int_equal(fact->expected_size, 6);
        assert_int_equal(fact->n_owners, 1);
        assert_int_equal(count_of(&world, FILE_OK), 1);
        world_close(&world);
}

static void whatever_stands_in_the_place_of_a_file(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        static const char *const names[] = {"fifo.py", "link.py", "dangling.py", "loop.py", "dir.py"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
                char path[100];
                snprintf(path, sizeof path, "pkg/%s", names[i]);
                add_row(&world, 0, path, "a = 1\n");
        }
        install(&world, 0, "pkg/a.py", "a = 1\n");
        assert_int_equal(mkfifoat(world.folder.fd, SITE "/pkg/fifo.py", 0644), 0);
        assert_int_equal(symlinkat("a.py", world.folder.fd, SITE "/pkg/link.py"), 0);
        assert_int_equal(symlinkat("/nowhere", world.folder.fd, SITE "/pkg/dangling.py"), 0);
        assert_int_equal(symlinkat("loop.py", world.folder.fd, SITE "/pkg/loop.py"), 0);
        folder_make_directory(&world.folder, SITE "/pkg/dir.py");
        world_observe(&world, &plain);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
                char path[100];
                snprintf(path, sizeof path, SITE "/pkg/%s", names[i]);
                assert_fact(&world, path, FILE_MODIFIED, "file-modified");
                assert_non_null(fact_at(&world, path)->why);
        }
        assert_int_equal(count_of(&world, FILE_OK), 1);
        world_close(&world);
}

/* The link leads to a perfect copy: still nothing that was installed. */
static void a_directory_that_is_a_link_is_one_finding(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        install(&world, 0, "pkg/a.py", "a = 1\n");
        install(&world, 0, "pkg/sub/b.py", "b = 1\n");
        install(&world, 0, "pkg/sub/deep/c.py", "c = 1\n");
        assert_int_equal(renameat(world.folder.fd, SITE "/pkg/sub", world.folder.fd, "elsewhere"), 0);
        assert_int_equal(symlinkat("../../../../elsewhere", world.folder.fd, SITE "/pkg/sub"), 0);
        world_observe(&world, &plain);
        assert_int_equal(world.facts.count, 1);
        assert_fact(&world, SITE "/pkg/sub", FILE_UNREADABLE, "file-unreadable");
        assert_int_equal(world.facts.items[0].severity, SEVERITY_ERROR);
        assert_int_equal(count_of(&world, FILE_OK), 1);
        assert_int_equal(count_of(&world, FILE_UNREADABLE), 2);
        world_close(&world);
}

static void two_owners_of_one_path(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        install(&world, 0, "shared.py", "a = 1\n");
        install(&world, 1, "shared.py", "b = 1\n");
        install(&world, 0, "equal.py", "c = 1\n");
        install(&world, 1, "equal.py", "c = 1\n");
        install(&world, 0, "edited.py", "d = 1\n");
        install(&world, 1, "edited.py", "e = 1\n");
        folder_write(&world.folder, SITE "/edited.py", "f = 1\n");
        add_row(&world, 1, "twice.py", "x");
        install(&world, 1, "twice.py", "y");
        world_observe(&world, &plain);
        assert_fact(&world, SITE "/shared.py", FILE_CLOBBERED, "file-clobbered");
        assert_int_equal(fact_at(&world, SITE "/shared.py")->owners[0], 0);
        assert_int_equal(fact_at(&world, SITE "/shared.py")->owners[1], 1);
        assert_fact(&world, SITE "/edited.py", FILE_MODIFIED, "file-modified");
        assert_int_equal(fact_at(&world, SITE "/edited.py")->n_owners, 2);
        assert_int_equal(world.facts.count, 2);
        assert_int_equal(count_of(&world, FILE_OK), 2);
        world_close(&world);
}

static void longer_hashes_count_and_weaker_do_not(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        unsigned char digest[SHA512_DIGEST_LENGTH];
        SHA512((const unsigned char *)"a = 1\n", 6, digest);
        CLEANUP(text_clear) struct text hex = TEXT_INIT;
        for (size_t i = 0; i < sizeof digest; i++)
                text_addf(&hex, "%02x", digest[i]);
        folder_write(&world.folder, SITE "/good.py", "a = 1\n");
        folder_write(&world.folder, SITE "/bad.py", "a = 2\n");
        folder_write(&world.folder, SITE "/weak.py", "a = 1\n");
        text_addf(&world.records[0], "good.py,sha512=%s,6\nbad.py,sha512=%s,6\ngone.py,sha512=%s,6\n", hex.data,
                  hex.data, hex.data);
        text_add(&world.records[0], "weak.py,md5=8f14e45fceea167a5a36dedd4bea2543,6\n");
        world_observe(&world, &plain);
        assert_int_equal(count_of(&world, FILE_OK), 1);
        assert_fact(&world, SITE "/bad.py", FILE_MODIFIED, "file-modified");
        assert_fact(&world, SITE "/gone.py", FILE_MISSING, "file-missing");
        assert_fact(&world, SITE "/weak.py", FILE_UNVERIFIABLE, "file-unverifiable");
        world_close(&world);
}

static void rows_that_are_none_are_counted_and_folded(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        install(&world, 0, "a.py", "a = 1\n");
        for (int i = 0; i < 40; i++)
                text_addf(&world.records[0], "../../../../../../out%d,,\n", i);
        text_add(&world.records[0], "../../..,,\n../../..,,\n");
        world_observe(&world, &plain);
        assert_int_equal(count_of(&world, FILE_OUTSIDE), 40);
        assert_int_equal(count_of(&world, FILE_MALFORMED), 2);
        size_t outside = 0;
        for (size_t i = 0; i < world.facts.count; i++)
                outside += world.facts.items[i].state == FILE_OUTSIDE;
        assert_int_equal(outside, 16);
        assert_fact(&world, INFO "/RECORD", FILE_MALFORMED, "record-malformed");
        world_close(&world);
}

static void a_record_that_cannot_be_read_is_no_clean_one(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        install(&world, 1, "b.py", "b = 1\n");
        world_observe(&world, &plain);
        assert_int_equal(world.facts.count, 0);
        assert_int_equal(unlinkat(world.folder.fd, INFO "/RECORD", 0), 0);
        assert_int_equal(mkfifoat(world.folder.fd, INFO "/RECORD", 0644), 0);
        struct error error = {0};
        assert_int_equal(python_observe(&world.root, &world.environment, &plain, &world.arena, &world.facts,
                                        &world.unknowns, &error),
                         0);
        assert_fact(&world, INFO "/RECORD", FILE_UNREADABLE, "file-unreadable");
        assert_int_equal(world.unknowns.count, 1);
        assert_true(world.unknowns.items[0].in_scope);
        world_close(&world);
}

static void large_binaries_come_after_the_code(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        char *big = heap_alloc((3 << 20) + 1);
        memset(big, 'x', 3 << 20);
        install(&world, 0, "pkg/big.so", big);
        install(&world, 0, "pkg/other.so", big);
        big[1000] = 'y';
        folder_write(&world.folder, SITE "/pkg/other.so", big);
        free(big);
        world_observe(&world, &plain);
        assert_int_equal(count_of(&world, FILE_OK), 1);
        assert_fact(&world, SITE "/pkg/other.so", FILE_MODIFIED, "file-modified");
        world_close(&world);
}

static void what_was_not_reached_is_not_missing(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        install(&world, 0, "pkg/a.py", "a = 1\n");
        atomic_bool stop = true;
        const struct observe_options stopped = {.jobs = 1, .stop = &stop};
        world_observe(&world, &stopped);
        assert_int_equal(count_of(&world, FILE_MISSING), 0);
        assert_int_equal(count_of(&world, FILE_OK), 0);
        assert_true(world.unknowns.count > 0);
        assert_true(world.unknowns.items[0].in_scope);
        world_close(&world);
}

/* Files of this second are never remembered, so that an edit with its times set back is seen. */
static void the_cache_is_not_fooled_by_times_set_back(void **state)
{
        (void)state;
        struct world world;
        world_open(&world);
        struct folder cache = folder_new();
        struct observe_options options = {.jobs = 1, .stat_cache = cache.path};
        install(&world, 0, "pkg/a.py", "a = 1\n");
        world_observe(&world, &options);
        assert_int_equal(count_of(&world, FILE_OK), 1);
        struct stat st;
        assert_int_equal(fstatat(world.folder.fd, SITE "/pkg/a.py", &st, 0), 0);
        folder_write(&world.folder, SITE "/pkg/a.py", "a = 2\n");
        struct timespec times[2] = {st.st_atim, st.st_mtim};
        assert_int_equal(utimensat(world.folder.fd, SITE "/pkg/a.py", times, 0), 0);
        world_observe(&world, &options);
        assert_int_equal(count_of(&world, FILE_OK), 0);
        world_close(&world);
        folder_remove(&cache);
}

static void a_cache_gives_back_what_it_was_given(void **state)
{
        (void)state;
        struct folder folder = folder_new();
        char path[128];
        snprintf(path, sizeof path, "%s/new/cache", folder.path);
        struct stat_entry entries[100] = {0};
        for (size_t i = 0; i < 100; i++) {
                entries[i].key =
                        (struct stat_key){.device = 1, .inode = i / 2, .size = i, .mtime_ns = 5, .ctime_ns = 6};
                entries[i].value[0] = (uint8_t)i;
        }
        assert_int_equal(stat_cache_save(path, entries, 100, NULL), 0);
        assert_int_equal(stat_cache_save(path, entries, 100, NULL), 0);
        CLEANUP(stat_cache_clear) struct stat_cache cache = {0};
        stat_cache_load(path, &cache);
        assert_int_equal(cache.count, 100);
        for (size_t i = 0; i < 100; i++)
                assert_int_equal(stat_cache_find(&cache, &entries[i].key)[0], i);
        struct stat_key changed = entries[7].key;
        changed.ctime_ns++;
        assert_null(stat_cache_find(&cache, &changed));
        assert_true(stat_cache_is_settled(&changed, (int64_t)10 * 1000000000));
        assert_false(stat_cache_is_settled(&changed, (int64_t)2 * 1000000000));
        stat_cache_clear(&cache);
        /* One bit wrong, or writable by others: as if there were none. */
        int fd = open(path, O_RDWR | O_CLOEXEC);
        assert_int_equal(pwrite(fd, "!", 1, 500), 1);
        close(fd);
        stat_cache_load(path, &cache);
        assert_int_equal(cache.count, 0);
        stat_cache_clear(&cache);
        assert_int_equal(stat_cache_save(path, entries, 100, NULL), 0);
        assert_int_equal(chmod(path, 0622), 0);
        stat_cache_load(path, &cache);
        assert_int_equal(cache.count, 0);
        folder_remove(&folder);
}

int suite_observe_survey(void);
int suite_observe_survey(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_as_installed_is_silent),
                cmocka_unit_test(differences_are_told_apart),
                cmocka_unit_test(whatever_stands_in_the_place_of_a_file),
                cmocka_unit_test(a_directory_that_is_a_link_is_one_finding),
                cmocka_unit_test(two_owners_of_one_path),
                cmocka_unit_test(longer_hashes_count_and_weaker_do_not),
                cmocka_unit_test(rows_that_are_none_are_counted_and_folded),
                cmocka_unit_test(a_record_that_cannot_be_read_is_no_clean_one),
                cmocka_unit_test(large_binaries_come_after_the_code),
                cmocka_unit_test(what_was_not_reached_is_not_missing),
                cmocka_unit_test(the_cache_is_not_fooled_by_times_set_back),
                cmocka_unit_test(a_cache_gives_back_what_it_was_given),
        };
        return cmocka_run_group_tests_name("observe_survey", tests, NULL, NULL);
}
