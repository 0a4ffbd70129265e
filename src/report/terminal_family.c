#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "report/terminal.h"

enum { INDENT = TERMINAL_INDENT, DETAIL = TERMINAL_INDENT + 4 };

bool terminal_is_family(const struct finding *finding)
{
        return strcmp(finding->rule, "orphan-artifact") == 0;
}

/* "8 files, 11.2 KiB, tp0–7; owner uid 0; written 2026-12-01 05:20:48Z to …" */
static void add_members(struct text *text, const struct painter *painter, const struct artifacts *artifacts)
{
        CLEANUP(text_clear) struct text ranks = TEXT_INIT;
        AUTO_FREE const struct artifact **members = heap_alloc((artifacts->count + 1) * sizeof *members);
        int64_t first = INT64_MAX, last = INT64_MIN;
        uint64_t bytes = 0;
        bool one_owner = true;
        for (size_t i = 0; i < artifacts->count; i++) {
                members[i] = &artifacts->items[i];
                int64_t when = members[i]->found.mtime_ns;
                first = when < first ? when : first;
                last = when > last ? when : last;
                bytes += members[i]->found.size;
                one_owner &= members[i]->found.uid == members[0]->found.uid;
        }
        text_add_counted(text, artifacts->count, "file, ", "files, ");
        text_add_size(text, bytes);
        text_add_ranks(&ranks, painter, members, artifacts->count);
        if (ranks.size > 0)
                text_addf(text, ", %s", ranks.data);
        if (artifacts->count == 0)
                return;
        if (one_owner)
                text_addf(text, "; owner uid %" PRIu32, members[0]->found.uid);
        else
                text_add(text, "; several owners");
        text_add(text, "; written ");
        text_add_time(text, first);
        if (last / 1000000000 != first / 1000000000) {
                text_add(text, " to ");
                text_add_time(text, last);
        }
}

static void paint_family(const struct painter *painter, const struct finding *family)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        add_members(&text, painter, &family->artifacts);
        paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", family->pattern);
        paint_block(painter, DETAIL, DETAIL, INK_PLAIN, "", "%s", text.data);
        if (family->accepted)
                paint_block(painter, DETAIL, DETAIL, INK_GREEN, "", "accepted: %s", family->accepted_reason);
        if (painter->style->verbosity <= 0)
                return;
        paint_block(painter, DETAIL, DETAIL, INK_PLAIN, "", "%s; id %.*s", family->why, TERMINAL_ID_DIGITS,
                    family->id != NULL ? family->id : "");
        for (size_t i = 0; i < family->artifacts.count; i++) {
                const struct artifact *member = &family->artifacts.items[i];
                paint_block(painter, DETAIL, DETAIL + 2, INK_PLAIN, "", member->not_ours != NULL ? "%s: %s" : "%s",
                            member->path, member->not_ours);
        }
}

void terminal_paint_families(const struct painter *painter, const struct finding *const *families, size_t count)
{
        if (count == 0)
                return;
        enum severity severity = families[0]->severity;
        paint_newline(painter);
        paint_text(painter, terminal_ink_of(severity), severity_name(severity));
        paint_text(painter, INK_BOLD, "  orphan-artifact");
        paint_text(painter, INK_PLAIN, "  dump files that no code on disk explains");
        paint_newline(painter);
        for (size_t i = 0; i < count; i++)
                paint_family(painter, families[i]);
}
