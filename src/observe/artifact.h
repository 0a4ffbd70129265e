/* Observer `artifact`: the files that debug code has written. Nothing is opened but regular files, for their first
 * bytes.
 *
 *     artifact_expand()   globs of paths -> the files that match, with identity, rank, who holds them open
 *     artifact_sweep()    directories -> families of dump files that nobody named
 *     artifact_digest()   SHA-256 of one artifact, when a plan needs it
 *
 * A family: at least two files of one dump format (told by content, not by name) and one owner, whose names differ only
 * in a rank or counter, or that were written in one cluster of time with a common stem; files of a family that do not
 * fit its pattern are not taken in. What is known not to be ours (facts, "Not ours to delete") never appears. */
#ifndef PRISTINE_OBSERVE_ARTIFACT_H
#define PRISTINE_OBSERVE_ARTIFACT_H

#include "base/arena.h"
#include "fs/root.h"
#include "model/finding.h"

struct artifact_family {
        const char *pattern; /* glob, e.g. "/tmp/mla_debug_layer0_tp*.pt" */
        struct artifacts members;
        const char *basis; /* why these belong together, one clause */
};

struct artifact_families {
        struct artifact_family *items; /* sorted by pattern */
        size_t count;
};

/* Matches each glob ("*" and "?" do not cross "/"; a relative one is taken beneath each of `directories`). Files
 * matched by several globs come once. At most `limit` files; beyond it *ret_cut is true. */
int artifact_expand(const struct root *root, const struct strings *globs, const struct strings *directories,
                    size_t limit, struct arena *arena, struct artifacts *ret_artifacts, bool *ret_cut,
                    struct unknowns *ret_unknowns, struct error *ret_error);

/* Looks through `directories` (not below them) for families; files whose path is in `known` are left out. */
int artifact_sweep(const struct root *root, const struct strings *directories, const struct artifacts *known,
                   struct arena *arena, struct artifact_families *ret_families, struct unknowns *ret_unknowns,
                   struct error *ret_error);

int artifact_digest(const struct root *root, struct artifact *artifact, struct error *ret_error);

/* The rank in a file name: "…_tp3.pt" is {"tp", 3}, "…rank12.npy" {"rank", 12}. */
struct rank artifact_rank(const char *name);

#endif
