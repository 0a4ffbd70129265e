#include "formats/record.h"

#include <string.h>

enum {
        FIELDS_MAX = 16, /* of one row that are told apart; more are only walked over */
        DIGEST_MAX = 64,
        COMMON_MAX = 1024, /* of a row that is taken for a common one: bounds the search for its end */
};

struct record_reader record_over(struct bytes bytes, struct arena *arena)
{
        if (bytes_start_with(bytes, "\xef\xbb\xbf"))
                bytes = (struct bytes){bytes.data + 3, bytes.size - 3};
        return (struct record_reader){.cursor = cursor_over(bytes), .arena = arena};
}

/* One row taken apart. The fields of a row without quotes are neighbours in the input, so that the commas between them
 * can be given back to a path that holds some. */
struct fields {
        struct bytes items[FIELDS_MAX];
        size_t count;
        bool quoted, cut;
};

/* What the bytes of both base64 alphabets stand for; 0xff: nothing. Written out, so that it is data and no code. */
static uint8_t base64_value(unsigned char c)
{
        if (c >= 'A' && c <= 'Z')
                return (uint8_t)(c - 'A');
        if (c >= 'a' && c <= 'z')
                return (uint8_t)(c - 'a' + 26);
        if (c >= '0' && c <= '9')
                return (uint8_t)(c - '0' + 52);
        return c == '-' || c == '+' ? 62 : c == '_' || c == '/' ? 63 : 0xff;
}

static uint8_t hex_value(unsigned char c)
{
        if (c >= '0' && c <= '9')
                return (uint8_t)(c - '0');
        c |= 0x20;
        return c >= 'a' && c <= 'f' ? (uint8_t)(c - 'a' + 10) : 0xff;
}

static bool decode_hex(struct bytes text, uint8_t *ret_digest)
{
        for (size_t i = 0; i < text.size; i += 2) {
                uint8_t high = hex_value(text.data[i]), low = hex_value(text.data[i + 1]);
                if ((high | low) > 15)
                        return false;
                ret_digest[i / 2] = (uint8_t)(high << 4 | low);
        }
        return true;
}

static bool decode_base64(struct bytes text, size_t size, uint8_t *ret_digest)
{
        uint32_t bits = 0;
        unsigned n_bits = 0;
        size_t written = 0;
        for (size_t i = 0; i < text.size; i++) {
                uint8_t value = base64_value(text.data[i]);
                if (value > 63)
                        return false;
                bits = bits << 6 | value;
                n_bits += 6;
                if (n_bits >= 8 && written < size) {
                        n_bits -= 8;
                        ret_digest[written++] = (uint8_t)(bits >> n_bits);
                }
        }
        /* Bits left over belong to no byte; writers put zeroes there, and others would be two spellings of one hash. */
        return written == size && (bits & ((1U << n_bits) - 1)) == 0;
}

bool record_decode_digest(struct bytes text, size_t size, uint8_t *ret_digest)
{
        uint8_t digest[DIGEST_MAX];
        if (size == 0 || size > DIGEST_MAX)
                return false;
        bool decoded = text.size == size * 2 && decode_hex(text, digest);
        if (!decoded) {
                for (int i = 0; i < 2 && text.size > 0 && text.data[text.size - 1] == '='; i++)
                        text.size--;
                decoded = text.size == (size * 8 + 5) / 6 && decode_base64(text, size, digest);
        }
        if (decoded)
                memcpy(ret_digest, digest, size);
        return decoded;
}

/* Walks over a quoted field from behind its opening quote; true when it held doubled quotes. */
static bool skip_quoted(struct bytes input, size_t *at, bool *ret_closed)
{
        bool doubled = false;
        *ret_closed = false;
        while (*at < input.size) {
                const unsigned char *quote = memchr(input.data + *at, '"', input.size - *at);
                if (quote == NULL)
                        break;
                *at = (size_t)(quote - input.data) + 1;
                if (*at >= input.size || input.data[*at] != '"') {
                        *ret_closed = true;
                        return doubled;
                }
                (*at)++;
                doubled = true;
        }
        *at = input.size;
        return doubled;
}

static struct bytes undouble(struct bytes text, struct arena *arena)
{
        unsigned char *copy = arena_alloc(arena, text.size + 1);
        size_t size = 0;
        for (size_t i = 0; i < text.size; i++) {
                copy[size++] = text.data[i];
                if (text.data[i] == '"' && i + 1 < text.size && text.data[i + 1] == '"')
                        i++;
        }
        return (struct bytes){copy, size};
}

static void add_field(struct fields *fields, struct bytes field)
{
        fields->cut |= field.size > RECORD_FIELD_MAX;
        if (fields->count < FIELDS_MAX)
                fields->items[fields->count] = field;
        fields->count++;
}

static bool ends_field(unsigned char c)
{
        return c == ',' || c == '\n' || c == '\r';
}

/* A quoted field, and what stands between its closing quote and the next comma, which Python's reader appends. */
static void read_quoted(struct record_reader *reader, struct fields *fields)
{
        struct cursor *cursor = &reader->cursor;
        struct bytes input = cursor->bytes;
        size_t start = cursor->position + 1, at = start;
        bool closed, doubled = skip_quoted(input, &at, &closed);
        size_t end = closed ? at - 1 : at, tail = at;
        while (tail < input.size && !ends_field(input.data[tail]))
                tail++;
        struct bytes field = {input.data + start, end - start};
        cursor_skip(cursor, tail - cursor->position);
        fields->quoted = true;
        if (!closed || field.size > RECORD_FIELD_MAX || tail > at) {
                fields->cut |= !closed || field.size > RECORD_FIELD_MAX || tail - at > RECORD_FIELD_MAX;
                if (tail > at && !fields->cut) { /* "a"b: both parts together */
                        unsigned char *whole = arena_alloc(reader->arena, field.size + tail - at + 1);
                        struct bytes plain = doubled ? undouble(field, reader->arena) : field;
                        memcpy(whole, plain.data, plain.size);
                        memcpy(whole + plain.size, input.data + at, tail - at);
                        field = (struct bytes){whole, plain.size + tail - at};
                        doubled = false;
                } else if (fields->cut)
                        field.size = field.size > RECORD_FIELD_MAX ? RECORD_FIELD_MAX : field.size;
        }
        add_field(fields, doubled && !fields->cut ? undouble(field, reader->arena) : field);
}

static void read_plain(struct record_reader *reader, struct fields *fields)
{
        struct cursor *cursor = &reader->cursor;
        size_t end = cursor->position;
        while (end < cursor->bytes.size && !ends_field(cursor->bytes.data[end]))
                end++;
        struct bytes field = {cursor->bytes.data + cursor->position, end - cursor->position};
        cursor_skip(cursor, field.size);
        add_field(fields, field);
}

/* The end of a row: LF, CRLF or CR, or the end of the input. A comma goes on with the row. */
static bool row_goes_on(struct cursor *cursor)
{
        if (cursor_left(cursor) == 0)
                return false;
        unsigned char c = cursor_u8(cursor);
        if (c == '\r' && cursor_left(cursor) > 0 && cursor->bytes.data[cursor->position] == '\n')
                cursor_skip(cursor, 1);
        return c == ',';
}

static void read_fields(struct record_reader *reader, struct fields *fields)
{
        *fields = (struct fields){.count = 0};
        do {
                struct cursor *cursor = &reader->cursor;
                if (cursor_left(cursor) > 0 && cursor->bytes.data[cursor->position] == '"')
                        read_quoted(reader, fields);
                else
                        read_plain(reader, fields);
        } while (row_goes_on(&reader->cursor));
}

static bool parse_size(struct bytes text, int64_t *ret_size)
{
        int64_t size = 0;
        if (text.size == 0 || text.size > 18)
                return false;
        for (size_t i = 0; i < text.size; i++) {
                if (text.data[i] < '0' || text.data[i] > '9')
                        return false;
                size = size * 10 + (text.data[i] - '0');
        }
        *ret_size = size;
        return true;
}

/* "sha256=…" and its like; false when it is none. */
static bool parse_hash(struct bytes text, struct record_hash *ret_hash)
{
        static const struct {
                const char *name;
                enum record_hash_kind kind;
                size_t size;
        } kinds[] = {
                {"sha256=", RECORD_HASH_SHA256, DIGEST_SIZE},
                {"sha384=", RECORD_HASH_SHA384, 48},
                {"sha512=", RECORD_HASH_SHA512, 64},
                {"md5=", RECORD_HASH_OTHER, 16},
                {"sha1=", RECORD_HASH_OTHER, 20},
                {"sha224=", RECORD_HASH_OTHER, 28},
                {"blake2b=", RECORD_HASH_OTHER, 64},
                {"blake2s=", RECORD_HASH_OTHER, 32},
                {"sha3_256=", RECORD_HASH_OTHER, 32},
                {"sha3_384=", RECORD_HASH_OTHER, 48},
                {"sha3_512=", RECORD_HASH_OTHER, 64},
        };
        uint8_t digest[DIGEST_MAX];
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
                size_t skip = strlen(kinds[i].name);
                if (!bytes_start_with(text, kinds[i].name))
                        continue;
                struct bytes value = {text.data + skip, text.size - skip};
                if (!record_decode_digest(value, kinds[i].size, digest))
                        return false;
                *ret_hash = (struct record_hash){.kind = kinds[i].kind};
                if (kinds[i].kind == RECORD_HASH_SHA256)
                        memcpy(ret_hash->digest.bytes, digest, DIGEST_SIZE);
                else
                        ret_hash->text = value;
                return true;
        }
        return false;
}

/* The path and what follows it up to the end of field `last`, as it stands in the input. */
static struct bytes join(const struct fields *fields, size_t last)
{
        const unsigned char *end = fields->items[last].data + fields->items[last].size;
        return (struct bytes){fields->items[0].data, (size_t)(end - fields->items[0].data)};
}

/* The last field that is a hash, or 0. */
static size_t find_hash(const struct fields *fields, struct record_hash *ret_hash)
{
        size_t known = fields->count < FIELDS_MAX ? fields->count : FIELDS_MAX;
        for (size_t i = known; i-- > 1;)
                if (parse_hash(fields->items[i], ret_hash))
                        return i;
        return 0;
}

/* `path,,size`, `path,,` and the bare `path` are what installers write of files they do not vouch for. */
static bool is_hashless(const struct fields *fields)
{
        int64_t size;
        return fields->count == 1 || (fields->count == 2 && fields->items[1].size == 0) ||
               (fields->count == 3 && fields->items[1].size == 0 &&
                (fields->items[2].size == 0 || parse_size(fields->items[2], &size)));
}

static void fill_lost(const struct fields *fields, struct record_row *row)
{
        size_t last = fields->count < FIELDS_MAX ? fields->count - 1 : FIELDS_MAX - 1;
        row->hash.kind = RECORD_HASH_LOST;
        if (fields->quoted)
                return;
        /* Empty fields and a size at the end are the row's own, all between belongs to the path. */
        while (last > 1 && (fields->items[last].size == 0 || parse_size(fields->items[last], &row->size)))
                last--;
        row->joined = join(fields, last);
}

static void fill_row(const struct fields *fields, struct record_row *row)
{
        *row = (struct record_row){.path = fields->items[0], .size = -1, .cut = fields->cut};
        if (fields->cut)
                return;
        size_t hash = find_hash(fields, &row->hash);
        if (hash > 1 && fields->quoted) {
                /* Whose hash it is cannot be told: no writer quotes one part of a path and leaves another bare. */
                row->hash = (struct record_hash){.kind = RECORD_HASH_LOST};
        } else if (hash > 0) {
                if (hash > 1)
                        row->path = join(fields, hash - 1);
                if (hash + 1 < fields->count && hash + 1 < FIELDS_MAX)
                        parse_size(fields->items[hash + 1], &row->size);
        } else if (is_hashless(fields)) {
                if (fields->count == 3)
                        parse_size(fields->items[2], &row->size);
        } else
                fill_lost(fields, row);
}

static bool is_blank(const struct fields *fields)
{
        return fields->count == 1 && fields->items[0].size == 0 && !fields->quoted;
}

/* Nearly every row is `path,sha256=43 characters,size` without a quote: taken apart by three searches. False where it
 * is anything else, and nothing was read. */
static bool read_common(struct record_reader *reader, struct record_row *ret_row)
{
        static const char mark[] = ",sha256=";
        enum { MARK = sizeof mark - 1, DIGITS = 43 };
        struct cursor *cursor = &reader->cursor;
        const unsigned char *start = cursor->bytes.data + cursor->position;
        size_t left = cursor_left(cursor);
        /* Unbounded, a file without LF would be searched to its end for every CR. */
        const unsigned char *end = memchr(start, '\n', left < COMMON_MAX ? left : COMMON_MAX);
        if (end == NULL || start[0] == '"')
                return false;
        size_t length = (size_t)(end - start);
        const unsigned char *comma = memchr(start, ',', length);
        if (comma == NULL || comma == start || (size_t)(end - comma) < MARK + DIGITS + 2 ||
            memcmp(comma, mark, MARK) != 0 || comma[MARK + DIGITS] != ',' ||
            memchr(start, '\r', (size_t)(comma - start)) != NULL)
                return false;
        struct bytes size = {comma + MARK + DIGITS + 1, (size_t)(end - comma) - MARK - DIGITS - 1};
        if (size.data[size.size - 1] == '\r')
                size.size--;
        struct record_row row = {.path = {start, (size_t)(comma - start)}, .hash.kind = RECORD_HASH_SHA256};
        if (!parse_size(size, &row.size) ||
            !decode_base64((struct bytes){comma + MARK, DIGITS}, DIGEST_SIZE, row.hash.digest.bytes))
                return false;
        cursor_skip(cursor, length + 1);
        *ret_row = row;
        return true;
}

bool record_next(struct record_reader *reader, struct record_row *ret_row)
{
        struct fields fields;
        while (cursor_left(&reader->cursor) > 0 && reader->rows < RECORD_ROWS_MAX) {
                if (!read_common(reader, ret_row)) {
                        read_fields(reader, &fields);
                        if (is_blank(&fields))
                                continue;
                        fill_row(&fields, ret_row);
                }
                reader->rows++;
                return true;
        }
        return false;
}

bool record_is_cut(const struct record_reader *reader)
{
        return reader->rows >= RECORD_ROWS_MAX && cursor_left(&reader->cursor) > 0;
}
