/* libFuzzer entry: the reader of RECORD, and the making of paths from its rows. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "formats/record.h"
#include "observe/python_ownership.h"

/* Rows are views into the input or copies of their own; a digest that was decoded is one that decodes again. */
static void read_rows(struct bytes input)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct record_reader reader = record_over(input, &arena);
        struct record_row row;
        size_t rows = 0;
        while (record_next(&reader, &row)) {
                rows++;
                if (row.size < -1 || (row.cut && row.hash.kind == RECORD_HASH_SHA256) ||
                    (row.hash.kind != RECORD_HASH_LOST && row.joined.size > 0))
                        __builtin_trap();
        }
        if (rows > input.size)
                __builtin_trap();
}

/* No row, whatever it says, may become a path that leaves the prefix. */
static void place_rows(struct bytes input)
{
        struct site site = {.path = "lib/python3.11/site-packages", .importable = true};
        const struct environment environment = {.path = "/nonexistent/prefix", .sites = &site, .n_sites = 1};
        CLEANUP(ownership_clear) struct ownership ownership;
        uint32_t n_rows;
        unsigned char *copy = malloc(input.size + 1);
        if (copy == NULL)
                abort();
        memcpy(copy, input.data, input.size);
        ownership_open(-1, &environment, &ownership);
        ownership_add_record(&ownership, 0, 0, (struct bytes){copy, input.size}, &n_rows);
        for (size_t i = 0; i < ownership.n_directories; i++) {
                struct bytes path = ownership.directories[i].path;
                if ((path.size > 0 && path.data[0] == '/') || bytes_equal(path, BYTES_LITERAL("..")) ||
                    bytes_start_with(path, "../") || memmem(path.data, path.size, "/../", 4) != NULL ||
                    memmem(path.data, path.size, "//", 2) != NULL || bytes_end_with(path, "/..") ||
                    memchr(path.data, '\0', path.size) != NULL)
                        __builtin_trap();
        }
        for (size_t i = 0; i < ownership.n_files; i++) {
                struct bytes name = ownership.files[i].name;
                if (name.size == 0 || name.size > 255 || memchr(name.data, '/', name.size) != NULL ||
                    memchr(name.data, '\0', name.size) != NULL || bytes_equal(name, BYTES_LITERAL("..")) ||
                    bytes_equal(name, BYTES_LITERAL(".")))
                        __builtin_trap();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const struct bytes input = {data, size};
        read_rows(input);
        place_rows(input);
        return 0;
}
