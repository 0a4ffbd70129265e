#include "unit.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "judge/judge.h"

static struct environment venv = {.path = "/srv/ml-env"};

static struct finding a_finding(const char *rule, enum severity severity)
{
        return (struct finding){.rule = rule,
                                .severity = severity,
                                .path = "/srv/ml-env/x.py",
                                .subject = "x.py",
                                .environment = &venv,
                                .why = "",
                                .pattern = "",
                                .origin = {.note = ""}};
}

static void an_unknown_in_scope_is_never_clean(void **state)
{
        (void)state;
        struct unknown unknowns[] = {{"gpu", "no driver", false}, {"x.py", "permission denied", true}};
        struct check check = {.unknowns = {unknowns, 1}};
        judge_check(&check);
        assert_int_equal(check.verdict, VERDICT_CLEAN);
        check.unknowns.count = 2;
        judge_check(&check);
        assert_int_equal(check.verdict, VERDICT_UNKNOWN);
}

static void only_unaccepted_warnings_and_errors_make_dirty(void **state)
{
        (void)state;
        struct finding findings[] = {a_finding("file-modified", SEVERITY_NOTE),
                                     a_finding("file-modified", SEVERITY_ERROR)};
        findings[1].accepted = true;
        struct check check = {.findings = {findings, 2}};
        judge_check(&check);
        assert_int_equal(check.verdict, VERDICT_CLEAN);
        assert_int_equal(check.findings.items[0].severity, SEVERITY_ERROR); /* worst first */
        check.findings.items[0].accepted = false;
        judge_check(&check);
        assert_int_equal(check.verdict, VERDICT_DIRTY);
}

static void a_dump_is_the_basis_of_having_fired(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        const char *globs[] = {"/tmp/x_tp*.pt"}, *labels[] = {"tensor-dump"};
        struct hunk hunk = {.change = HUNK_INSERT,
                            .first_line = 3,
                            .last_line = 4,
                            .text = BYTES_LITERAL("a\nb\n"),
                            .cadence = CADENCE_ONCE,
                            .writes = {globs, 1},
                            .labels = {labels, 1}};
        struct finding finding = a_finding("file-modified", SEVERITY_ERROR);
        finding.hunks = (struct hunks){&hunk, 1};
        finding.origin.proven = true;
        judge_finding(&finding, &arena);
        assert_int_equal(finding.status.fired, FIRED_NO_EVIDENCE);
        assert_true(finding.status.can_fire);
        assert_string_equal(finding.summary, "1 block added (2 lines): tensor-dump");
        assert_string_equal(finding.next, "pristine plan /srv/ml-env");

        struct artifact artifact = {.path = "/tmp/x_tp0.pt", .not_ours = "held open"};
        finding.artifacts = (struct artifacts){&artifact, 1};
        judge_finding(&finding, &arena);
        assert_int_equal(finding.status.fired, FIRED_NO_EVIDENCE); /* a file that may be anybody's proves nothing */
        artifact.not_ours = NULL;
        judge_finding(&finding, &arena);
        assert_int_equal(finding.status.fired, FIRED_UNKNOWN);
        assert_string_equal(finding.status.basis.items[0], "artifact");
}

int suite_judge(void);
int suite_judge(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(an_unknown_in_scope_is_never_clean),
                cmocka_unit_test(only_unaccepted_warnings_and_errors_make_dirty),
                cmocka_unit_test(a_dump_is_the_basis_of_having_fired),
        };
        return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
