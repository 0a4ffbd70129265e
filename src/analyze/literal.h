/* Python's ways of spelling a string, without evaluating anything: literals with their escapes, and the two formatting
 * mini languages. */
#ifndef PRISTINE_ANALYZE_LITERAL_H
#define PRISTINE_ANALYZE_LITERAL_H

#include "analyze/values.h"

/* Adds what a piece of a string literal stands for; prefix is the letters before the quote ("rb", "F"…). In an
 * f-string (`doubled`) "{{" is "{". */
void literal_decode(struct text *text, struct bytes piece, struct bytes prefix, bool doubled);

/* A formatting language asks for its arguments by position, or by name when name is not empty, and knows no more of
 * them than patterns. */
struct literal_arguments {
        struct values (*get)(void *context, size_t position, struct bytes name);
        void *context;
};

/* "…%d…" % arguments, and "…{}…".format(arguments). */
struct values literal_percent(struct arena *arena, struct bytes format, const struct literal_arguments *arguments);
struct values literal_braces(struct arena *arena, struct bytes format, const struct literal_arguments *arguments);

/* A value under a format specification ("02d", ">8", ""), of either language; conversion is 'r', 's', 'a' or 0. */
struct values literal_formatted(struct arena *arena, struct values value, struct bytes spec, char conversion);

#endif
