/* SHA-256 by libcrypto, with a state that can be copied by plain assignment: the oracle keeps midstates of a prefix and
 * goes on from each many times. libcrypto's SHA256_* calls are used because they allow just that and cost no
 * allocation. */
#ifndef PRISTINE_FS_HASH_H
#define PRISTINE_FS_HASH_H

#include <openssl/sha.h>

#include "base/error.h"
#include "base/text.h"
#include "model/digest.h"

struct hash {
        SHA256_CTX state;
};

void hash_begin(struct hash *hash);
void hash_add(struct hash *hash, const void *data, size_t size);
void hash_end(struct hash *hash, struct digest *ret_digest);

void hash_bytes(struct bytes bytes, struct digest *ret_digest);

/* Hashes fd from its start to its end through the caller's buffer. ret_size gets the bytes read. */
int hash_file(int fd, void *buffer, size_t buffer_size, struct digest *ret_digest, uint64_t *ret_size,
              struct error *ret_error);

#endif
