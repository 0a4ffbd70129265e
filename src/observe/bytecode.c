#include "observe/bytecode.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "formats/pyc.h"

struct names {
        const char **items; /* heap */
        size_t count, capacity;
};

static void names_clear(struct names *names)
{
        free(names->items);
}

static int compare(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the bytecode of `stem` in one directory; `cached` tells __pycache__ from the module's own directory. */
static int list_directory(const struct root *root, const char *directory, struct bytes stem, bool cached,
                          struct arena *arena, struct names *names, struct error *ret_error)
{
        int fd = -1;
        const char *beneath = directory[1] != '\0' ? directory + 1 : ".";
        int result = fs_open_beneath(root->fd, beneath, O_RDONLY | O_DIRECTORY, &fd, ret_error);
        if (result < 0)
                return result;
        AUTO_CLOSEDIR DIR *entries = fdopendir(fd);
        if (entries == NULL) {
                close(fd);
                return error_set(ret_error, ERR_SYSTEM, 0, "%s: cannot be listed", directory);
        }
        for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
                struct pyc_name name;
                if (!pyc_parse_name(bytes_of(entry->d_name), &name) || !bytes_equal(name.stem, stem) ||
                    (name.tag.size > 0) != cached)
                        continue;
                heap_reserve(names->items, names->count, names->capacity);
                names->items[names->count++] = arena_printf(arena, "%s/%s", directory, entry->d_name);
        }
        return 0;
}

int bytecode_of_module(const struct root *root, const char *module, struct arena *arena, struct strings *ret_paths,
                       struct error *ret_error)
{
        CLEANUP(names_clear) struct names names = {0};
        const char *slash = strrchr(module, '/');
        if (slash == NULL || !bytes_end_with(bytes_of(slash + 1), ".py")) {
                *ret_paths = (struct strings){0};
                return 0;
        }
        const char *directory = arena_strndup(arena, module, (size_t)(slash - module));
        struct bytes stem = {(const unsigned char *)slash + 1, strlen(slash + 1) - strlen(".py")};
        int result = list_directory(root, directory, stem, false, arena, &names, ret_error);
        if (result == 0)
                result = list_directory(root, arena_printf(arena, "%s/__pycache__", directory), stem, true, arena,
                                        &names, ret_error);
        if (result < 0 && result != ERR_NOT_FOUND) {
                error_add(ret_error, "looking for the bytecode of %s", module);
                return result;
        }
        if (names.count > 0)
                qsort(names.items, names.count, sizeof *names.items, compare);
        *ret_paths = (struct strings){arena_copy(arena, names.items, names.count * sizeof *names.items), names.count};
        return 0;
}
