#include "fs/identify.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "fs/hash.h"
#include "fs/root.h"

enum { BUFFER_SIZE = 256 << 10 };

int fs_identify(int fd, struct file_identity *ret_identity, struct error *ret_error)
{
        struct stat before, after;
        struct file_identity identity;
        uint64_t size;
        if (fstat(fd, &before) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot stat");
        if (!S_ISREG(before.st_mode))
                return error_set(ret_error, ERR_REFUSED, 0, "not a regular file");
        fs_identity_from_stat(&before, &identity);
        AUTO_FREE unsigned char *buffer = heap_alloc(BUFFER_SIZE);
        int result = hash_file(fd, buffer, BUFFER_SIZE, &identity.digest, &size, ret_error);
        if (result < 0)
                return result;
        if (fstat(fd, &after) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot stat");
        struct file_identity then;
        fs_identity_from_stat(&after, &then);
        if (size != identity.size || !identity_untouched(&identity, &then))
                return error_set(ret_error, ERR_CHANGED, 0, "it is being written to");
        identity.has_digest = true;
        *ret_identity = identity;
        return 0;
}

bool identity_same_file(const struct file_identity *a, const struct file_identity *b)
{
        return a->device == b->device && a->inode == b->inode;
}

bool identity_untouched(const struct file_identity *a, const struct file_identity *b)
{
        return identity_same_file(a, b) && a->size == b->size && a->mtime_ns == b->mtime_ns;
}

bool identity_same_content(const struct file_identity *a, const struct file_identity *b)
{
        return a->has_digest && b->has_digest && (a->mode & S_IFMT) == (b->mode & S_IFMT) && a->size == b->size &&
               digest_equal(&a->digest, &b->digest);
}
