#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "report/terminal.h"

enum { INDENT = TERMINAL_INDENT, HANG = TERMINAL_HANG };

static void add_state(struct text *text, uint64_t count, const char *word)
{
        if (count == 0)
                return;
        text_add(text, bytes_end_with((struct bytes){(const unsigned char *)text->data, text->size}, ":") ? " " : ", ");
        text_add_count(text, count);
        text_addf(text, " %s", word);
}

/* "38,534 files: 28,615 as recorded, 9,918 normal without a hash, 1 modified" */
static void add_files(struct text *text, const struct file_counts *counts)
{
        static const char *const words[FILE_STATES] = {
                [FILE_OK] = "as recorded",
                [FILE_MODIFIED] = "modified",
                [FILE_MISSING] = "missing",
                [FILE_CLOBBERED] = "clobbered",
                [FILE_UNOWNED] = "unowned",
                [FILE_UNVERIFIABLE] = "unverifiable",
                [FILE_MALFORMED] = "with a malformed row",
                [FILE_UPSTREAM_WRONG] = "wrong from birth",
                [FILE_STALE_BYTECODE] = "stale bytecode",
                [FILE_UNREADABLE] = "unreadable",
                [FILE_OUTSIDE] = "outside",
        };
        uint64_t all = counts->silent;
        for (int state = 0; state < FILE_STATES; state++)
                all += counts->by_state[state];
        text_add_counted(text, all, "file:", "files:");
        add_state(text, counts->by_state[FILE_OK], words[FILE_OK]);
        add_state(text, counts->silent, "normal without a hash");
        for (int state = FILE_OK + 1; state < FILE_STATES; state++)
                add_state(text, counts->by_state[state], words[state]);
}

static void paint_environment(const struct painter *painter, const struct environment *environment)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT, files = TEXT_INIT;
        struct strings installers = {environment->installers, environment->n_installers};
        if (environment->python[0] != '\0')
                text_addf(&text, "Python %s, ", environment->python);
        text_add_counted(&text, environment->n_distributions, "distribution", "distributions");
        text_add(&text, installers.count > 0 ? " by " : "");
        text_add_joined(&text, &installers);
        paint_text(painter, INK_BOLD, environment->path);
        paint_newline(painter);
        paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", text.data);
        add_files(&files, &environment->counts);
        paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", files.data);
}

static bool finding_is_shown(const struct painter *painter, const struct finding *finding)
{
        return painter->style->verbosity > 0 || (finding->severity > SEVERITY_NOTE && !finding->accepted);
}

static bool is_plan_of(const char *next, const struct environment *environment)
{
        static const char command[] = "pristine plan ";
        return strncmp(next, command, sizeof command - 1) == 0 &&
               strcmp(next + sizeof command - 1, environment->path) == 0;
}

/* `pristine plan ENVIRONMENT` is said once, at the end; what a single finding needs besides, with the finding. */
static void paint_findings(const struct painter *painter, const struct check *check)
{
        const char *prefix = check->n_environments == 1 ? check->environments[0].path : "";
        AUTO_FREE const struct finding **families = heap_alloc((check->findings.count + 1) * sizeof *families);
        size_t n_families = 0;
        for (size_t i = 0; i < check->findings.count; i++) {
                const struct finding *finding = &check->findings.items[i];
                if (!finding_is_shown(painter, finding))
                        continue;
                if (terminal_is_family(finding)) {
                        families[n_families++] = finding;
                        continue;
                }
                terminal_paint_finding(painter, finding, prefix);
                if (finding->environment == NULL || !is_plan_of(finding->next, finding->environment))
                        paint_block(painter, INDENT, HANG, INK_BOLD, "next", "%s", finding->next);
        }
        terminal_paint_families(painter, families, n_families);
}

static void paint_unknowns(const struct painter *painter, const struct unknowns *unknowns)
{
        for (size_t i = 0; i < unknowns->count; i++) {
                const struct unknown *unknown = &unknowns->items[i];
                if (i == 0)
                        paint_newline(painter);
                paint_block(painter, 0, HANG, unknown->in_scope ? INK_YELLOW : INK_DIM, "unknown", "%s: %s",
                            unknown->what, unknown->why);
        }
}

struct tally {
        size_t errors, warnings, notes, accepted, unknowns, families, plans;
};

static struct tally tally_of(const struct check *check)
{
        struct tally tally = {0};
        for (size_t i = 0; i < check->findings.count; i++) {
                const struct finding *finding = &check->findings.items[i];
                tally.accepted += finding->accepted;
                if (finding->accepted)
                        continue;
                tally.errors += finding->severity == SEVERITY_ERROR;
                tally.warnings += finding->severity == SEVERITY_WARNING;
                tally.notes += finding->severity == SEVERITY_NOTE;
                tally.families += terminal_is_family(finding);
                tally.plans += finding->environment != NULL && is_plan_of(finding->next, finding->environment);
        }
        for (size_t i = 0; i < check->unknowns.count; i++)
                tally.unknowns += check->unknowns.items[i].in_scope;
        return tally;
}

static void add_tally(struct text *text, size_t count, const char *one, const char *several)
{
        if (count == 0)
                return;
        text_add(text, text->size > 0 ? ", " : "");
        text_add_counted(text, count, one, several);
}

static void paint_verdict(const struct painter *painter, const struct check *check, const struct tally *tally)
{
        static const enum ink inks[] = {INK_GREEN, INK_RED, INK_YELLOW};
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        if (check->verdict == VERDICT_CLEAN)
                text_add(&text, "everything is as installed");
        add_tally(&text, tally->errors, "error", "errors");
        add_tally(&text, tally->warnings, "warning", "warnings");
        add_tally(&text, tally->unknowns, "thing in scope could not be looked at",
                  "things in scope could not be looked at");
        add_tally(&text, tally->accepted, "accepted", "accepted");
        add_tally(&text, tally->notes, "note", "notes");
        bool hidden = painter->style->verbosity == 0 && tally->notes + tally->accepted > 0;
        CLEANUP(text_clear) struct text label = TEXT_INIT;
        text_addf(&label, "%s:", verdict_name(check->verdict));
        paint_block(painter, 0, 0, inks[check->verdict], label.data, "%s%s", text.data,
                    hidden ? " (-v shows them)" : "");
}

static void paint_next(const struct painter *painter, const struct check *check, const struct tally *tally)
{
        const char *target = check->n_environments == 1 ? check->environments[0].path : "TARGET";
        if (tally->plans > 0 && check->interrupted_plan == NULL)
                paint_block(painter, 0, 6, INK_BOLD, "Next:", "pristine plan %s", target);
        if (tally->families > 0)
                paint_block(painter, 0, 6, INK_BOLD, "Next:",
                            "look at the dump files; debris is taken along by pristine plan %s --artifacts 'GLOB'",
                            target);
}

void terminal_report_check(const struct check *check, const struct report_style *style, struct text *out)
{
        struct painter painter = {style, out};
        struct tally tally = tally_of(check);
        if (style->verbosity < 0) {
                paint_verdict(&painter, check, &tally);
                return;
        }
        for (size_t i = 0; i < check->n_environments; i++)
                paint_environment(&painter, &check->environments[i]);
        paint_findings(&painter, check);
        paint_unknowns(&painter, &check->unknowns);
        paint_newline(&painter);
        paint_verdict(&painter, check, &tally);
        paint_next(&painter, check, &tally);
}
