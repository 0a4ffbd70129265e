#include "unit.h"

#include <jansson.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/report.h"
#include "story.h"

static void drop(json_t **object)
{
        json_decref(*object);
}

static json_t *parsed(const struct text *out)
{
        json_error_t error;
        json_t *object = json_loadb(out->data, out->size, 0, &error);
        if (object == NULL)
                fail_msg("%s at %d: %s", error.text, error.position, out->data);
        return object;
}

static json_t *report_check(const struct check *check, struct text *out)
{
        struct report_style style = {.command = "check", .started_ns = 1700000000000000000, .seconds = 1.5};
        reporter_find("json")->check(check, &style, out);
        return parsed(out);
}

static void a_check_has_the_contract_s_shape(void **state)
{
        (void)state;
        struct story story;
        story_tell(&story);
        CLEANUP(text_clear) struct text out = TEXT_INIT, again = TEXT_INIT;
        CLEANUP(drop) json_t *report = report_check(&story.check, &out), *twice = report_check(&story.check, &again);
        assert_string_equal(out.data, again.data);
        json_t *targets, *findings, *timeline, *unknown, *finding, *hunk, *artifact;
        const char *schema, *started, *verdict, *live;
        double seconds;
        int count, proven, can_fire;
        assert_int_equal(json_unpack(report, "{s:s, s:s, s:F, s:s, s:o, s:o, s:o, s:o}", "schema", &schema, "started",
                                     &started, "seconds", &seconds, "verdict", &verdict, "targets", &targets,
                                     "findings", &findings, "timeline", &timeline, "unknown", &unknown),
                         0);
        assert_string_equal(schema, "pristine.check/1");
        assert_string_equal(started, "2023-11-14T22:13:20.000000Z");
        assert_string_equal(verdict, "dirty");
        assert_int_equal(json_unpack(json_array_get(targets, 0), "{s:{s:i}}", "files", "ok", &count), 0);
        assert_int_equal(count, 28615);
        finding = json_array_get(findings, 0);
        assert_int_equal(json_unpack(finding, "{s:{s:b}, s:[o], s:[o], s:{s:s, s:b}}", "origin", "proven", &proven,
                                     "hunks", &hunk, "artifacts", &artifact, "status", "live", &live, "can_fire",
                                     &can_fire),
                         0);
        assert_true(proven && can_fire);
        assert_string_equal(live, "unknown");
        int first_line, rank;
        assert_int_equal(json_unpack(hunk, "{s:i}", "first_line", &first_line), 0);
        assert_int_equal(first_line, 2);
        assert_int_equal(json_unpack(artifact, "{s:{s:i}}", "rank", "tp", &rank), 0);
        assert_int_equal(rank, 0);
        assert_int_equal(json_array_size(findings), 3);
        assert_int_equal(json_array_size(unknown), 1);
}

static void the_timeline_runs_forward(void **state)
{
        (void)state;
        struct story story;
        story_tell(&story);
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        CLEANUP(drop) json_t *report = report_check(&story.check, &out);
        json_t *timeline = json_object_get(report, "timeline");
        assert_int_equal(json_array_size(timeline), 1 + STORY_RANKS + 2);
        const char *before = "";
        for (size_t i = 0; i < json_array_size(timeline); i++) {
                const char *at = json_string_value(json_object_get(json_array_get(timeline, i), "at"));
                assert_true(strcmp(before, at) <= 0);
                before = at;
        }
        assert_string_equal(json_string_value(json_object_get(json_array_get(timeline, 2), "event")), "edit");
}

static void names_that_are_no_utf8_stay_apart(void **state)
{
        (void)state;
        struct story story;
        story_tell(&story);
        story.findings[0].path = "/srv/a\xff.py";
        story.findings[2].path = "/srv/a\\xff.py";
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        CLEANUP(drop) json_t *report = report_check(&story.check, &out);
        json_t *findings = json_object_get(report, "findings");
        assert_string_equal(json_string_value(json_object_get(json_array_get(findings, 0), "path")), "/srv/a\\xff.py");
        assert_string_equal(json_string_value(json_object_get(json_array_get(findings, 2), "path")), "/srv/a\\xff.py");
        assert_string_equal(json_string_value(json_object_get(json_array_get(findings, 1), "pattern")),
                            "/tmp/mla_\033debug_tp*.pt");
}

static void a_plan_has_the_contract_s_shape(void **state)
{
        (void)state;
        struct step steps[] = {
                {.number = 1,
                 .op = STEP_REPLACE_FILE,
                 .path = "/srv/x.py",
                 .before = {.has_digest = true},
                 .has_after = true,
                 .reversible = true,
                 .when_ns = INT64_MIN,
                 .message = ""},
                {.number = 2,
                 .op = STEP_QUARANTINE,
                 .path = "/tmp/x.pt",
                 .before = {.has_digest = true},
                 .reversible = true,
                 .state = STATE_DONE,
                 .when_ns = 0,
                 .message = ""},
        };
        struct plan_option options[] = {
                {.name = "surgical",
                 .possible = true,
                 .why_not = "",
                 .files = 1,
                 .proof = PROOF_RECORD,
                 .steps = steps,
                 .n_steps = 2},
                {.name = "restore", .why_not = "no wheel is at hand"},
        };
        struct plan plan = {.id = "P0001",
                            .recommended = "surgical",
                            .state = "planned",
                            .chosen = "",
                            .options = options,
                            .n_options = 2};
        struct plan_report plans = {
                .plans = &plan, .n_plans = 1, .verdict = VERDICT_DIRTY, .has_verdict = true, .note = ""};
        struct report_style style = {.command = "plan"};
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        reporter_find("json")->plan(&plans, &style, &out);
        CLEANUP(drop) json_t *report = parsed(&out);
        const char *id, *recommended, *verdict, *proof, *before, *state_name;
        json_t *after;
        assert_int_equal(json_unpack(report, "{s:s, s:s, s:s, s:[{s:s}, {}], s:[{s:s}, {s:n, s:s}]}", "plan", &id,
                                     "recommended", &recommended, "verdict", &verdict, "options", "proof", &proof,
                                     "steps", "before", &before, "after", "state", &state_name),
                         0);
        assert_string_equal(id, "P0001");
        assert_string_equal(proof, "sha256 equals RECORD");
        assert_int_equal(strlen(before), strlen("sha256:") + 64);
        assert_string_equal(state_name, "done");
        after = json_object_get(json_array_get(json_object_get(report, "steps"), 1), "after");
        assert_true(json_is_null(after));
}

int suite_report_json(void);
int suite_report_json(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_check_has_the_contract_s_shape),
                cmocka_unit_test(the_timeline_runs_forward),
                cmocka_unit_test(names_that_are_no_utf8_stay_apart),
                cmocka_unit_test(a_plan_has_the_contract_s_shape),
        };
        return cmocka_run_group_tests_name("report_json", tests, NULL, NULL);
}
