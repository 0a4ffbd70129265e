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
                            artifact->found.has_digest ? json_from_hex(&artifact->found.digest) : json_null());
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
