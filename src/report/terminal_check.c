#include <string.h>

#include "base/cleanup.h"
#include "report/paint.h"

enum { INDENT = 2, HANG = 12, HUNKS_SHOWN = 12, ARTIFACTS_SHOWN = 6 };

static enum ink ink_of_severity(enum severity severity)
{
        static const enum ink inks[] = {INK_DIM, INK_YELLOW, INK_RED};
        return inks[severity];
}

static void add_joined(struct text *text, const char *lead, const struct strings *strings)
{
        for (size_t i = 0; i < strings->count; i++)
                text_addf(text, "%s%s", i == 0 ? lead : ", ", strings->items[i]);
}

static void text_add_lines(struct text *text, const struct painter *painter, const struct hunk *hunk)
{
        text_addf(text, "%u", hunk->first_line);
        if (hunk->last_line > hunk->first_line)
                text_addf(text, "%s%u", glyph_dash(painter), hunk->last_line);
}

/* Relative patterns were tried beneath several directories: any of them may have matched. */
static bool glob_fits(const char *glob, const char *path)
{
        if (glob[0] == '/')
                return glob_matches(glob, path);
        size_t slashes = 1;
        for (const char *at = glob; *at != '\0'; at++)
                slashes += *at == '/';
        const char *tail = path + strlen(path);
        while (tail > path && slashes > 0)
                slashes -= *--tail == '/';
        return glob_matches(glob, tail + 1);
}

static void paint_written(const struct painter *painter, const struct finding *finding, const char *glob)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        struct artifact matched[256];
        struct artifacts some = {matched, 0};
        uint64_t bytes = 0, files = 0;
        for (size_t i = 0; i < finding->artifacts.count; i++)
                if (glob_fits(glob, finding->artifacts.items[i].path)) {
                        bytes += finding->artifacts.items[i].found.size;
                        files++;
                        if (some.count < sizeof matched / sizeof *matched)
                                matched[some.count++] = finding->artifacts.items[i];
                }
        text_addf(&text, "writes %s: ", glob);
        if (files == 0) {
                text_add(&text, "no such file now");
        } else {
                text_add_count(&text, files);
                text_add(&text, files == 1 ? " file, " : " files, ");
                text_add_size(&text, bytes);
                CLEANUP(text_clear) struct text ranks = TEXT_INIT;
                text_add_ranks(&ranks, painter, &some);
                if (ranks.size > 0)
                        text_addf(&text, ", %s", ranks.data);
        }
        paint_block(painter, HANG, HANG + 2, INK_PLAIN, "", "%s", text.data);
}

static void paint_effect(const struct painter *painter, const struct finding *finding, const struct hunk *hunk)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        if (hunk->trigger != NULL && hunk->trigger[0] != '\0')
                text_addf(&text, "when %s, ", hunk->trigger);
        if (hunk->cadence == CADENCE_ONCE || hunk->one_shot)
                text_add(&text, "once");
        else if (hunk->cadence == CADENCE_EVERY_CALL)
                text_add(&text, "on every call");
        else if (hunk->cadence == CADENCE_ON_TRIGGER)
                text_add(&text, "each time");
        add_joined(&text, text.size > 0 ? ": " : "", &hunk->labels);
        if (text.size > 0)
                paint_block(painter, HANG, HANG + 2, INK_PLAIN, "", "%s", text.data);
        for (size_t i = 0; i < hunk->writes.count; i++)
                paint_written(painter, finding, hunk->writes.items[i]);
        if (hunk->logs.count > 0 && painter->style->verbosity > 0) {
                CLEANUP(text_clear) struct text logs = TEXT_INIT;
                add_joined(&logs, "logs ", &hunk->logs);
                paint_block(painter, HANG, HANG + 2, INK_PLAIN, "", "%s", logs.data);
        }
}

/* The first line of a hunk as a reminder of what it is, when it has no function to name. */
static void paint_hunk(const struct painter *painter, const struct finding *finding, const struct hunk *hunk)
{
        CLEANUP(text_clear) struct text lines = TEXT_INIT, where = TEXT_INIT;
        text_add_lines(&lines, painter, hunk);
        text_add(&where, finding->origin.proven ? hunk_change_name(hunk->change) : "suspect");
        if (hunk->function != NULL && hunk->function[0] != '\0')
                text_addf(&where, " in %s", hunk->function);
        else
                text_add(&where, " at module level");
        if (hunk->accepted)
                text_add(&where, " (accepted)");
        if (painter->style->verbosity > 0)
                text_addf(&where, "  #%s", hunk->id);
        paint_block(painter, INDENT, HANG, INK_CYAN, lines.data, "%s", where.data);
        paint_effect(painter, finding, hunk);
}

static void paint_hunks(const struct painter *painter, const struct finding *finding)
{
        const struct hunks *hunks = finding->hunks.count > 0 ? &finding->hunks : &finding->suspects;
        size_t shown = painter->style->verbosity > 0 || hunks->count <= HUNKS_SHOWN ? hunks->count : HUNKS_SHOWN;
        for (size_t i = 0; i < shown; i++)
                paint_hunk(painter, finding, &hunks->items[i]);
        if (shown < hunks->count)
                paint_block(painter, INDENT, HANG, INK_DIM, "", "and %zu more: pristine diff, or -v",
                            hunks->count - shown);
}

static void paint_not_ours(const struct painter *painter, const struct finding *finding)
{
        for (size_t i = 0; i < finding->artifacts.count; i++) {
                const struct artifact *artifact = &finding->artifacts.items[i];
                if (artifact->not_ours != NULL)
                        paint_block(painter, INDENT, HANG, INK_YELLOW, "left", "%s: %s", artifact->path,
                                    artifact->not_ours);
        }
}

static void paint_family(const struct painter *painter, const struct finding *finding)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT, owner = TEXT_INIT;
        int64_t first = INT64_MAX, last = INT64_MIN;
        for (size_t i = 0; i < finding->artifacts.count; i++) {
                int64_t when = finding->artifacts.items[i].found.mtime_ns;
                first = when < first ? when : first;
                last = when > last ? when : last;
        }
        text_add_ranks(&text, painter, &finding->artifacts);
        text_add(&text, text.size > 0 ? "; written " : "written ");
        text_add_time(&text, first);
        if (last / 1000000000 != first / 1000000000) {
                text_add(&text, " to ");
                text_add_time(&text, last);
        }
        text_addf(&text, "; owner uid %u", finding->artifacts.items[0].found.uid);
        paint_block(painter, INDENT, HANG, INK_PLAIN, "files", "%s", text.data);
        size_t shown = painter->style->verbosity > 0 ? finding->artifacts.count : 0;
        for (size_t i = 0; i < shown; i++)
                paint_block(painter, HANG, HANG + 2, INK_PLAIN, "", "%s", finding->artifacts.items[i].path);
        paint_block(painter, INDENT, HANG, INK_PLAIN, "why", "%s", finding->why);
}

static void paint_origin(const struct painter *painter, const struct finding *finding)
{
        if (finding->origin.proven)
                paint_block(painter, INDENT, HANG, INK_GREEN, "proof",
                            "the original bytes are known: their SHA-256 is RECORD's (anchor: %s)",
                            anchor_name(finding->origin.anchor));
        else if (finding->origin.note[0] != '\0')
                paint_block(painter, INDENT, HANG, INK_YELLOW, "no proof", "%s", finding->origin.note);
}

static void paint_status(const struct painter *painter, const struct finding *finding)
{
        const struct status *status = &finding->status;
        if (!status->known)
                return;
        bool evidence = status->basis.count > 0;
        paint_block(painter, INDENT, HANG, INK_PLAIN, "status", "%s; %s",
                    evidence                             ? "it has fired: its files are here"
                    : status->fired == FIRED_NO_EVIDENCE ? "no file of it is here"
                                                         : "whether it has fired is unknown",
                    status->can_fire ? "it can fire (again) wherever it is loaded" : "it does nothing at run time");
}

static void paint_finding(const struct painter *painter, const struct finding *finding)
{
        paint_newline(painter);
        paint_format(painter, ink_of_severity(finding->severity), "%s", severity_name(finding->severity));
        paint_format(painter, INK_BOLD, "  %s", finding->rule);
        if (finding->distribution != NULL)
                paint_format(painter, INK_PLAIN, "  %s %s", finding->distribution->name,
                             finding->distribution->version);
        paint_format(painter, INK_DIM, "  %s", finding->id);
        paint_newline(painter);
        paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", finding->path);
        paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", finding->summary);
        if (finding->accepted)
                paint_block(painter, INDENT, HANG, INK_GREEN, "accepted", "%s", finding->accepted_reason);
        paint_hunks(painter, finding);
        if (finding->pattern[0] != '\0' && finding->artifacts.count > 0)
                paint_family(painter, finding);
        paint_not_ours(painter, finding);
        paint_origin(painter, finding);
        paint_status(painter, finding);
        paint_block(painter, INDENT, HANG, INK_BOLD, "next", "%s", finding->next);
}

static void add_state(struct text *text, const struct file_counts *counts, enum file_state state, const char *word)
{
        if (counts->by_state[state] == 0)
                return;
        text_add(text, ", ");
        text_add_count(text, counts->by_state[state]);
        text_addf(text, " %s", word);
}

static void paint_environment(const struct painter *painter, const struct environment *environment)
{
        static const char *const words[] = {
                [FILE_MODIFIED] = "modified",
                [FILE_MISSING] = "missing",
                [FILE_CLOBBERED] = "clobbered",
                [FILE_UNOWNED] = "unowned",
                [FILE_UNVERIFIABLE] = "unverifiable",
                [FILE_MALFORMED] = "malformed",
                [FILE_UPSTREAM_WRONG] = "wrong from birth",
                [FILE_STALE_BYTECODE] = "stale bytecode",
                [FILE_UNREADABLE] = "unreadable",
                [FILE_OUTSIDE] = "outside",
        };
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        if (environment->python[0] != '\0')
                text_addf(&text, "Python %s; ", environment->python);
        text_add_count(&text, environment->n_distributions);
        text_add(&text, environment->n_distributions == 1 ? " distribution" : " distributions");
        for (size_t i = 0; i < environment->n_installers; i++)
                text_addf(&text, "%s%s", i == 0 ? " by " : ", ", environment->installers[i]);
        text_add(&text, "; ");
        text_add_count(&text, environment->counts.by_state[FILE_OK]);
        text_add(&text, " files as installed");
        for (int state = FILE_MODIFIED; state < FILE_STATES; state++)
                add_state(&text, &environment->counts, (enum file_state)state, words[state]);
        paint_text(painter, INK_BOLD, environment->path);
        paint_newline(painter);
        paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", text.data);
}

static bool finding_is_shown(const struct painter *painter, const struct finding *finding)
{
        return painter->style->verbosity > 0 || (finding->severity > SEVERITY_NOTE && !finding->accepted);
}

static void paint_verdict(const struct painter *painter, const struct check *check, size_t hidden)
{
        static const enum ink inks[] = {INK_GREEN, INK_RED, INK_YELLOW};
        static const char *const sentences[] = {
                "nothing is other than as installed",
                "something is other than as installed, or was left behind",
                "nothing wrong was seen, but not everything could be looked at",
        };
        if (painter->style->verbosity >= 0)
                paint_newline(painter);
        paint_format(painter, inks[check->verdict], "%s", verdict_name(check->verdict));
        paint_format(painter, INK_PLAIN, ": %s", sentences[check->verdict]);
        if (hidden > 0)
                paint_format(painter, INK_DIM, " (%zu note%s or accepted: -v)", hidden, hidden == 1 ? "" : "s");
        paint_newline(painter);
}

void terminal_report_check(const struct check *check, const struct report_style *style, struct text *out)
{
        struct painter painter = {style, out};
        size_t hidden = 0;
        for (size_t i = 0; i < check->n_environments && style->verbosity >= 0; i++)
                paint_environment(&painter, &check->environments[i]);
        for (size_t i = 0; i < check->findings.count; i++) {
                const struct finding *finding = &check->findings.items[i];
                if (!finding_is_shown(&painter, finding))
                        hidden++;
                else if (style->verbosity >= 0)
                        paint_finding(&painter, finding);
        }
        for (size_t i = 0; i < check->unknowns.count && style->verbosity >= 0; i++) {
                const struct unknown *unknown = &check->unknowns.items[i];
                if (i == 0)
                        paint_newline(&painter);
                paint_block(&painter, 0, HANG, INK_YELLOW, "unknown", "%s: %s", unknown->what, unknown->why);
        }
        if (check->interrupted_plan != NULL)
                paint_block(&painter, 0, HANG, INK_RED, "interrupted",
                            "plan %s stopped part-way: `pristine apply %s` goes on, `pristine undo %s` takes it back",
                            check->interrupted_plan, check->interrupted_plan, check->interrupted_plan);
        paint_verdict(&painter, check, hidden);
}
