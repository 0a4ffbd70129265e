#include "report/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"

static json_t *from_counts(const struct file_counts *counts)
{
        static const struct {
                const char *name;
                enum file_state state;
        } names[] = {
                {"ok", FILE_OK},
                {"modified", FILE_MODIFIED},
                {"missing", FILE_MISSING},
                {"clobbered", FILE_CLOBBERED},
                {"unowned", FILE_UNOWNED},
                {"unverifiable", FILE_UNVERIFIABLE},
                {"malformed", FILE_MALFORMED},
                {"upstream_record_wrong", FILE_UPSTREAM_WRONG},
                {"stale_bytecode", FILE_STALE_BYTECODE},
                {"unreadable", FILE_UNREADABLE},
                {"outside", FILE_OUTSIDE},
        };
        json_t *object = json_object();
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                json_object_set_new(object, names[i].name, json_integer((json_int_t)counts->by_state[names[i].state]));
        json_object_set_new(object, "silent", json_integer((json_int_t)counts->silent));
        return object;
}

static json_t *from_environments(const struct check *check)
{
        json_t *array = json_array();
        for (size_t i = 0; i < check->n_environments; i++) {
                const struct environment *environment = &check->environments[i];
                struct strings installers = {environment->installers, environment->n_installers};
                json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:f}", "kind", "environment",
                                                       "path", json_from_path(environment->path), "python",
                                                       json_from_path(environment->python), "installers",
                                                       json_from_strings(&installers), "distributions",
                                                       (json_int_t)environment->n_distributions, "files",
                                                       from_counts(&environment->counts), "code_seconds",
                                                       environment->code_seconds));
        }
        return array;
}

void json_add_check(json_t *object, const struct check *check)
{
        json_object_set_new(object, "targets", from_environments(check));
        json_object_set_new(object, "findings", json_from_findings(&check->findings));
        json_object_set_new(object, "unknown", json_from_unknowns(&check->unknowns));
        json_object_set_new(object, "searched", json_from_strings(&check->searched));
}

struct event {
        int64_t when_ns;
        const char *event, *subject;
};

static int event_compare(const void *left, const void *right)
{
        const struct event *a = left, *b = right;
        if (a->when_ns != b->when_ns)
                return a->when_ns < b->when_ns ? -1 : 1;
        int order = strcmp(a->event, b->event);
        return order != 0 ? -order : strcmp(a->subject, b->subject); /* an edit before what it wrote */
}

static bool finding_is_edit(const struct finding *finding)
{
        return finding->exists && strcmp(finding->rule, "vendor-debug-code") != 0 &&
               (finding->hunks.count > 0 || finding->suspects.count > 0 || strcmp(finding->rule, "file-modified") == 0);
}

/* What the times of files tell, oldest first. */
static json_t *timeline(const struct findings *findings)
{
        size_t most = 0, count = 0;
        for (size_t i = 0; i < findings->count; i++)
                most += 1 + findings->items[i].artifacts.count;
        AUTO_FREE struct event *events = heap_alloc((most + 1) * sizeof *events);
        for (size_t i = 0; i < findings->count; i++) {
                const struct finding *finding = &findings->items[i];
                if (finding_is_edit(finding))
                        events[count++] = (struct event){finding->found.mtime_ns, "edit", finding->path};
                for (size_t j = 0; j < finding->artifacts.count; j++) {
                        const struct artifact *artifact = &finding->artifacts.items[j];
                        events[count++] = (struct event){artifact->found.mtime_ns, "artifact", artifact->path};
                }
        }
        qsort(events, count, sizeof *events, event_compare);
        json_t *array = json_array();
        for (size_t i = 0; i < count; i++)
                json_array_append_new(array, json_pack("{s:o, s:s, s:o, s:s}", "at", json_from_time(events[i].when_ns),
                                                       "event", events[i].event, "subject",
                                                       json_from_path(events[i].subject), "source", "mtime"));
        return array;
}

void json_report_check(const struct check *check, const struct report_style *style, struct text *out)
{
        json_t *object = json_frame(style);
        json_object_set_new(object, "verdict", json_string(verdict_name(check->verdict)));
        json_add_check(object, check);
        json_object_set_new(object, "timeline", timeline(&check->findings));
        json_object_set_new(object, "interrupted_plan", json_from_path(check->interrupted_plan));
        json_write(object, out);
}
