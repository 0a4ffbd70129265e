/* The physical limit of a check that trusts stat data: a walk with lstat, on one thread as find and os.walk do it.
 *
 *     baseline_walk DIRECTORY… */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"

static unsigned long files;

static void walk(int parent_fd, const char *name)
{
        int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        AUTO_CLOSEDIR DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
        if (directory == NULL)
                return;
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
                struct stat st;
                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                        continue;
                if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                        continue;
                files++;
                if (S_ISDIR(st.st_mode))
                        walk(fd, entry->d_name);
        }
}

int main(int argc, char **argv)
{
        for (int i = 1; i < argc; i++)
                walk(AT_FDCWD, argv[i]);
        printf("%lu names\n", files);
        return argc < 2 ? 2 : 0;
}
