/* A bounded reader over bytes, through which every parser reads. A read past the end sets `failed` and yields zeroes;
 * it never touches memory outside the view, so a parser may read a whole header and ask once whether that went well. */
#ifndef PRISTINE_BASE_CURSOR_H
#define PRISTINE_BASE_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct cursor {
        struct bytes bytes; /* the whole, borrowed */
        size_t position;    /* never past bytes.size */
        bool failed;        /* sticky */
};

struct cursor cursor_over(struct bytes bytes);
size_t cursor_left(const struct cursor *cursor);
bool cursor_skip(struct cursor *cursor, size_t size);
struct bytes cursor_take(struct cursor *cursor, size_t size); /* an empty view when fewer are left */
uint8_t cursor_u8(struct cursor *cursor);
uint16_t cursor_u16le(struct cursor *cursor);
uint32_t cursor_u32le(struct cursor *cursor);
uint64_t cursor_u64le(struct cursor *cursor);

/* The next line with its "\n" (the last may lack one), false at the end. A CR before the LF belongs to the line. */
bool cursor_line(struct cursor *cursor, struct bytes *ret_line);

#endif
