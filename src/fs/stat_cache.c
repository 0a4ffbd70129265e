#include "fs/stat_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "fs/hash.h"
#include "fs/root.h"
#include "fs/write.h"

/* Eight bytes that say what follows; a change of struct stat_entry changes the digit. */
static const char magic[8] = "PRSTAT1\n";

/* Coarse clocks tick every 10 ms, some file systems every two seconds. */
static const int64_t SETTLED_NS = 3000000000;

void stat_key_from_stat(const struct stat *st, struct stat_key *ret_key)
{
        *ret_key = (struct stat_key){
                .device = st->st_dev,
                .inode = st->st_ino,
                .size = (uint64_t)st->st_size,
                .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
                .ctime_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec,
        };
}

bool stat_cache_is_settled(const struct stat_key *key, int64_t now_ns)
{
        return key->mtime_ns < now_ns - SETTLED_NS && key->ctime_ns < now_ns - SETTLED_NS;
}

static size_t slot_of(const struct stat_cache *cache, const struct stat_key *key)
{
        return (size_t)((key->inode * 0x9e3779b97f4a7c15u) >> 20) & cache->mask;
}

static void build_slots(struct stat_cache *cache)
{
        cache->mask = 63;
        while (cache->mask < cache->count * 2)
                cache->mask = cache->mask * 2 + 1;
        cache->slots = heap_alloc((cache->mask + 1) * sizeof *cache->slots);
        for (size_t i = 0; i < cache->count; i++) {
                size_t at = slot_of(cache, &cache->entries[i].key);
                while (cache->slots[at] != 0)
                        at = (at + 1) & cache->mask;
                cache->slots[at] = (uint32_t)i + 1;
        }
}

/* Ours alone, or it proves nothing. */
static bool is_private(int fd)
{
        struct stat st;
        return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 022) == 0;
}

static bool is_sound(struct bytes bytes)
{
        struct digest digest;
        size_t frame = sizeof magic + sizeof digest;
        if (bytes.size < frame || (bytes.size - frame) % sizeof(struct stat_entry) != 0 ||
            memcmp(bytes.data, magic, sizeof magic) != 0)
                return false;
        hash_bytes((struct bytes){bytes.data, bytes.size - sizeof digest}, &digest);
        return memcmp(digest.bytes, bytes.data + bytes.size - sizeof digest, sizeof digest) == 0;
}

void stat_cache_load(const char *path, struct stat_cache *ret_cache)
{
        struct bytes bytes = {0};
        size_t limit = (size_t)STAT_CACHE_ENTRIES_MAX * sizeof(struct stat_entry) + 64;
        AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        *ret_cache = (struct stat_cache){0};
        if (fd >= 0 && is_private(fd) && fs_read_whole(fd, limit, &bytes, NULL) == 0 && is_sound(bytes)) {
                ret_cache->count = (bytes.size - sizeof magic) / sizeof(struct stat_entry);
                ret_cache->entries = heap_resize(NULL, ret_cache->count, sizeof *ret_cache->entries);
                memcpy(ret_cache->entries, bytes.data + sizeof magic, ret_cache->count * sizeof *ret_cache->entries);
        }
        free((void *)bytes.data);
        build_slots(ret_cache);
}

void stat_cache_clear(struct stat_cache *cache)
{
        free(cache->entries);
        free(cache->slots);
        *cache = (struct stat_cache){0};
}

const uint8_t *stat_cache_find(const struct stat_cache *cache, const struct stat_key *key)
{
        if (cache->slots == NULL)
                return NULL;
        for (size_t at = slot_of(cache, key); cache->slots[at] != 0; at = (at + 1) & cache->mask) {
                const struct stat_entry *entry = &cache->entries[cache->slots[at] - 1];
                if (memcmp(&entry->key, key, sizeof *key) == 0)
                        return entry->value;
        }
        return NULL;
}

/* A crash between the two names leaves no cache, which only costs time. */
static int replace(int directory_fd, const char *name, struct bytes bytes, struct error *ret_error)
{
        char temporary[17];
        const struct write_source source = {.fd = -1, .bytes = bytes};
        const struct write_metadata metadata = {.mode = 0600, .uid = geteuid(), .gid = getegid()};
        int result = write_random_name(temporary, sizeof temporary - 1, ret_error);
        if (result == 0)
                result = write_new_file(directory_fd, temporary, &source, &metadata, ret_error);
        if (result < 0)
                return result;
        result = write_unlink(directory_fd, name, ret_error);
        if (result < 0) {
                write_unlink(directory_fd, temporary, NULL);
                return result;
        }
        return write_place(directory_fd, temporary, name, ret_error);
}

int stat_cache_save(const char *path, const struct stat_entry *entries, size_t count, struct error *ret_error)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        struct digest digest;
        const char *slash = strrchr(path, '/');
        if (slash == NULL || slash == path)
                return error_set(ret_error, ERR_USAGE, 0, "%s: no place for a cache", path);
        if (count > STAT_CACHE_ENTRIES_MAX)
                count = STAT_CACHE_ENTRIES_MAX;
        text_add_bytes(&text, magic, sizeof magic);
        text_add_bytes(&text, entries, count * sizeof *entries);
        hash_bytes((struct bytes){(const unsigned char *)text.data, text.size}, &digest);
        text_add_bytes(&text, digest.bytes, sizeof digest.bytes);
        AUTO_FREE char *directory = strndup(path, (size_t)(slash - path));
        int result = directory == NULL ? ERR_SYSTEM : write_make_path(directory, ret_error);
        if (result < 0)
                return result;
        AUTO_CLOSE int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "%s", directory);
        return replace(fd, slash + 1, (struct bytes){(const unsigned char *)text.data, text.size}, ret_error);
}
