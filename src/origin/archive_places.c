/* Where archives lie: uv's cache, pip's, what was named on the command line or in an installer's settings, then the
 * places where people leave wheels. Buckets of caches carry versions in their names and keys that are cut or hashed, so
 * directories are walked and names never made up. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "origin/archives_internal.h"

enum { PIP_DEPTH = 6 }; /* http-v2/a/b/c/d/e/FILE; built wheels lie less deep */

static struct archive_place *add_place(struct archives *archives, enum origin_source source, const char *path)
{
        heap_reserve(archives->places, archives->n_places, archives->places_capacity);
        struct archive_place *place = &archives->places[archives->n_places++];
        *place = (struct archive_place){.source = source, .path = path};
        return place;
}

static void add_archive(struct archives *archives, struct archive_place *place, const char *path, bool is_directory)
{
        if (archives->count >= ARCHIVES_MAX)
                return;
        heap_reserve(archives->items, archives->count, archives->capacity);
        archives->items[archives->count++] = (struct archive){
                .source = place->source,
                .path = path,
                .is_directory = is_directory,
                .fd = -1,
        };
        place->archives++;
}

static const char *below(struct archives *archives, const char *directory, const char *name)
{
        return arena_printf(&archives->arena, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory, name);
}

/* Opens a directory of the root for listing; NULL where it is none. */
static DIR *open_listing(const struct archives *archives, const char *path)
{
        int fd = -1;
        if (root_open_directory(archives->request.root, path, &fd, NULL, NULL) < 0)
                return NULL;
        DIR *directory = fdopendir(fd);
        if (directory == NULL)
                close(fd);
        return directory;
}

/* The wheels that lie directly in a directory. */
static void gather_wheels(struct archives *archives, const char *path)
{
        AUTO_CLOSEDIR DIR *directory = open_listing(archives, path);
        struct archive_place *place = add_place(archives, ORIGIN_WHEEL, path);
        place->there = directory != NULL;
        size_t seen = 0;
        for (struct dirent *entry;
             directory != NULL && (entry = readdir(directory)) != NULL && seen < PLACE_ENTRIES_MAX; seen++)
                if (bytes_end_with(bytes_of(entry->d_name), ".whl"))
                        add_archive(archives, place, below(archives, path, entry->d_name), false);
}

/* archive-v0/ID/ and its later versions: unpacked wheels, a directory each. */
static void gather_uv_bucket(struct archives *archives, struct archive_place *place, const char *path)
{
        AUTO_CLOSEDIR DIR *directory = open_listing(archives, path);
        size_t seen = 0;
        for (struct dirent *entry;
             directory != NULL && (entry = readdir(directory)) != NULL && seen < PLACE_ENTRIES_MAX; seen++)
                if (entry->d_name[0] != '.')
                        add_archive(archives, place, below(archives, path, entry->d_name), true);
}

static void gather_uv(struct archives *archives, const char *cache)
{
        AUTO_CLOSEDIR DIR *directory = open_listing(archives, cache);
        struct archive_place *place = add_place(archives, ORIGIN_UV_CACHE, cache);
        place->there = directory != NULL;
        for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
                if (bytes_start_with(bytes_of(entry->d_name), "archive-v"))
                        gather_uv_bucket(archives, place, below(archives, cache, entry->d_name));
}

/* Bodies of responses (the wheel as it came), and wheels that were built here. No link is followed on the way down. */
static void gather_pip_bodies(struct archives *archives, struct archive_place *place, int parent_fd, const char *path,
                              unsigned depth)
{
        int fd = -1;
        const char *name = strrchr(path, '/') + 1;
        if (depth > PIP_DEPTH || fs_open_beneath(parent_fd, name, O_RDONLY | O_DIRECTORY, &fd, NULL) < 0)
                return;
        AUTO_CLOSEDIR DIR *directory = fdopendir(fd);
        if (directory == NULL) {
                close(fd);
                return;
        }
        size_t seen = 0;
        for (struct dirent *entry; (entry = readdir(directory)) != NULL && seen < PLACE_ENTRIES_MAX; seen++) {
                struct bytes found = bytes_of(entry->d_name);
                if (entry->d_name[0] == '.')
                        continue;
                if (bytes_end_with(found, ".body") || bytes_end_with(found, ".whl"))
                        add_archive(archives, place, below(archives, path, entry->d_name), false);
                else if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)
                        gather_pip_bodies(archives, place, fd, below(archives, path, entry->d_name), depth + 1);
        }
}

static void gather_pip(struct archives *archives, const char *cache)
{
        AUTO_CLOSE int fd = -1;
        struct archive_place *place = add_place(archives, ORIGIN_PIP_CACHE, cache);
        place->there = root_open_directory(archives->request.root, cache, &fd, NULL, NULL) == 0;
        if (!place->there)
                return;
        gather_pip_bodies(archives, place, fd, below(archives, cache, "http-v2"), 0);
        gather_pip_bodies(archives, place, fd, below(archives, cache, "wheels"), 0);
}

void archive_places_add_wheel(struct archives *archives, const char *path)
{
        for (size_t i = 0; i < archives->n_places; i++)
                if (strcmp(archives->places[i].path, path) == 0)
                        return;
        struct archive_place *place = add_place(archives, ORIGIN_WHEEL, path);
        place->there = true;
        add_archive(archives, place, path, false);
}

static void gather_named(struct archives *archives)
{
        const struct archives_request *request = &archives->request;
        for (size_t i = 0; i < request->wheels.count; i++)
                archive_places_add_wheel(archives, request->wheels.items[i]);
        for (size_t i = 0; i < request->find_links.count; i++)
                gather_wheels(archives, request->find_links.items[i]);
}

void archive_places_gather(struct archives *archives)
{
        static const char *const usual[] = {"/tmp", "/var/tmp", "/shared"};
        const struct archives_request *request = &archives->request;
        if (archives->gathered)
                return;
        archives->gathered = true;
        if (request->uv_cache != NULL)
                gather_uv(archives, request->uv_cache);
        for (size_t i = 0; i < request->homes.count; i++)
                gather_uv(archives, below(archives, request->homes.items[i], ".cache/uv"));
        if (request->pip_cache != NULL)
                gather_pip(archives, request->pip_cache);
        for (size_t i = 0; i < request->homes.count; i++)
                gather_pip(archives, below(archives, request->homes.items[i], ".cache/pip"));
        gather_named(archives);
        for (size_t i = 0; i < request->homes.count; i++)
                gather_wheels(archives, request->homes.items[i]);
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
                gather_wheels(archives, usual[i]);
}
