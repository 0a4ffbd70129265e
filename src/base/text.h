/* Byte strings: a borrowed view, a growable buffer, and the escaping that keeps foreign bytes from a terminal. */
#ifndef PRISTINE_BASE_TEXT_H
#define PRISTINE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A view that owns nothing. Not NUL-terminated; data may be NULL when size is 0. */
struct bytes {
        const unsigned char *data;
        size_t size;
};

#define BYTES_LITERAL(literal) ((struct bytes){(const unsigned char *)(literal), sizeof(literal) - 1})

struct bytes bytes_of(const char *string); /* without the NUL; NULL gives an empty view */
bool bytes_equal(struct bytes a, struct bytes b);
bool bytes_start_with(struct bytes bytes, const char *prefix);
bool bytes_start_with_word(struct bytes bytes, struct bytes word); /* a lower-case ASCII word, found in either case */
bool bytes_end_with(struct bytes bytes, const char *suffix);

/* Whether a path fits a glob: "*", "?" and "[…]" do not cross "/", and "@(a|b)" stands for one of several names. */
bool glob_matches(const char *glob, const char *path);

/* A growing heap buffer, always NUL-terminated once something was added. Start with TEXT_INIT. */
struct text {
        char *data;
        size_t size, capacity; /* size without the NUL */
};

#define TEXT_INIT ((struct text){.data = NULL})

void text_clear(struct text *text); /* fit for CLEANUP() */
void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const void *data, size_t size);
void text_add_char(struct text *text, char c);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *text_steal(struct text *text); /* never NULL; the caller frees */

/* Adds bytes so that any terminal shows them and none obeys them: well-formed printable UTF-8 stays; control
 * characters, bidirectional and other invisible format characters, and bytes that are no UTF-8 become \n, \t, \xNN or
 * \u{N}. A backslash becomes \\. Where `lines` is true (source text for a person), newline, tab and backslash stay. */
void text_add_escaped(struct text *text, struct bytes bytes, bool lines);

/* Length of the well-formed UTF-8 sequence at the start of bytes (1 to 4), its code point in *ret_point; 0 if none. */
size_t utf8_decode(struct bytes bytes, unsigned *ret_point);

#endif
