#include "unit.h"

#include <string.h>

#include "base/cleanup.h"
#include "report/report.h"
#include "report/terminal.h"
#include "story.h"

static struct report_style plain(const char *command)
{
        return (struct report_style){.columns = 80, .unicode = true, .command = command};
}

static void check_says(const struct text *out, const char *sentence)
{
        if (strstr(out->data, sentence) == NULL)
                fail_msg("\"%s\" is not in:\n%s", sentence, out->data);
}

static void check_silent(const struct text *out, const char *sentence)
{
        if (strstr(out->data, sentence) != NULL)
                fail_msg("\"%s\" is in:\n%s", sentence, out->data);
}

static void a_check_fits_the_width_and_says_it_all(void **state)
{
        (void)state;
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        struct report_style style = plain("check");
        struct story story;
        story_tell(&story);
        reporter_find("terminal")->check(&story.check, &style, &out);
        check_says(&out, "38,534 files: 28,615 as recorded, 9,918 normal without a hash, 1 modified\n");
        check_says(&out, "\nerror  file-modified  vllm 0.11.0  0123456789abcdef\n");
        check_says(&out, "\n  8\xe2\x80\x93"
                         "10       insert in DeepseekV2Attention.forward\n");
        check_says(&out, "host-sync, tensor-dump; once, when q.shape[0] == 5\n");
        check_says(&out, "writes /tmp/nomla_debug_tp*.pt: 12 files, 17.6 KiB, tp0\xe2\x80\x93"
                         "11\n");
        check_says(&out, "nothing that runs\n");
        check_says(&out, "left       /tmp/nomla_debug_tp3.pt: held open\n");
        check_says(&out, "proof      original proven by RECORD's SHA-256 (anchor: record)\n");
        check_says(&out, "unknown      /srv/ml-env/x.so: permission denied\n");
        check_says(&out, "\ndirty: 1 error, 1 warning, 1 thing in scope could not be looked at, 1 note (-v");
        check_says(&out, "\nNext: pristine plan /srv/ml-env\n");
        check_silent(&out, "vendor-debug-code");
        for (const char *line = out.data; *line != '\0';) {
                size_t size = strcspn(line, "\n"), columns = 0;
                for (size_t i = 0; i < size; i++)
                        columns += ((unsigned char)line[i] & 0xC0) != 0x80;
                if (columns > 80)
                        fail_msg("%zu columns: %.*s", columns, (int)size, line);
                line += size + (line[size] == '\n');
        }
}

static void nothing_foreign_reaches_the_terminal_raw(void **state)
{
        (void)state;
        struct story story;
        story_tell(&story);
        struct report_style style = plain("check");
        style.verbosity = 1;
        const struct reporter *reporter = reporter_find("terminal");
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        reporter->check(&story.check, &style, &out);
        reporter->diff(&story.check, &style, &out);
        check_silent(&out, "\033");
        check_says(&out, "/tmp/mla_\\x1bdebug_tp*.pt");
        check_says(&out, "log('\\x1b[2J')");
        check_says(&out, "vendor-debug-code");
}

static void without_utf8_only_ascii_is_printed(void **state)
{
        (void)state;
        struct story story;
        story_tell(&story);
        story.findings[0].summary = "b\xc3\xb6se \xe2\x80\xae";
        struct report_style style = plain("check");
        style.unicode = false;
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        reporter_find("terminal")->check(&story.check, &style, &out);
        for (size_t i = 0; i < out.size; i++)
                assert_true((unsigned char)out.data[i] < 0x80);
        check_says(&out, "b\\xc3\\xb6se \\u{202e}");
        check_says(&out, "8-10");
}

static void quiet_is_one_line(void **state)
{
        (void)state;
        struct story story;
        story_tell(&story);
        struct report_style style = plain("check");
        style.verbosity = -1;
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        reporter_find("terminal")->check(&story.check, &style, &out);
        assert_ptr_equal(strchr(out.data, '\n'), out.data + out.size - 1);
        assert_int_equal(strncmp(out.data, "dirty:", 6), 0);
}

static void a_diff_is_one_that_patch_reads(void **state)
{
        (void)state;
        struct story story;
        story_tell(&story);
        struct report_style style = plain("diff");
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        reporter_find("terminal")->diff(&story.check, &style, &out);
        check_says(&out, "\n@@ -1,6 +1,11 @@ #aaaaaaaaaaaa [debug-import] #bbbbbbbbbbbb [nothing that runs] "
                         "DeepseekV2Attention.forward #cccccccccccc [host-sync, tensor-dump; once, when q.shape[0] == "
                         "5]\n import torch\n+import torch as _t\n \n \n+# what is q here?\n def forward(q):\n     k = "
                         "q\n+    if q.shape[0] == 5:\n");
}

static void words_wrap_under_their_beginning(void **state)
{
        (void)state;
        struct report_style style = plain("check");
        style.columns = 24;
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        struct painter painter = {&style, &out};
        paint_block(&painter, 2, 8, INK_PLAIN, "why", "%s", "one two three four /a/very/long/path/that/is/kept five");
        assert_string_equal(out.data, "  why   one two three\n        four\n        /a/very/long/path/that/is/kept\n"
                                      "        five\n");
        text_clear(&out);
        paint_block(&painter, 2, 2, INK_PLAIN, "", "%s", "x");
        assert_string_equal(out.data, "  x\n");
}

static void sizes_and_counts_read_well(void **state)
{
        (void)state;
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        text_add_size(&out, 1);
        text_add(&out, "|");
        text_add_size(&out, 1023);
        text_add(&out, "|");
        text_add_size(&out, 1048575);
        text_add(&out, "|");
        text_add_count(&out, 1234567);
        text_add(&out, "|");
        text_add_time(&out, -1);
        text_add_time(&out, INT64_MIN);
        assert_string_equal(out.data, "1 byte|1023 bytes|1.0 MiB|1,234,567|1969-12-31 23:59:59Z");
}

int suite_report_terminal(void);
int suite_report_terminal(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_check_fits_the_width_and_says_it_all),
                cmocka_unit_test(nothing_foreign_reaches_the_terminal_raw),
                cmocka_unit_test(without_utf8_only_ascii_is_printed),
                cmocka_unit_test(quiet_is_one_line),
                cmocka_unit_test(a_diff_is_one_that_patch_reads),
                cmocka_unit_test(words_wrap_under_their_beginning),
                cmocka_unit_test(sizes_and_counts_read_well),
        };
        return cmocka_run_group_tests_name("report_terminal", tests, NULL, NULL);
}
