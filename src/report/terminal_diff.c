/* Original against current as a unified diff that `patch -R` and `git apply -R` read: what a hunk is and does stands
 * behind its @@ line, where they look for nothing. */
#include <string.h>

#include "base/cleanup.h"
#include "report/terminal.h"

enum { CONTEXT = 3, INDENT = TERMINAL_INDENT, HANG = TERMINAL_HANG };

/* Steps over at most `most` lines of text from byte `at`, at a line's start, forwards. */
static size_t lines_after(struct bytes text, size_t at, unsigned most)
{
        for (; at < text.size && most > 0; most--) {
                const unsigned char *newline = memchr(text.data + at, '\n', text.size - at);
                at = newline != NULL ? (size_t)(newline - text.data) + 1 : text.size;
        }
        return at;
}

static size_t lines_before(struct bytes text, size_t at, unsigned most)
{
        for (; at > 0 && most > 0; most--) {
                at--;
                while (at > 0 && text.data[at - 1] != '\n')
                        at--;
        }
        return at;
}

static size_t count_lines(struct bytes text)
{
        size_t count = 0;
        for (size_t at = 0; at < text.size; count++)
                at = lines_after(text, at, 1);
        return count;
}

static struct bytes slice(struct bytes text, size_t start, size_t end)
{
        return (struct bytes){text.data + start, end - start};
}

static void paint_lines(const struct painter *painter, enum ink ink, const char *mark, struct bytes text)
{
        for (size_t at = 0, next; at < text.size; at = next) {
                next = lines_after(text, at, 1);
                bool ended = text.data[next - 1] == '\n';
                paint_source_line(painter, ink, mark, slice(text, at, next - ended));
                if (!ended)
                        text_add(painter->out, "\\ No newline at end of file\n");
        }
}

/* Hunks [first, end) whose contexts touch stand under one @@ line. */
struct group {
        const struct finding *finding;
        size_t first, end;
        size_t start, stop; /* bytes of the original that the group covers, context included */
};

static struct group group_at(const struct finding *finding, size_t first)
{
        struct bytes original = finding->origin.original;
        const struct hunk *hunks = finding->hunks.items;
        struct group group = {finding, first, first + 1, 0, 0};
        group.start = lines_before(original, hunks[first].original_start, CONTEXT);
        group.stop = lines_after(original, hunks[first].original_end, CONTEXT);
        while (group.end < finding->hunks.count &&
               lines_before(original, hunks[group.end].original_start, CONTEXT) <= group.stop) {
                group.stop = lines_after(original, hunks[group.end].original_end, CONTEXT);
                group.end++;
        }
        return group;
}

static struct bytes hunk_added(const struct hunk *hunk)
{
        return hunk->change == HUNK_DELETE ? (struct bytes){0} : hunk->text;
}

static void add_range(struct text *text, char sign, size_t lines_in_front, size_t lines)
{
        /* A range without lines names the line in front of it. */
        text_addf(text, " %c%zu", sign, lines_in_front + (lines > 0));
        if (lines != 1)
                text_addf(text, ",%zu", lines);
}

static void add_hunk_words(struct text *text, const struct hunk *hunk)
{
        CLEANUP(text_clear) struct text effect = TEXT_INIT;
        if (hunk->function != NULL && hunk->function[0] != '\0')
                text_addf(text, " %s", hunk->function);
        text_addf(text, " #%s", hunk->id);
        text_add_effect(&effect, hunk);
        if (effect.size > 0)
                text_addf(text, " [%s]", effect.data);
        if (hunk->accepted)
                text_add(text, " (accepted)");
}

static void paint_group_heading(const struct painter *painter, const struct group *group)
{
        CLEANUP(text_clear) struct text ranges = TEXT_INIT, words = TEXT_INIT;
        struct bytes original = group->finding->origin.original;
        size_t in_front = count_lines(slice(original, 0, group->start));
        size_t old_lines = count_lines(slice(original, group->start, group->stop)), new_lines = old_lines;
        size_t shift = 0;
        for (size_t i = 0; i < group->end; i++) {
                const struct hunk *hunk = &group->finding->hunks.items[i];
                size_t added = count_lines(hunk_added(hunk));
                size_t removed = count_lines(slice(original, hunk->original_start, hunk->original_end));
                if (i < group->first)
                        shift += added - removed; /* wraps around and back: unsigned */
                else
                        new_lines += added - removed;
        }
        text_add(&ranges, "@@");
        add_range(&ranges, '-', in_front, old_lines);
        add_range(&ranges, '+', in_front + shift, new_lines);
        text_add(&ranges, " @@");
        for (size_t i = group->first; i < group->end; i++)
                add_hunk_words(&words, &group->finding->hunks.items[i]);
        paint_text(painter, INK_CYAN, ranges.data);
        paint_text(painter, INK_DIM, words.data);
        paint_newline(painter);
}

static void paint_group(const struct painter *painter, const struct group *group)
{
        struct bytes original = group->finding->origin.original;
        size_t at = group->start;
        paint_group_heading(painter, group);
        for (size_t i = group->first; i < group->end; i++) {
                const struct hunk *hunk = &group->finding->hunks.items[i];
                paint_lines(painter, INK_PLAIN, " ", slice(original, at, hunk->original_start));
                paint_lines(painter, INK_RED, "-", slice(original, hunk->original_start, hunk->original_end));
                paint_lines(painter, INK_GREEN, "+", hunk_added(hunk));
                at = hunk->original_end;
        }
        paint_lines(painter, INK_PLAIN, " ", slice(original, at, group->stop));
}

static void paint_proven(const struct painter *painter, const struct finding *finding)
{
        paint_format(painter, INK_BOLD, "--- %s", finding->path);
        text_add(painter->out, "\toriginal\n"); /* the tab ends the name for `patch` */
        paint_format(painter, INK_BOLD, "+++ %s", finding->path);
        text_add(painter->out, "\tcurrent\n");
        for (size_t i = 0; i < finding->hunks.count;) {
                struct group group = group_at(finding, i);
                paint_group(painter, &group);
                i = group.end;
        }
        if (finding->hunks.count == 0)
                paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", finding->summary);
}

static void paint_suspect(const struct painter *painter, const struct hunk *suspect)
{
        CLEANUP(text_clear) struct text lines = TEXT_INIT, words = TEXT_INIT;
        text_add_lines(&lines, painter, suspect);
        add_hunk_words(&words, suspect);
        paint_newline(painter);
        paint_block(painter, INDENT, HANG, INK_CYAN, lines.data, "%s", words.data != NULL ? words.data + 1 : "");
        paint_lines(painter, INK_YELLOW, "  ? ", suspect->text);
}

/* Nothing is known to have been added: only places of the file as it is can be shown. */
static void paint_unproven(const struct painter *painter, const struct finding *finding)
{
        const char *note = finding->origin.note;
        paint_text(painter, INK_BOLD, finding->path);
        paint_newline(painter);
        paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s: %s", finding->rule, finding->summary);
        if (note != NULL && note[0] != '\0')
                paint_block(painter, INDENT, HANG, INK_YELLOW, "no proof", "%s", note);
        if (finding->suspects.count > 0)
                paint_block(painter, INDENT, INDENT, INK_PLAIN, "",
                            "places that look like debugging; whether they were added, only the original could tell:");
        for (size_t i = 0; i < finding->suspects.count; i++)
                paint_suspect(painter, &finding->suspects.items[i]);
}

void terminal_report_diff(const struct check *check, const struct report_style *style, struct text *out)
{
        struct painter painter = {style, out};
        for (size_t i = 0; i < check->findings.count && style->verbosity >= 0; i++) {
                const struct finding *finding = &check->findings.items[i];
                if (i > 0)
                        paint_newline(&painter);
                if (finding->origin.proven)
                        paint_proven(&painter, finding);
                else
                        paint_unproven(&painter, finding);
        }
        if (check->findings.count == 0)
                paint_block(&painter, 0, 0, INK_GREEN, "", "no file differs from what was installed");
        else if (style->verbosity < 0)
                paint_block(&painter, 0, 0, INK_RED, "", "%zu differ", check->findings.count);
}
