#include <string.h>

#include "base/cleanup.h"
#include "report/paint.h"

enum { CONTEXT_LINES = 3 };

/* The n lines of `text` that end at byte `at`. */
static struct bytes lines_before(struct bytes text, size_t at, unsigned n)
{
        size_t start = at;
        while (start > 0 && n > 0) {
                start--;
                while (start > 0 && text.data[start - 1] != '\n')
                        start--;
                n--;
        }
        return (struct bytes){text.data + start, at - start};
}

static struct bytes lines_after(struct bytes text, size_t at, unsigned n)
{
        size_t end = at;
        while (end < text.size && n > 0) {
                const unsigned char *newline = memchr(text.data + end, '\n', text.size - end);
                end = newline != NULL ? (size_t)(newline - text.data) + 1 : text.size;
                n--;
        }
        return (struct bytes){text.data + at, end - at};
}

static void paint_heading(const struct painter *painter, const struct hunk *hunk)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        text_addf(&text, "@@ line %u", hunk->first_line);
        if (hunk->last_line > hunk->first_line)
                text_addf(&text, "%s%u", glyph_dash(painter), hunk->last_line);
        if (hunk->function != NULL && hunk->function[0] != '\0')
                text_addf(&text, " %s", hunk->function);
        text_addf(&text, " #%s", hunk->id);
        for (size_t i = 0; i < hunk->labels.count; i++)
                text_addf(&text, "%s%s", i == 0 ? " [" : ", ", hunk->labels.items[i]);
        text_add(&text, hunk->labels.count > 0 ? "] @@" : " @@");
        paint_text(painter, INK_CYAN, text.data);
        paint_newline(painter);
}

/* The context comes from the original: around an insertion it is the same in both. */
static void paint_hunk(const struct painter *painter, const struct finding *finding, const struct hunk *hunk)
{
        struct bytes original = finding->origin.original;
        paint_heading(painter, hunk);
        paint_source(painter, INK_PLAIN, " ", lines_before(original, hunk->original_start, CONTEXT_LINES));
        struct bytes old = {original.data + hunk->original_start, hunk->original_end - hunk->original_start};
        paint_source(painter, INK_RED, "-", old);
        if (hunk->change != HUNK_DELETE)
                paint_source(painter, INK_GREEN, "+", hunk->text);
        paint_source(painter, INK_PLAIN, " ", lines_after(original, hunk->original_end, CONTEXT_LINES));
}

static void paint_finding(const struct painter *painter, const struct finding *finding)
{
        paint_text(painter, INK_BOLD, finding->path);
        paint_newline(painter);
        if (finding->origin.proven) {
                for (size_t i = 0; i < finding->hunks.count; i++)
                        paint_hunk(painter, finding, &finding->hunks.items[i]);
                if (finding->hunks.count == 0)
                        paint_block(painter, 2, 2, INK_PLAIN, "", "%s", finding->summary);
                return;
        }
        paint_block(painter, 2, 2, INK_YELLOW, "", "no proven original: %s", finding->origin.note);
        for (size_t i = 0; i < finding->suspects.count; i++) {
                paint_heading(painter, &finding->suspects.items[i]);
                paint_source(painter, INK_YELLOW, "?", finding->suspects.items[i].text);
        }
}

void terminal_report_diff(const struct check *check, const struct report_style *style, struct text *out)
{
        struct painter painter = {style, out};
        for (size_t i = 0; i < check->findings.count; i++) {
                if (i > 0)
                        paint_newline(&painter);
                paint_finding(&painter, &check->findings.items[i]);
        }
        if (check->findings.count == 0 && style->verbosity >= 0)
                paint_block(&painter, 0, 0, INK_GREEN, "", "no difference: every file is as installed");
}
