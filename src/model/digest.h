/* A SHA-256 value. The only digest on which a proof may rest. */
#ifndef PRISTINE_MODEL_DIGEST_H
#define PRISTINE_MODEL_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#define DIGEST_SIZE 32
#define DIGEST_HEX_SIZE 65 /* with the NUL */

struct digest {
        uint8_t bytes[DIGEST_SIZE];
};

bool digest_equal(const struct digest *a, const struct digest *b);
void digest_to_hex(const struct digest *digest, char ret_hex[DIGEST_HEX_SIZE]);
bool digest_from_hex(const char *hex, struct digest *ret_digest); /* exactly 64 digits, either case */

#endif
