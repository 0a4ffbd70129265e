#include "model/digest.h"

#include <string.h>

bool digest_equal(const struct digest *a, const struct digest *b)
{
        return memcmp(a->bytes, b->bytes, DIGEST_SIZE) == 0;
}

void digest_to_hex(const struct digest *digest, char ret_hex[DIGEST_HEX_SIZE])
{
        static const char digits[] = "0123456789abcdef";
        for (int i = 0; i < DIGEST_SIZE; i++) {
                ret_hex[2 * i] = digits[digest->bytes[i] >> 4];
                ret_hex[2 * i + 1] = digits[digest->bytes[i] & 15];
        }
        ret_hex[2 * DIGEST_SIZE] = '\0';
}

static int hex_value(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        c = (char)(c | 0x20);
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool digest_from_hex(const char *hex, struct digest *ret_digest)
{
        struct digest digest;
        if (strlen(hex) != DIGEST_HEX_SIZE - 1)
                return false;
        for (int i = 0; i < DIGEST_SIZE; i++) {
                int high = hex_value(hex[2 * i]), low = hex_value(hex[2 * i + 1]);
                if (high < 0 || low < 0)
                        return false;
                digest.bytes[i] = (uint8_t)(high << 4 | low);
        }
        *ret_digest = digest;
        return true;
}
