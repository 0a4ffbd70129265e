/* What files held when they were last read, by their stat data: so that a second look need not read what nobody has
 * touched since. Only for --trust-stat, because whoever can write a file can also set its times back; the change time
 * and the inode make that harder, not impossible.
 *
 *     stat_cache_load()        the file of one environment -> cache, empty when there is none or it is damaged
 *     stat_cache_find()        32 bytes kept under the key, or NULL
 *     stat_cache_is_settled()  whether a key may be kept at all: times of the last seconds never are, since a second
 *                              change within the clock's tick leaves the same times
 *     stat_cache_save()        replaces the file by other entries
 *
 * The file lies in the state directory, which is its user's alone: a cache that others could write to is not read. It
 * is of this machine's byte order and ends in a SHA-256 of all before. */
#ifndef PRISTINE_FS_STAT_CACHE_H
#define PRISTINE_FS_STAT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

enum { STAT_CACHE_VALUE_SIZE = 32, STAT_CACHE_ENTRIES_MAX = 4 << 20 };

struct stat_key {
        uint64_t device, inode, size;
        int64_t mtime_ns, ctime_ns;
};

struct stat_entry {
        struct stat_key key;
        uint8_t value[STAT_CACHE_VALUE_SIZE];
};

struct stat_cache {
        struct stat_entry *entries; /* owned */
        size_t count;
        uint32_t *slots; /* owned: index + 1 by hash of the inode, 0 free */
        size_t mask;
};

void stat_key_from_stat(const struct stat *st, struct stat_key *ret_key);

void stat_cache_load(const char *path, struct stat_cache *ret_cache);
void stat_cache_clear(struct stat_cache *cache); /* fit for CLEANUP() */
const uint8_t *stat_cache_find(const struct stat_cache *cache, const struct stat_key *key);

bool stat_cache_is_settled(const struct stat_key *key, int64_t now_ns);
int stat_cache_save(const char *path, const struct stat_entry *entries, size_t count, struct error *ret_error);

#endif
