#include "formats/pyc.h"

#include "base/cursor.h"

/* The released magic number of each minor version; no bug-fix release changed one. */
static const struct pyc_version {
        int minor;
        uint16_t magic;
        unsigned compressions, finalizations; /* of SipHash */
} pyc_versions[] = {
        {7, 3394, 2, 4},  {8, 3413, 2, 4},  {9, 3425, 2, 4},  {10, 3439, 2, 4},
        {11, 3495, 1, 3}, {12, 3531, 1, 3}, {13, 3571, 1, 3}, {14, 3627, 1, 3},
};

enum { N_PYC_VERSIONS = sizeof pyc_versions / sizeof *pyc_versions, PYC_MAGIC_END = 0x0a0d };

bool pyc_parse_header(struct bytes bytes, struct pyc_header *ret_header)
{
        struct cursor cursor = cursor_over(bytes);
        struct pyc_header header = {.magic = cursor_u16le(&cursor)};
        uint16_t end = cursor_u16le(&cursor);
        header.flags = cursor_u32le(&cursor);
        struct cursor values = cursor;
        header.mtime = cursor_u32le(&cursor);
        header.size = cursor_u32le(&cursor);
        header.hash = cursor_u64le(&values);
        if (cursor.failed || end != PYC_MAGIC_END)
                return false;
        *ret_header = header;
        return true;
}

/* Cuts the last dotted part off: "a.b" becomes "a" and "b". */
static bool bytes_cut_last(struct bytes *bytes, struct bytes *ret_part)
{
        for (size_t dot = bytes->size; dot-- > 1;)
                if (bytes->data[dot] == '.') {
                        *ret_part = (struct bytes){bytes->data + dot + 1, bytes->size - dot - 1};
                        bytes->size = dot;
                        return true;
                }
        return false;
}

bool pyc_parse_name(struct bytes name, struct pyc_name *ret_name)
{
        struct pyc_name result = {.stem = name};
        struct bytes part;
        if (!bytes_cut_last(&result.stem, &part) || !bytes_equal(part, BYTES_LITERAL("pyc")))
                return false;
        struct bytes shorter = result.stem;
        if (bytes_cut_last(&shorter, &part)) {
                struct bytes before = shorter, tag;
                if (bytes_start_with(part, "opt-") && bytes_cut_last(&before, &tag)) {
                        result.optimisation = (struct bytes){part.data + 4, part.size - 4};
                        result.stem = before;
                        result.tag = tag;
                } else if (pyc_tag_minor(part) != 0) {
                        result.stem = shorter;
                        result.tag = part;
                }
        }
        *ret_name = result;
        return true;
}

int pyc_tag_minor(struct bytes tag)
{
        static const char prefix[] = "cpython-3";
        if (!bytes_start_with(tag, prefix) || tag.size > sizeof prefix + 1)
                return 0;
        int minor = 0;
        for (size_t i = sizeof prefix - 1; i < tag.size; i++) {
                if (tag.data[i] < '0' || tag.data[i] > '9')
                        return 0;
                minor = minor * 10 + (tag.data[i] - '0');
        }
        return minor >= PYC_MINOR_MIN && minor <= PYC_MINOR_MAX ? minor : 0;
}

static const struct pyc_version *version_of_magic(uint16_t magic)
{
        for (size_t i = 0; i < N_PYC_VERSIONS; i++)
                if (pyc_versions[i].magic == magic)
                        return &pyc_versions[i];
        return NULL;
}

int pyc_magic_minor(uint16_t magic)
{
        const struct pyc_version *version = version_of_magic(magic);
        return version != NULL ? version->minor : 0;
}

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
        return value << bits | value >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], unsigned rounds)
{
        while (rounds-- > 0) {
                v[0] += v[1];
                v[2] += v[3];
                v[1] = rotate_left(v[1], 13) ^ v[0];
                v[3] = rotate_left(v[3], 16) ^ v[2];
                v[0] = rotate_left(v[0], 32);
                v[2] += v[1];
                v[0] += v[3];
                v[1] = rotate_left(v[1], 17) ^ v[2];
                v[3] = rotate_left(v[3], 21) ^ v[0];
                v[2] = rotate_left(v[2], 32);
        }
}

static uint64_t sip_hash(struct bytes bytes, uint64_t key, unsigned compressions, unsigned finalizations)
{
        /* The second half of the key is zero. */
        uint64_t v[4] = {0x736f6d6570736575 ^ key, 0x646f72616e646f6d, 0x6c7967656e657261 ^ key, 0x7465646279746573};
        struct cursor cursor = cursor_over(bytes);
        uint64_t last = (uint64_t)bytes.size << 56;
        while (cursor_left(&cursor) >= 8) {
                uint64_t word = cursor_u64le(&cursor);
                v[3] ^= word;
                sip_rounds(v, compressions);
                v[0] ^= word;
        }
        for (unsigned shift = 0; cursor_left(&cursor) > 0; shift += 8)
                last |= (uint64_t)cursor_u8(&cursor) << shift;
        v[3] ^= last;
        sip_rounds(v, compressions);
        v[0] ^= last;
        v[2] ^= 0xff;
        sip_rounds(v, finalizations);
        return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t pyc_source_hash(struct bytes source, uint16_t magic)
{
        const struct pyc_version *version = version_of_magic(magic);
        uint64_t key = (uint64_t)PYC_MAGIC_END << 16 | magic;
        return sip_hash(source, key, version != NULL ? version->compressions : 1,
                        version != NULL ? version->finalizations : 3);
}
