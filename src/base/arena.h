/* Memory of one run: allocations are never freed singly, all go with the arena. Zero-filled, aligned for any object.
 * An arena belongs to one thread at a time; a parallel stage gives each worker its own and keeps them all until the
 * end. The heap helpers are for what must outlive or underlive a run. All abort when memory is exhausted (see
 * base/error.h). */
#ifndef PRISTINE_BASE_ARENA_H
#define PRISTINE_BASE_ARENA_H

#include <stddef.h>

struct arena {
        struct arena_block *blocks; /* newest first */
};

#define ARENA_INIT ((struct arena){.blocks = NULL})

void arena_clear(struct arena *arena); /* fit for CLEANUP() */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *data, size_t size);        /* adds no NUL */
char *arena_strdup(struct arena *arena, const char *string);                 /* NULL gives NULL */
char *arena_strndup(struct arena *arena, const char *string, size_t length); /* always NUL-terminated */
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All that `from` holds belongs to `arena` from now on; `from` is empty. */
void arena_adopt(struct arena *arena, struct arena *from);

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define arena_new_array(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))
void *arena_alloc_array(struct arena *arena, size_t count, size_t size); /* aborts on overflow of count * size */

void *heap_alloc(size_t size);                               /* zero-filled */
void *heap_resize(void *pointer, size_t count, size_t size); /* like reallocarray; not zero-filled */

/* Grows `array` (heap, elements of its own type) so that index `count` exists; `capacity` is kept by the caller. */
#define heap_reserve(array, count, capacity)                                                                           \
        do {                                                                                                           \
                if ((count) >= (capacity)) {                                                                           \
                        (capacity) = (capacity) > 0 ? (capacity)*2 : 16;                                               \
                        (array) = heap_resize((array), (capacity), sizeof *(array));                                   \
                }                                                                                                      \
        } while (0)

#endif
