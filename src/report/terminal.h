/* The reports for a person at a terminal, and the parts they share. */
#ifndef PRISTINE_REPORT_TERMINAL_H
#define PRISTINE_REPORT_TERMINAL_H

#include "report/paint.h"

void terminal_report_check(const struct check *check, const struct report_style *style, struct text *out);
void terminal_report_diff(const struct check *check, const struct report_style *style, struct text *out);
void terminal_report_plan(const struct plan_report *report, const struct report_style *style, struct text *out);
void terminal_report_acceptances(const struct acceptance *items, size_t count, const struct report_style *style,
                                 struct text *out);
void terminal_report_pages(const struct rule_page *pages, size_t count, bool titles_only,
                           const struct report_style *style, struct text *out);

/* terminal_finding.c: one finding in full; `prefix` is left out of its path ("" keeps all of it). */
void terminal_paint_finding(const struct painter *painter, const struct finding *finding, const char *prefix);

/* terminal_family.c: families of dump files that no code explains, under one heading. */
bool terminal_is_family(const struct finding *finding);
void terminal_paint_families(const struct painter *painter, const struct finding *const *families, size_t count);

enum ink terminal_ink_of(enum severity severity);
/* "554–575" */
void text_add_lines(struct text *text, const struct painter *painter, const struct hunk *hunk);
/* What a hunk is and when it fires: "tensor-dump, print; once, when q.shape[0] == 5"; nothing for plain text. */
void text_add_effect(struct text *text, const struct hunk *hunk);

/* The columns all blocks of a finding share. */
enum { TERMINAL_INDENT = 2, TERMINAL_HANG = 13, TERMINAL_ID_DIGITS = 16 };

#endif
