/* The ground everything is opened on: a directory descriptor for "/", for a mounted image (--root), later for
 * /proc/PID/root. Names are resolved inside it with openat2(RESOLVE_IN_ROOT), so that an absolute symlink of an image
 * leads into the image, and files of an environment beneath the prefix's descriptor with RESOLVE_BENEATH |
 * RESOLVE_NO_SYMLINKS, so that a planted link or ".." leads nowhere. Every open has O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
 * (a FIFO cannot hang us) and is judged by fstat afterwards, never by a stat before.
 *
 *     struct root root = ROOT_INIT;
 *     root_open("/", &root, error);
 *     root_open_directory(&root, "/srv/env", &prefix_fd, error);
 *     fs_open_regular(prefix_fd, "lib/python3.12/site-packages/x.py", &fd, &identity, error);
 *     root_close(&root); */
#ifndef PRISTINE_FS_ROOT_H
#define PRISTINE_FS_ROOT_H

#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"
#include "model/environment.h"

struct root {
        int fd;     /* owned */
        char *path; /* owned; "/" or the mounted tree's path without trailing slash */
};

#define ROOT_INIT ((struct root){.fd = -1})

int root_open(const char *path, struct root *ret_root, struct error *ret_error);
void root_close(struct root *root); /* fit for CLEANUP() */

/* Opens a directory named from inside the root; symlinks are followed, but never out of it. ret_path, if not NULL, gets
 * the resolved path as seen from inside the root (heap; the caller frees). */
int root_open_directory(const struct root *root, const char *path, int *ret_fd, char **ret_path,
                        struct error *ret_error);

/* Opens beneath directory_fd without following any symlink, with `flags` added to the safe ones. */
int fs_open_beneath(int directory_fd, const char *path, int flags, int *ret_fd, struct error *ret_error);

/* The same for reading, refusing all but regular files (ERR_REFUSED). identity has no digest yet. */
int fs_open_regular(int directory_fd, const char *path, int *ret_fd, struct file_identity *ret_identity,
                    struct error *ret_error);

void fs_identity_from_stat(const struct stat *st, struct file_identity *ret_identity);

/* Reads at most `limit` bytes of fd from offset 0 into a heap buffer with a NUL behind it (the caller frees
 * ret_bytes->data). ERR_LIMIT when there is more, ERR_CHANGED when the size moved meanwhile. */
int fs_read_whole(int fd, size_t limit, struct bytes *ret_bytes, struct error *ret_error);

#endif
