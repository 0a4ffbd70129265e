#include "report/json.h"

static json_t *from_rank(const struct rank *rank)
{
        json_t *object = json_object();
        if (rank->kind != NULL && rank->kind[0] != '\0')
                json_object_set_new(object, rank->kind, json_integer(rank->number));
        return object;
}

static json_t *from_artifact(const struct artifact *artifact)
{
        json_t *object = json_object(), *holders = json_array();
        for (size_t i = 0; i < artifact->n_open_by; i++)
                json_array_append_new(holders, json_integer(artifact->open_by[i]));
        json_object_set_new(object, "path", json_from_path(artifact->path));
        json_object_set_new(object, "bytes", json_integer((json_int_t)artifact->found.size));
        json_object_set_new(object, "modified", json_from_time(artifact->found.mtime_ns));
        json_object_set_new(object, "sha256",
                            artifact->found.has_digest ? json_from_digest(&artifact->found.digest) : json_null());
        json_object_set_new(object, "owner", json_integer(artifact->found.uid));
        json_object_set_new(object, "format", json_from_path(artifact->format));
        json_object_set_new(object, "open_by", holders);
        json_object_set_new(object, "rank", from_rank(&artifact->rank));
        json_object_set_new(object, "tensors", json_array());
        json_object_set_new(object, "matches_trigger", json_null());
        json_object_set_new(object, "younger_than_edit", json_string(tristate_name(artifact->younger)));
        json_object_set_new(object, "not_ours", json_from_path(artifact->not_ours));
        return object;
}

static json_t *from_hunk(const struct hunk *hunk)
{
        json_t *object = json_object();
        json_object_set_new(object, "id", json_from_path(hunk->id));
        json_object_set_new(object, "change", json_string(hunk_change_name(hunk->change)));
        json_object_set_new(object, "first_line", json_integer(hunk->first_line));
        json_object_set_new(object, "last_line", json_integer(hunk->last_line));
        json_object_set_new(object, "original_line", json_integer(hunk->original_line));
        json_object_set_new(object, "text", json_from_bytes(hunk->text));
        json_object_set_new(object, "function", json_from_path(hunk->function != NULL ? hunk->function : ""));
        json_object_set_new(object, "labels", json_from_strings(&hunk->labels));
        json_object_set_new(object, "trigger", json_from_path(hunk->trigger != NULL ? hunk->trigger : ""));
        json_object_set_new(object, "one_shot", json_boolean(hunk->one_shot));
        json_object_set_new(object, "cadence", json_string(cadence_name(hunk->cadence)));
        json_object_set_new(object, "writes", json_from_strings(&hunk->writes));
        json_object_set_new(object, "logs", json_from_strings(&hunk->logs));
        json_object_set_new(object, "accepted", json_boolean(hunk->accepted));
        return object;
}

static json_t *from_hunks(const struct hunks *hunks)
{
        json_t *array = json_array();
        for (size_t i = 0; i < hunks->count; i++)
                json_array_append_new(array, from_hunk(&hunks->items[i]));
        return array;
}

static json_t *from_status(const struct status *status)
{
        if (!status->known)
                return json_null();
        return json_pack("{s:s, s:[], s:s, s:b, s:o}", "live", tristate_name(status->live), "ranks", "fired",
                         fired_name(status->fired), "can_fire", status->can_fire, "basis",
                         json_from_strings(&status->basis));
}

static json_t *from_origin(const struct origin *origin)
{
        return json_pack("{s:s, s:b, s:s, s:o}", "source", origin_source_name(origin->source), "proven", origin->proven,
                         "anchor", anchor_name(origin->anchor), "note", json_from_path(origin->note));
}

static json_t *from_distribution(const struct distribution *distribution)
{
        if (distribution == NULL)
                return json_null();
        return json_pack("{s:o, s:o}", "name", json_from_path(distribution->name), "version",
                         json_from_path(distribution->version));
}

static json_t *from_finding(const struct finding *finding)
{
        json_t *object = json_object(), *artifacts = json_array();
        for (size_t i = 0; i < finding->artifacts.count; i++)
                json_array_append_new(artifacts, from_artifact(&finding->artifacts.items[i]));
        json_object_set_new(object, "id", json_from_path(finding->id));
        json_object_set_new(object, "rule", json_string(finding->rule));
        json_object_set_new(object, "severity", json_string(severity_name(finding->severity)));
        json_object_set_new(object, "summary", json_from_path(finding->summary));
        json_object_set_new(object, "path", json_from_path(finding->path));
        json_object_set_new(object, "why", json_from_path(finding->why));
        json_object_set_new(object, "distribution", from_distribution(finding->distribution));
        json_object_set_new(object, "origin", from_origin(&finding->origin));
        json_object_set_new(object, "hunks", from_hunks(&finding->hunks));
        json_object_set_new(object, "suspects", from_hunks(&finding->suspects));
        json_object_set_new(object, "artifacts", artifacts);
        json_object_set_new(object, "pattern",
                            finding->pattern[0] != '\0' ? json_from_path(finding->pattern) : json_null());
        json_object_set_new(object, "status", from_status(&finding->status));
        json_object_set_new(object, "loaded_by", json_array());
        json_object_set_new(object, "accepted", json_boolean(finding->accepted));
        json_object_set_new(object, "accepted_reason", json_from_path(finding->accepted_reason));
        json_object_set_new(object, "next", json_from_path(finding->next));
        return object;
}

json_t *json_from_findings(const struct findings *findings)
{
        json_t *array = json_array();
        for (size_t i = 0; i < findings->count; i++)
                json_array_append_new(array, from_finding(&findings->items[i]));
        return array;
}

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

json_t *json_from_environments(const struct check *check)
{
        json_t *array = json_array();
        for (size_t i = 0; i < check->n_environments; i++) {
                const struct environment *environment = &check->environments[i];
                struct strings installers = {environment->installers, environment->n_installers};
                json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o, s:I, s:o}", "kind", "environment", "path",
                                                       json_from_path(environment->path), "python",
                                                       json_from_path(environment->python), "installers",
                                                       json_from_strings(&installers), "distributions",
                                                       (json_int_t)environment->n_distributions, "files",
                                                       from_counts(&environment->counts)));
        }
        return array;
}

static json_t *from_event(int64_t when_ns, const char *event, const char *subject)
{
        return json_pack("{s:o, s:s, s:o, s:s}", "at", json_from_time(when_ns), "event", event, "subject",
                         json_from_path(subject), "source", "mtime");
}

/* Edits and dumps in the order the findings have them; a reader sorts by `at`. */
static json_t *timeline(const struct findings *findings)
{
        json_t *array = json_array();
        for (size_t i = 0; i < findings->count; i++) {
                const struct finding *finding = &findings->items[i];
                if (finding->exists && (finding->hunks.count > 0 || finding->suspects.count > 0))
                        json_array_append_new(array, from_event(finding->found.mtime_ns, "edit", finding->path));
                for (size_t j = 0; j < finding->artifacts.count; j++)
                        json_array_append_new(array, from_event(finding->artifacts.items[j].found.mtime_ns, "artifact",
                                                                finding->artifacts.items[j].path));
        }
        return array;
}

void json_report_check(const struct check *check, const struct report_style *style, struct text *out)
{
        json_t *object = json_frame(style);
        json_object_set_new(object, "verdict", json_string(verdict_name(check->verdict)));
        json_object_set_new(object, "targets", json_from_environments(check));
        json_object_set_new(object, "findings", json_from_findings(&check->findings));
        json_object_set_new(object, "timeline", timeline(&check->findings));
        json_object_set_new(object, "unknown", json_from_unknowns(&check->unknowns));
        json_object_set_new(object, "interrupted_plan", json_from_path(check->interrupted_plan));
        json_write(object, out);
}
