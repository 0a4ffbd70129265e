#include "observe/python_ownership.h"

#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "fs/root.h"
#include "observe/python_module.h"

enum { TABLE_MIN = 64 };

__extension__ typedef unsigned __int128 uint128;

/* Both halves of a product, so that every bit of either factor moves every bit of the result. */
static uint64_t fold(uint64_t a, uint64_t b)
{
        uint128 product = (uint128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Paths come from files that anybody may have written. With a fixed key, a few hundred thousand names of one hash are
 * easily made, and each new one is compared with all before it. */
static uint32_t hash_name(const struct ownership *ownership, uint32_t seed, struct bytes name)
{
        const uint64_t factor = ownership->key[1];
        uint64_t hash = fold(ownership->key[0] ^ name.size, factor ^ seed), word;
        size_t at = 0;
        for (; at + sizeof word <= name.size; at += sizeof word) {
                memcpy(&word, name.data + at, sizeof word);
                hash = fold(hash ^ word, factor);
        }
        word = 0;
        for (; at < name.size; at++)
                word = word << 8 | name.data[at];
        return (uint32_t)fold(hash ^ word, factor);
}

static void table_put(struct ownership_table *table, uint32_t hash, uint32_t index)
{
        size_t at = hash & table->mask;
        while (table->slots[at].index != OWNERSHIP_NONE)
                at = (at + 1) & table->mask;
        table->slots[at] = (struct ownership_slot){hash, index};
        table->used++;
}

static void table_grow(struct ownership_table *table)
{
        struct ownership_table bigger = {.mask = table->slots == NULL ? TABLE_MIN - 1 : table->mask * 2 + 1};
        bigger.slots = heap_resize(NULL, bigger.mask + 1, sizeof *bigger.slots);
        for (size_t i = 0; i <= bigger.mask; i++)
                bigger.slots[i].index = OWNERSHIP_NONE;
        for (size_t i = 0; table->slots != NULL && i <= table->mask; i++)
                if (table->slots[i].index != OWNERSHIP_NONE)
                        table_put(&bigger, table->slots[i].hash, table->slots[i].index);
        free(table->slots);
        *table = bigger;
}

static void table_add(struct ownership_table *table, uint32_t hash, uint32_t index)
{
        if (table->slots == NULL || table->used * 4 >= (table->mask + 1) * 3)
                table_grow(table);
        table_put(table, hash, index);
}

static uint32_t find_directory(const struct ownership *ownership, uint32_t hash, struct bytes path)
{
        const struct ownership_table *table = &ownership->directory_table;
        for (size_t at = hash & table->mask; table->slots != NULL && table->slots[at].index != OWNERSHIP_NONE;
             at = (at + 1) & table->mask)
                if (table->slots[at].hash == hash &&
                    bytes_equal(ownership->directories[table->slots[at].index].path, path))
                        return table->slots[at].index;
        return OWNERSHIP_NONE;
}

static uint32_t find_file(const struct ownership *ownership, uint32_t hash, uint32_t directory, struct bytes name)
{
        const struct ownership_table *table = &ownership->file_table;
        for (size_t at = hash & table->mask; table->slots != NULL && table->slots[at].index != OWNERSHIP_NONE;
             at = (at + 1) & table->mask) {
                const struct owned_file *file = &ownership->files[table->slots[at].index];
                if (table->slots[at].hash == hash && file->directory == directory && bytes_equal(file->name, name))
                        return table->slots[at].index;
        }
        return OWNERSHIP_NONE;
}

uint32_t ownership_directory(const struct ownership *ownership, struct bytes path)
{
        return find_directory(ownership, hash_name(ownership, 0, path), path);
}

uint32_t ownership_file(const struct ownership *ownership, uint32_t directory, struct bytes name)
{
        return find_file(ownership, hash_name(ownership, directory, name), directory, name);
}

uint32_t ownership_path(const struct ownership *ownership, struct bytes path)
{
        uint32_t directory = ownership_directory(ownership, path_directory(path));
        return directory == OWNERSHIP_NONE ? OWNERSHIP_NONE : ownership_file(ownership, directory, path_name(path));
}

bool ownership_is_gone(const struct ownership *ownership, const struct owned_file *file)
{
        return file->look == LOOK_ABSENT &&
               (file->errnum != 0 || ownership->directories[file->directory].visit == VISIT_ABSENT);
}

static uint32_t put_directory(struct ownership *ownership, struct bytes path, uint32_t parent)
{
        uint32_t index = (uint32_t)ownership->n_directories;
        heap_reserve(ownership->directories, ownership->n_directories, ownership->directories_capacity);
        ownership->directories[ownership->n_directories++] = (struct owned_directory){
                .path = path,
                .parent = parent,
                .first_file = OWNERSHIP_NONE,
                .site = parent == OWNERSHIP_NONE ? OWNERSHIP_NONE : ownership->directories[parent].site,
        };
        table_add(&ownership->directory_table, hash_name(ownership, 0, path), index);
        return index;
}

uint32_t ownership_add_directory(struct ownership *ownership, struct bytes path)
{
        uint32_t known = ownership_directory(ownership, path);
        if (known != OWNERSHIP_NONE)
                return known;
        size_t levels = 1;
        for (size_t i = 0; i < path.size; i++)
                levels += path.data[i] == '/';
        if (ownership->n_directories + levels > OWNERSHIP_DIRECTORIES_MAX)
                return OWNERSHIP_NONE;
        /* One copy serves the directory and all above it that are new. */
        struct bytes whole = {
                (const unsigned char *)arena_strndup(&ownership->texts, (const char *)path.data, path.size), path.size};
        uint32_t parent = 0; /* the prefix */
        for (size_t at = 0; at <= whole.size; at++) {
                if (at < whole.size && whole.data[at] != '/')
                        continue;
                struct bytes above = {whole.data, at};
                uint32_t index = ownership_directory(ownership, above);
                parent = index != OWNERSHIP_NONE ? index : put_directory(ownership, above, parent);
        }
        return parent;
}

uint32_t ownership_add_file(struct ownership *ownership, uint32_t directory, struct bytes name)
{
        uint32_t hash = hash_name(ownership, directory, name);
        uint32_t index = find_file(ownership, hash, directory, name);
        if (index != OWNERSHIP_NONE)
                return index;
        index = (uint32_t)ownership->n_files;
        heap_reserve(ownership->files, ownership->n_files, ownership->files_capacity);
        ownership->files[ownership->n_files++] = (struct owned_file){
                .directory = directory,
                .first_claim = OWNERSHIP_NONE,
                .next_in_directory = ownership->directories[directory].first_file,
                .name = name,
        };
        ownership->directories[directory].first_file = index;
        table_add(&ownership->file_table, hash, index);
        return index;
}

/* Many prefixes have a lib64 that is a link to lib: rows then name one file in two ways. */
static bool lib64_is_lib(int prefix_fd)
{
        struct stat link, lib64, lib;
        return fstatat(prefix_fd, "lib64", &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode) &&
               fstatat(prefix_fd, "lib64", &lib64, 0) == 0 &&
               fstatat(prefix_fd, "lib", &lib, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(lib.st_mode) &&
               lib64.st_dev == lib.st_dev && lib64.st_ino == lib.st_ino;
}

/* Where the kernel has nothing random yet, the clock is hard enough to foresee for a matter of speed. */
static void draw_key(uint64_t key[2])
{
        struct timespec now;
        if (getrandom(key, 2 * sizeof *key, GRND_NONBLOCK) != (ssize_t)(2 * sizeof *key)) {
                clock_gettime(CLOCK_MONOTONIC, &now);
                key[0] = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
                key[1] = ~key[0] * 0x9e3779b97f4a7c15u;
        }
        key[1] |= (uint64_t)1 << 63 | 1; /* no factor may lose bits */
}

void ownership_open(int prefix_fd, const struct environment *environment, struct ownership *ret_ownership)
{
        *ret_ownership = (struct ownership){
                .prefix_fd = prefix_fd,
                .prefix = bytes_of(environment->path),
                .lib64_is_lib = lib64_is_lib(prefix_fd),
                .texts = ARENA_INIT,
        };
        draw_key(ret_ownership->key);
        put_directory(ret_ownership, (struct bytes){(const unsigned char *)"", 0}, OWNERSHIP_NONE);
        for (size_t i = 0; i < environment->n_sites; i++) {
                uint32_t index = ownership_add_directory(ret_ownership, bytes_of(environment->sites[i].path));
                ret_ownership->directories[index].site = (uint32_t)i;
        }
}

void ownership_clear(struct ownership *ownership)
{
        for (size_t i = 0; i < ownership->n_records; i++)
                free(ownership->records[i]);
        free(ownership->records);
        free(ownership->directories);
        free(ownership->files);
        free(ownership->claims);
        free(ownership->strays);
        free(ownership->directory_table.slots);
        free(ownership->file_table.slots);
        arena_clear(&ownership->texts);
        *ownership = (struct ownership){.prefix_fd = -1};
}
