/* ZIP archives, of which wheels and torch files are made: the central directory, then single members, read whole.
 *
 *     struct zip_source source = zip_source_of_fd(&fd, size);
 *     zip_open(&source, &arena, &zip, error)
 *     zip_find(&zip, name) or a loop over zip.members
 *     zip_read(&zip, member, limit, &bytes, error)     heap; checked against its CRC
 *
 * Bytes come through a function, so that the same reader serves a file, memory, and later a server's ranges. Everything
 * that the archive says of itself is checked against the size of the source and the bounds below. Stored and deflated
 * members are read; encrypted and split archives are refused. Names are bytes as they stand. */
#ifndef PRISTINE_FORMATS_ZIP_H
#define PRISTINE_FORMATS_ZIP_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum {
        ZIP_MEMBERS_MAX = 1 << 20,
        ZIP_DIRECTORY_MAX = 256 << 20, /* bytes of the central directory */
};

struct zip_source {
        /* Fills the whole buffer or fails. */
        int (*read)(void *context, uint64_t offset, void *buffer, size_t size, struct error *ret_error);
        void *context;
        uint64_t size;
};

struct zip_member {
        struct bytes name;
        uint64_t size, compressed; /* bytes, as the central directory gives them */
        uint64_t offset;           /* of the local header */
        uint32_t crc;
        uint16_t method, flags;
};

struct zip {
        struct zip_source source;
        struct zip_member *members; /* in the order of the central directory; in the arena */
        size_t count;
};

struct zip_source zip_source_of_fd(const int *fd, uint64_t size); /* fd borrowed */

int zip_open(const struct zip_source *source, struct arena *arena, struct zip *ret_zip, struct error *ret_error);

/* The last of that name, which is the one that Python takes; NULL where there is none. */
const struct zip_member *zip_find(const struct zip *zip, struct bytes name);

/* ERR_LIMIT when the member is larger than `limit`. The caller frees ret_bytes->data. */
int zip_read(const struct zip *zip, const struct zip_member *member, size_t limit, struct bytes *ret_bytes,
             struct error *ret_error);

#endif
