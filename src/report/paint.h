/* Painting on a terminal: escaped text, wrapped to the width, coloured where wanted. A block reads
 *
 *     label     text that goes on, and
 *               hangs under its own beginning
 *
 * Foreign bytes pass through paint_…() only, which escape them; a word longer than the line is left whole, so that a
 * path can be copied. */
#ifndef PRISTINE_REPORT_PAINT_H
#define PRISTINE_REPORT_PAINT_H

#include "base/text.h"
#include "model/finding.h"
#include "report/report.h"

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_RED, INK_YELLOW, INK_GREEN, INK_CYAN };

struct painter {
        const struct report_style *style;
        struct text *out;
};

void paint_text(const struct painter *painter, enum ink ink, const char *foreign);
void paint_format(const struct painter *painter, enum ink ink, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void paint_newline(const struct painter *painter);

/* `label` at column `indent`, the text at column `hang`, wrapped. */
void paint_block(const struct painter *painter, unsigned indent, unsigned hang, enum ink ink, const char *label,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* One line of source text without its end, behind `mark`. */
void paint_source_line(const struct painter *painter, enum ink ink, const char *mark, struct bytes line);

const char *glyph_dash(const struct painter *painter); /* "–" or "-" */
const char *glyph_more(const struct painter *painter); /* "…" or "..." */

void text_add_size(struct text *text, uint64_t bytes);                                          /* "11.2 KiB" */
void text_add_count(struct text *text, uint64_t count);                                         /* "38,534" */
void text_add_counted(struct text *text, uint64_t count, const char *one, const char *several); /* "8 files" */
void text_add_time(struct text *text, int64_t nanoseconds); /* "2026-12-01 05:20:48Z", "" for INT64_MIN */
/* "tp0–7", "rank0, rank3"; nothing when no file name tells one. */
void text_add_ranks(struct text *text, const struct painter *painter, const struct artifact *const *artifacts,
                    size_t count);
void text_add_joined(struct text *text, const struct strings *strings); /* "a, b" */

#endif
