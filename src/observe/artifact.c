#include "observe/artifact.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "observe/artifact_probe.h"

enum { COMPONENTS_MAX = 64, ENTRIES_MAX = 1000000, HASH_BUFFER = 1 << 20 };

struct expansion {
        const struct root *root;
        struct arena *arena;
        struct artifact *items; /* heap while it grows */
        size_t count, capacity, limit, entries;
        bool cut;
        struct unknown *unknowns;
        size_t n_unknowns, unknowns_capacity;
        char *components[COMPONENTS_MAX];
        size_t n_components;
};

static void expansion_clear(struct expansion *expansion)
{
        free(expansion->items);
        free(expansion->unknowns);
}

static void expansion_unknown(struct expansion *expansion, const char *path, const struct error *error)
{
        heap_reserve(expansion->unknowns, expansion->n_unknowns, expansion->unknowns_capacity);
        expansion->unknowns[expansion->n_unknowns++] = (struct unknown){
                arena_strdup(expansion->arena, path), arena_strdup(expansion->arena, error->text), false};
}

static bool has_wildcard(const char *component)
{
        return strpbrk(component, "*?[\\") != NULL || strstr(component, "@(") != NULL;
}

static void expand_name(struct expansion *expansion, int directory_fd, const char *directory, const char *name)
{
        const char *path = arena_printf(expansion->arena, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory, name);
        struct artifact artifact;
        for (size_t i = 0; i < expansion->count; i++)
                if (strcmp(expansion->items[i].path, path) == 0)
                        return;
        if (expansion->count >= expansion->limit) {
                expansion->cut = true;
                return;
        }
        if (!artifact_probe(directory_fd, name, path, expansion->arena, &artifact))
                return;
        heap_reserve(expansion->items, expansion->count, expansion->capacity);
        expansion->items[expansion->count++] = artifact;
}

static void expand_from(struct expansion *expansion, int directory_fd, const char *directory, size_t component);

/* Every entry of the directory that fits the component. */
static void expand_wildcard(struct expansion *expansion, int directory_fd, const char *directory, size_t component)
{
        AUTO_CLOSE int copy = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        AUTO_CLOSEDIR DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
        if (dir == NULL)
                return;
        steal_fd(&copy);
        bool last = component + 1 == expansion->n_components;
        for (struct dirent *entry = readdir(dir); entry != NULL && !expansion->cut; entry = readdir(dir)) {
                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                        continue;
                if (++expansion->entries > ENTRIES_MAX) {
                        expansion->cut = true;
                        return;
                }
                if (!glob_matches(expansion->components[component], entry->d_name))
                        continue;
                if (last) {
                        expand_name(expansion, directory_fd, directory, entry->d_name);
                        continue;
                }
                AUTO_CLOSE int child = -1;
                struct error error;
                if (fs_open_beneath(directory_fd, entry->d_name, O_RDONLY | O_DIRECTORY, &child, &error) < 0)
                        continue;
                const char *path = arena_printf(expansion->arena, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory,
                                                entry->d_name);
                expand_from(expansion, child, path, component + 1);
        }
}

/* Symbolic links are not followed anywhere on the way: in a directory that everybody can write to they lead where
 * somebody else wants. */
static void expand_from(struct expansion *expansion, int directory_fd, const char *directory, size_t component)
{
        const char *name = expansion->components[component];
        if (has_wildcard(name)) {
                expand_wildcard(expansion, directory_fd, directory, component);
                return;
        }
        if (component + 1 == expansion->n_components) {
                expand_name(expansion, directory_fd, directory, name);
                return;
        }
        AUTO_CLOSE int child = -1;
        struct error error;
        const char *path = arena_printf(expansion->arena, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory, name);
        int result = fs_open_beneath(directory_fd, name, O_RDONLY | O_DIRECTORY, &child, &error);
        if (result == 0)
                expand_from(expansion, child, path, component + 1);
        else if (result != ERR_NOT_FOUND)
                expansion_unknown(expansion, path, &error);
}

static int expand_glob(struct expansion *expansion, const char *glob, struct error *ret_error)
{
        AUTO_CLOSE int root_fd = -1;
        char *rest = arena_strdup(expansion->arena, glob), *save = NULL;
        expansion->n_components = 0;
        for (char *part = strtok_r(rest, "/", &save); part != NULL; part = strtok_r(NULL, "/", &save)) {
                if (strcmp(part, ".") == 0)
                        continue;
                if (strcmp(part, "..") == 0 || expansion->n_components == COMPONENTS_MAX)
                        return 0; /* no debug code is that clever, and no pattern needs to be */
                expansion->components[expansion->n_components++] = part;
        }
        if (expansion->n_components == 0)
                return 0;
        int result = root_open_directory(expansion->root, "/", &root_fd, NULL, ret_error);
        if (result == 0)
                expand_from(expansion, root_fd, "/", 0);
        return result;
}

static int artifact_compare(const void *left, const void *right)
{
        return strcmp(((const struct artifact *)left)->path, ((const struct artifact *)right)->path);
}

static void expansion_finish(struct expansion *expansion, struct artifacts *ret_artifacts,
                             struct unknowns *ret_unknowns)
{
        struct arena *arena = expansion->arena;
        struct artifacts result = {arena_copy(arena, expansion->items, expansion->count * sizeof *expansion->items),
                                   expansion->count};
        if (result.count > 0)
                qsort(result.items, result.count, sizeof *result.items, artifact_compare);
        AUTO_FREE struct artifact **pointers = heap_alloc((result.count + 1) * sizeof(struct artifact *));
        for (size_t i = 0; i < result.count; i++)
                pointers[i] = &result.items[i];
        if (strcmp(expansion->root->path, "/") == 0)
                artifact_holders(arena, pointers, result.count);
        *ret_artifacts = result;
        ret_unknowns->items =
                arena_copy(arena, expansion->unknowns, expansion->n_unknowns * sizeof *expansion->unknowns);
        ret_unknowns->count = expansion->n_unknowns;
}

int artifact_expand(const struct root *root, const struct strings *globs, const struct strings *directories,
                    size_t limit, struct arena *arena, struct artifacts *ret_artifacts, bool *ret_cut,
                    struct unknowns *ret_unknowns, struct error *ret_error)
{
        CLEANUP(expansion_clear) struct expansion expansion = {.root = root, .arena = arena, .limit = limit};
        for (size_t i = 0; i < globs->count; i++) {
                const char *glob = globs->items[i];
                int result = 0;
                if (glob[0] == '/')
                        result = expand_glob(&expansion, glob, ret_error);
                for (size_t j = 0; glob[0] != '/' && j < directories->count && result == 0; j++)
                        result = expand_glob(&expansion, arena_printf(arena, "%s/%s", directories->items[j], glob),
                                             ret_error);
                if (result < 0)
                        return result;
        }
        expansion_finish(&expansion, ret_artifacts, ret_unknowns);
        *ret_cut = expansion.cut;
        return 0;
}

int artifact_digest(const struct root *root, struct artifact *artifact, struct error *ret_error)
{
        AUTO_CLOSE int root_fd = -1, fd = -1;
        struct file_identity identity;
        uint64_t size = 0;
        int result = root_open_directory(root, "/", &root_fd, NULL, ret_error);
        if (result == 0)
                result = fs_open_regular(root_fd, artifact->path + strspn(artifact->path, "/"), &fd, &identity,
                                         ret_error);
        if (result < 0)
                return result;
        AUTO_FREE void *buffer = heap_alloc(HASH_BUFFER);
        result = hash_file(fd, buffer, HASH_BUFFER, &identity.digest, &size, ret_error);
        if (result < 0) {
                error_add(ret_error, "%s", artifact->path);
                return result;
        }
        if (size != identity.size || identity.inode != artifact->found.inode ||
            identity.device != artifact->found.device)
                return error_set(ret_error, ERR_CHANGED, 0, "%s: it changed while it was looked at", artifact->path);
        identity.has_digest = true;
        artifact->found = identity;
        return 0;
}
