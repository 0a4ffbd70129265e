#include <inttypes.h>

#include "base/cleanup.h"
#include "report/terminal.h"

enum { INDENT = TERMINAL_INDENT, HANG = TERMINAL_HANG };

static void paint_acceptance(const struct painter *painter, const struct acceptance *item)
{
        CLEANUP(text_clear) struct text when = TEXT_INIT;
        text_add_time(&when, item->when_ns);
        paint_format(painter, INK_BOLD, "%s%s%s", item->path, item->hunk[0] != '\0' ? "#" : "", item->hunk);
        paint_newline(painter);
        paint_block(painter, INDENT, HANG, INK_DIM, "finding", "%s  %s", item->rule, item->finding);
        paint_block(painter, INDENT, HANG, INK_DIM, "reason", "%s", item->reason);
        paint_block(painter, INDENT, HANG, INK_DIM, "accepted", "%s by uid %" PRIu32,
                    when.data != NULL ? when.data : "", item->user);
}

void terminal_report_acceptances(const struct acceptance *items, size_t count, const struct report_style *style,
                                 struct text *out)
{
        struct painter painter = {style, out};
        for (size_t i = 0; i < count && style->verbosity >= 0; i++)
                paint_acceptance(&painter, &items[i]);
        if (count == 0)
                paint_block(&painter, 0, 0, INK_PLAIN, "", "nothing has been accepted");
}
