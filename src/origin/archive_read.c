#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "formats/record.h"
#include "origin/archives_internal.h"

/* A path of the root is opened by its directory, links on the way resolved inside the root, and its last name, which
 * must be no link. */
static int open_file(const struct root *root, const char *path, int *ret_fd, struct file_identity *ret_identity)
{
        AUTO_CLOSE int directory_fd = -1;
        const char *slash = strrchr(path, '/');
        if (slash == NULL)
                return ERR_NOT_FOUND;
        AUTO_FREE char *directory = slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
        int result = directory == NULL ? ERR_SYSTEM : root_open_directory(root, directory, &directory_fd, NULL, NULL);
        return result < 0 ? result : fs_open_regular(directory_fd, slash + 1, ret_fd, ret_identity, NULL);
}

static bool is_info(struct bytes name)
{
        return bytes_end_with(name, ".dist-info") && name.size > strlen(".dist-info") &&
               memchr(name.data, '/', name.size) == NULL;
}

/* The one directory of metadata that a wheel has at its top. */
static bool identify_zip(struct archives *archives, struct archive *archive)
{
        static const char tail[] = "/RECORD";
        struct file_identity identity;
        if (open_file(archives->request.root, archive->path, &archive->fd, &identity) < 0)
                return false;
        archive->size = identity.size;
        struct zip_source source = zip_source_of_fd(&archive->fd, identity.size);
        if (zip_open(&source, &archives->arena, &archive->zip, NULL) < 0)
                return false;
        for (size_t i = archive->zip.count; i-- > 0;) {
                struct bytes name = archive->zip.members[i].name;
                if (!bytes_end_with(name, tail))
                        continue;
                struct bytes info = {name.data, name.size - strlen(tail)};
                if (is_info(info)) {
                        archive->info = arena_strndup(&archives->arena, (const char *)info.data, info.size);
                        return true;
                }
        }
        return false;
}

static bool identify_directory(struct archives *archives, struct archive *archive)
{
        if (root_open_directory(archives->request.root, archive->path, &archive->fd, NULL, NULL) < 0)
                return false;
        int copy = fcntl(archive->fd, F_DUPFD_CLOEXEC, 0);
        AUTO_CLOSEDIR DIR *directory = copy >= 0 ? fdopendir(copy) : NULL;
        if (directory == NULL)
                return false;
        size_t seen = 0;
        for (struct dirent *entry; (entry = readdir(directory)) != NULL && seen < PLACE_ENTRIES_MAX; seen++)
                if (is_info(bytes_of(entry->d_name))) {
                        archive->info = arena_strdup(&archives->arena, entry->d_name);
                        return true;
                }
        return false;
}

/* Descriptors are few and archives may be thousands: an archive is open only while it is used. */
bool archive_identify(struct archives *archives, struct archive *archive)
{
        if (!archive->identified) {
                archive->identified = true;
                archive->usable =
                        archive->is_directory ? identify_directory(archives, archive) : identify_zip(archives, archive);
                archive_close(archive);
        }
        return archive->usable;
}

/* A file that is no longer the one whose members are known is none at all: its members would be read from wrong places,
 * which only costs time, since nothing counts but bytes of the right digest. */
bool archive_open(struct archives *archives, struct archive *archive)
{
        struct file_identity identity;
        if (archive->is_directory)
                return root_open_directory(archives->request.root, archive->path, &archive->fd, NULL, NULL) == 0;
        return open_file(archives->request.root, archive->path, &archive->fd, &identity) == 0 &&
               identity.size == archive->size;
}

void archive_close(struct archive *archive)
{
        if (archive->fd >= 0)
                close(archive->fd);
        archive->fd = -1;
}

static bool read_file(const struct archive *archive, const char *member, int64_t size, struct bytes *ret_bytes)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        return fs_open_regular(archive->fd, member, &fd, &identity, NULL) == 0 &&
               (size < 0 || identity.size == (uint64_t)size) &&
               fs_read_whole(fd, ARCHIVE_MEMBER_MAX, ret_bytes, NULL) == 0;
}

bool archive_read(const struct archive *archive, const char *member, int64_t size, struct bytes *ret_bytes)
{
        if (archive->is_directory)
                return read_file(archive, member, size, ret_bytes);
        struct zip zip = archive->zip;
        zip.source.context = (void *)&archive->fd;
        const struct zip_member *found = zip_find(&zip, bytes_of(member));
        return found != NULL && (size < 0 || found->size == (uint64_t)size) &&
               zip_read(&zip, found, ARCHIVE_MEMBER_MAX, ret_bytes, NULL) == 0;
}

bool archive_vouches(const struct archive *archive, const char *member, const struct digest *digest)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct bytes record;
        struct record_row row;
        bool vouches = false;
        if (!archive_read(archive, arena_printf(&arena, "%s/RECORD", archive->info), -1, &record))
                return false;
        struct record_reader reader = record_over(record, &arena);
        while (!vouches && record_next(&reader, &row))
                vouches = row.hash.kind == RECORD_HASH_SHA256 && bytes_equal(row.path, bytes_of(member)) &&
                          digest_equal(&row.hash.digest, digest);
        free((void *)record.data);
        return vouches;
}
