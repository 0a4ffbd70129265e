/* Preloaded into the program under test: counts every call that changes a disk, and at the Nth does harm. Read from the
 * environment once:
 *
 *     CRASH_KILL_AT=N     SIGKILL in place of the Nth call
 *     CRASH_TEAR_AT=N     the Nth call, if it writes, writes half; then SIGKILL
 *     CRASH_FAIL_AT=N     the Nth call fails with CRASH_ERRNO, the others do not
 *     CRASH_FAIL_FROM=N   the Nth and all later ones fail, as on a disk that is full
 *     CRASH_STOP_AT=N     SIGINT before the Nth call
 *     CRASH_SHORT_AT=N    the Nth call, if it writes, writes half and says so
 *     CRASH_PLAIN=1       renameat2() knows no flags, as on NFS and some FUSE
 *     CRASH_LOG=FILE      one line per call: its name and the paths it works on, tab-separated
 *     CRASH_TRACE=FILE    what each call did to the disk: trace.h
 *
 * Only regular files and directories count; a write to a pipe or terminal changes no disk. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace.h"

static long kill_at, tear_at, fail_at, fail_from, fail_errno, stop_at, short_at, plain, calls;
static int log_fd = -1;

static long number(const char *name)
{
        const char *value = getenv(name);
        return value != NULL ? strtol(value, NULL, 10) : 0;
}

__attribute__((constructor)) static void start(void)
{
        kill_at = number("CRASH_KILL_AT");
        tear_at = number("CRASH_TEAR_AT");
        fail_at = number("CRASH_FAIL_AT");
        fail_from = number("CRASH_FAIL_FROM");
        fail_errno = number("CRASH_ERRNO");
        stop_at = number("CRASH_STOP_AT");
        short_at = number("CRASH_SHORT_AT");
        plain = number("CRASH_PLAIN");
        trace_open(getenv("CRASH_TRACE"));
        const char *log = getenv("CRASH_LOG");
        if (log != NULL)
                log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void die(void)
{
        syscall(SYS_kill, getpid(), SIGKILL);
}

static const char *path_of(int fd, char *buffer, size_t size)
{
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, buffer, size - 1);
        buffer[length > 0 ? length : 0] = '\0';
        return buffer;
}

static const char *path_at(int fd, const char *name, char *buffer, size_t size)
{
        char directory[4096];
        if (name[0] == '/' || fd == AT_FDCWD)
                snprintf(buffer, size, "%s", name);
        else
                snprintf(buffer, size, "%s/%s", path_of(fd, directory, sizeof directory), name);
        return buffer;
}

static void note(const char *call, const char *first, const char *second)
{
        char line[16384];
        int length = snprintf(line, sizeof line, "%s\t%s\t%s\n", call, first, second != NULL ? second : "");
        if (log_fd >= 0 && length > 0 && (size_t)length < sizeof line)
                (void)!syscall(SYS_write, log_fd, line, (size_t)length);
}

static int is_disk(int fd)
{
        struct stat st;
        int errnum = errno;
        int disk =
                fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && fd != log_fd && fd != trace_fd();
        errno = errnum;
        return disk;
}

/* True when the call must fail; does not return when it must die. */
static int comes(void)
{
        long at = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
        if (at == kill_at)
                die();
        if (at == stop_at)
                syscall(SYS_kill, getpid(), SIGINT);
        if (at == fail_at || (fail_from > 0 && at >= fail_from)) {
                errno = (int)fail_errno;
                return 1;
        }
        return 0;
}

static int tears(void)
{
        return tear_at > 0 && __atomic_load_n(&calls, __ATOMIC_SEQ_CST) == tear_at;
}

static int is_short(void)
{
        return short_at > 0 && __atomic_load_n(&calls, __ATOMIC_SEQ_CST) == short_at;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int counts_fd(const char *call, int fd)
{
        char path[4096];
        if (!is_disk(fd))
                return 0;
        note(call, path_of(fd, path, sizeof path), NULL);
        return comes();
}

static int counts_at(const char *call, int fd, const char *name)
{
        char path[8192];
        note(call, path_at(fd, name, path, sizeof path), NULL);
        return comes();
}

static int counts_two(const char *call, int from_fd, const char *from, int to_fd, const char *to)
{
        char first[8192], second[8192];
        note(call, path_at(from_fd, from, first, sizeof first), path_at(to_fd, to, second, sizeof second));
        return comes();
}

#define OPEN(name, fd, path, ...)                                                                                      \
        do {                                                                                                           \
                mode_t mode = 0;                                                                                       \
                if (flags & (O_CREAT | O_TMPFILE)) {                                                                   \
                        va_list args;                                                                                  \
                        va_start(args, flags);                                                                         \
                        mode = (mode_t)va_arg(args, int);                                                              \
                        va_end(args);                                                                                  \
                }                                                                                                      \
                int there = !(flags & O_CREAT) || trace_is_there(fd, path);                                            \
                if ((flags & (O_CREAT | O_TRUNC)) && counts_at("open", fd, path))                                      \
                        return -1;                                                                                     \
                int opened = REAL(name)(__VA_ARGS__, flags, mode);                                                     \
                if (opened >= 0 && !there)                                                                             \
                        trace_new("file", fd, path);                                                                   \
                if (opened >= 0 && (flags & O_TRUNC))                                                                  \
                        trace_size(opened, 0);                                                                         \
                return opened;                                                                                         \
        } while (0)

int open(const char *path, int flags, ...)
{
        OPEN(open, AT_FDCWD, path, path);
}

int open64(const char *path, int flags, ...)
{
        OPEN(open64, AT_FDCWD, path, path);
}

int openat(int fd, const char *path, int flags, ...)
{
        OPEN(openat, fd, path, fd, path);
}

int openat64(int fd, const char *path, int flags, ...)
{
        OPEN(openat64, fd, path, fd, path);
}

ssize_t write(int fd, const void *data, size_t size)
{
        if (counts_fd("write", fd))
                return -1;
        if (tears() && is_disk(fd)) {
                (void)!REAL(write)(fd, data, size / 2);
                die();
        }
        if (is_short() && is_disk(fd) && size > 1)
                size /= 2;
        off_t at = trace_position(fd);
        ssize_t done = REAL(write)(fd, data, size);
        if (done > 0 && is_disk(fd))
                trace_write(fd, data, (size_t)done, at);
        return done;
}

#define PWRITE(name)                                                                                                   \
        ssize_t name(int fd, const void *data, size_t size, off_t at)                                                  \
        {                                                                                                              \
                if (counts_fd("write", fd))                                                                            \
                        return -1;                                                                                     \
                if (tears()) {                                                                                         \
                        (void)!REAL(name)(fd, data, size / 2, at);                                                     \
                        die();                                                                                         \
                }                                                                                                      \
                if (is_short() && size > 1)                                                                            \
                        size /= 2;                                                                                     \
                ssize_t done = REAL(name)(fd, data, size, at);                                                         \
                if (done > 0)                                                                                          \
                        trace_write(fd, data, (size_t)done, at);                                                       \
                return done;                                                                                           \
        }
PWRITE(pwrite)
PWRITE(pwrite64)

/* AFTER: what is recorded once the call went through. */
#define ON_FD(result, name, parameters, after, ...)                                                                    \
        result name parameters                                                                                         \
        {                                                                                                              \
                if (counts_fd(#name, fd))                                                                              \
                        return -1;                                                                                     \
                result given = REAL(name)(__VA_ARGS__);                                                                \
                if (given == 0)                                                                                        \
                        after;                                                                                         \
                return given;                                                                                          \
        }
#define NOTHING (void)0 /* attributes count from the next sync on */
ON_FD(int, fsync, (int fd), trace_sync(fd), fd)
ON_FD(int, fdatasync, (int fd), trace_sync(fd), fd)
ON_FD(int, ftruncate, (int fd, off_t size), trace_size(fd, size), fd, size)
ON_FD(int, ftruncate64, (int fd, off64_t size), trace_size(fd, size), fd, size)
ON_FD(int, fchmod, (int fd, mode_t mode), NOTHING, fd, mode)
ON_FD(int, fchown, (int fd, uid_t user, gid_t group), NOTHING, fd, user, group)
ON_FD(int, futimens, (int fd, const struct timespec times[2]), NOTHING, fd, times)
ON_FD(int, fsetxattr, (int fd, const char *name, const void *value, size_t size, int flags), NOTHING, fd, name, value,
      size, flags)
ON_FD(int, fremovexattr, (int fd, const char *name), NOTHING, fd, name)

#define AT_PATH(name, parameters, at_fd, path, after, ...)                                                             \
        int name parameters                                                                                            \
        {                                                                                                              \
                if (counts_at(#name, at_fd, path))                                                                     \
                        return -1;                                                                                     \
                int given = REAL(name)(__VA_ARGS__);                                                                   \
                if (given == 0)                                                                                        \
                        after;                                                                                         \
                return given;                                                                                          \
        }
AT_PATH(unlink, (const char *path), AT_FDCWD, path, trace_unlink(AT_FDCWD, path), path)
AT_PATH(unlinkat, (int fd, const char *path, int flags), fd, path, trace_unlink(fd, path), fd, path, flags)
AT_PATH(rmdir, (const char *path), AT_FDCWD, path, trace_unlink(AT_FDCWD, path), path)
AT_PATH(mkdir, (const char *path, mode_t mode), AT_FDCWD, path, trace_new("dir", AT_FDCWD, path), path, mode)
AT_PATH(mkdirat, (int fd, const char *path, mode_t mode), fd, path, trace_new("dir", fd, path), fd, path, mode)
AT_PATH(utimensat, (int fd, const char *path, const struct timespec times[2], int flags), fd, path != NULL ? path : "",
        NOTHING, fd, path, times, flags)

static int rename_plainly(int from_fd, const char *from, int to_fd, const char *to)
{
        if (counts_two("rename", from_fd, from, to_fd, to))
                return -1;
        int given = REAL(renameat)(from_fd, from, to_fd, to);
        if (given == 0)
                trace_two("rename", from_fd, from, to_fd, to);
        return given;
}

int rename(const char *from, const char *to)
{
        return rename_plainly(AT_FDCWD, from, AT_FDCWD, to);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
        return rename_plainly(from_fd, from, to_fd, to);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
        const char *kind = flags & RENAME_EXCHANGE ? "exchange" : "rename";
        if (plain && flags != 0) {
                errno = EINVAL;
                return -1;
        }
        if (counts_two(kind, from_fd, from, to_fd, to))
                return -1;
        int given = REAL(renameat2)(from_fd, from, to_fd, to, flags);
        if (given == 0)
                trace_two(kind, from_fd, from, to_fd, to);
        return given;
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
        if (counts_two("link", from_fd, from, to_fd, to))
                return -1;
        int given = REAL(linkat)(from_fd, from, to_fd, to, flags);
        if (given == 0)
                trace_two("link", from_fd, from, to_fd, to);
        return given;
}
