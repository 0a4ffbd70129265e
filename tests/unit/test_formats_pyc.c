#include "unit.h"

#include <string.h>

#include "formats/pyc.h"

/* What each Python's own importlib.util.source_hash() gives for bytes(range(n)), n = 0, 1, 7, 8, 9, 63. */
static void test_source_hash(void **state)
{
        (void)state;
        static const size_t sizes[] = {0, 1, 7, 8, 9, 63};
        static const struct {
                uint16_t magic;
                uint64_t hashes[6]; /* the bytes of the header read as a big-endian number */
        } cases[] = {
                {3394,
                 {0x85ee0caabd83b6a7, 0xa96e350cb1b18917, 0x5b98b2663fcf5936, 0x318ca2104cf111b6, 0x54436675df86a9cf,
                  0xf642fb344c418456}},
                {3413,
                 {0x81e4881b3643e8e9, 0x1db3ac195aae4d3d, 0x6ac8e26ef3134827, 0xbf0116105f613bd8, 0x27f7d0058a3767e6,
                  0xbf8a616504e6cfbc}},
                {3425,
                 {0xac0bb7c83e5b1c5f, 0x5b45ae0baa471098, 0xc31931fe16f512ce, 0x6a53bdcdff5d1e7f, 0xa28ab04b93aeae0a,
                  0xc3a7ae81399f0543}},
                {3439,
                 {0x8cc0cd2525e7fd27, 0xb3e34cbf4ae58d2a, 0x050de4b7ad8d862a, 0xadc53a88bd437192, 0x327c1613fccc2946,
                  0x2ae4c10d3315fd21}},
                {3495,
                 {0x738d9cd5d5e87f73, 0xad2256b643a8544d, 0x937b65bd89169b73, 0x506c0601ce88f748, 0xf7f8a7aeeb5d7306,
                  0x0b9871febedebacb}},
                {3531,
                 {0xbaf18eedc9387a25, 0xffcd30fae5a67b1b, 0x424a50829057fb4d, 0xe508f08f76923f7a, 0xcdc7d5e2bd634ff3,
                  0x2b9738fabc051679}},
                {3571,
                 {0x27ec6d312f93b814, 0x05318eeb7e1c37f8, 0x5d89337113686404, 0x3e6407a241b269d5, 0x36dc62a1aea8b897,
                  0x5e1a0d534fcb5a94}},
        };
        unsigned char source[64];
        for (size_t i = 0; i < sizeof source; i++)
                source[i] = (unsigned char)i;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
                for (size_t j = 0; j < 6; j++)
                        assert_int_equal(pyc_source_hash((struct bytes){source, sizes[j]}, cases[i].magic),
                                         __builtin_bswap64(cases[i].hashes[j]));
}

static void test_name(void **state)
{
        (void)state;
        static const struct {
                const char *name, *stem, *tag, *optimisation; /* stem NULL: no name of bytecode */
        } cases[] = {
                {"x.cpython-312.pyc", "x", "cpython-312", ""},
                {"x.cpython-312.opt-1.pyc", "x", "cpython-312", "1"},
                {"a.b.cpython-38.pyc", "a.b", "cpython-38", ""},
                {"x.pyc", "x", "", ""},
                {"a.b.pyc", "a.b", "", ""},
                {"x.pypy39.opt-2.pyc", "x", "pypy39", "2"},
                {"cpython-312.pyc", "cpython-312", "", ""},
                {"x.py", NULL, NULL, NULL},
                {".pyc", NULL, NULL, NULL},
                {"pyc", NULL, NULL, NULL},
                {"", NULL, NULL, NULL},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                struct pyc_name name;
                assert_int_equal(pyc_parse_name(bytes_of(cases[i].name), &name), cases[i].stem != NULL);
                if (cases[i].stem == NULL)
                        continue;
                assert_true(bytes_equal(name.stem, bytes_of(cases[i].stem)));
                assert_true(bytes_equal(name.tag, bytes_of(cases[i].tag)));
                assert_true(bytes_equal(name.optimisation, bytes_of(cases[i].optimisation)));
        }
}

static void test_header(void **state)
{
        (void)state;
        struct pyc_header header;
        static const char timestamp[] = "\xa7\x0d\r\n\0\0\0\0\x01\x02\0\0\x03\0\0\0";
        assert_true(pyc_parse_header((struct bytes){(const unsigned char *)timestamp, 16}, &header));
        assert_int_equal(header.magic, 3495);
        assert_int_equal(header.flags, PYC_TIMESTAMP);
        assert_int_equal(header.mtime, 0x201);
        assert_int_equal(header.size, 3);
        assert_int_equal(header.hash, 0x300000201);
        for (size_t size = 0; size < 16; size++)
                assert_false(pyc_parse_header((struct bytes){(const unsigned char *)timestamp, size}, &header));
        static const char foreign[] = "\xa7\x0d\n\n\0\0\0\0\x01\x02\0\0\x03\0\0\0";
        assert_false(pyc_parse_header((struct bytes){(const unsigned char *)foreign, 16}, &header));
}

static void test_versions(void **state)
{
        (void)state;
        assert_int_equal(pyc_magic_minor(3531), 12);
        assert_int_equal(pyc_magic_minor(3530), 0);
        assert_int_equal(pyc_tag_minor(BYTES_LITERAL("cpython-314")), 14);
        assert_int_equal(pyc_tag_minor(BYTES_LITERAL("cpython-38")), 8);
        assert_int_equal(pyc_tag_minor(BYTES_LITERAL("cpython-3")), 0);
        assert_int_equal(pyc_tag_minor(BYTES_LITERAL("cpython-3x")), 0);
        assert_int_equal(pyc_tag_minor(BYTES_LITERAL("cpython-3111")), 0);
        assert_int_equal(pyc_tag_minor(BYTES_LITERAL("pypy39")), 0);
}

int suite_formats_pyc(void);
int suite_formats_pyc(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_source_hash),
                cmocka_unit_test(test_name),
                cmocka_unit_test(test_header),
                cmocka_unit_test(test_versions),
        };
        return cmocka_run_group_tests_name("formats_pyc", tests, NULL, NULL);
}
