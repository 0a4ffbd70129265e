/* What `check` tells: findings with their evidence. Field for field the JSON of the public contract
 * (shared design, interface.md). Memory belongs to the run's arena. */
#ifndef PRISTINE_MODEL_FINDING_H
#define PRISTINE_MODEL_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/environment.h"
#include "model/hunk.h"
#include "model/severity.h"

enum origin_source {
        ORIGIN_NONE,
        ORIGIN_RECORD_ORACLE,
        ORIGIN_UV_CACHE,
        ORIGIN_PIP_CACHE,
        ORIGIN_WHEEL,
        ORIGIN_INDEX,
        ORIGIN_DPKG,
        ORIGIN_GIT,
};

enum anchor {
        ANCHOR_NONE,
        ANCHOR_RECORD, /* only the local RECORD vouches */
        ANCHOR_ARCHIVE,
        ANCHOR_INDEX,
};

struct origin {
        enum origin_source source;
        bool proven; /* bytes whose SHA-256 equals RECORD's */
        enum anchor anchor;
        struct bytes original; /* the installed bytes when proven, else empty */
        const char *note;      /* why there is none, or "search cut after N s"; "" if nothing to add */
};

enum tristate { TRI_UNKNOWN, TRI_NO, TRI_YES };
enum fired { FIRED_UNKNOWN, FIRED_NO_EVIDENCE, FIRED_EARLIER_BOOT, FIRED_THIS_BOOT };

struct status {
        bool known; /* false: the finding is of a kind that has no status */
        enum tristate live;
        enum fired fired;
        bool can_fire;
        struct strings basis; /* of "memory", "times", "artifact", "journal" */
};

/* A rank as a file name tells it: kind "tp", "rank", "pp", "dp"…; count 0 = none. */
struct rank {
        const char *kind; /* "" when the name has no rank */
        uint32_t number;
};

struct artifact {
        const char *path; /* absolute, as seen beneath the root */
        struct file_identity found;
        struct rank rank;
        const char *format; /* "torch-zip", "torch-legacy", "npy", "safetensors", "pickle", "" unknown */
        uint32_t *open_by;  /* PIDs that hold it open */
        size_t n_open_by;
        bool open_unknown;     /* some processes could not be looked into */
        enum tristate younger; /* than the edit that explains it */
        const char *not_ours; /* why it must not be taken (a symlink, hard-linked elsewhere, held open, …), or NULL */
};

struct artifacts {
        struct artifact *items; /* sorted by path */
        size_t count;
};

struct finding {
        const char *id; /* hexadecimal digest of rule, prefix-relative subject and hunk digests */
        const char *rule;
        enum severity severity;
        const char *summary;                     /* one line */
        const char *path;                        /* absolute, as seen beneath the root; "" where there is none */
        const char *subject;                     /* prefix-relative path or other stable name that id is made of */
        const struct environment *environment;   /* NULL for findings outside any */
        const struct distribution *distribution; /* NULL when nobody owns it */
        struct file_identity found;              /* of the file at check time; meaningful when exists */
        bool exists;
        bool has_expected;
        struct digest expected;
        int64_t expected_size; /* -1 when RECORD does not say */
        struct origin origin;
        struct hunks hunks;    /* against the proven original; none when there is no proof */
        struct hunks suspects; /* without a proven original: the places of the whole file that rules point at, no claim
                                  that they were added */
        struct artifacts artifacts;
        const char *pattern; /* of an artifact family, "" else */
        bool named;          /* an artifact family that --artifacts asked for by this very pattern */
        struct status status;
        bool accepted;
        const char *accepted_reason;
        const char *why;  /* the observer's clause on what was seen, "" if nothing to add */
        const char *next; /* what to run or decide now */
};

struct findings {
        struct finding *items; /* by severity (worst first), then path, then rule */
        size_t count;
};

/* Something that could not be looked at. */
struct unknown {
        const char *what, *why;
        bool in_scope; /* concerns a claim that was asked for: keeps the verdict from being clean */
};

struct unknowns {
        struct unknown *items;
        size_t count;
};

enum verdict {
        VERDICT_CLEAN,
        VERDICT_DIRTY,
        VERDICT_UNKNOWN,
};

/* The whole outcome of one check: what reports print and plans are made from. */
struct check {
        enum verdict verdict;
        struct environment *environments;
        size_t n_environments;
        struct findings findings;
        struct unknowns unknowns;
        struct strings searched; /* where original bytes were looked for, one sentence each */
        int64_t started_ns;
        double seconds;
        const char *interrupted_plan; /* id of a plan that stopped part-way, or NULL */
};

const char *origin_source_name(enum origin_source source);
const char *anchor_name(enum anchor anchor);
const char *verdict_name(enum verdict verdict);
const char *tristate_name(enum tristate value);
const char *fired_name(enum fired fired);

#endif
