/* libFuzzer entry: the reader of ZIP archives, every member of what it opens. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "formats/zip.h"

enum { MEMBER_MAX = 1 << 20 };

static int read_memory(void *context, uint64_t offset, void *buffer, size_t size, struct error *ret_error)
{
        (void)ret_error;
        const struct bytes *input = context;
        if (offset > input->size || size > input->size - offset)
                __builtin_trap(); /* the reader checks this itself */
        memcpy(buffer, input->data + offset, size);
        return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct bytes input = {data, size};
        const struct zip_source source = {.read = read_memory, .context = &input, .size = size};
        struct zip zip;
        struct error error = {0};
        if (zip_open(&source, &arena, &zip, &error) < 0)
                return error.text[0] == '\0' ? abort(), 0 : 0;
        for (size_t i = 0; i < zip.count && i < 64; i++) {
                struct bytes bytes;
                if (zip_find(&zip, zip.members[i].name) == NULL)
                        __builtin_trap();
                if (zip_read(&zip, &zip.members[i], MEMBER_MAX, &bytes, NULL) == 0) {
                        if (bytes.size != zip.members[i].size)
                                __builtin_trap();
                        free((void *)bytes.data);
                }
        }
        return 0;
}
