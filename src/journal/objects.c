/* Contents by their digest. A name in objects/ stands only for bytes that were hashed and flushed before they got it.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "fs/identify.h"
#include "fs/root.h"
#include "journal/store.h"

/* One writer at a time: what lies under this name was left by a crash. */
static const char TEMPORARY[] = "unfinished";

static bool object_is_sound(struct journal *journal, const char *name, const struct digest *digest)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity found;
        return fs_open_regular(journal->objects_fd, name, &fd, &found, NULL) == 0 &&
               fs_identify(fd, &found, NULL) == 0 && digest_equal(&found.digest, digest);
}

static int object_store(struct journal *journal, const struct write_source *source, struct error *ret_error)
{
        char name[DIGEST_HEX_SIZE];
        digest_to_hex(source->digest, name);
        if (object_is_sound(journal, name, source->digest))
                return 0;
        struct write_metadata metadata = {.mode = 0600, .uid = geteuid(), .gid = getegid()};
        unlinkat(journal->objects_fd, TEMPORARY, 0);
        int result = write_new_file(journal->objects_fd, TEMPORARY, source, &metadata, ret_error);
        if (result == 0 && renameat(journal->objects_fd, TEMPORARY, journal->objects_fd, name) < 0)
                result = error_set(ret_error, ERR_SYSTEM, errno, "cannot name the object %s", name);
        if (result < 0)
                error_add(ret_error, "keeping a copy in %s/objects", journal->directory);
        return result;
}

int journal_store_bytes(struct journal *journal, struct bytes bytes, struct digest *ret_digest, struct error *ret_error)
{
        struct digest digest;
        hash_bytes(bytes, &digest);
        struct write_source source = {.fd = -1, .bytes = bytes, .digest = &digest};
        int result = object_store(journal, &source, ret_error);
        if (result == 0)
                *ret_digest = digest;
        return result;
}

int journal_store_file(struct journal *journal, int fd, const struct digest *digest, struct error *ret_error)
{
        struct write_source source = {.fd = fd, .digest = digest};
        return object_store(journal, &source, ret_error);
}

int journal_sync_objects(struct journal *journal, struct error *ret_error)
{
        return write_sync_directory(journal->objects_fd, ret_error);
}

int journal_open_object(struct journal *journal, const struct digest *digest, int *ret_fd, struct error *ret_error)
{
        char name[DIGEST_HEX_SIZE];
        struct file_identity found;
        digest_to_hex(digest, name);
        int result = fs_open_regular(journal->objects_fd, name, ret_fd, &found, ret_error);
        if (result < 0)
                error_add(ret_error, "the copy kept in %s/objects", journal->directory);
        return result;
}
