/* Files changing their names. Each call looks again at what it has moved, because a name may be swapped between any
 * look and any act; only the renamed file itself, reached where nobody else names it, is a certain answer. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/identify.h"
#include "fs/root.h"
#include "fs/write.h"

static int system_error(struct error *ret_error, const char *what, const char *name)
{
        int code = errno == EEXIST || errno == ENOENT ? ERR_CHANGED : ERR_SYSTEM;
        return error_set(ret_error, code, errno, "cannot %s %s", what, name);
}

/* File systems without the flags of renameat2 (NFS, some FUSE) say one of these. */
static bool flag_is_unknown(int errnum)
{
        return errnum == EINVAL || errnum == ENOSYS || errnum == EOPNOTSUPP;
}

int write_sync_directory(int directory_fd, struct error *ret_error)
{
        /* Some file systems cannot flush directories and say so with EINVAL: nothing more can be had there. */
        int errnum = write_flush(directory_fd);
        if (errnum != 0 && errnum != EINVAL)
                return error_set(ret_error, ERR_SYSTEM, errnum, "cannot flush the directory");
        return 0;
}

static bool name_is(int directory_fd, const char *name, const struct file_identity *expected)
{
        struct stat st;
        struct file_identity found;
        if (fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return false;
        fs_identity_from_stat(&st, &found);
        return identity_same_file(&found, expected);
}

/* Renames to a name that must be free. */
static int rename_free(int from_fd, const char *from, int to_fd, const char *to)
{
        if (renameat2(from_fd, from, to_fd, to, RENAME_NOREPLACE) == 0)
                return 0;
        if (!flag_is_unknown(errno))
                return -1;
        if (linkat(from_fd, from, to_fd, to, 0) < 0)
                return -1;
        /* The new name first, for good: a power cut must not take both. */
        int errnum = write_flush(to_fd);
        if (errnum != 0 && errnum != EINVAL) {
                unlinkat(to_fd, to, 0);
                errno = errnum;
                return -1;
        }
        return unlinkat(from_fd, from, 0);
}

int write_unlink(int directory_fd, const char *name, struct error *ret_error)
{
        if (unlinkat(directory_fd, name, 0) < 0 && errno != ENOENT)
                return system_error(ret_error, "remove", name);
        return write_sync_directory(directory_fd, ret_error);
}

/* Opens `name` and makes sure of its bytes; the descriptor keeps hold of that very file. */
static int open_expected(int directory_fd, const char *name, const struct file_identity *expected, int *ret_fd,
                         struct file_identity *ret_found, struct error *ret_error)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity found;
        int result = fs_open_regular(directory_fd, name, &fd, &found, ret_error);
        if (result == 0)
                result = fs_identify(fd, &found, ret_error);
        if (result < 0)
                return result;
        if (!identity_same_content(&found, expected))
                return error_set(ret_error, ERR_CHANGED, 0, "%s has other contents than expected", name);
        *ret_fd = steal_fd(&fd);
        *ret_found = found;
        return 0;
}

/* After the exchange: what came out must be the file that was looked at, still with its bytes. If not, somebody else's
 * write stands under `temporary`, and goes back to where it was. */
static int exchange_confirm(int directory_fd, const char *temporary, const char *name, int fd,
                            const struct file_identity *seen, struct error *ret_error)
{
        struct file_identity now;
        if (name_is(directory_fd, temporary, seen) && fs_identify(fd, &now, NULL) == 0 &&
            identity_same_content(&now, seen))
                return 0;
        if (renameat2(directory_fd, temporary, directory_fd, name, RENAME_EXCHANGE) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno,
                                 "%s was changed by somebody else at the same moment; their file now stands as %s",
                                 name, temporary);
        return error_set(ret_error, ERR_CHANGED, 0, "%s was changed by somebody else at the same moment", name);
}

static int replace_expected(int directory_fd, const char *temporary, const char *name, int fd,
                            const struct file_identity *seen, struct error *ret_error)
{
        if (renameat2(directory_fd, temporary, directory_fd, name, RENAME_EXCHANGE) == 0) {
                int result = exchange_confirm(directory_fd, temporary, name, fd, seen, ret_error);
                if (result < 0)
                        return result;
                if (unlinkat(directory_fd, temporary, 0) < 0)
                        return system_error(ret_error, "remove the old file", temporary);
                return 0;
        }
        if (!flag_is_unknown(errno))
                return system_error(ret_error, "replace", name);
        if (!name_is(directory_fd, name, seen))
                return error_set(ret_error, ERR_CHANGED, 0, "%s is another file now", name);
        if (renameat(directory_fd, temporary, directory_fd, name) < 0)
                return system_error(ret_error, "replace", name);
        return 0;
}

int write_replace(int directory_fd, const char *temporary, const char *name, const struct file_identity *expected,
                  struct error *ret_error)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity seen;
        struct stat st;
        struct file_identity ours = {0};
        if (fstatat(directory_fd, temporary, &st, AT_SYMLINK_NOFOLLOW) == 0)
                fs_identity_from_stat(&st, &ours);
        int result = open_expected(directory_fd, name, expected, &fd, &seen, ret_error);
        if (result == 0)
                result = replace_expected(directory_fd, temporary, name, fd, &seen, ret_error);
        if (result < 0) {
                if (name_is(directory_fd, temporary, &ours))
                        unlinkat(directory_fd, temporary, 0);
                return result;
        }
        return write_sync_directory(directory_fd, ret_error);
}

int write_place(int directory_fd, const char *temporary, const char *name, struct error *ret_error)
{
        if (rename_free(directory_fd, temporary, directory_fd, name) < 0) {
                int result = system_error(ret_error, "create", name);
                unlinkat(directory_fd, temporary, 0);
                return result;
        }
        return write_sync_directory(directory_fd, ret_error);
}

/* Renames and confirms; what is not the expected file goes back. */
static int move_expected(int from_fd, const char *from, int to_fd, const char *to, const struct file_identity *expected,
                         struct error *ret_error)
{
        if (!name_is(from_fd, from, expected))
                return error_set(ret_error, ERR_CHANGED, 0, "%s is another file now", from);
        if (rename_free(from_fd, from, to_fd, to) < 0)
                return system_error(ret_error, "move", from);
        if (name_is(to_fd, to, expected))
                return 0;
        if (rename_free(to_fd, to, from_fd, from) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno,
                                 "%s was swapped by somebody else at the same moment; their file now stands as %s",
                                 from, to);
        return error_set(ret_error, ERR_CHANGED, 0, "%s was swapped by somebody else at the same moment", from);
}

int write_move(int from_fd, const char *from, int to_fd, const char *to, const struct file_identity *expected,
               struct error *ret_error)
{
        int result = move_expected(from_fd, from, to_fd, to, expected, ret_error);
        /* The new name first: after a power cut the file may have two names, never none. */
        if (result == 0)
                result = write_sync_directory(to_fd, ret_error);
        if (result == 0)
                result = write_sync_directory(from_fd, ret_error);
        return result;
}

int write_remove(int directory_fd, const char *name, const char *aside, const struct file_identity *expected,
                 struct error *ret_error)
{
        int result = move_expected(directory_fd, name, directory_fd, aside, expected, ret_error);
        return result == 0 ? write_unlink(directory_fd, aside, ret_error) : result;
}
