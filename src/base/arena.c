#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024 };

struct arena_block {
        struct arena_block *next;
        size_t used, size;
        max_align_t data[];
};

void *heap_alloc(size_t size)
{
        void *pointer = calloc(1, size > 0 ? size : 1);
        if (pointer == NULL)
                abort();
        return pointer;
}

void *heap_resize(void *pointer, size_t count, size_t size)
{
        void *bigger = reallocarray(pointer, count > 0 ? count : 1, size > 0 ? size : 1);
        if (bigger == NULL)
                abort();
        return bigger;
}

void arena_clear(struct arena *arena)
{
        while (arena->blocks != NULL) {
                struct arena_block *next = arena->blocks->next;
                free(arena->blocks);
                arena->blocks = next;
        }
}

/* Behind the newest block, whose free room stays in use. */
void arena_adopt(struct arena *arena, struct arena *from)
{
        struct arena_block **link = arena->blocks == NULL ? &arena->blocks : &arena->blocks->next;
        struct arena_block *rest = *link, *taken = from->blocks;
        *link = taken;
        while (*link != NULL)
                link = &(*link)->next;
        *link = rest;
        from->blocks = NULL;
}

/* A large request gets a block of its own behind the current one, whose free room stays in use. */
static struct arena_block *arena_add_block(struct arena *arena, size_t size)
{
        size_t room = size > BLOCK_SIZE / 4 ? size : BLOCK_SIZE;
        struct arena_block *block = malloc(sizeof *block + room);
        if (block == NULL)
                abort();
        block->used = 0;
        block->size = room;
        if (room != BLOCK_SIZE && arena->blocks != NULL) {
                block->next = arena->blocks->next;
                arena->blocks->next = block;
        } else {
                block->next = arena->blocks;
                arena->blocks = block;
        }
        return block;
}

static void *arena_take(struct arena *arena, size_t size)
{
        if (size > SIZE_MAX / 2)
                abort();
        size_t rounded = (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
        struct arena_block *block = arena->blocks;
        if (block == NULL || block->size - block->used < rounded)
                block = arena_add_block(arena, rounded);
        void *pointer = (char *)block->data + block->used;
        block->used += rounded;
        return pointer;
}

void *arena_alloc(struct arena *arena, size_t size)
{
        return memset(arena_take(arena, size), 0, size);
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
        size_t total;
        if (__builtin_mul_overflow(count, size, &total))
                abort();
        return arena_alloc(arena, total);
}

void *arena_copy(struct arena *arena, const void *data, size_t size)
{
        void *copy = arena_take(arena, size);
        if (size > 0)
                memcpy(copy, data, size);
        return copy;
}

char *arena_strndup(struct arena *arena, const char *string, size_t length)
{
        char *copy = arena_take(arena, length + 1);
        memcpy(copy, string, length);
        copy[length] = '\0';
        return copy;
}

char *arena_strdup(struct arena *arena, const char *string)
{
        return string != NULL ? arena_strndup(arena, string, strlen(string)) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
        va_list args, again;
        va_start(args, format);
        va_copy(again, args);
        int length = vsnprintf(NULL, 0, format, args);
        va_end(args);
        if (length < 0)
                abort();
        char *string = arena_take(arena, (size_t)length + 1);
        vsnprintf(string, (size_t)length + 1, format, again);
        va_end(again);
        return string;
}
