#include "unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "formats/zip.h"

#define CORPUS SOURCE_ROOT "/tests/corpus/zip/"

/* Opens an archive of the corpus and reads one member of it; gives the error that stopped it, 0 for none. */
static int try_member(const char *path, const char *member, struct bytes *ret_bytes)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
        struct stat st;
        struct zip zip;
        assert_true(fd >= 0 && fstat(fd, &st) == 0);
        struct zip_source source = zip_source_of_fd(&fd, (uint64_t)st.st_size);
        int result = zip_open(&source, &arena, &zip, NULL);
        if (result < 0)
                return result;
        const struct zip_member *found = zip_find(&zip, bytes_of(member));
        return found == NULL ? ERR_NOT_FOUND : zip_read(&zip, found, 1 << 20, ret_bytes, NULL);
}

static void assert_member(const char *path, const char *member, const char *content)
{
        struct bytes bytes = {0};
        assert_int_equal(try_member(path, member, &bytes), 0);
        assert_true(bytes_equal(bytes, bytes_of(content)));
        free((void *)bytes.data);
}

static void members_are_read(void **state)
{
        (void)state;
        assert_member(CORPUS "plain", "pkg/__init__.py", "");
        assert_member(CORPUS "plain", "pkg-1.dist-info/RECORD", "pkg/a.py,,\n");
        struct bytes bytes = {0};
        assert_int_equal(try_member(CORPUS "plain", "pkg/a.py", &bytes), 0);
        assert_int_equal(bytes.size, 6 * 50);
        assert_true(bytes_start_with(bytes, "a = 1\na = 1\n"));
        free((void *)bytes.data);
        assert_int_equal(try_member(CORPUS "plain", "pkg/b.py", &bytes), ERR_NOT_FOUND);
}

static void what_is_rare_and_sound(void **state)
{
        (void)state;
        assert_member(CORPUS "comment", "a", "b");
        assert_member(CORPUS "twice", "a", "second");
        struct bytes bytes = {0};
        assert_int_equal(try_member(CORPUS "zip64-member", "big", &bytes), 0);
        assert_int_equal(bytes.size, 100);
        free((void *)bytes.data);
}

static void what_is_unsound_is_refused(void **state)
{
        (void)state;
        struct bytes bytes;
        static const char *const names[] = {"cut", "empty", "only-end", "count-lies"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
                char path[256];
                snprintf(path, sizeof path, CORPUS "%s", names[i]);
                assert_int_equal(try_member(path, "pkg/a.py", &bytes), ERR_MALFORMED);
        }
        assert_int_equal(try_member(CORPUS "offset-beyond", "pkg/__init__.py", &bytes), ERR_MALFORMED);
        assert_int_equal(try_member(CORPUS "wrong-crc", "pkg/a.py", &bytes), ERR_MALFORMED);
        assert_int_equal(try_member(CORPUS "wrong-size", "pkg/a.py", &bytes), ERR_MALFORMED);
        assert_int_equal(try_member(CORPUS "encrypted", "pkg/__init__.py", &bytes), ERR_UNSUPPORTED);
}

int suite_formats_zip(void);
int suite_formats_zip(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(members_are_read),
                cmocka_unit_test(what_is_rare_and_sound),
                cmocka_unit_test(what_is_unsound_is_refused),
        };
        return cmocka_run_group_tests_name("formats_zip", tests, NULL, NULL);
}
