/* What the JSON reports share: one object per run, its frame, and the shapes that appear in several commands. Every
 * function gives a new reference. */
#ifndef PRISTINE_REPORT_JSON_H
#define PRISTINE_REPORT_JSON_H

#include "base/json.h"
#include "report/report.h"

/* {"schema": "pristine.COMMAND/1", "version", "host", "started", "seconds"} */
json_t *json_frame(const struct report_style *style);
json_t *json_from_strings(const struct strings *strings);
json_t *json_from_digest(const struct digest *digest); /* "sha256:…" */
json_t *json_from_hex(const struct digest *digest);    /* the digits alone */
json_t *json_from_findings(const struct findings *findings);
json_t *json_from_unknowns(const struct unknowns *unknowns);

/* "targets", "findings" and "unknown" of a check. */
void json_add_check(json_t *object, const struct check *check);

/* Writes the object, indented, with a newline, and drops the reference. */
void json_write(json_t *object, struct text *out);

void json_report_check(const struct check *check, const struct report_style *style, struct text *out);
void json_report_plan(const struct plan_report *report, const struct report_style *style, struct text *out);
void json_report_acceptances(const struct acceptance *items, size_t count, const struct report_style *style,
                             struct text *out);
void json_report_pages(const struct rule_page *pages, size_t count, bool titles_only, const struct report_style *style,
                       struct text *out);

#endif
