#include "unit.h"

#include "base/json.h"
#include "base/text.h"
#include "base/cleanup.h"

static void check_escape(const char *input, size_t size, bool lines, const char *expected)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        text_add_escaped(&text, (struct bytes){(const unsigned char *)input, size}, lines);
        assert_string_equal(text.data, expected);
}

static void escapes_what_a_terminal_would_obey(void **state)
{
        (void)state;
        check_escape("a\x1b[31mb", 7, false, "a\\x1b[31mb");
        check_escape("\xff\xc3\xa9\\", 4, false, "\\xff\xc3\xa9\\\\");
        check_escape("a\n\tb\\", 5, true, "a\n\tb\\");
        check_escape("x\xe2\x80\xae"
                     "y",
                     5, false, "x\\u{202e}y");
        check_escape("\xed\xa0\x80", 3, false, "\\xed\\xa0\\x80");
}

static void times_are_rfc3339(void **state)
{
        (void)state;
        json_t *time = json_from_time(1764566448123456789);
        assert_string_equal(json_string_value(time), "2025-12-01T05:20:48.123456Z");
        json_decref(time);
        time = json_from_time(-1);
        assert_string_equal(json_string_value(time), "1969-12-31T23:59:59.999999Z");
        json_decref(time);
}

int suite_base_text(void);
int suite_base_text(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(escapes_what_a_terminal_would_obey),
                cmocka_unit_test(times_are_rfc3339),
        };
        return cmocka_run_group_tests_name("base_text", tests, NULL, NULL);
}
