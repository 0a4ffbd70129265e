/* RECORD: what an installer wrote down of each file of a distribution, one row `path,algorithm=digest,size` each.
 *
 *     struct record_reader reader = record_over(bytes, &arena);
 *     while (record_next(&reader, &row)) …
 *
 * Tolerant where installers are known to differ and strict in what counts as a hash: LF or CRLF, a byte order mark,
 * quoted fields (Python's csv dialect), digests in hexadecimal, in either base64 alphabet, with or without padding, and
 * paths with unquoted commas, which some pips wrote. Never fails: a row that says nothing usable is given as such.
 * Paths are bytes, as views into the input wherever the row has no doubled quotes; else they lie in the arena. */
#ifndef PRISTINE_FORMATS_RECORD_H
#define PRISTINE_FORMATS_RECORD_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/text.h"
#include "model/digest.h"

enum {
        RECORD_BYTES_MAX = 64 << 20, /* the largest seen, of a distribution of 20,000 files, is 3 MiB */
        RECORD_FIELD_MAX = 64 << 10,
        RECORD_ROWS_MAX = 1 << 20,
};

enum record_hash_kind {
        RECORD_HASH_NONE,   /* the row has no hash */
        RECORD_HASH_SHA256, /* digest */
        RECORD_HASH_SHA384, /* text: the digest as written */
        RECORD_HASH_SHA512,
        RECORD_HASH_OTHER, /* an algorithm that is too weak or not known here */
        RECORD_HASH_LOST,  /* something stands where the hash should be, and it is none */
};

struct record_hash {
        enum record_hash_kind kind;
        union {
                struct digest digest;
                struct bytes text;
        };
};

struct record_row {
        struct bytes path;
        struct bytes joined; /* with RECORD_HASH_LOST: the path if the commas behind it belong to it; else empty */
        struct record_hash hash;
        int64_t size; /* -1 when the row gives none */
        bool cut;     /* a field was longer than RECORD_FIELD_MAX, or a quote was never closed */
};

struct record_reader {
        struct cursor cursor;
        struct arena *arena;
        size_t rows; /* given so far */
};

struct record_reader record_over(struct bytes bytes, struct arena *arena);

/* False at the end, or when RECORD_ROWS_MAX rows were given: record_is_cut() tells which. */
bool record_next(struct record_reader *reader, struct record_row *ret_row);
bool record_is_cut(const struct record_reader *reader);

/* Decodes a base64 or hexadecimal digest of exactly `size` bytes (at most 64). */
bool record_decode_digest(struct bytes text, size_t size, uint8_t *ret_digest);

#endif
