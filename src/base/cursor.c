#include "base/cursor.h"

#include <string.h>

struct cursor cursor_over(struct bytes bytes)
{
        return (struct cursor){.bytes = bytes};
}

size_t cursor_left(const struct cursor *cursor)
{
        return cursor->bytes.size - cursor->position;
}

struct bytes cursor_take(struct cursor *cursor, size_t size)
{
        if (size > cursor_left(cursor)) {
                cursor->failed = true;
                return (struct bytes){0};
        }
        struct bytes taken = {cursor->bytes.data + cursor->position, size};
        cursor->position += size;
        return taken;
}

bool cursor_skip(struct cursor *cursor, size_t size)
{
        cursor_take(cursor, size);
        return !cursor->failed;
}

static uint64_t cursor_le(struct cursor *cursor, size_t size)
{
        struct bytes taken = cursor_take(cursor, size);
        uint64_t value = 0;
        for (size_t i = 0; i < taken.size; i++)
                value |= (uint64_t)taken.data[i] << (8 * i);
        return value;
}

uint8_t cursor_u8(struct cursor *cursor)
{
        return (uint8_t)cursor_le(cursor, 1);
}

uint16_t cursor_u16le(struct cursor *cursor)
{
        return (uint16_t)cursor_le(cursor, 2);
}

uint32_t cursor_u32le(struct cursor *cursor)
{
        return (uint32_t)cursor_le(cursor, 4);
}

uint64_t cursor_u64le(struct cursor *cursor)
{
        return cursor_le(cursor, 8);
}

bool cursor_line(struct cursor *cursor, struct bytes *ret_line)
{
        size_t left = cursor_left(cursor);
        if (left == 0)
                return false;
        const unsigned char *start = cursor->bytes.data + cursor->position;
        const unsigned char *end = memchr(start, '\n', left);
        *ret_line = cursor_take(cursor, end != NULL ? (size_t)(end - start) + 1 : left);
        return true;
}
