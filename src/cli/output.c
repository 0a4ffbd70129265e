#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int write_all(int fd, const struct text *report)
{
        for (size_t done = 0; done < report->size;) {
                ssize_t wrote = write(fd, report->data + done, report->size - done);
                if (wrote < 0 && errno == EINTR)
                        continue;
                if (wrote < 0)
                        return -1;
                done += (size_t)wrote;
        }
        return 0;
}

int output_to_descriptor(int fd, const char *name, const struct text *report, struct error *ret_error)
{
        if (write_all(fd, report) < 0 && errno != EPIPE)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot write the report to %s", name);
        return 0;
}

static int write_device(const char *path, const struct text *report, struct error *ret_error)
{
        AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (fd < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot write the report to %s", path);
        return output_to_descriptor(fd, path, report, ret_error);
}

/* An existing file keeps its mode, a new one gets what the umask leaves. */
static int replace_file(const char *path, mode_t mode, const struct text *report)
{
        CLEANUP(text_clear) struct text temporary = TEXT_INIT;
        text_addf(&temporary, "%s.XXXXXX", path);
        AUTO_CLOSE int fd = mkostemp(temporary.data, O_CLOEXEC);
        if (fd < 0)
                return -errno;
        if (write_all(fd, report) == 0 && fchmod(fd, mode) == 0 && fsync(fd) == 0 && rename(temporary.data, path) == 0)
                return 0;
        int errnum = errno;
        unlink(temporary.data);
        return -errnum;
}

int output_to_file(const char *path, const struct text *report, struct error *ret_error)
{
        struct stat st;
        mode_t mask = umask(0);
        umask(mask);
        mode_t mode = 0666 & ~mask;
        AUTO_FREE char *resolved = realpath(path, NULL); /* a symlink is written through, as by a shell */
        if (stat(path, &st) == 0) {
                if (S_ISDIR(st.st_mode))
                        return error_set(ret_error, ERR_USAGE, 0, "-o %s is a directory: name a file", path);
                if (!S_ISREG(st.st_mode))
                        return write_device(path, report, ret_error);
                mode = st.st_mode & 07777;
        }
        int result = replace_file(resolved != NULL ? resolved : path, mode, report);
        if (result < 0)
                return error_set(ret_error, ERR_SYSTEM, -result, "cannot write the report to %s", path);
        return 0;
}
