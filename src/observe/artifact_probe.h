/* What one candidate file is: looked at through a descriptor, never by its name alone. Shared by the parts of the
 * observer `artifact`.
 *
 *     artifact_probe()     directory descriptor and name -> identity, format, rank, and why it must not be taken
 *     artifact_holders()   once for all candidates: which processes hold them open */
#ifndef PRISTINE_OBSERVE_ARTIFACT_PROBE_H
#define PRISTINE_OBSERVE_ARTIFACT_PROBE_H

#include "base/arena.h"
#include "model/finding.h"

/* False when the name is nothing that could be a dump (a directory, FIFO, device, socket, or gone). A symbolic link is
 * one, marked as not ours. */
bool artifact_probe(int directory_fd, const char *name, const char *path, struct arena *arena,
                    struct artifact *ret_artifact);

/* By the descriptors of every process in /proc; what cannot be looked into is marked in each candidate. */
void artifact_holders(struct arena *arena, struct artifact *const *artifacts, size_t count);

/* "torch-zip", "torch-legacy", "npy", "npz", "safetensors", "pickle", or "". */
const char *artifact_format(struct bytes head);

#endif
