#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "report/terminal.h"

enum { INDENT = TERMINAL_INDENT, HANG = TERMINAL_HANG, HUNKS_SHOWN = 12 };

enum ink terminal_ink_of(enum severity severity)
{
        static const enum ink inks[] = {INK_DIM, INK_YELLOW, INK_RED};
        return inks[severity];
}

void text_add_lines(struct text *text, const struct painter *painter, const struct hunk *hunk)
{
        text_addf(text, "%u", hunk->first_line);
        if (hunk->last_line > hunk->first_line)
                text_addf(text, "%s%u", glyph_dash(painter), hunk->last_line);
}

void text_add_effect(struct text *text, const struct hunk *hunk)
{
        static const char *const cadences[] = {"", "on every call", "each time", "once"};
        enum cadence cadence = hunk->one_shot ? CADENCE_ONCE : hunk->cadence;
        bool conditional = hunk->trigger != NULL && hunk->trigger[0] != '\0';
        text_add_joined(text, &hunk->labels);
        if (cadence != CADENCE_UNKNOWN || conditional)
                text_addf(text, "%s%s%s%s", hunk->labels.count > 0 ? "; " : "", cadences[cadence],
                          !conditional                 ? ""
                          : cadence == CADENCE_UNKNOWN ? "when "
                          : cadence == CADENCE_ONCE    ? ", when "
                                                       : " when ",
                          conditional ? hunk->trigger : "");
        else if (hunk->parsed && hunk->labels.count == 0)
                text_add(text, "nothing that runs");
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
        return glob_matches(glob, *tail == '/' ? tail + 1 : tail);
}

static void paint_written(const struct painter *painter, const struct finding *finding, const char *glob)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT, ranks = TEXT_INIT;
        AUTO_FREE const struct artifact **matched = heap_alloc((finding->artifacts.count + 1) * sizeof *matched);
        size_t count = 0;
        uint64_t bytes = 0;
        for (size_t i = 0; i < finding->artifacts.count; i++)
                if (glob_fits(glob, finding->artifacts.items[i].path)) {
                        bytes += finding->artifacts.items[i].found.size;
                        matched[count++] = &finding->artifacts.items[i];
                }
        text_addf(&text, "writes %s: ", glob);
        if (count == 0) {
                text_add(&text, "no such file now");
        } else {
                text_add_counted(&text, count, "file, ", "files, ");
                text_add_size(&text, bytes);
                text_add_ranks(&ranks, painter, matched, count);
                if (ranks.size > 0)
                        text_addf(&text, ", %s", ranks.data);
        }
        paint_block(painter, HANG, HANG + 2, INK_PLAIN, "", "%s", text.data);
}

static void paint_hunk(const struct painter *painter, const struct finding *finding, const struct hunk *hunk)
{
        CLEANUP(text_clear) struct text lines = TEXT_INIT, where = TEXT_INIT, effect = TEXT_INIT, logs = TEXT_INIT;
        bool in_function = hunk->function != NULL && hunk->function[0] != '\0';
        text_add_lines(&lines, painter, hunk);
        text_add(&where, finding->origin.proven ? hunk_change_name(hunk->change) : "suspect");
        text_addf(&where,
                  in_function    ? " in %s"
                  : hunk->parsed ? " at module level"
                                 : "%s",
                  in_function ? hunk->function : "");
        if (hunk->accepted)
                text_add(&where, " (accepted)");
        if (painter->style->verbosity > 0)
                text_addf(&where, "  #%s", hunk->id);
        paint_block(painter, INDENT, HANG, INK_CYAN, lines.data, "%s", where.data);
        text_add_effect(&effect, hunk);
        if (effect.size > 0)
                paint_block(painter, HANG, HANG + 2, INK_PLAIN, "", "%s", effect.data);
        for (size_t i = 0; i < hunk->writes.count; i++)
                paint_written(painter, finding, hunk->writes.items[i]);
        text_add_joined(&logs, &hunk->logs);
        if (logs.size > 0 && painter->style->verbosity > 0)
                paint_block(painter, HANG, HANG + 2, INK_PLAIN, "", "logs %s", logs.data);
}

static void paint_hunks(const struct painter *painter, const struct finding *finding)
{
        const struct hunks *hunks = finding->hunks.count > 0 ? &finding->hunks : &finding->suspects;
        size_t shown = painter->style->verbosity > 0 || hunks->count <= HUNKS_SHOWN ? hunks->count : HUNKS_SHOWN;
        for (size_t i = 0; i < shown; i++)
                paint_hunk(painter, finding, &hunks->items[i]);
        if (shown < hunks->count)
                paint_block(painter, INDENT, HANG, INK_DIM, glyph_more(painter), "%zu more: pristine diff, or -v",
                            hunks->count - shown);
}

/* Artifacts that must not be taken: one line for each reason, with the first of them. */
static void paint_not_ours(const struct painter *painter, const struct artifacts *artifacts)
{
        for (size_t i = 0; i < artifacts->count; i++) {
                const char *reason = artifacts->items[i].not_ours;
                size_t same = 0;
                bool told = reason == NULL;
                for (size_t j = 0; j < artifacts->count && !told; j++) {
                        bool equal = artifacts->items[j].not_ours != NULL &&
                                     strcmp(artifacts->items[j].not_ours, reason) == 0;
                        told = equal && j < i;
                        same += equal;
                }
                if (told)
                        continue;
                CLEANUP(text_clear) struct text more = TEXT_INIT;
                if (same > 1)
                        text_addf(&more, " and %zu more", same - 1);
                paint_block(painter, INDENT, HANG, INK_YELLOW, "left", "%s%s: %s", artifacts->items[i].path,
                            more.size > 0 ? more.data : "", reason);
        }
}

static void paint_origin(const struct painter *painter, const struct finding *finding)
{
        if (finding->origin.proven)
                paint_block(painter, INDENT, HANG, INK_GREEN, "proof",
                            "original proven by RECORD's SHA-256 (anchor: %s)%s%s", anchor_name(finding->origin.anchor),
                            finding->origin.note[0] != '\0' ? ", " : "", finding->origin.note);
        else if (finding->origin.note != NULL && finding->origin.note[0] != '\0')
                paint_block(painter, INDENT, HANG, INK_YELLOW, "no proof", "%s", finding->origin.note);
}

static void paint_status(const struct painter *painter, const struct finding *finding)
{
        const struct status *status = &finding->status;
        if (!status->known)
                return;
        if (!status->can_fire)
                paint_block(painter, INDENT, HANG, INK_PLAIN, "status", "it does nothing at run time");
        else if (status->basis.count > 0)
                paint_block(painter, INDENT, HANG, INK_PLAIN, "status",
                            "it has fired: its files are here; it can fire again");
        else
                paint_block(painter, INDENT, HANG, INK_PLAIN, "status", "it can fire; %s",
                            status->fired == FIRED_NO_EVIDENCE ? "no file of it is here"
                                                               : "nothing says whether it has");
}

static const char *without_prefix(const char *path, const char *prefix)
{
        size_t length = strlen(prefix);
        return length > 0 && strncmp(path, prefix, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

void terminal_paint_finding(const struct painter *painter, const struct finding *finding, const char *prefix)
{
        paint_newline(painter);
        paint_text(painter, terminal_ink_of(finding->severity), severity_name(finding->severity));
        paint_format(painter, INK_BOLD, "  %s", finding->rule);
        if (finding->distribution != NULL)
                paint_format(painter, INK_PLAIN, "  %s %s", finding->distribution->name,
                             finding->distribution->version);
        paint_format(painter, INK_DIM, "  %.*s", TERMINAL_ID_DIGITS, finding->id != NULL ? finding->id : "");
        paint_newline(painter);
        paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", without_prefix(finding->path, prefix));
        paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", finding->summary);
        if (finding->accepted)
                paint_block(painter, INDENT, HANG, INK_GREEN, "accepted", "%s", finding->accepted_reason);
        paint_hunks(painter, finding);
        paint_not_ours(painter, &finding->artifacts);
        paint_origin(painter, finding);
        paint_status(painter, finding);
}
