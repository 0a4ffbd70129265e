#include "observe/python_bundle.h"

#include <ctype.h>
#include <string.h>

#include "base/cursor.h"
#include "fs/hash.h"

static struct bytes line_trim(struct bytes line)
{
        while (line.size > 0 && isspace(line.data[line.size - 1]))
                line.size--;
        return line;
}

static bool line_is_base64(struct bytes line)
{
        for (size_t i = 0; i < line.size; i++)
                if (!isalnum(line.data[i]) && strchr("+/=", line.data[i]) == NULL)
                        return false;
        return line.size > 0;
}

static bool count_certificates(struct bytes bytes, unsigned *ret_count)
{
        struct cursor cursor = cursor_over(bytes);
        bool inside = false;
        unsigned count = 0;
        for (struct bytes line; cursor_line(&cursor, &line);) {
                line = line_trim(line);
                if (memchr(line.data, '\0', line.size) != NULL)
                        return false;
                if (inside && bytes_equal(line, BYTES_LITERAL("-----END CERTIFICATE-----"))) {
                        inside = false;
                        count++;
                } else if (inside) {
                        if (!line_is_base64(line))
                                return false;
                } else if (bytes_equal(line, BYTES_LITERAL("-----BEGIN CERTIFICATE-----"))) {
                        inside = true;
                } else if (line.size > 0 && line.data[0] != '#') {
                        return false;
                }
        }
        *ret_count = count;
        return !inside;
}

bool bundle_is_certificates(struct bytes bytes)
{
        unsigned count = 0;
        return count_certificates(bytes, &count) && count > 0;
}

static bool prefix_has_digest(struct bytes bytes, const struct digest *digest, size_t size)
{
        struct digest found;
        hash_bytes((struct bytes){bytes.data, size}, &found);
        return digest_equal(&found, digest);
}

/* The state of the lines so far is copied and finished at each line end: one pass over the file. */
static bool prefix_find(struct bytes bytes, const struct digest *digest, size_t *ret_size)
{
        struct cursor cursor = cursor_over(bytes);
        struct hash hash;
        hash_begin(&hash);
        for (struct bytes line; cursor_line(&cursor, &line);) {
                hash_add(&hash, line.data, line.size);
                struct hash copy = hash;
                struct digest found;
                hash_end(&copy, &found);
                if (digest_equal(&found, digest)) {
                        *ret_size = cursor.position;
                        return true;
                }
        }
        return false;
}

bool bundle_was_extended(struct bytes bytes, const struct digest *digest, int64_t size, unsigned *ret_added)
{
        size_t prefix = 0;
        unsigned added = 0;
        if (size >= 0) {
                if ((uint64_t)size >= bytes.size || !prefix_has_digest(bytes, digest, (size_t)size))
                        return false;
                prefix = (size_t)size;
        } else if (!prefix_find(bytes, digest, &prefix)) {
                return false;
        }
        if (!count_certificates((struct bytes){bytes.data + prefix, bytes.size - prefix}, &added))
                return false;
        *ret_added = added;
        return true;
}
