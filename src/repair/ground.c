#include "repair/ground.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fs/identify.h"

int ground_enter(const struct root *root, const char *directory, int *ret_fd, struct error *ret_error)
{
        const char *beneath = directory + strspn(directory, "/");
        return fs_open_beneath(root->fd, beneath[0] != '\0' ? beneath : ".", O_RDONLY | O_DIRECTORY, ret_fd, ret_error);
}

int ground_open(const struct root *root, const char *path, struct ground *ret_ground, struct error *ret_error)
{
        const char *slash = strrchr(path, '/');
        if (path[0] != '/' || slash[1] == '\0')
                return error_set(ret_error, ERR_USAGE, 0, "%s: not an absolute path of a file", path);
        AUTO_FREE char *directory = strndup(path, slash == path ? 1 : (size_t)(slash - path));
        int fd = -1;
        int result = ground_enter(root, directory, &fd, ret_error);
        if (result < 0)
                return result;
        *ret_ground = (struct ground){.fd = fd, .name = slash + 1};
        return 0;
}

void ground_close(struct ground *ground)
{
        cleanup_close(&ground->fd);
        ground->fd = -1;
}

int ground_look(const struct ground *ground, const char *name, bool *ret_exists, struct file_identity *ret_identity,
                struct error *ret_error)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct error error = {0};
        int result = fs_open_regular(ground->fd, name, &fd, &identity, &error);
        if (result == ERR_NOT_FOUND) {
                *ret_exists = false;
                return 0;
        }
        if (result == 0)
                result = fs_identify(fd, &identity, &error);
        if (result < 0) {
                if (ret_error != NULL)
                        *ret_error = error;
                return result;
        }
        *ret_exists = true;
        *ret_identity = identity;
        return 0;
}
