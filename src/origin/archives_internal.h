/* What the parts of origin/archives share. Nothing outside origin/ includes this.
 *
 *     archives.c          the list of archives, kept in the order of trust and nearness
 *     archive_places.c    where they lie: fills the list
 *     archive_read.c      one archive: which distribution it is of, one member of it */
#ifndef PRISTINE_ORIGIN_ARCHIVES_INTERNAL_H
#define PRISTINE_ORIGIN_ARCHIVES_INTERNAL_H

#include "formats/zip.h"
#include "origin/archives.h"

enum {
        ARCHIVES_MAX = 20000,       /* of one run */
        PLACE_ENTRIES_MAX = 200000, /* of one directory */
        ARCHIVE_MEMBER_MAX = 256 << 20,
};

struct archive {
        enum origin_source source;
        const char *path;  /* absolute, inside the root */
        bool is_directory; /* an unpacked wheel of uv's cache */
        bool identified, usable;
        const char *info; /* "numpy-2.3.4.dist-info", once identified */
        struct zip zip;   /* of a file, once identified */
        uint64_t size;    /* of a file, when it was identified */
        int fd;           /* of a file or directory while it is open, else -1 */
};

struct archive_place {
        enum origin_source source;
        const char *path;
        size_t archives; /* found there */
        bool there;
};

struct archives {
        struct archives_request request;
        struct arena arena;
        struct archive *items; /* heap */
        size_t count, capacity;
        struct archive_place *places; /* heap */
        size_t n_places, places_capacity;
        bool gathered;
};

void archive_places_gather(struct archives *archives);
void archive_places_add_wheel(struct archives *archives, const char *path); /* once */

/* Learns what the archive is of, and closes it again; false where it is none. */
bool archive_identify(struct archives *archives, struct archive *archive);
/* Opens one that was identified, as what it was. */
bool archive_open(struct archives *archives, struct archive *archive);
/* A member of at most `limit` bytes and, where size is not negative, of just that size. Heap. */
bool archive_read(const struct archive *archive, const char *member, int64_t size, struct bytes *ret_bytes);
/* Whether the archive's own RECORD gives the member this digest. */
bool archive_vouches(const struct archive *archive, const char *member, const struct digest *digest);
void archive_close(struct archive *archive);

#endif
