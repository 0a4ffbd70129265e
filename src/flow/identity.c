#include "flow/identity.h"

#include <string.h>

#include "fs/hash.h"

enum { HUNK_ID_DIGITS = 12, FINDING_ID_DIGITS = 16 };

/* Each part is preceded by its length: no two lists of parts give the same bytes. */
static void hash_part(struct hash *hash, struct bytes part)
{
        uint64_t size = part.size;
        unsigned char prefix[8];
        for (int i = 0; i < 8; i++)
                prefix[i] = (unsigned char)(size >> (8 * i));
        hash_add(hash, prefix, sizeof prefix);
        hash_add(hash, part.data, part.size);
}

static const char *hash_name(struct hash *hash, size_t digits, struct arena *arena)
{
        struct digest digest;
        char hex[DIGEST_HEX_SIZE];
        hash_end(hash, &digest);
        digest_to_hex(&digest, hex);
        return arena_strndup(arena, hex, digits);
}

static const char *hunk_name(const struct hunk *hunk, struct bytes original, size_t ordinal, struct arena *arena)
{
        struct hash hash;
        hash_begin(&hash);
        hash_part(&hash, bytes_of(hunk_change_name(hunk->change)));
        hash_part(&hash, hunk->text);
        if (hunk->original_end > hunk->original_start && hunk->original_end <= original.size)
                hash_part(&hash, (struct bytes){original.data + hunk->original_start,
                                                hunk->original_end - hunk->original_start});
        if (ordinal > 0)
                hash_part(&hash, bytes_of(arena_printf(arena, "%zu", ordinal)));
        return hash_name(&hash, HUNK_ID_DIGITS, arena);
}

void identity_name_hunks(struct hunks *hunks, struct bytes original, struct arena *arena)
{
        for (size_t i = 0; i < hunks->count; i++) {
                const char *id = hunk_name(&hunks->items[i], original, 0, arena);
                size_t ordinal = 0;
                for (size_t j = 0; j < i; j++)
                        if (strcmp(hunks->items[j].id, id) == 0)
                                id = hunk_name(&hunks->items[i], original, ++ordinal, arena);
                hunks->items[i].id = id;
        }
}

const char *identity_of_finding(const struct finding *finding, struct arena *arena)
{
        struct hash hash;
        hash_begin(&hash);
        hash_part(&hash, bytes_of(finding->rule));
        hash_part(&hash, bytes_of(finding->subject));
        for (size_t i = 0; i < finding->hunks.count; i++)
                hash_part(&hash, bytes_of(finding->hunks.items[i].id));
        return hash_name(&hash, FINDING_ID_DIGITS, arena);
}
