#include <string.h>

#include "report/json.h"

static json_t *digest_or_null(bool known, const struct digest *digest)
{
        return known ? json_from_digest(digest) : json_null();
}

static json_t *from_events(const struct step *step)
{
        json_t *array = json_array();
        for (size_t i = 0; i < step->n_events; i++) {
                const struct step_event *event = &step->events[i];
                json_t *object = json_object();
                json_object_set_new(object, "state", json_string(step_state_name(event->state)));
                json_object_set_new(object, "at", json_from_time(event->when_ns));
                json_object_set_new(object, "user", json_integer(event->user));
                json_object_set_new(object, "message", json_from_path(event->message));
                json_array_append_new(array, object);
        }
        return array;
}

/* A file put where none stands is a replacement of nothing: its "before" is null. */
static const char *public_name(enum step_op op)
{
        return step_op_name(op == STEP_CREATE_FILE ? STEP_REPLACE_FILE : op);
}

static json_t *from_step(const struct step *step)
{
        json_t *object = json_object();
        json_object_set_new(object, "n", json_integer(step->number));
        json_object_set_new(object, "op", json_string(public_name(step->op)));
        json_object_set_new(object, "path", json_from_path(step->path));
        json_object_set_new(object, "target",
                            step->target != NULL && step->target[0] != '\0' ? json_from_path(step->target)
                                                                            : json_null());
        json_object_set_new(object, "before", digest_or_null(step->before.has_digest, &step->before.digest));
        json_object_set_new(object, "after", digest_or_null(step->has_after, &step->after));
        json_object_set_new(object, "reversible", json_boolean(step->reversible));
        json_object_set_new(object, "purged", json_boolean(step->purged));
        json_object_set_new(object, "finding", json_from_path(step->finding));
        json_object_set_new(object, "state", json_string(step_state_name(step->state)));
        json_object_set_new(object, "at", json_from_time(step->when_ns));
        json_object_set_new(object, "user", json_integer(step->user));
        json_object_set_new(object, "message", json_from_path(step->message != NULL ? step->message : ""));
        json_object_set_new(object, "history", from_events(step));
        return object;
}

static json_t *from_steps(const struct plan_option *option)
{
        json_t *array = json_array();
        for (size_t i = 0; option != NULL && i < option->n_steps; i++)
                json_array_append_new(array, from_step(&option->steps[i]));
        return array;
}

static json_t *from_option(const struct plan_option *option)
{
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(option->name));
        json_object_set_new(object, "possible", json_boolean(option->possible));
        json_object_set_new(object, "why_not", json_from_path(option->why_not));
        json_object_set_new(object, "files", json_integer(option->files));
        json_object_set_new(object, "distributions_changed", json_array());
        json_object_set_new(object, "download_bytes", json_integer(0));
        json_object_set_new(object, "downtime_s", json_pack("{s:i, s:i}", "low", 0, "high", 0));
        json_object_set_new(object, "proof", json_string(proof_name(option->proof)));
        json_object_set_new(object, "risks", json_from_strings(&option->risks));
        json_object_set_new(object, "steps", from_steps(option));
        return object;
}

static const struct plan_option *option_in_use(const struct plan *plan)
{
        const char *name = plan->chosen != NULL && plan->chosen[0] != '\0' ? plan->chosen : plan->recommended;
        for (size_t i = 0; i < plan->n_options; i++)
                if (strcmp(plan->options[i].name, name) == 0)
                        return &plan->options[i];
        return NULL;
}

static void add_plan(json_t *object, const struct plan *plan)
{
        json_t *options = json_array();
        for (size_t i = 0; i < plan->n_options; i++)
                json_array_append_new(options, from_option(&plan->options[i]));
        json_object_set_new(object, "plan", json_from_path(plan->id));
        json_object_set_new(object, "state", json_from_path(plan->state));
        json_object_set_new(object, "created", json_from_time(plan->created_ns));
        json_object_set_new(object, "recommended", json_from_path(plan->recommended));
        json_object_set_new(object, "chosen", json_from_path(plan->chosen));
        json_object_set_new(object, "paths", json_from_strings(&plan->targets));
        json_object_set_new(object, "options", options);
        json_object_set_new(object, "searched", json_from_strings(&plan->searched));
        json_object_set_new(object, "left", json_from_strings(&plan->left));
        json_object_set_new(object, "steps", from_steps(option_in_use(plan)));
}

static json_t *from_plans(const struct plan_report *report)
{
        json_t *array = json_array();
        for (size_t i = 0; i < report->n_plans; i++) {
                json_t *entry = json_object();
                add_plan(entry, &report->plans[i]);
                json_array_append_new(array, entry);
        }
        return array;
}

void json_report_plan(const struct plan_report *report, const struct report_style *style, struct text *out)
{
        json_t *object = json_frame(style);
        json_object_set_new(object, "plan", json_null());
        json_object_set_new(object, "steps", json_array());
        if (report->n_plans == 1)
                add_plan(object, &report->plans[0]); /* in place of the two above */
        if (!report->with_steps)
                json_object_set_new(object, "plans", from_plans(report));
        json_object_set_new(object, "verdict",
                            report->has_verdict ? json_string(verdict_name(report->verdict)) : json_null());
        if (report->check != NULL)
                json_add_check(object, report->check);
        json_object_set_new(object, "note", json_from_path(report->note));
        json_write(object, out);
}
