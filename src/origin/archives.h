/* Archives that still hold what was installed: wheels, and the caches of pip and uv. They are looked for once per run,
 * by name alone, and opened only when a file needs one; nothing is accepted from them but bytes whose SHA-256 is the
 * one that RECORD names, so that it matters little who could write to the place an archive lies in.
 *
 *     archives_new()        where to look
 *     archives_find()       per file: the bytes, and whose word they rest on; one thread
 *     archives_searched()   one sentence per place that was looked into
 *     archives_free()
 *
 * Facts: facts/environments.md (shared), "Where the original bytes are". */
#ifndef PRISTINE_ORIGIN_ARCHIVES_H
#define PRISTINE_ORIGIN_ARCHIVES_H

#include "base/arena.h"
#include "fs/root.h"
#include "model/finding.h"

struct archives_request {
        const struct root *root;           /* every path below is meant inside it */
        struct strings wheels, find_links; /* as asked for, absolute */
        struct strings homes;              /* whose caches and files count */
        const char *uv_cache, *pip_cache;  /* directories; NULL: the usual ones beneath each home */
};

struct archives;

struct archives *archives_new(const struct archives_request *request);
struct archives *archives_free(struct archives *archives); /* returns NULL */

/* What is wanted: the file at `path` (prefix-relative), which `distribution` owns. */
struct archives_wanted {
        const struct environment *environment;
        const struct distribution *distribution;
        const char *path;
        struct digest digest;
        int64_t size; /* -1 when RECORD does not say */
};

/* Fills *ret_origin when true: proven, with the bytes in the arena. */
bool archives_find(struct archives *archives, const struct archives_wanted *wanted, struct arena *arena,
                   struct origin *ret_origin);

void archives_searched(const struct archives *archives, struct arena *arena, struct strings *ret_sentences);

#endif
