/* The only module that changes files. Everything is named by a directory descriptor and one name in it, so that no path
 * is walked between looking and acting, and every change is made so that a crash leaves the old or the new, never a
 * part:
 *
 *     write_new_file()        content and metadata under a new name (O_EXCL), fsynced
 *     write_replace()         it takes the place of a file, provided that one is still the expected
 *     write_place()           it takes a name that must be free
 *     write_move()            a file to another directory of the file system, provided it is still the expected
 *     write_remove()          the same, out of existence
 *     write_…_directory()     directories of our own, 0700
 *
 * Where a precondition fails, ERR_CHANGED is returned and the names hold what they held. Directories are fsynced before
 * the call returns. All calls that change anything go through libc's own functions, so that the crash harness sees
 * each of them. */
#ifndef PRISTINE_FS_WRITE_H
#define PRISTINE_FS_WRITE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "model/environment.h"

/* Extended attributes, ACLs among them. */
struct xattr {
        const char *name;
        struct bytes value;
};

struct xattrs {
        struct xattr *items;
        size_t count;
};

int xattrs_read(int fd, struct arena *arena, struct xattrs *ret_xattrs, struct error *ret_error);

struct write_metadata {
        uint32_t mode; /* of which the permission bits count */
        uint32_t uid, gid;
        bool set_mtime; /* else the file is as young as the writing of it */
        int64_t mtime_ns;
        const struct xattrs *xattrs; /* NULL: leave what the directory gave */
        bool new_content; /* the attributes come from a file of other bytes: those that vouch for bytes are left out */
};

/* Where bytes come from: a descriptor from its start, or memory when fd is negative. */
struct write_source {
        int fd;
        struct bytes bytes;
        const struct digest *digest; /* what they must hash to, NULL: anything */
};

/* On failure the name is gone again. */
int write_new_file(int directory_fd, const char *name, const struct write_source *source,
                   const struct write_metadata *metadata, struct error *ret_error);

/* `temporary` becomes `name`; what stood there, of expected's size and digest, is gone. On failure `temporary` is
 * removed. */
int write_replace(int directory_fd, const char *temporary, const char *name, const struct file_identity *expected,
                  struct error *ret_error);
/* `temporary` becomes `name`, which must not exist. On failure `temporary` is removed. */
int write_place(int directory_fd, const char *temporary, const char *name, struct error *ret_error);

/* Moves the file of expected's device and inode to a name that must be free. */
int write_move(int from_fd, const char *from, int to_fd, const char *to, const struct file_identity *expected,
               struct error *ret_error);

/* Removes the file of expected's device and inode. It stands under the name `aside` for a moment. */
int write_remove(int directory_fd, const char *name, const char *aside, const struct file_identity *expected,
                 struct error *ret_error);
/* Removes a name of our own making; one that is gone already is fine. */
int write_unlink(int directory_fd, const char *name, struct error *ret_error);

/* ERR_CHANGED when the name is taken. */
int write_make_directory(int parent_fd, const char *name, int *ret_fd, struct error *ret_error);
/* Opens one that write_make_directory() made: refuses a link, another owner, a mode that lets others in. */
int write_open_own_directory(int parent_fd, const char *name, int *ret_fd, struct error *ret_error);
/* ERR_REFUSED when something is still in it; one that is gone already is fine. */
int write_remove_directory(int parent_fd, const char *name, struct error *ret_error);
/* Creates each missing directory of an absolute path, 0700. */
int write_make_path(const char *path, struct error *ret_error);

/* Opens (and creates, 0600) a lock file and takes it without waiting. ERR_REFUSED when another process holds it. The
 * lock lasts as long as the descriptor. */
int write_lock_file(int directory_fd, const char *name, bool create, int *ret_fd, struct error *ret_error);

/* fsync() that a signal does not cut short; as errno, 0 when done. */
int write_flush(int fd);
int write_sync_directory(int directory_fd, struct error *ret_error);
int write_set_mtime(int fd, int64_t mtime_ns, struct error *ret_error);

/* Random lower-case hexadecimal digits, NUL-terminated. */
int write_random_name(char *ret_name, size_t digits, struct error *ret_error);

#endif
