/* One file as the analyzer has read it: parsed once, with every place that a rule points at. The analyzer keeps the
 * latest one, since suggest, describe and scan are asked about the same bytes one after the other. Private to
 * analyze/. */
#ifndef PRISTINE_ANALYZE_READING_H
#define PRISTINE_ANALYZE_READING_H

#include "analyze/aliases.h"
#include "analyze/rules.h"
#include "analyze/syntax.h"
#include "model/hunk.h"

struct reading {
        struct arena arena;
        struct bytes source; /* a copy: the caller's bytes may go while the reading is kept */
        bool filled;
        int status; /* 0, or the code of syntax_parse(): then nothing below is there */
        struct error error;
        struct syntax syntax;
        struct aliases aliases;
        struct rule_matches matches;
};

struct analyzer {
        TSParser *parser;
        struct rules *rules;
        struct reading latest;
};

/* Never NULL; valid until the next call. Texts that outlive it must be copied. */
const struct reading *reading_of(struct analyzer *analyzer, struct bytes source);
void reading_clear(struct reading *reading);

/* Lines [*ret_first, *ret_last], zero-based, that a hunk stands on in the current file. */
void reading_hunk_lines(const struct hunk *hunk, uint32_t *ret_first, uint32_t *ret_last);

/* label.c: the sorted, distinct labels of rules that match wholly inside the bytes. */
void label_range(const struct reading *reading, size_t start, size_t end, struct arena *arena,
                 struct strings *ret_labels);

/* suggest.c */
void suggest_extents(const struct reading *reading, struct arena *arena, struct extents *ret_extents);

#endif
