/* Changing files: what must be carried over, what must be noticed. */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "fs/identify.h"
#include "fs/write.h"

static char place[64];
static int place_fd = -1;

static int setup(void **state)
{
        (void)state;
        snprintf(place, sizeof place, "/var/tmp/pristine-test-XXXXXX");
        if (mkdtemp(place) == NULL)
                return -1;
        place_fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return place_fd >= 0 ? 0 : -1;
}

static int teardown(void **state)
{
        (void)state;
        static const char *const names[] = {"a", "b", "t", "link", "sub/a"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                unlinkat(place_fd, names[i], 0);
        unlinkat(place_fd, "sub", AT_REMOVEDIR);
        close(place_fd);
        return rmdir(place);
}

static void put(const char *name, const char *text)
{
        AUTO_CLOSE int fd = openat(place_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static struct file_identity identify(const char *name)
{
        AUTO_CLOSE int fd = openat(place_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        struct file_identity identity = {0};
        if (fd >= 0)
                assert_int_equal(fs_identify(fd, &identity, NULL), 0);
        return identity;
}

static bool holds(const char *name, const char *text)
{
        struct file_identity identity = identify(name);
        struct digest digest;
        hash_bytes(bytes_of(text), &digest);
        return identity.has_digest && digest_equal(&identity.digest, &digest);
}

static int new_file(const char *name, const char *text, const struct write_metadata *metadata)
{
        struct write_source source = {.fd = -1, .bytes = bytes_of(text)};
        struct write_metadata plain = {.mode = 0644, .uid = geteuid(), .gid = getegid()};
        return write_new_file(place_fd, name, &source, metadata != NULL ? metadata : &plain, NULL);
}

static void test_metadata_is_carried(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        static const char acl[] = "\2\0\0\0\1\0\6\0\377\377\377\377\2\0\4\0\1\0\0\0\4\0\4\0\377\377\377\377"
                                  "\20\0\6\0\377\377\377\377\40\0\4\0\377\377\377\377";
        put("a", "old");
        AUTO_CLOSE int fd = openat(place_fd, "a", O_RDONLY | O_CLOEXEC);
        assert_int_equal(fsetxattr(fd, "user.note", "kept", 4, 0), 0);
        bool acls = fsetxattr(fd, "system.posix_acl_access", acl, sizeof acl - 1, 0) == 0;
        struct xattrs xattrs;
        assert_int_equal(xattrs_read(fd, &arena, &xattrs, NULL), 0);
        struct stat before, after;
        fstat(fd, &before);
        struct write_metadata metadata = {.mode = before.st_mode,
                                          .uid = geteuid(),
                                          .gid = getegid(),
                                          .set_mtime = true,
                                          .mtime_ns = -1500000000,
                                          .xattrs = &xattrs};
        assert_int_equal(new_file("b", "new", &metadata), 0);
        AUTO_CLOSE int copy = openat(place_fd, "b", O_RDONLY | O_CLOEXEC);
        char value[64];
        assert_int_equal(fgetxattr(copy, "user.note", value, sizeof value), 4);
        if (acls)
                assert_int_equal(fgetxattr(copy, "system.posix_acl_access", value, sizeof value), sizeof acl - 1);
        fstat(copy, &after);
        assert_int_equal(after.st_mode, before.st_mode);
        assert_int_equal(after.st_mtim.tv_sec, -2);
        assert_int_equal(after.st_mtim.tv_nsec, 500000000);
}

static void test_default_acl_does_not_leak_in(void **state)
{
        (void)state;
        static const char acl[] = "\2\0\0\0\1\0\7\0\377\377\377\377\2\0\7\0\1\0\0\0\4\0\7\0\377\377\377\377"
                                  "\20\0\7\0\377\377\377\377\40\0\7\0\377\377\377\377";
        if (fsetxattr(place_fd, "system.posix_acl_default", acl, sizeof acl - 1, 0) < 0)
                skip(); /* no ACLs on this file system */
        struct xattrs none = {0};
        struct write_metadata metadata = {.mode = 0640, .uid = geteuid(), .gid = getegid(), .xattrs = &none};
        assert_int_equal(new_file("a", "x", &metadata), 0);
        AUTO_CLOSE int fd = openat(place_fd, "a", O_RDONLY | O_CLOEXEC);
        assert_true(fgetxattr(fd, "system.posix_acl_access", NULL, 0) < 0);
        struct stat st;
        fstat(fd, &st);
        assert_int_equal(st.st_mode & 07777, 0640);
}

static void test_new_file_leaves_nothing_on_failure(void **state)
{
        (void)state;
        struct digest digest = {{0}};
        struct write_source source = {.fd = -1, .bytes = BYTES_LITERAL("x"), .digest = &digest};
        struct write_metadata metadata = {.mode = 0644, .uid = geteuid(), .gid = getegid()};
        assert_int_equal(write_new_file(place_fd, "a", &source, &metadata, NULL), ERR_CHANGED);
        assert_int_equal(faccessat(place_fd, "a", F_OK, 0), -1);
        put("a", "taken");
        assert_int_equal(new_file("a", "y", NULL), ERR_SYSTEM);
        assert_true(holds("a", "taken"));
        /* A planted link is not written through. */
        unlinkat(place_fd, "a", 0);
        assert_int_equal(symlinkat("b", place_fd, "a"), 0);
        assert_int_equal(new_file("a", "y", NULL), ERR_SYSTEM);
        assert_int_equal(faccessat(place_fd, "b", F_OK, 0), -1);
}

static void test_replace(void **state)
{
        (void)state;
        put("a", "old");
        struct file_identity expected = identify("a");
        assert_int_equal(linkat(place_fd, "a", place_fd, "link", 0), 0);
        assert_int_equal(new_file("t", "new", NULL), 0);
        assert_int_equal(write_replace(place_fd, "t", "a", &expected, NULL), 0);
        assert_true(holds("a", "new"));
        assert_true(holds("link", "old")); /* never through a hard link */
        assert_int_equal(faccessat(place_fd, "t", F_OK, 0), -1);

        /* Other contents than expected: nothing moves, the temporary file goes. */
        assert_int_equal(new_file("t", "newer", NULL), 0);
        assert_int_equal(write_replace(place_fd, "t", "a", &expected, NULL), ERR_CHANGED);
        assert_true(holds("a", "new"));
        assert_int_equal(faccessat(place_fd, "t", F_OK, AT_SYMLINK_NOFOLLOW), -1);

        /* A link in its place is refused, whatever it leads to. */
        unlinkat(place_fd, "a", 0);
        assert_int_equal(symlinkat("link", place_fd, "a"), 0);
        assert_int_equal(new_file("t", "newer", NULL), 0);
        assert_int_equal(write_replace(place_fd, "t", "a", &expected, NULL), ERR_REFUSED);
        assert_true(holds("link", "old"));
}

static void test_place(void **state)
{
        (void)state;
        assert_int_equal(new_file("t", "new", NULL), 0);
        assert_int_equal(write_place(place_fd, "t", "a", NULL), 0);
        assert_true(holds("a", "new"));
        assert_int_equal(new_file("t", "newer", NULL), 0);
        assert_int_equal(write_place(place_fd, "t", "a", NULL), ERR_CHANGED);
        assert_true(holds("a", "new"));
        assert_int_equal(faccessat(place_fd, "t", F_OK, 0), -1);
}

static void test_move_and_remove(void **state)
{
        (void)state;
        AUTO_CLOSE int sub = -1;
        assert_int_equal(write_make_directory(place_fd, "sub", &sub, NULL), 0);
        put("a", "dump");
        struct file_identity dump = identify("a");
        put("b", "other");
        struct file_identity other = identify("b");
        assert_int_equal(write_move(place_fd, "a", sub, "a", &other, NULL), ERR_CHANGED);
        assert_true(holds("a", "dump"));
        assert_int_equal(write_move(place_fd, "a", sub, "a", &dump, NULL), 0);
        assert_true(holds("sub/a", "dump"));
        put("a", "new one");
        assert_int_equal(write_move(sub, "a", place_fd, "a", &dump, NULL), ERR_CHANGED); /* the name is taken */
        assert_true(holds("a", "new one") && holds("sub/a", "dump"));
        assert_int_equal(write_remove(place_fd, "a", "t", &dump, NULL), ERR_CHANGED);
        assert_true(holds("a", "new one"));
        assert_int_equal(write_remove(sub, "a", "t", &dump, NULL), 0);
        assert_int_equal(write_remove_directory(place_fd, "sub", NULL), 0);
        assert_int_equal(write_remove_directory(place_fd, "sub", NULL), 0);
}

static void test_own_directory(void **state)
{
        (void)state;
        AUTO_CLOSE int fd = -1;
        int none = -1;
        assert_int_equal(write_make_directory(place_fd, "sub", &fd, NULL), 0);
        assert_int_equal(write_make_directory(place_fd, "sub", &none, NULL), ERR_CHANGED);
        assert_int_equal(fchmod(fd, 0750), 0);
        assert_int_equal(write_open_own_directory(place_fd, "sub", &none, NULL), ERR_REFUSED);
        assert_int_equal(symlinkat("sub", place_fd, "link"), 0);
        assert_true(write_open_own_directory(place_fd, "link", &none, NULL) < 0);
        assert_int_equal(none, -1);
}

int suite_fs_write(void);
int suite_fs_write(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        const struct CMUnitTest tests[] = {
                TEST(test_metadata_is_carried),
                TEST(test_default_acl_does_not_leak_in),
                TEST(test_new_file_leaves_nothing_on_failure),
                TEST(test_replace),
                TEST(test_place),
                TEST(test_move_and_remove),
                TEST(test_own_directory),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
