#include "fs/hash.h"

#include <errno.h>
#include <unistd.h>

void hash_begin(struct hash *hash)
{
        SHA256_Init(&hash->state);
}

void hash_add(struct hash *hash, const void *data, size_t size)
{
        SHA256_Update(&hash->state, data, size);
}

void hash_end(struct hash *hash, struct digest *ret_digest)
{
        SHA256_Final(ret_digest->bytes, &hash->state);
}

void hash_bytes(struct bytes bytes, struct digest *ret_digest)
{
        struct hash hash;
        hash_begin(&hash);
        hash_add(&hash, bytes.data, bytes.size);
        hash_end(&hash, ret_digest);
}

int hash_file(int fd, void *buffer, size_t buffer_size, struct digest *ret_digest, uint64_t *ret_size,
              struct error *ret_error)
{
        struct hash hash;
        uint64_t total = 0;
        hash_begin(&hash);
        for (;;) {
                ssize_t got = pread(fd, buffer, buffer_size, (off_t)total);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return error_set(ret_error, ERR_SYSTEM, errno, "cannot read");
                if (got == 0)
                        break;
                hash_add(&hash, buffer, (size_t)got);
                total += (uint64_t)got;
        }
        hash_end(&hash, ret_digest);
        *ret_size = total;
        return 0;
}
