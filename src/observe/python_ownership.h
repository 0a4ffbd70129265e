/* Ownership: which distributions claim which path. Built from every RECORD before any file is looked at, so that a file
 * with two owners is judged once, by the word of both.
 *
 *     ownership_open()           the prefix and the sites
 *     ownership_add_record()     one RECORD's rows -> directories, files, claims, strays; by ascending distribution
 *     ownership_directory()      a prefix-relative directory -> its index; known when a row lies in or beneath it
 *     ownership_file()           directory and name -> the file
 *     ownership_clear()          fit for CLEANUP()
 *
 * A path is bytes. Rows that name one file in different spellings (`..`, absolute, doubled slashes, lib64 where that is
 * a link to lib) come together in one file. Rows that lead outside the prefix are kept apart and never opened. Bytecode
 * in a __pycache__ is nobody's: Python rewrites it, so that a row of it says nothing. Paths are views into the RECORDs'
 * bytes, which the ownership keeps; facts copy what they need. */
#ifndef PRISTINE_OBSERVE_PYTHON_OWNERSHIP_H
#define PRISTINE_OBSERVE_PYTHON_OWNERSHIP_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/text.h"
#include "formats/record.h"
#include "model/environment.h"
#include "model/finding.h"

#define OWNERSHIP_NONE UINT32_MAX

/* An environment of 62,000 files has 8,000. A RECORD may name a new one in every two bytes. */
enum { OWNERSHIP_DIRECTORIES_MAX = 1 << 20 };

/* One row of one RECORD. */
struct claim {
        uint32_t owner; /* index into environment.distributions */
        uint32_t next;  /* the next claim on the same file, or OWNERSHIP_NONE; by distribution, then by row */
        struct record_hash hash;
        int64_t size; /* -1 when the row gives none */
};

/* What stood at a path when it was looked at. */
enum look {
        LOOK_ABSENT,
        LOOK_PENDING,    /* a regular file, to be hashed after the code */
        LOOK_HASHED,     /* found.digest is that of its bytes */
        LOOK_NOT_HASHED, /* a regular file whose bytes nothing asked for */
        LOOK_OTHER_KIND, /* a directory, symbolic link, FIFO, socket or device: found.mode tells */
        LOOK_UNREADABLE, /* errnum tells; 0: it kept changing while it was read */
};

struct owned_file {
        uint32_t directory;
        uint32_t first_claim, last_claim;
        uint32_t next_in_directory; /* or OWNERSHIP_NONE */
        struct bytes name;
        enum look look;
        int errnum;
        bool has_identity; /* found is filled but for its digest */
        struct file_identity found;
};

/* How the walk came into a directory. */
enum visit {
        VISIT_NONE,   /* it was not tried */
        VISIT_LISTED, /* every entry was seen */
        VISIT_ABSENT,
        VISIT_LINK,   /* a symbolic link stands here, or on the way */
        VISIT_FAILED, /* errnum tells */
};

/* A directory that rows lie in or beneath, or a site. */
struct owned_directory {
        struct bytes path;   /* prefix-relative, "" for the prefix */
        uint32_t parent;     /* always of a smaller index; OWNERSHIP_NONE for the prefix */
        uint32_t first_file; /* of those directly in it, or OWNERSHIP_NONE */
        uint32_t site;       /* index into environment.sites: the one that holds it, or OWNERSHIP_NONE */
        enum visit visit;
        int errnum;
};

/* A row that leads outside the prefix, or one that no path can be made of. */
struct stray_row {
        uint32_t owner;
        struct bytes text;
        bool outside;
        const char *why; /* a literal; NULL when outside */
};

struct ownership_slot {
        uint32_t hash, index; /* index OWNERSHIP_NONE: free */
};

struct ownership_table {
        struct ownership_slot *slots;
        size_t mask, used;
};

struct ownership {
        int prefix_fd;       /* borrowed */
        struct bytes prefix; /* environment.path, borrowed */
        bool lib64_is_lib;   /* one directory under two names */
        struct owned_directory *directories;
        struct owned_file *files;
        struct claim *claims;
        struct stray_row *strays;
        size_t n_directories, n_files, n_claims, n_strays;
        size_t directories_capacity, files_capacity, claims_capacity, strays_capacity;
        struct ownership_table directory_table, file_table;
        uint64_t key[2]; /* of the tables' hash: drawn anew each time, so that no RECORD can be made to crowd a slot */
        struct arena texts; /* paths that had to be composed */
        void **records;     /* the bytes of each RECORD */
        size_t n_records, records_capacity;
};

/* The environment must outlive the ownership; of it only the path and the sites are used. */
void ownership_open(int prefix_fd, const struct environment *environment, struct ownership *ret_ownership);
void ownership_clear(struct ownership *ownership); /* fit for CLEANUP() */

/* The ownership takes `record` (heap) and frees it when cleared. `site` is the index of the site that the RECORD's
 * paths start from. False when rows were left out because there were more than RECORD_ROWS_MAX. */
bool ownership_add_record(struct ownership *ownership, uint32_t owner, uint32_t site, struct bytes record,
                          uint32_t *ret_rows);

/* The directory and all above it, made known when they are not yet. The path is copied. OWNERSHIP_NONE when there would
 * be more than OWNERSHIP_DIRECTORIES_MAX. */
uint32_t ownership_add_directory(struct ownership *ownership, struct bytes path);
/* The file, made known when it is not yet; the name is kept as a view. */
uint32_t ownership_add_file(struct ownership *ownership, uint32_t directory, struct bytes name);

uint32_t ownership_directory(const struct ownership *ownership, struct bytes path);
uint32_t ownership_file(const struct ownership *ownership, uint32_t directory, struct bytes name);

/* The file of a whole prefix-relative path, or OWNERSHIP_NONE. */
uint32_t ownership_path(const struct ownership *ownership, struct bytes path);

/* Whether it was looked for and is not there; false where nothing is known. */
bool ownership_is_gone(const struct ownership *ownership, const struct owned_file *file);

#endif
