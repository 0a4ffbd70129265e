/* Ownership: which distributions claim which path. Built from every RECORD before any file is looked at, so that a file
 * with two owners is judged once, by the word of both.
 *
 *     ownership_build()          RECORDs of environment.distributions -> directories, files, claims
 *     ownership_directory()      a prefix-relative directory -> its index; known when a row lies in or beneath it
 *     ownership_file()           directory and name -> the file
 *     ownership_clear()          fit for CLEANUP()
 *
 * A path is bytes. Rows that name one file in different spellings (`..`, absolute, doubled slashes, lib64 where that is
 * a link to lib) come together in one file. Rows that lead outside the prefix are kept apart and never opened. Paths
 * are views into the RECORDs' bytes, which the ownership keeps; facts copy what they need. */
#ifndef PRISTINE_OBSERVE_PYTHON_OWNERSHIP_H
#define PRISTINE_OBSERVE_PYTHON_OWNERSHIP_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/text.h"
#include "formats/record.h"
#include "model/environment.h"
#include "model/finding.h"

#define OWNERSHIP_NONE UINT32_MAX

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
        uint32_t first_claim;
        uint32_t next_in_directory; /* or OWNERSHIP_NONE */
        struct bytes name;
        enum look look;
        int errnum;
        bool has_identity; /* found is filled but for its digest */
        struct file_identity found;
};

/* A directory that rows lie in or beneath. */
struct owned_directory {
        struct bytes path;   /* prefix-relative, "" for the prefix */
        uint32_t first_file; /* of those directly in it, or OWNERSHIP_NONE */
        bool visited;        /* the walk has listed it */
};

/* A row that leads outside the prefix, or one that no path can be made of. */
struct stray_row {
        uint32_t owner;
        struct bytes text;
        bool outside;
        const char *why;
};

struct ownership_slot {
        uint32_t hash, index; /* index OWNERSHIP_NONE: free */
};

struct ownership_table {
        struct ownership_slot *slots;
        size_t mask, used;
};

struct ownership {
        struct owned_directory *directories;
        struct owned_file *files;
        struct claim *claims;
        struct stray_row *strays;
        size_t n_directories, n_files, n_claims, n_strays;
        size_t directories_capacity, files_capacity, claims_capacity, strays_capacity;
        struct ownership_table directory_table, file_table;
        struct arena texts; /* RECORD bytes and paths that had to be composed */
};

uint32_t ownership_directory(const struct ownership *ownership, struct bytes path);
uint32_t ownership_file(const struct ownership *ownership, uint32_t directory, struct bytes name);

/* The file of a whole prefix-relative path, or OWNERSHIP_NONE. */
uint32_t ownership_path(const struct ownership *ownership, struct bytes path);

#endif
