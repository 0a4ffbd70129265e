#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { LINE_MAX_SIZE = 4 << 20 };

static int record_fd = -1;

/* One line while it is put together; a test whose calls need longer ones must notice. */
struct line {
        char *text;
        size_t size;
};

static void line_add(struct line *line, const char *format, ...)
{
        va_list args;
        va_start(args, format);
        int length = vsnprintf(line->text + line->size, LINE_MAX_SIZE - line->size, format, args);
        va_end(args);
        if (length < 0 || line->size + (size_t)length >= LINE_MAX_SIZE)
                abort();
        line->size += (size_t)length;
}

static void line_add_hex(struct line *line, const void *data, size_t size)
{
        static const char digits[] = "0123456789abcdef";
        const unsigned char *bytes = data;
        if (line->size + 2 * size + 2 >= LINE_MAX_SIZE)
                abort();
        for (size_t i = 0; i < size; i++) {
                line->text[line->size++] = digits[bytes[i] >> 4];
                line->text[line->size++] = digits[bytes[i] & 15];
        }
        if (size == 0)
                line->text[line->size++] = '-';
}

static struct line line_begin(void)
{
        struct line line = {.text = malloc(LINE_MAX_SIZE)};
        if (line.text == NULL)
                abort();
        return line;
}

static void line_end(struct line *line)
{
        line_add(line, "\n");
        if (syscall(SYS_write, record_fd, line->text, line->size) != (long)line->size)
                abort();
        free(line->text);
}

/* errno belongs to the program. */
#define KEEP_ERRNO                                                                                                     \
        __attribute__((cleanup(restore_errno))) int kept = errno;                                                      \
        if (record_fd < 0)                                                                                             \
        return

static void restore_errno(const int *kept)
{
        errno = *kept;
}

void trace_open(const char *path)
{
        if (path != NULL)
                record_fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

int trace_fd(void)
{
        return record_fd;
}

static unsigned long long node_of(const struct stat *st)
{
        return (unsigned long long)st->st_dev << 40 ^ st->st_ino;
}

static unsigned long long node_at(int fd, const char *path)
{
        struct stat st;
        return fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) == 0 ? node_of(&st) : 0;
}

/* " DIRECTORY NAME" */
static void line_add_name(struct line *line, int fd, const char *path)
{
        char directory[8192];
        const char *slash = strrchr(path, '/');
        const char *name = slash != NULL ? slash + 1 : path;
        snprintf(directory, sizeof directory, "%.*s", slash != NULL ? (int)(slash - path) : 0, path);
        if (slash == path)
                snprintf(directory, sizeof directory, "/");
        struct stat st = {0};
        if (fd == AT_FDCWD && slash == NULL)
                fstatat(fd, ".", &st, 0);
        else
                fstatat(fd, directory, &st, AT_EMPTY_PATH);
        line_add(line, " %llu ", node_of(&st));
        line_add_hex(line, name, strlen(name));
}

int trace_is_there(int directory_fd, const char *name)
{
        struct stat st;
        int kept = errno, there = fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
        errno = kept;
        return there;
}

void trace_new(const char *kind, int directory_fd, const char *name)
{
        KEEP_ERRNO;
        struct stat st = {0};
        struct line line = line_begin();
        fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW);
        line_add(&line, "%s", kind);
        line_add_name(&line, directory_fd, name);
        line_add(&line, " %llu %u %u %u", node_of(&st), st.st_mode & 07777, st.st_uid, st.st_gid);
        line_end(&line);
}

void trace_write(int fd, const void *data, size_t size, off_t at)
{
        KEEP_ERRNO;
        struct line line = line_begin();
        line_add(&line, "write %llu %lld ", node_at(fd, ""), (long long)at);
        line_add_hex(&line, data, size);
        line_end(&line);
}

void trace_size(int fd, off_t size)
{
        KEEP_ERRNO;
        struct line line = line_begin();
        line_add(&line, "size %llu %lld", node_at(fd, ""), (long long)size);
        line_end(&line);
}

static void line_add_xattrs(struct line *line, int fd)
{
        char names[4096], value[4096];
        ssize_t size = flistxattr(fd, names, sizeof names);
        line_add(line, " ");
        for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1) {
                ssize_t length = fgetxattr(fd, names + at, value, sizeof value);
                line_add_hex(line, names + at, strlen(names + at));
                line_add(line, "=");
                line_add_hex(line, value, length > 0 ? (size_t)length : 0);
                line_add(line, ",");
        }
        line_add(line, "-");
}

void trace_sync(int fd)
{
        KEEP_ERRNO;
        struct stat st = {0};
        struct line line = line_begin();
        fstat(fd, &st);
        line_add(&line, "sync %llu %u %u %u %lld", node_of(&st), st.st_mode & 07777, st.st_uid, st.st_gid,
                 (long long)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
        line_add_xattrs(&line, fd);
        line_end(&line);
}

void trace_unlink(int directory_fd, const char *name)
{
        KEEP_ERRNO;
        struct line line = line_begin();
        line_add(&line, "unlink");
        line_add_name(&line, directory_fd, name);
        line_end(&line);
}

void trace_two(const char *kind, int from_fd, const char *from, int to_fd, const char *to)
{
        KEEP_ERRNO;
        struct line line = line_begin();
        line_add(&line, "%s", kind);
        line_add_name(&line, from_fd, from);
        line_add_name(&line, to_fd, to);
        line_end(&line);
}

off_t trace_position(int fd)
{
        struct stat st;
        int flags = fcntl(fd, F_GETFL);
        if (flags >= 0 && (flags & O_APPEND) != 0)
                return fstat(fd, &st) == 0 ? st.st_size : 0;
        return lseek(fd, 0, SEEK_CUR);
}
