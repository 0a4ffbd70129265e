/* Finding an environment without starting its Python: the prefix around a path, the directories that its Python looks
 * for modules in, and what is installed there, from names, pyvenv.cfg and INSTALLER alone. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "observe/python.h"
#include "observe/python_module.h"

enum {
        CFG_BYTES_MAX = 64 << 10,
        INSTALLER_BYTES_MAX = 4 << 10,
        DIRECT_URL_BYTES_MAX = 64 << 10,
        SITES_MAX = 64,
        DISTRIBUTIONS_MAX = 1 << 16,
        ENTRIES_MAX = 1 << 20, /* of one directory */
};

/* Everything that is filled while one environment is looked for. */
struct finding_place {
        const struct root *root;
        struct arena *arena;
        struct environment *environment;
        int prefix_fd;
        struct distribution *distributions; /* heap */
        size_t distributions_capacity;
        bool too_many; /* sites, or entries of a directory: more than are taken, so that some were left out */
};

static void place_clear(struct finding_place *place)
{
        if (place->prefix_fd >= 0)
                close(place->prefix_fd);
        free(place->distributions);
}

static bool is_directory(int directory_fd, const char *path)
{
        struct stat st;
        return fstatat(directory_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* At most `limit` bytes of a regular file, NUL-terminated, in the arena; NULL where there is none. */
static char *read_small(const struct finding_place *place, const char *path, size_t limit)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct bytes bytes;
        if (fs_open_regular(place->prefix_fd, path, &fd, &identity, NULL) < 0 ||
            fs_read_whole(fd, limit, &bytes, NULL) < 0)
                return NULL;
        char *text = arena_strndup(place->arena, (const char *)bytes.data, bytes.size);
        free((void *)bytes.data);
        return text;
}

/* Calls `each` with every entry of a directory; false when it cannot be listed. */
static bool list(struct finding_place *place, const char *path,
                 void (*each)(struct finding_place *place, const char *path, const char *name))
{
        AUTO_CLOSE int fd = -1;
        if (fs_open_beneath(place->prefix_fd, *path != '\0' ? path : ".", O_RDONLY | O_DIRECTORY, &fd, NULL) < 0)
                return false;
        AUTO_CLOSEDIR DIR *directory = fdopendir(fd);
        if (directory == NULL)
                return false;
        steal_fd(&fd);
        size_t seen = 0;
        for (struct dirent *entry; (entry = readdir(directory)) != NULL && seen < ENTRIES_MAX; seen++)
                if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                        each(place, path, entry->d_name);
        place->too_many |= seen >= ENTRIES_MAX;
        return true;
}

/* ------------------------------------------------------------------ the version of Python */

/* "3.12.3", "3.12", "3.13t", "3.11.7.final.0": the digits and dots at its start. */
static bool take_version(struct environment *environment, const char *text, struct arena *arena)
{
        char *end;
        if (!isdigit((unsigned char)*text))
                return false;
        unsigned long major = strtoul(text, &end, 10);
        if (*end != '.' || !isdigit((unsigned char)end[1]) || major > 9)
                return false;
        unsigned long minor = strtoul(end + 1, &end, 10);
        if (minor > 99)
                return false;
        if (*end == '.' && isdigit((unsigned char)end[1]))
                (void)strtoul(end + 1, &end, 10);
        environment->python = arena_strndup(arena, text, (size_t)(end - text));
        environment->python_major = (int)major;
        environment->python_minor = (int)minor;
        return true;
}

/* The value of a key of pyvenv.cfg, whose keys know no case; NULL when it is not there. */
static const char *cfg_value(const char *cfg, const char *key, struct arena *arena)
{
        size_t length = strlen(key);
        for (const char *line = cfg; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
                const char *at = line + strspn(line, " \t");
                if (strncasecmp(at, key, length) != 0)
                        continue;
                at += length;
                at += strspn(at, " \t");
                if (*at != '=')
                        continue;
                at++;
                at += strspn(at, " \t");
                size_t size = strcspn(at, "\r\n");
                while (size > 0 && (at[size - 1] == ' ' || at[size - 1] == '\t'))
                        size--;
                return arena_strndup(arena, at, size);
        }
        return NULL;
}

/* What follows "python" or "pypy" in the name of a directory of modules; NULL where that is no Python 3. */
static const char *version_in_name(struct bytes name)
{
        static const char *const makes[] = {"python", "pypy"};
        for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
                size_t length = strlen(makes[i]);
                if (bytes_start_with(name, makes[i]) && name.size > length && name.data[length] == '3')
                        return (const char *)name.data + length;
        }
        return NULL;
}

/* venv and conda say `version`, virtualenv and uv `version_info`; a directory lib/python3.Y is the last resort. */
static void find_version(struct finding_place *place)
{
        static const char *const keys[] = {"version_info", "version"};
        struct environment *environment = place->environment;
        const char *cfg = read_small(place, "pyvenv.cfg", CFG_BYTES_MAX);
        environment->python = "";
        for (size_t i = 0; cfg != NULL && i < sizeof keys / sizeof *keys; i++) {
                const char *value = cfg_value(cfg, keys[i], place->arena);
                if (value != NULL && take_version(environment, value, place->arena))
                        return;
        }
        for (size_t i = 0; i < environment->n_sites; i++) {
                const char *name = version_in_name(path_name(path_directory(bytes_of(environment->sites[i].path))));
                if (name != NULL && take_version(environment, name, place->arena))
                        return;
        }
}

/* ------------------------------------------------------------------ sites */

static void add_site(struct finding_place *place, const char *path, bool importable)
{
        struct environment *environment = place->environment;
        if (environment->n_sites < SITES_MAX)
                environment->sites[environment->n_sites++] =
                        (struct site){arena_strdup(place->arena, path), importable};
        else
                place->too_many = true;
}

/* Whether we may not even know what stands there. */
static bool is_hidden(const struct finding_place *place, const char *path)
{
        struct stat st;
        return fstatat(place->prefix_fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOENT && errno != ENOTDIR;
}

static bool is_there(const struct finding_place *place, const char *path)
{
        struct stat st;
        return fstatat(place->prefix_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A link out of its own directory. One to a name beside it, as conda's python3.1, is looked at under that name. */
static bool is_link_away(const struct finding_place *place, const char *path)
{
        char target[PATH_MAX];
        ssize_t length = readlinkat(place->prefix_fd, path, target, sizeof target);
        return length > 0 && memchr(target, '/', (size_t)length) != NULL;
}

/* No link is followed, but what may be a directory of modules counts as a site in any case: the walk then says that
 * nothing is known of it, which must not pass for "nothing there". */
static void add_sites_of_python(struct finding_place *place, const char *lib, const char *name)
{
        static const char *const kinds[] = {"site-packages", "dist-packages"};
        char path[PATH_MAX];
        if (version_in_name(bytes_of(name)) == NULL)
                return;
        snprintf(path, sizeof path, "%s/%s", lib, name);
        if (is_link_away(place, path))
                add_site(place, path, true);
        if (!is_directory(place->prefix_fd, path))
                return;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
                snprintf(path, sizeof path, "%s/%s/%s", lib, name, kinds[i]);
                if (is_directory(place->prefix_fd, path) || is_link_away(place, path) || is_hidden(place, path))
                        add_site(place, path, true);
        }
}

static int compare_sites(const void *left, const void *right)
{
        return strcmp(((const struct site *)left)->path, ((const struct site *)right)->path);
}

/* A link to its sibling, which is looked at under its own name. */
static bool is_link_to(const struct finding_place *place, const char *name, const char *other)
{
        struct stat st, target;
        return is_directory(place->prefix_fd, other) && fstatat(place->prefix_fd, other, &target, 0) == 0 &&
               fstatat(place->prefix_fd, name, &st, 0) == 0 && st.st_dev == target.st_dev && st.st_ino == target.st_ino;
}

/* lib64 counts only where it is a directory of its own, not a link to lib. In a venv whatever stands in the place of
 * either is a site if it cannot be listed; elsewhere a link named lib says nothing of Python. */
static void find_standard_sites(struct finding_place *place)
{
        static const char *const libs[] = {"lib", "lib64"};
        bool is_venv = is_there(place, "pyvenv.cfg");
        for (size_t i = 0; i < sizeof libs / sizeof *libs; i++) {
                bool is_listed = is_directory(place->prefix_fd, libs[i]) && list(place, libs[i], add_sites_of_python);
                if (is_venv && !is_listed && is_there(place, libs[i]) && !is_link_to(place, libs[i], libs[1 - i]))
                        add_site(place, libs[i], true);
        }
        qsort(place->environment->sites, place->environment->n_sites, sizeof *place->environment->sites, compare_sites);
}

static void note_info(struct finding_place *place, const char *path, const char *name)
{
        (void)path;
        if (bytes_end_with(bytes_of(name), ".dist-info") && is_directory(place->prefix_fd, name))
                place->environment->n_distributions++;
}

/* A tree of `pip install --target`: the distributions lie in the directory itself. */
static bool find_target_site(struct finding_place *place)
{
        place->environment->n_distributions = 0;
        list(place, "", note_info);
        bool found = place->environment->n_distributions > 0;
        place->environment->n_distributions = 0;
        if (found)
                add_site(place, "", true);
        return found;
}

/* ------------------------------------------------------------------ distributions */

/* "name-version": the version is what stands behind the last hyphen. */
static void split_name(const char *stem, size_t length, struct arena *arena, struct distribution *distribution)
{
        size_t at = length;
        while (at > 0 && !(stem[at - 1] == '-' && at < length))
                at--;
        size_t name = at > 0 ? at - 1 : length;
        distribution->name = arena_strndup(arena, stem, name);
        distribution->version = at > 0 ? arena_strndup(arena, stem + at, length - at) : "";
}

static const char *read_installer(const struct finding_place *place, const char *info)
{
        const char *text = read_small(place, arena_printf(place->arena, "%s/INSTALLER", info), INSTALLER_BYTES_MAX);
        if (text == NULL)
                return "";
        text += strspn(text, " \t\r\n");
        return arena_strndup(place->arena, text, strcspn(text, " \t\r\n"));
}

static bool is_editable(const struct finding_place *place, const char *info)
{
        const char *text =
                read_small(place, arena_printf(place->arena, "%s/direct_url.json", info), DIRECT_URL_BYTES_MAX);
        json_t *json = text != NULL ? json_loads(text, 0, NULL) : NULL;
        bool editable = json_is_true(json_object_get(json_object_get(json, "dir_info"), "editable"));
        json_decref(json);
        return editable;
}

static bool has_record(const struct finding_place *place, const char *info)
{
        struct stat st;
        return fstatat(place->prefix_fd, arena_printf(place->arena, "%s/RECORD", info), &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void add_distribution(struct finding_place *place, const char *site, const char *name)
{
        static const char suffix[] = ".dist-info";
        size_t length = strlen(name);
        struct environment *environment = place->environment;
        if (!bytes_end_with(bytes_of(name), suffix) || length == sizeof suffix - 1)
                return;
        if (environment->n_distributions >= DISTRIBUTIONS_MAX) {
                place->too_many = true;
                return;
        }
        const char *info = arena_printf(place->arena, "%s%s%s", site, *site != '\0' ? "/" : "", name);
        if (!is_directory(place->prefix_fd, info))
                return;
        struct distribution distribution = {
                .info = info,
                .debris = name[0] == '~',
                .record_mtime_ns = INT64_MIN,
        };
        split_name(name, length - (sizeof suffix - 1), place->arena, &distribution);
        distribution.installer = read_installer(place, info);
        distribution.editable = is_editable(place, info);
        /* What an interrupted pip put aside under "~ame" says nothing of what is where now. */
        distribution.has_record = !distribution.debris && has_record(place, info);
        heap_reserve(place->distributions, environment->n_distributions, place->distributions_capacity);
        place->distributions[environment->n_distributions++] = distribution;
}

static int compare_distributions(const void *left, const void *right)
{
        const struct distribution *a = left, *b = right;
        return strcmp(a->info, b->info);
}

static void find_distributions(struct finding_place *place)
{
        struct environment *environment = place->environment;
        for (uint32_t i = 0; i < environment->n_sites; i++) {
                size_t before = environment->n_distributions;
                if (environment->sites[i].importable)
                        list(place, environment->sites[i].path, add_distribution);
                for (size_t j = before; j < environment->n_distributions; j++)
                        place->distributions[j].site = i;
        }
        if (environment->n_distributions > 0)
                qsort(place->distributions, environment->n_distributions, sizeof *place->distributions,
                      compare_distributions);
        environment->distributions = arena_copy(place->arena, place->distributions,
                                                environment->n_distributions * sizeof *place->distributions);
}

static int compare_names(const void *left, const void *right)
{
        return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void find_installers(struct finding_place *place)
{
        struct environment *environment = place->environment;
        const char **names = arena_new_array(place->arena, const char *, environment->n_distributions + 1);
        size_t count = 0, distinct = 0;
        for (size_t i = 0; i < environment->n_distributions; i++)
                if (environment->distributions[i].installer[0] != '\0')
                        names[count++] = environment->distributions[i].installer;
        if (count > 0)
                qsort(names, count, sizeof *names, compare_names);
        for (size_t i = 0; i < count; i++)
                if (distinct == 0 || strcmp(names[distinct - 1], names[i]) != 0)
                        names[distinct++] = names[i];
        environment->installers = names;
        environment->n_installers = distinct;
}

/* ------------------------------------------------------------------ the prefix */

static bool is_at_or_beneath(const char *path, const char *directory)
{
        size_t length = strlen(directory);
        return strncmp(path, directory, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* Whether a path inside a prefix stands for the whole environment: a site, something in one, or a directory on the way
 * to one. */
static bool stands_for_prefix(const struct environment *environment, const char *rest)
{
        if (*rest == '\0')
                return true;
        for (size_t i = 0; i < environment->n_sites; i++)
                if (is_at_or_beneath(rest, environment->sites[i].path) ||
                    is_at_or_beneath(environment->sites[i].path, rest))
                        return true;
        return false;
}

/* Takes one directory for the prefix; true when it has a place for modules. */
static bool try_prefix(struct finding_place *place, const char *path)
{
        struct environment *environment = place->environment;
        AUTO_CLOSE int fd = -1;
        char *resolved = NULL;
        environment->n_sites = 0;
        if (root_open_directory(place->root, path, &fd, &resolved, NULL) < 0)
                return false;
        environment->path = arena_strdup(place->arena, resolved);
        free(resolved);
        if (place->prefix_fd >= 0)
                close(place->prefix_fd);
        place->prefix_fd = steal_fd(&fd);
        find_standard_sites(place);
        bool found = environment->n_sites > 0;
        if (is_directory(place->prefix_fd, "bin"))
                add_site(place, "bin", false);
        return found;
}

/* The nearest directory at or above the path that is a prefix ("/" is none); else the path itself as a target tree. */
static bool find_prefix(struct finding_place *place, const char *resolved)
{
        char path[PATH_MAX];
        if (strlen(resolved) >= sizeof path)
                return false;
        for (size_t length = strlen(resolved); length > 1; length--) {
                if (resolved[length] != '/' && resolved[length] != '\0')
                        continue;
                snprintf(path, sizeof path, "%.*s", (int)length, resolved);
                if (try_prefix(place, path) &&
                    stands_for_prefix(place->environment, resolved + length + (resolved[length] == '/')))
                        return true;
        }
        (void)try_prefix(place, resolved);
        return find_target_site(place);
}

static int not_found(const struct finding_place *place, const char *path, struct error *ret_error)
{
        if (place->prefix_fd >= 0 && is_there(place, "pyvenv.cfg"))
                return error_set(ret_error, ERR_NOT_FOUND, 0,
                                 "%s: a pyvenv.cfg, but no lib/python3.*/site-packages: what is left of a venv; if its "
                                 "modules lie elsewhere, name that site-packages directory",
                                 path);
        return error_set(ret_error, ERR_NOT_FOUND, 0,
                         "%s: no Python environment: there is no pyvenv.cfg, no lib/python3.*/site-packages and no "
                         "*.dist-info in it; name a venv, or a site-packages directory",
                         path);
}

/* The directory named, or that of the file named, such as bin/python. */
static int open_place(const struct root *root, const char *path, struct arena *arena, char **ret_resolved,
                      struct error *ret_error)
{
        AUTO_CLOSE int fd = -1;
        struct error error = {0};
        int result = root_open_directory(root, path, &fd, ret_resolved, &error);
        const char *slash = strrchr(path, '/');
        if (result < 0 && error.errnum == ENOTDIR && slash != NULL && slash != path && slash[1] != '\0')
                result = root_open_directory(root, arena_strndup(arena, path, (size_t)(slash - path)), &fd,
                                             ret_resolved, &error);
        if (result < 0) {
                error_add(&error, "looking for an environment");
                if (ret_error != NULL)
                        *ret_error = error;
        }
        return result;
}

int python_find_environment(const struct root *root, const char *path, struct arena *arena,
                            struct environment *ret_environment, struct error *ret_error)
{
        struct environment environment = {0};
        CLEANUP(place_clear)
        struct finding_place place = {.root = root, .arena = arena, .environment = &environment, .prefix_fd = -1};
        AUTO_FREE char *resolved = NULL;
        int result = open_place(root, path, arena, &resolved, ret_error);
        if (result < 0)
                return result;
        environment.sites = arena_new_array(arena, struct site, SITES_MAX);
        if (!find_prefix(&place, resolved))
                return not_found(&place, resolved, ret_error);
        find_version(&place);
        find_distributions(&place);
        find_installers(&place);
        if (place.too_many)
                return error_set(ret_error, ERR_LIMIT, 0,
                                 "%s: more than %d directories of modules, %d distributions or %d names in one "
                                 "directory: no environment that an installer made",
                                 environment.path, SITES_MAX, DISTRIBUTIONS_MAX, ENTRIES_MAX);
        *ret_environment = environment;
        return 0;
}
