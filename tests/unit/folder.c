#include "folder.h"

#include "unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder folder_new(void)
{
        struct folder folder = {.path = "/tmp/pristine-unit-XXXXXX"};
        assert_non_null(mkdtemp(folder.path));
        folder.fd = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(folder.fd >= 0);
        return folder;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        (void)st;
        (void)type;
        (void)ftw;
        return remove(path);
}

void folder_remove(struct folder *folder)
{
        close(folder->fd);
        assert_int_equal(nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void folder_make_directory(const struct folder *folder, const char *path)
{
        char part[4096];
        for (size_t i = 1; i <= strlen(path); i++) {
                if (path[i] != '/' && path[i] != '\0')
                        continue;
                snprintf(part, sizeof part, "%.*s", (int)i, path);
                struct stat st;
                if (fstatat(folder->fd, part, &st, 0) < 0)
                        assert_int_equal(mkdirat(folder->fd, part, 0755), 0);
        }
}

void folder_write(const struct folder *folder, const char *path, const char *content)
{
        char above[4096];
        const char *slash = strrchr(path, '/');
        if (slash != NULL) {
                snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
                folder_make_directory(folder, above);
        }
        int fd = openat(folder->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
        close(fd);
}
