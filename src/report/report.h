/* Reports: results of the model as text. They print, they compute nothing. One file per format, one table. */
#ifndef PRISTINE_REPORT_REPORT_H
#define PRISTINE_REPORT_REPORT_H

#include "base/text.h"
#include "model/acceptance.h"
#include "model/finding.h"
#include "model/plan.h"

struct report_style {
        bool color;
        bool unicode;        /* the locale is UTF-8: more than ASCII may be printed */
        unsigned columns;    /* of the terminal; 80 when unknown */
        int verbosity;       /* -1 quiet, 0, 1 with notes and details */
        const char *command; /* "check", "apply", …: names the JSON schema pristine.COMMAND/1 */
        int64_t started_ns;
        double seconds;
};

/* What plan, apply, verify, undo, log and purge tell. */
struct plan_report {
        const struct plan *plans; /* one, or for `log` without an argument all */
        size_t n_plans;
        const struct check *check; /* of `verify` and of the check inside `plan`; NULL else */
        enum verdict verdict;
        bool has_verdict;
        bool with_steps;  /* tell every step, not only the plan */
        const char *note; /* a sentence to add, e.g. what to run next; "" else */
};

/* The text of a rule as `pristine explain` shows it: "# ID: title", "## Heading", paragraphs, and indented by four
 * blanks what stands as it is. */
struct rule_page {
        const char *name, *text;
};

struct reporter {
        const char *name; /* the word of --format */
        void (*check)(const struct check *check, const struct report_style *style, struct text *out);
        void (*diff)(const struct check *check, const struct report_style *style, struct text *out);
        void (*plan)(const struct plan_report *report, const struct report_style *style, struct text *out);
        void (*acceptances)(const struct acceptance *items, size_t count, const struct report_style *style,
                            struct text *out);
        /* titles_only: one line for each */
        void (*pages)(const struct rule_page *pages, size_t count, bool titles_only, const struct report_style *style,
                      struct text *out);
};

const struct reporter *reporter_find(const char *name); /* NULL when there is none of that name */

#endif
