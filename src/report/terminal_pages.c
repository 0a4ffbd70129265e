#include <string.h>

#include "base/cleanup.h"
#include "report/terminal.h"

enum { INDENT = 2, TITLES = 28 };

static struct bytes next_line(const char **text)
{
        size_t size = strcspn(*text, "\n");
        struct bytes line = {(const unsigned char *)*text, size};
        *text += size + ((*text)[size] == '\n');
        return line;
}

static void flush_paragraph(const struct painter *painter, struct text *paragraph)
{
        if (paragraph->size > 0)
                paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", paragraph->data);
        text_clear(paragraph);
}

static void paint_page_line(const struct painter *painter, struct bytes line, struct text *paragraph)
{
        bool heading = bytes_start_with(line, "# ") || bytes_start_with(line, "## ");
        bool verbatim = bytes_start_with(line, "    ");
        if (!heading && !verbatim && line.size > 0) {
                text_add(paragraph, paragraph->size > 0 ? " " : "");
                text_add_bytes(paragraph, line.data, line.size);
                return;
        }
        flush_paragraph(painter, paragraph);
        size_t skip = heading ? strcspn((const char *)line.data, " ") + 1 : verbatim ? 2 : 0;
        paint_source_line(painter, heading ? INK_BOLD : INK_PLAIN, "",
                          (struct bytes){line.data + skip, line.size - skip});
}

static void paint_page(const struct painter *painter, const char *text)
{
        CLEANUP(text_clear) struct text paragraph = TEXT_INIT;
        while (*text != '\0')
                paint_page_line(painter, next_line(&text), &paragraph);
        flush_paragraph(painter, &paragraph);
}

void terminal_report_pages(const struct rule_page *pages, size_t count, bool titles_only,
                           const struct report_style *style, struct text *out)
{
        struct painter painter = {style, out};
        for (size_t i = 0; i < count; i++) {
                const char *text = pages[i].text;
                struct bytes title = next_line(&text);
                size_t skip = strlen("# ") + strlen(pages[i].name) + strlen(": ");
                if (!titles_only)
                        paint_page(&painter, pages[i].text);
                else
                        paint_block(&painter, 0, TITLES, INK_BOLD, pages[i].name, "%.*s", (int)(title.size - skip),
                                    (const char *)title.data + skip);
        }
}
