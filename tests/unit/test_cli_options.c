#include "unit.h"

#include <string.h>

#include "base/cleanup.h"
#include "cli/exit_status.h"
#include "cli/options.h"
#include "cli/suggest.h"

static const char *const names[] = {"artifacts", "oracle-seconds", "yes", NULL};

struct run {
        struct arena arena;
        struct options options;
        struct error error;
        int index, result;
};

static void run_clear(struct run *run)
{
        arena_clear(&run->arena);
}

/* Parses as main() does: global options, the command, the rest. */
static void parse(struct run *run, const char *const *words)
{
        *run = (struct run){.arena = ARENA_INIT};
        int argc = 0;
        char *argv[16] = {0};
        while (words[argc] != NULL) {
                argv[argc] = (char *)words[argc];
                argc++;
        }
        options_defaults(&run->arena, &run->options);
        run->result = options_parse(argc, argv, &run->index, NULL, &run->arena, &run->options, &run->error);
        if (run->result == 0 && run->index < argc) {
                run->index++;
                run->result = options_parse(argc, argv, &run->index, names, &run->arena, &run->options, &run->error);
        }
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void options_stand_on_either_side_of_the_command(void **state)
{
        (void)state;
        CLEANUP(run_clear) struct run run;
        parse(&run, WORDS("--format=json", "-o", "out", "check", "a", "--jobs", "3", "--artifacts", "x*", "b", "-qv",
                          "--artifacts=", "y", "--", "-c"));
        assert_int_equal(run.result, ERR_USAGE); /* an empty glob */
        run_clear(&run);
        parse(&run, WORDS("--format=json", "-oout", "check", "a", "--jobs", "3", "--artifacts", "-x*", "b", "-qv",
                          "--artifacts=y", "--", "-c"));
        assert_int_equal(run.result, 0);
        assert_string_equal(run.options.format, "json");
        assert_string_equal(run.options.output, "out");
        assert_true(run.options.jobs == 3 && run.options.quiet && run.options.verbose);
        assert_int_equal(run.options.artifacts.count, 2);
        assert_string_equal(run.options.artifacts.items[0], "-x*");
        assert_int_equal(run.options.arguments.count, 3);
        assert_string_equal(run.options.arguments.items[2], "-c");
}

static void slips_are_told_apart(void **state)
{
        (void)state;
        static const struct {
                const char *words[4], *says;
        } cases[] = {
                {{"check", "--fromat=json", NULL}, "did you mean --format?"},
                {{"check", "--zzz", NULL}, "no option --zzz; --help"},
                {{"check", "--form=json", NULL}, "no option --form"}, /* never abbreviated */
                {{"check", "--reason=x", NULL}, "does not take --reason"},
                {{"--yes", "check", NULL}, "belongs behind the command"},
                {{"check", "--yes=1", NULL}, "takes no value"},
                {{"check", "--format", NULL}, "--format=FORMAT"},
                {{"check", "--format=xml", NULL}, "terminal, json, sarif or html"},
                {{"check", "--jobs=0", NULL}, "whole number from 1 to 1024"},
                {{"check", "--jobs=1.5", NULL}, "whole number"},
                {{"check", "--jobs=nan", NULL}, "whole number"},
                {{"check", "--deadline=-1", NULL}, "--deadline=-1"},
                {{"check", "--state-dir=", NULL}, "empty"},
                {{"check", "-x", NULL}, "no option -x"},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                CLEANUP(run_clear) struct run run;
                parse(&run, cases[i].words);
                assert_int_equal(run.result, ERR_USAGE);
                if (strstr(run.error.text, cases[i].says) == NULL)
                        fail_msg("\"%s\" does not say \"%s\"", run.error.text, cases[i].says);
        }
}

static void only_near_words_are_suggested(void **state)
{
        (void)state;
        struct suggestion suggestion = suggestion_for("chekc", 5);
        suggestion_weigh(&suggestion, "explain");
        assert_null(suggestion.best);
        suggestion_weigh(&suggestion, "check");
        assert_string_equal(suggestion.best, "check");
        suggestion = suggestion_for("xy", 2);
        suggestion_weigh(&suggestion, "log");
        assert_null(suggestion.best);
}

static void statuses_are_the_contract_s(void **state)
{
        (void)state;
        assert_int_equal(exit_status_of_error(ERR_USAGE), 2);
        assert_int_equal(exit_status_of_error(ERR_SYSTEM), 2);
        assert_int_equal(exit_status_of_error(ERR_CHANGED), 4);
        assert_int_equal(exit_status_of_error(ERR_REFUSED), 4);
        assert_int_equal(exit_status_of_error(ERR_PARTWAY), 5);
        assert_int_equal(exit_status_of_verdict(VERDICT_CLEAN), 0);
        assert_int_equal(exit_status_of_verdict(VERDICT_DIRTY), 1);
        assert_int_equal(exit_status_of_verdict(VERDICT_UNKNOWN), 3);
}

int suite_cli_options(void);
int suite_cli_options(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(options_stand_on_either_side_of_the_command),
                cmocka_unit_test(slips_are_told_apart),
                cmocka_unit_test(only_near_words_are_suggested),
                cmocka_unit_test(statuses_are_the_contract_s),
        };
        return cmocka_run_group_tests_name("cli_options", tests, NULL, NULL);
}
