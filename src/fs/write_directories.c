/* Directories and locks of our own. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/root.h"
#include "fs/write.h"

int write_open_own_directory(int parent_fd, const char *name, int *ret_fd, struct error *ret_error)
{
        AUTO_CLOSE int fd = -1;
        struct stat st;
        int result = fs_open_beneath(parent_fd, name, O_RDONLY | O_DIRECTORY, &fd, ret_error);
        if (result < 0)
                return result;
        if (fstat(fd, &st) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "%s", name);
        if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
                return error_set(ret_error, ERR_REFUSED, 0, "%s: not a directory of ours that only we may enter", name);
        *ret_fd = steal_fd(&fd);
        return 0;
}

int write_make_directory(int parent_fd, const char *name, int *ret_fd, struct error *ret_error)
{
        if (mkdirat(parent_fd, name, 0700) < 0)
                return error_set(ret_error, errno == EEXIST ? ERR_CHANGED : ERR_SYSTEM, errno,
                                 "cannot create the directory %s", name);
        int result = write_sync_directory(parent_fd, ret_error);
        return result == 0 ? write_open_own_directory(parent_fd, name, ret_fd, ret_error) : result;
}

int write_remove_directory(int parent_fd, const char *name, struct error *ret_error)
{
        if (unlinkat(parent_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
                return error_set(ret_error, errno == ENOTEMPTY || errno == EEXIST ? ERR_REFUSED : ERR_SYSTEM, errno,
                                 "cannot remove the directory %s", name);
        return write_sync_directory(parent_fd, ret_error);
}

/* Makes one missing directory durable. The parent may be one we can pass but not list, hence its second descriptor. */
static int make_part(int parent_fd, const char *part, struct error *ret_error)
{
        if (mkdirat(parent_fd, part, 0700) < 0 && errno != EEXIST)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot create the directory %s", part);
        AUTO_CLOSE int fd = openat(parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot read the directory above %s", part);
        return write_sync_directory(fd, ret_error);
}

int write_make_path(const char *path, struct error *ret_error)
{
        enum { FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };
        AUTO_FREE char *copy = strdup(path);
        AUTO_CLOSE int fd = open("/", FLAGS);
        char *rest = NULL;
        if (copy == NULL || fd < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "%s", path);
        for (char *part = strtok_r(copy, "/", &rest); part != NULL; part = strtok_r(NULL, "/", &rest)) {
                int next = openat(fd, part, FLAGS);
                if (next < 0 && errno == ENOENT) {
                        int result = make_part(fd, part, ret_error);
                        if (result < 0)
                                return result;
                        next = openat(fd, part, FLAGS);
                }
                if (next < 0)
                        return error_set(ret_error, ERR_SYSTEM, errno, "cannot enter %s of %s", part, path);
                close(fd);
                fd = next;
        }
        return 0;
}

int write_lock_file(int directory_fd, const char *name, bool create, int *ret_fd, struct error *ret_error)
{
        AUTO_CLOSE int fd =
                openat(directory_fd, name,
                       O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (create ? O_CREAT : 0), 0600);
        if (fd < 0)
                return error_set(ret_error, errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM, errno,
                                 "cannot open the lock file %s", name);
        struct stat st;
        if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
                return error_set(ret_error, ERR_SYSTEM, 0, "the lock file %s is no regular file", name);
        if (flock(fd, LOCK_EX | LOCK_NB) < 0)
                return error_set(ret_error, errno == EWOULDBLOCK ? ERR_REFUSED : ERR_SYSTEM,
                                 errno == EWOULDBLOCK ? 0 : errno, "%s is locked by another process", name);
        *ret_fd = steal_fd(&fd);
        return 0;
}

int write_random_name(char *ret_name, size_t digits, struct error *ret_error)
{
        static const char hex[] = "0123456789abcdef";
        for (size_t i = 0; i < digits; i++) {
                unsigned char byte;
                if (getrandom(&byte, 1, 0) != 1)
                        return error_set(ret_error, ERR_SYSTEM, errno, "no random numbers");
                ret_name[i] = hex[byte & 15];
        }
        ret_name[digits] = '\0';
        return 0;
}
