#include "fs/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"

enum { SAFE_FLAGS = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, OPEN_RETRIES = 8 };

/* EAGAIN means that something beneath was renamed during the look-up: the kernel cannot vouch for the answer. */
static int openat2_retry(int directory_fd, const char *path, uint64_t flags, uint64_t resolve)
{
        struct open_how how = {.flags = flags, .resolve = resolve};
        for (int i = 0; i < OPEN_RETRIES; i++) {
                long fd = syscall(SYS_openat2, directory_fd, path, &how, sizeof how);
                if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
                        return (int)fd;
        }
        return -1;
}

/* ENOSYS gets a sentence of its own: without openat2 no promise about links can be kept. */
static int open_error(struct error *ret_error, const char *path)
{
        if (errno == ENOSYS)
                return error_set(
                        ret_error, ERR_UNSUPPORTED, 0,
                        "this kernel has no openat2 (Linux 5.6 or newer, and a container filter that allows it)");
        if (errno == ENOENT || errno == ENOTDIR)
                return error_set(ret_error, ERR_NOT_FOUND, errno, "%s", path);
        if (errno == ELOOP || errno == EXDEV)
                return error_set(ret_error, ERR_REFUSED, 0, "%s: a symbolic link stands in the way", path);
        return error_set(ret_error, ERR_SYSTEM, errno, "%s", path);
}

int root_open(const char *path, struct root *ret_root, struct error *ret_error)
{
        AUTO_FREE char *real = realpath(path, NULL);
        if (real == NULL)
                return error_set(ret_error, errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM, errno, "%s", path);
        int fd = open(real, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "%s", real);
        *ret_root = (struct root){.fd = fd, .path = steal_pointer(real)};
        return 0;
}

void root_close(struct root *root)
{
        if (root->fd >= 0)
                close(root->fd);
        free(root->path);
        *root = ROOT_INIT;
}

/* The kernel's own name for a descriptor, from inside the root. */
static char *root_path_of(const struct root *root, int fd)
{
        char link[64], buffer[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, buffer, sizeof buffer - 1);
        if (length <= 0 || (size_t)length >= sizeof buffer - 1)
                return NULL;
        buffer[length] = '\0';
        size_t skip = strcmp(root->path, "/") == 0 ? 0 : strlen(root->path);
        if (skip > 0 && (strncmp(buffer, root->path, skip) != 0 || (buffer[skip] != '/' && buffer[skip] != '\0')))
                return NULL;
        return strdup(buffer[skip] != '\0' ? buffer + skip : "/");
}

int root_open_directory(const struct root *root, const char *path, int *ret_fd, char **ret_path,
                        struct error *ret_error)
{
        AUTO_CLOSE int fd = openat2_retry(root->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK,
                                          RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
        if (fd < 0)
                return open_error(ret_error, path);
        if (ret_path != NULL) {
                char *resolved = root_path_of(root, fd);
                if (resolved == NULL)
                        return error_set(ret_error, ERR_SYSTEM, 0,
                                         "%s: cannot tell its resolved name; is /proc mounted?", path);
                *ret_path = resolved;
        }
        *ret_fd = steal_fd(&fd);
        return 0;
}

int fs_open_beneath(int directory_fd, const char *path, int flags, int *ret_fd, struct error *ret_error)
{
        int fd = openat2_retry(directory_fd, path, (uint64_t)(flags | SAFE_FLAGS),
                               RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
        if (fd < 0)
                return open_error(ret_error, path);
        *ret_fd = fd;
        return 0;
}

void fs_identity_from_stat(const struct stat *st, struct file_identity *ret_identity)
{
        *ret_identity = (struct file_identity){
                .device = st->st_dev,
                .inode = st->st_ino,
                .links = st->st_nlink,
                .size = (uint64_t)st->st_size,
                .mode = st->st_mode,
                .uid = st->st_uid,
                .gid = st->st_gid,
                .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
        };
}

int fs_open_regular(int directory_fd, const char *path, int *ret_fd, struct file_identity *ret_identity,
                    struct error *ret_error)
{
        AUTO_CLOSE int fd = -1;
        int result = fs_open_beneath(directory_fd, path, O_RDONLY, &fd, ret_error);
        if (result < 0)
                return result;
        struct stat st;
        if (fstat(fd, &st) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "%s", path);
        if (!S_ISREG(st.st_mode))
                return error_set(ret_error, ERR_REFUSED, 0, "%s: not a regular file", path);
        fs_identity_from_stat(&st, ret_identity);
        *ret_fd = steal_fd(&fd);
        return 0;
}

int fs_read_whole(int fd, size_t limit, struct bytes *ret_bytes, struct error *ret_error)
{
        struct stat st;
        if (fstat(fd, &st) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot stat");
        if (st.st_size < 0 || (uint64_t)st.st_size > limit)
                return error_set(ret_error, ERR_LIMIT, 0, "%lld bytes, more than the %zu that are read",
                                 (long long)st.st_size, limit);
        size_t size = (size_t)st.st_size, done = 0;
        /* One byte more than the size: a file that grew meanwhile shows itself. */
        AUTO_FREE unsigned char *data = heap_alloc(size + 2);
        while (done <= size) {
                ssize_t got = pread(fd, data + done, size + 1 - done, (off_t)done);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return error_set(ret_error, ERR_SYSTEM, errno, "cannot read");
                if (got == 0)
                        break;
                done += (size_t)got;
        }
        if (done != size)
                return error_set(ret_error, ERR_CHANGED, 0, "its size changed while it was read");
        data[size] = '\0';
        *ret_bytes = (struct bytes){steal_pointer(data), size};
        return 0;
}
