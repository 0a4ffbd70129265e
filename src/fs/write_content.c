/* New files: their bytes and what belongs to them. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "fs/write.h"

enum {
        COPY_SIZE = 1 << 20,
        XATTR_NAMES_MAX = 64 << 10, /* the kernel's own bounds for the list and for one value */
        XATTR_VALUE_MAX = 64 << 10,
};

static const char ACL_ACCESS[] = "system.posix_acl_access";

int xattrs_read(int fd, struct arena *arena, struct xattrs *ret_xattrs, struct error *ret_error)
{
        AUTO_FREE char *names = heap_alloc(XATTR_NAMES_MAX + 1);
        AUTO_FREE char *value = heap_alloc(XATTR_VALUE_MAX);
        ssize_t size = flistxattr(fd, names, XATTR_NAMES_MAX);
        if (size < 0 && errno != ENOTSUP)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot list its extended attributes");
        size_t count = 0;
        for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1)
                count++;
        struct xattrs xattrs = {.items = arena_new_array(arena, struct xattr, count)};
        for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1) {
                ssize_t length = fgetxattr(fd, names + at, value, XATTR_VALUE_MAX);
                if (length < 0 && errno == ENODATA)
                        continue;
                if (length < 0)
                        return error_set(ret_error, ERR_SYSTEM, errno, "cannot read its attribute %s", names + at);
                xattrs.items[xattrs.count++] =
                        (struct xattr){.name = arena_strdup(arena, names + at),
                                       .value = {arena_copy(arena, value, (size_t)length), (size_t)length}};
        }
        *ret_xattrs = xattrs;
        return 0;
}

/* Hashes and signatures of the bytes, kept by the kernel: on other bytes they would be a lie that locks the file. */
static bool xattr_vouches_for_bytes(const char *name)
{
        return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

static bool xattr_is_set(int fd, const struct xattr *xattr)
{
        AUTO_FREE unsigned char *value = heap_alloc(XATTR_VALUE_MAX);
        ssize_t length = fgetxattr(fd, xattr->name, value, XATTR_VALUE_MAX);
        return length >= 0 && bytes_equal(xattr->value, (struct bytes){value, (size_t)length});
}

static int xattrs_write(int fd, const struct write_metadata *metadata, struct error *ret_error)
{
        const struct xattrs *xattrs = metadata->xattrs;
        bool has_acl = false;
        for (size_t i = 0; i < xattrs->count; i++) {
                const struct xattr *xattr = &xattrs->items[i];
                has_acl |= strcmp(xattr->name, ACL_ACCESS) == 0;
                if ((metadata->new_content && xattr_vouches_for_bytes(xattr->name)) || xattr_is_set(fd, xattr))
                        continue;
                if (fsetxattr(fd, xattr->name, xattr->value.data, xattr->value.size, 0) < 0)
                        return error_set(ret_error, ERR_SYSTEM, errno, "cannot carry its attribute %s over",
                                         xattr->name);
        }
        /* A default ACL of the directory gives new files one that the old file did not have. */
        if (!has_acl && fgetxattr(fd, ACL_ACCESS, NULL, 0) > 0 && fremovexattr(fd, ACL_ACCESS) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot drop the directory's default ACL from it");
        return 0;
}

int write_set_mtime(int fd, int64_t mtime_ns, struct error *ret_error)
{
        int64_t seconds = mtime_ns / 1000000000, rest = mtime_ns % 1000000000;
        if (rest < 0) { /* before 1970 */
                rest += 1000000000;
                seconds--;
        }
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = rest}};
        if (futimens(fd, times) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot set its modification time");
        return 0;
}

/* Owner first: a change of owner clears set-user-ID bits and file capabilities. */
static int metadata_write(int fd, const struct write_metadata *metadata, struct error *ret_error)
{
        struct stat st;
        if (fstat(fd, &st) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot stat");
        if ((st.st_uid != metadata->uid || st.st_gid != metadata->gid) && fchown(fd, metadata->uid, metadata->gid) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot give it to user %u, group %u", metadata->uid,
                                 metadata->gid);
        if (metadata->xattrs != NULL) {
                int result = xattrs_write(fd, metadata, ret_error);
                if (result < 0)
                        return result;
        }
        if (fchmod(fd, metadata->mode & 07777) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot set its mode");
        return metadata->set_mtime ? write_set_mtime(fd, metadata->mtime_ns, ret_error) : 0;
}

static int write_all(int fd, struct bytes bytes, struct error *ret_error)
{
        while (bytes.size > 0) {
                ssize_t done = write(fd, bytes.data, bytes.size);
                if (done < 0 && errno == EINTR)
                        continue;
                if (done < 0)
                        return error_set(ret_error, ERR_SYSTEM, errno, "cannot write");
                bytes.data += done;
                bytes.size -= (size_t)done;
        }
        return 0;
}

int write_flush(int fd)
{
        while (fsync(fd) < 0)
                if (errno != EINTR)
                        return errno;
        return 0;
}

static int copy_all(int fd, int source_fd, struct digest *ret_digest, struct error *ret_error)
{
        AUTO_FREE unsigned char *buffer = heap_alloc(COPY_SIZE);
        struct hash hash;
        off_t at = 0;
        hash_begin(&hash);
        for (;;) {
                ssize_t got = pread(source_fd, buffer, COPY_SIZE, at);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return error_set(ret_error, ERR_SYSTEM, errno, "cannot read the bytes to write");
                if (got == 0)
                        break;
                hash_add(&hash, buffer, (size_t)got);
                int result = write_all(fd, (struct bytes){buffer, (size_t)got}, ret_error);
                if (result < 0)
                        return result;
                at += got;
        }
        hash_end(&hash, ret_digest);
        return 0;
}

static int content_write(int fd, const struct write_source *source, struct error *ret_error)
{
        struct digest digest;
        int result = 0;
        if (source->fd >= 0) {
                result = copy_all(fd, source->fd, &digest, ret_error);
        } else {
                hash_bytes(source->bytes, &digest);
                result = write_all(fd, source->bytes, ret_error);
        }
        if (result == 0 && source->digest != NULL && !digest_equal(source->digest, &digest))
                return error_set(ret_error, ERR_CHANGED, 0, "the bytes to write are not the expected ones");
        return result;
}

int write_new_file(int directory_fd, const char *name, const struct write_source *source,
                   const struct write_metadata *metadata, struct error *ret_error)
{
        AUTO_CLOSE int fd =
                openat(directory_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
        if (fd < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot create %s", name);
        int result = content_write(fd, source, ret_error);
        if (result == 0)
                result = metadata_write(fd, metadata, ret_error);
        int errnum = result == 0 ? write_flush(fd) : 0;
        if (errnum != 0)
                result = error_set(ret_error, ERR_SYSTEM, errnum, "cannot flush");
        if (result < 0) {
                unlinkat(directory_fd, name, 0);
                error_add(ret_error, "writing %s", name);
        }
        return result;
}
