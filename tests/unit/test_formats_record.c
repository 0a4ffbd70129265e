#include "unit.h"

#include <string.h>

#include "base/cleanup.h"
#include "formats/record.h"
#include "fs/hash.h"

/* SHA-256 of "a" in the spellings that are met. */
#define HEX "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
#define URLSAFE "ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs"
#define STANDARD "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs="
#define ROW(path) path ",sha256=" URLSAFE ",1\n"

struct expected {
        const char *path;
        enum record_hash_kind hash;
        int64_t size;
        const char *joined;
};

static void assert_rows(const char *text, const struct expected *expected, size_t count)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct record_reader reader = record_over(bytes_of(text), &arena);
        struct record_row row;
        struct digest digest;
        hash_bytes(BYTES_LITERAL("a"), &digest);
        for (size_t i = 0; i < count; i++) {
                if (!record_next(&reader, &row))
                        fail_msg("row %zu of %s is not there", i, text);
                if (!bytes_equal(row.path, bytes_of(expected[i].path)))
                        fail_msg("%.*s instead of %s", (int)row.path.size, row.path.data, expected[i].path);
                assert_int_equal(row.hash.kind, expected[i].hash);
                assert_int_equal(row.size, expected[i].size);
                assert_true(bytes_equal(row.joined, bytes_of(expected[i].joined)));
                if (row.hash.kind == RECORD_HASH_SHA256)
                        assert_true(digest_equal(&row.hash.digest, &digest));
        }
        assert_false(record_next(&reader, &row));
        assert_false(record_is_cut(&reader));
}

#define ASSERT_ROWS(text, ...)                                                                                         \
        do {                                                                                                           \
                static const struct expected rows[] = {__VA_ARGS__};                                                   \
                assert_rows(text, rows, sizeof rows / sizeof *rows);                                                   \
        } while (0)

static void lines_end_in_every_way(void **state)
{
        (void)state;
        ASSERT_ROWS(ROW("a") "b,,\n", {"a", RECORD_HASH_SHA256, 1, NULL}, {"b", RECORD_HASH_NONE, -1, NULL});
        ASSERT_ROWS("a,sha256=" URLSAFE ",1\r\nb,,\r\n", {"a", RECORD_HASH_SHA256, 1, NULL},
                    {"b", RECORD_HASH_NONE, -1, NULL});
        ASSERT_ROWS("a,sha256=" URLSAFE ",1\rb,,7\r", {"a", RECORD_HASH_SHA256, 1, NULL},
                    {"b", RECORD_HASH_NONE, 7, NULL});
        ASSERT_ROWS("a,sha256=" URLSAFE ",1", {"a", RECORD_HASH_SHA256, 1, NULL});
        ASSERT_ROWS("\n\r\n\n" ROW("a") "\n\n", {"a", RECORD_HASH_SHA256, 1, NULL});
        ASSERT_ROWS("\xef\xbb\xbf" ROW("a"), {"a", RECORD_HASH_SHA256, 1, NULL});
        assert_rows("", NULL, 0);
}

static void digests_in_every_spelling(void **state)
{
        (void)state;
        ASSERT_ROWS("a,sha256=" HEX ",1\na,sha256=" STANDARD ",1\na,sha256=" URLSAFE "=,1\na,sha256=" URLSAFE "\n",
                    {"a", RECORD_HASH_SHA256, 1, NULL}, {"a", RECORD_HASH_SHA256, 1, NULL},
                    {"a", RECORD_HASH_SHA256, 1, NULL}, {"a", RECORD_HASH_SHA256, -1, NULL});
        ASSERT_ROWS("a,md5=0cc175b9c0f1b6a831c399e269772661,1\n", {"a", RECORD_HASH_OTHER, 1, NULL});
        ASSERT_ROWS("a,sha384=" HEX "ca978112ca1bbdcafac231b39a23dc4d,1\n", {"a", RECORD_HASH_SHA384, 1, NULL});
        ASSERT_ROWS("a,sha512=" HEX HEX ",1\n", {"a", RECORD_HASH_SHA512, 1, NULL});
}

static void what_is_no_digest(void **state)
{
        (void)state;
        uint8_t digest[DIGEST_SIZE];
        assert_true(record_decode_digest(BYTES_LITERAL(HEX), DIGEST_SIZE, digest));
        assert_false(record_decode_digest(BYTES_LITERAL(HEX "0"), DIGEST_SIZE, digest));
        assert_false(record_decode_digest(BYTES_LITERAL(""), DIGEST_SIZE, digest));
        assert_false(record_decode_digest(BYTES_LITERAL(URLSAFE "==="), DIGEST_SIZE, digest));
        /* Two bits are left over at the end; a writer leaves them zero. */
        assert_false(record_decode_digest(BYTES_LITERAL("ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLt"), DIGEST_SIZE,
                                          digest));
        assert_false(record_decode_digest(BYTES_LITERAL("ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSL!"), DIGEST_SIZE,
                                          digest));
        ASSERT_ROWS("a,sha256=short,1\n", {"a", RECORD_HASH_LOST, 1, "a,sha256=short"});
        ASSERT_ROWS("a,what=" HEX ",1\n", {"a", RECORD_HASH_LOST, 1, "a,what=" HEX});
}

static void quoted_fields(void **state)
{
        (void)state;
        ASSERT_ROWS("\"a,b\",sha256=" URLSAFE ",1\n", {"a,b", RECORD_HASH_SHA256, 1, NULL});
        ASSERT_ROWS("\"a\"\"b\",,\n", {"a\"b", RECORD_HASH_NONE, -1, NULL});
        ASSERT_ROWS("\"a\nb\",,\nc,,\n", {"a\nb", RECORD_HASH_NONE, -1, NULL}, {"c", RECORD_HASH_NONE, -1, NULL});
        ASSERT_ROWS("\"a\"b,,\n", {"ab", RECORD_HASH_NONE, -1, NULL});
        ASSERT_ROWS("a\"b,,\n", {"a\"b", RECORD_HASH_NONE, -1, NULL});
        ASSERT_ROWS("\"\",,\n", {"", RECORD_HASH_NONE, -1, NULL});
}

/* Which pips wrote, and what others made of it. */
static void commas_without_quotes(void **state)
{
        (void)state;
        ASSERT_ROWS("a,b.py,sha256=" URLSAFE ",1\n", {"a,b.py", RECORD_HASH_SHA256, 1, NULL});
        ASSERT_ROWS("a,b,c.py,sha256=" URLSAFE "\n", {"a,b,c.py", RECORD_HASH_SHA256, -1, NULL});
        ASSERT_ROWS("a,b.py,\n", {"a", RECORD_HASH_LOST, -1, "a,b.py"});
        ASSERT_ROWS("a,b.py,5\n", {"a", RECORD_HASH_LOST, 5, "a,b.py"});
}

/* A hash belongs to the whole path or to none, never to its first part. */
static void a_path_quoted_in_part(void **state)
{
        (void)state;
        ASSERT_ROWS("\"a\",b.py,sha256=" URLSAFE ",1\n", {"a", RECORD_HASH_LOST, -1, NULL});
        ASSERT_ROWS("a,\"b.py\",sha256=" URLSAFE ",1\n", {"a", RECORD_HASH_LOST, -1, NULL});
        ASSERT_ROWS("\"a\",\"sha256=" URLSAFE "\",\"1\"\n", {"a", RECORD_HASH_SHA256, 1, NULL});
}

static void sizes_that_are_none(void **state)
{
        (void)state;
        ASSERT_ROWS("a,sha256=" URLSAFE ",-1\nb,sha256=" URLSAFE ",99999999999999999999\nc,sha256=" URLSAFE ",x\n",
                    {"a", RECORD_HASH_SHA256, -1, NULL}, {"b", RECORD_HASH_SHA256, -1, NULL},
                    {"c", RECORD_HASH_SHA256, -1, NULL});
}

static void paths_are_bytes(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct bytes text = BYTES_LITERAL("a\0b,,\n\xff\xfe,,\n");
        struct record_reader reader = record_over(text, &arena);
        struct record_row row;
        assert_true(record_next(&reader, &row));
        assert_int_equal(row.path.size, 3);
        assert_true(record_next(&reader, &row));
        assert_memory_equal(row.path.data, "\xff\xfe", 2);
}

static void what_never_ends_is_cut(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        struct record_row row;
        struct record_reader reader = record_over(BYTES_LITERAL("\"a,sha256=" URLSAFE ",1\nb,,\n"), &arena);
        assert_true(record_next(&reader, &row));
        assert_true(row.cut);
        assert_false(record_next(&reader, &row));
        for (int i = 0; i <= RECORD_FIELD_MAX; i++)
                text_add_char(&text, 'x');
        text_add(&text, ",sha256=" URLSAFE ",1\nb,,\n");
        reader = record_over((struct bytes){(const unsigned char *)text.data, text.size}, &arena);
        assert_true(record_next(&reader, &row));
        assert_true(row.cut);
        assert_true(record_next(&reader, &row));
        assert_false(row.cut);
}

static void rows_have_a_limit(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        struct record_row row;
        for (int i = 0; i <= RECORD_ROWS_MAX; i++)
                text_add(&text, "a\n");
        struct record_reader reader = record_over((struct bytes){(const unsigned char *)text.data, text.size}, &arena);
        size_t rows = 0;
        while (record_next(&reader, &row))
                rows++;
        assert_int_equal(rows, RECORD_ROWS_MAX);
        assert_true(record_is_cut(&reader));
}

/* Reading takes time in proportion to the size, whatever the lines end in: each of these once was searched to the end
 * of the file for every row, which took minutes here. */
static void files_without_line_feeds(void **state)
{
        (void)state;
        static const struct {
                const char *unit;
                size_t count, rows;
        } cases[] = {{"a\r", RECORD_ROWS_MAX, RECORD_ROWS_MAX}, {"\r", RECORD_BYTES_MAX / 16, 0}, {"a,", 1 << 20, 1}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
                CLEANUP(text_clear) struct text text = TEXT_INIT;
                struct record_row row;
                for (size_t unit = 0; unit < cases[i].count; unit++)
                        text_add(&text, cases[i].unit);
                struct record_reader reader =
                        record_over((struct bytes){(const unsigned char *)text.data, text.size}, &arena);
                size_t rows = 0;
                while (record_next(&reader, &row))
                        rows++;
                assert_int_equal(rows, cases[i].rows);
        }
}

int suite_formats_record(void);
int suite_formats_record(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(lines_end_in_every_way),   cmocka_unit_test(digests_in_every_spelling),
                cmocka_unit_test(what_is_no_digest),        cmocka_unit_test(quoted_fields),
                cmocka_unit_test(commas_without_quotes),    cmocka_unit_test(sizes_that_are_none),
                cmocka_unit_test(paths_are_bytes),          cmocka_unit_test(what_never_ends_is_cut),
                cmocka_unit_test(rows_have_a_limit),        cmocka_unit_test(a_path_quoted_in_part),
                cmocka_unit_test(files_without_line_feeds),
        };
        return cmocka_run_group_tests_name("formats_record", tests, NULL, NULL);
}
