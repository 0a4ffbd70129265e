/* Where a path's last directory is and what stands under a name in it. Every directory on the way is entered without
 * following links, so that the descriptor is the directory the plan named and stays so whatever is renamed meanwhile.
 */
#ifndef PRISTINE_REPAIR_GROUND_H
#define PRISTINE_REPAIR_GROUND_H

#include "base/arena.h"
#include "fs/root.h"

struct ground {
        int fd;           /* of the directory, owned */
        const char *name; /* in it, borrowed from the path */
};

#define GROUND_INIT ((struct ground){.fd = -1})

/* ERR_NOT_FOUND when the directory is gone, ERR_REFUSED when a link stands in the way. */
int ground_open(const struct root *root, const char *path, struct ground *ret_ground, struct error *ret_error);
void ground_close(struct ground *ground); /* fit for CLEANUP() */

/* Opens a directory itself. */
int ground_enter(const struct root *root, const char *directory, int *ret_fd, struct error *ret_error);

/* Absence is an answer: *ret_exists false. Something else than a regular file gives ERR_REFUSED. */
int ground_look(const struct ground *ground, const char *name, bool *ret_exists, struct file_identity *ret_identity,
                struct error *ret_error);

#endif
