/* What an installed Python environment is, as read from its files alone. All memory belongs to the run's arena; all
 * paths are NUL-terminated bytes. "Prefix-relative" means beneath environment.path, without a leading slash. */
#ifndef PRISTINE_MODEL_ENVIRONMENT_H
#define PRISTINE_MODEL_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/digest.h"
#include "model/severity.h"

/* What is known of one file on disk, from the same descriptor its bytes were read through. */
struct file_identity {
        uint64_t device, inode, links;
        uint64_t size; /* bytes */
        uint32_t mode; /* st_mode, with the type */
        uint32_t uid, gid;
        int64_t mtime_ns; /* since the epoch */
        bool has_digest;
        struct digest digest;
};

/* A file is never just good or bad (facts/environments.md, States). Only FILE_OK counts as ok. */
enum file_state {
        FILE_OK,
        FILE_MODIFIED,       /* differs from every owner's hash */
        FILE_MISSING,        /* an owner lists it, it is not there */
        FILE_CLOBBERED,      /* one of several owners matches: overwritten by another installation, not edited */
        FILE_UNOWNED,        /* nobody lists it */
        FILE_UNVERIFIABLE,   /* listed without a usable hash */
        FILE_MALFORMED,      /* its row's hash could not be recovered */
        FILE_UPSTREAM_WRONG, /* differs from RECORD, but not newer than it: the wheel itself was wrong */
        FILE_STALE_BYTECODE,
        FILE_UNREADABLE, /* no permission, an I/O error, not a regular file, or it changed while being read */
        FILE_OUTSIDE,    /* its row leads outside the prefix; never opened */
        FILE_STATES
};

struct file_counts {
        uint64_t by_state[FILE_STATES];
        uint64_t silent; /* looked at and normal though no hash vouches (e.g. bytecode, INSTALLER, launchers) */
};

/* Where a site directory is, e.g. "lib/python3.11/site-packages" (prefix-relative). */
struct site {
        const char *path;
        bool importable; /* false for bin/ and other places RECORD rows reach */
};

struct distribution {
        const char *name, *version; /* as METADATA or the directory's name gives them */
        const char *installer;      /* INSTALLER's first word, "" if absent */
        const char *info;           /* prefix-relative .dist-info directory */
        uint32_t site;              /* index into environment.sites */
        bool has_record, editable;
        bool debris;             /* an interrupted installation's leftover ("~ame") */
        int64_t record_mtime_ns; /* INT64_MIN without RECORD */
        uint32_t n_rows;
};

struct environment {
        const char *path;               /* absolute prefix, symlinks in it resolved, no trailing slash */
        const char *python;             /* "3.12.3", "3.12", or "" when not told by files */
        int python_major, python_minor; /* 0 when unknown */
        const char **installers;        /* distinct, sorted */
        size_t n_installers;
        struct site *sites;
        size_t n_sites;
        struct distribution *distributions;
        size_t n_distributions;
        struct file_counts counts;
        double code_seconds; /* from the start of the observation until every code file was judged */
};

/* One thing worth saying about one path: every file that is not FILE_OK and not silent gives one. */
struct file_fact {
        enum file_state state;
        const char *rule; /* the public rule id that this fact falls under, e.g. "file-modified", "startup-hook" */
        enum severity severity;
        const char *path;       /* prefix-relative; for FILE_OUTSIDE the row's own text */
        const uint32_t *owners; /* indices into environment.distributions; the first is the one to name */
        size_t n_owners;
        bool has_row_hash; /* the row of the first owner has a hash, of whatever kind */
        bool has_expected; /* that hash is a SHA-256 */
        struct digest expected;
        int64_t expected_size; /* -1 when the row gives none */
        bool exists;
        struct file_identity found;
        bool is_text_source; /* .py, .pyi, .pth, … : lines make sense */
        const char *why;     /* one clause, for the report */
};

struct file_facts {
        struct file_fact *items; /* sorted by path, then rule */
        size_t count;
};

#endif
