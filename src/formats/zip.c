#include "formats/zip.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/cursor.h"

enum {
        END_SIZE = 22,
        END_SEARCH = END_SIZE + 65535, /* the comment behind it has a length of 16 bits */
        LOCATOR_SIZE = 20,
        END64_SIZE = 56,
        ENTRY_SIZE = 46,
        LOCAL_SIZE = 30,
        END_MARK = 0x06054b50,
        LOCATOR_MARK = 0x07064b50,
        END64_MARK = 0x06064b50,
        ENTRY_MARK = 0x02014b50,
        LOCAL_MARK = 0x04034b50,
        EXTRA_ZIP64 = 1,
        FLAG_ENCRYPTED = 1,
        METHOD_STORED = 0,
        METHOD_DEFLATED = 8,
};

static int read_fd(void *context, uint64_t offset, void *buffer, size_t size, struct error *ret_error)
{
        const int *fd = context;
        for (size_t done = 0; done < size;) {
                ssize_t got = pread(*fd, (unsigned char *)buffer + done, size - done, (off_t)(offset + done));
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return error_set(ret_error, ERR_SYSTEM, errno, "cannot read");
                if (got == 0)
                        return error_set(ret_error, ERR_CHANGED, 0, "it became shorter while it was read");
                done += (size_t)got;
        }
        return 0;
}

struct zip_source zip_source_of_fd(const int *fd, uint64_t size)
{
        return (struct zip_source){.read = read_fd, .context = (void *)fd, .size = size};
}

static int malformed(struct error *ret_error, const char *what)
{
        return error_set(ret_error, ERR_MALFORMED, 0, "no sound ZIP archive: %s", what);
}

/* Reads a part that must lie inside the source. */
static int read_part(const struct zip_source *source, uint64_t offset, void *buffer, size_t size,
                     struct error *ret_error)
{
        if (offset > source->size || size > source->size - offset)
                return malformed(ret_error, "it names bytes beyond its end");
        return source->read(source->context, offset, buffer, size, ret_error);
}

/* Where the central directory lies. */
struct directory {
        uint64_t offset, size, count;
};

/* Archives of more than 4 GiB or 65,535 members say so in a record of its own. */
static int read_end64(const struct zip_source *source, uint64_t end, struct directory *directory,
                      struct error *ret_error)
{
        unsigned char locator[LOCATOR_SIZE], record[END64_SIZE];
        if (end < LOCATOR_SIZE)
                return 0;
        int result = read_part(source, end - LOCATOR_SIZE, locator, sizeof locator, ret_error);
        if (result < 0)
                return result;
        struct cursor cursor = cursor_over((struct bytes){locator, sizeof locator});
        if (cursor_u32le(&cursor) != LOCATOR_MARK)
                return 0;
        cursor_skip(&cursor, 4);
        result = read_part(source, cursor_u64le(&cursor), record, sizeof record, ret_error);
        if (result < 0)
                return result;
        cursor = cursor_over((struct bytes){record, sizeof record});
        if (cursor_u32le(&cursor) != END64_MARK)
                return malformed(ret_error, "the record of its size is not where it says");
        cursor_skip(&cursor, 28);
        directory->count = cursor_u64le(&cursor);
        directory->size = cursor_u64le(&cursor);
        directory->offset = cursor_u64le(&cursor);
        return 0;
}

/* The end record is the last whose comment reaches just to the end. */
static int find_end(const struct zip_source *source, struct directory *ret_directory, struct error *ret_error)
{
        size_t size = source->size < END_SEARCH ? (size_t)source->size : END_SEARCH;
        AUTO_FREE unsigned char *tail = heap_alloc(size + 1);
        int result = read_part(source, source->size - size, tail, size, ret_error);
        if (result < 0)
                return result;
        for (size_t at = size < END_SIZE ? 0 : size - END_SIZE + 1; at-- > 0;) {
                struct cursor cursor = cursor_over((struct bytes){tail + at, size - at});
                if (cursor_u32le(&cursor) != END_MARK)
                        continue;
                cursor_skip(&cursor, 6);
                ret_directory->count = cursor_u16le(&cursor);
                ret_directory->size = cursor_u32le(&cursor);
                ret_directory->offset = cursor_u32le(&cursor);
                size_t comment = cursor_u16le(&cursor);
                if (cursor.failed || comment != cursor_left(&cursor))
                        continue;
                return read_end64(source, source->size - size + at, ret_directory, ret_error);
        }
        return malformed(ret_error, "it has no end record");
}

/* The fields that did not fit into 32 bits, in the order in which they are missing. */
static void read_zip64(struct bytes extra, struct zip_member *member)
{
        struct cursor cursor = cursor_over(extra);
        while (cursor_left(&cursor) >= 4) {
                uint16_t kind = cursor_u16le(&cursor);
                struct cursor field = cursor_over(cursor_take(&cursor, cursor_u16le(&cursor)));
                if (kind != EXTRA_ZIP64)
                        continue;
                if (member->size == UINT32_MAX)
                        member->size = cursor_u64le(&field);
                if (member->compressed == UINT32_MAX)
                        member->compressed = cursor_u64le(&field);
                if (member->offset == UINT32_MAX)
                        member->offset = cursor_u64le(&field);
                return;
        }
}

static bool read_entry(struct cursor *cursor, struct zip_member *ret_member)
{
        struct zip_member member = {0};
        if (cursor_u32le(cursor) != ENTRY_MARK)
                return false;
        cursor_skip(cursor, 4);
        member.flags = cursor_u16le(cursor);
        member.method = cursor_u16le(cursor);
        cursor_skip(cursor, 4);
        member.crc = cursor_u32le(cursor);
        member.compressed = cursor_u32le(cursor);
        member.size = cursor_u32le(cursor);
        size_t name = cursor_u16le(cursor), extra = cursor_u16le(cursor), comment = cursor_u16le(cursor);
        cursor_skip(cursor, 8);
        member.offset = cursor_u32le(cursor);
        member.name = cursor_take(cursor, name);
        read_zip64(cursor_take(cursor, extra), &member);
        cursor_skip(cursor, comment);
        *ret_member = member;
        return !cursor->failed;
}

static int read_directory(const struct zip_source *source, const struct directory *directory, struct arena *arena,
                          struct zip *zip, struct error *ret_error)
{
        if (directory->size > ZIP_DIRECTORY_MAX || directory->count > ZIP_MEMBERS_MAX)
                return error_set(ret_error, ERR_LIMIT, 0, "an archive of %llu members, more than are read",
                                 (unsigned long long)directory->count);
        if (directory->count > directory->size / ENTRY_SIZE)
                return malformed(ret_error, "it counts more members than it has room for");
        unsigned char *bytes = arena_alloc(arena, (size_t)directory->size + 1);
        int result = read_part(source, directory->offset, bytes, (size_t)directory->size, ret_error);
        if (result < 0)
                return result;
        zip->members = arena_new_array(arena, struct zip_member, (size_t)directory->count + 1);
        struct cursor cursor = cursor_over((struct bytes){bytes, (size_t)directory->size});
        for (; zip->count < directory->count; zip->count++)
                if (!read_entry(&cursor, &zip->members[zip->count]))
                        return malformed(ret_error, "its list of members is broken");
        return 0;
}

int zip_open(const struct zip_source *source, struct arena *arena, struct zip *ret_zip, struct error *ret_error)
{
        struct directory directory = {0};
        struct zip zip = {.source = *source};
        int result = find_end(source, &directory, ret_error);
        if (result == 0)
                result = read_directory(source, &directory, arena, &zip, ret_error);
        if (result == 0)
                *ret_zip = zip;
        return result;
}

const struct zip_member *zip_find(const struct zip *zip, struct bytes name)
{
        for (size_t i = zip->count; i-- > 0;)
                if (bytes_equal(zip->members[i].name, name))
                        return &zip->members[i];
        return NULL;
}

/* Where the member's bytes begin: behind a header that repeats what the central directory says, with names of its own
 * length. */
static int find_data(const struct zip *zip, const struct zip_member *member, uint64_t *ret_offset,
                     struct error *ret_error)
{
        unsigned char header[LOCAL_SIZE];
        int result = read_part(&zip->source, member->offset, header, sizeof header, ret_error);
        if (result < 0)
                return result;
        struct cursor cursor = cursor_over((struct bytes){header, sizeof header});
        if (cursor_u32le(&cursor) != LOCAL_MARK)
                return malformed(ret_error, "a member is not where it says");
        cursor_skip(&cursor, 22);
        uint64_t name = cursor_u16le(&cursor), extra = cursor_u16le(&cursor);
        *ret_offset = member->offset + LOCAL_SIZE + name + extra;
        return 0;
}

static int inflate_all(struct bytes packed, unsigned char *data, size_t size, struct error *ret_error)
{
        z_stream stream = {.next_in = (unsigned char *)packed.data, .avail_in = (uInt)packed.size};
        if (packed.size > UINT32_MAX || size > UINT32_MAX)
                return error_set(ret_error, ERR_LIMIT, 0, "a deflated member of more than 4 GiB");
        stream.next_out = data;
        stream.avail_out = (uInt)size;
        if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
                return error_set(ret_error, ERR_SYSTEM, 0, "zlib cannot begin");
        int ended = inflate(&stream, Z_FINISH);
        bool whole = ended == Z_STREAM_END && stream.total_out == size;
        inflateEnd(&stream);
        return whole ? 0 : malformed(ret_error, "a member does not unpack to the size it should have");
}

int zip_read(const struct zip *zip, const struct zip_member *member, size_t limit, struct bytes *ret_bytes,
             struct error *ret_error)
{
        uint64_t offset = 0;
        if (member->flags & FLAG_ENCRYPTED)
                return error_set(ret_error, ERR_UNSUPPORTED, 0, "the member is encrypted");
        if (member->method != METHOD_STORED && member->method != METHOD_DEFLATED)
                return error_set(ret_error, ERR_UNSUPPORTED, 0, "the member is packed by method %u", member->method);
        if (member->size > limit || member->compressed > limit)
                return error_set(ret_error, ERR_LIMIT, 0, "a member of %llu bytes, more than the %zu that are read",
                                 (unsigned long long)member->size, limit);
        if (member->method == METHOD_STORED && member->size != member->compressed)
                return malformed(ret_error, "a stored member has two sizes");
        int result = find_data(zip, member, &offset, ret_error);
        if (result < 0)
                return result;
        AUTO_FREE unsigned char *packed = heap_alloc((size_t)member->compressed + 1);
        AUTO_FREE unsigned char *data = NULL;
        result = read_part(&zip->source, offset, packed, (size_t)member->compressed, ret_error);
        if (result == 0 && member->method == METHOD_DEFLATED) {
                data = heap_alloc((size_t)member->size + 1);
                result = inflate_all((struct bytes){packed, (size_t)member->compressed}, data, (size_t)member->size,
                                     ret_error);
        } else if (result == 0)
                data = steal_pointer(packed);
        if (result < 0)
                return result;
        if (crc32_z(crc32_z(0, NULL, 0), data, (size_t)member->size) != member->crc)
                return malformed(ret_error, "a member's bytes do not have its checksum");
        *ret_bytes = (struct bytes){steal_pointer(data), (size_t)member->size};
        return 0;
}
