/* Where wheels and caches of this host are looked for: beneath the homes of whoever runs this and of whoever owns the
 * environment, and where the variables of pip and uv say. In a mounted tree (--root) neither users nor variables of
 * this host mean anything, so every home in it counts. */
#include <dirent.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "flow/check_run.h"

enum { HOMES_MAX = 64, PASSWD_BUFFER = 16 << 10 };

static bool is_here(const struct check_run *run)
{
        return strcmp(run->root.path, "/") == 0;
}

static void add_home(struct strings *homes, const char *home)
{
        for (size_t i = 0; i < homes->count; i++)
                if (strcmp(homes->items[i], home) == 0)
                        return;
        if (home[0] == '/' && homes->count < HOMES_MAX)
                homes->items[homes->count++] = home;
}

static void add_home_of(struct check_run *run, struct strings *homes, uid_t user)
{
        struct passwd entry, *found = NULL;
        char *buffer = arena_alloc(run->arena, PASSWD_BUFFER);
        if (getpwuid_r(user, &entry, buffer, PASSWD_BUFFER, &found) == 0 && found != NULL && entry.pw_dir != NULL)
                add_home(homes, arena_strdup(run->arena, entry.pw_dir));
}

static void add_homes_inside(struct check_run *run, struct strings *homes)
{
        int fd = -1;
        add_home(homes, "/root");
        if (root_open_directory(&run->root, "/home", &fd, NULL, NULL) < 0)
                return;
        AUTO_CLOSEDIR DIR *directory = fdopendir(fd);
        for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
                if (entry->d_name[0] != '.')
                        add_home(homes, arena_printf(run->arena, "/home/%s", entry->d_name));
}

static void find_homes(struct check_run *run, const struct environment *environment, struct strings *ret_homes)
{
        struct stat st;
        AUTO_CLOSE int fd = -1;
        *ret_homes = (struct strings){arena_new_array(run->arena, const char *, HOMES_MAX), 0};
        if (!is_here(run)) {
                add_homes_inside(run, ret_homes);
                return;
        }
        if (root_open_directory(&run->root, environment->path, &fd, NULL, NULL) == 0 && fstat(fd, &st) == 0)
                add_home_of(run, ret_homes, st.st_uid);
        const char *home = getenv("HOME");
        if (home != NULL)
                add_home(ret_homes, home);
        add_home_of(run, ret_homes, geteuid());
}

/* The directory that a variable names, or its place beneath XDG_CACHE_HOME; NULL where neither is set. */
static const char *cache_of(struct check_run *run, const char *variable, const char *name)
{
        const char *value = getenv(variable), *caches = getenv("XDG_CACHE_HOME");
        if (!is_here(run))
                return NULL;
        if (value != NULL && value[0] == '/')
                return value;
        return caches != NULL && caches[0] == '/' ? arena_printf(run->arena, "%s/%s", caches, name) : NULL;
}

static struct strings absolute_all(struct check_run *run, const struct strings *paths)
{
        AUTO_FREE char *here = is_here(run) ? getcwd(NULL, 0) : NULL;
        struct strings absolute = {arena_new_array(run->arena, const char *, paths->count + 1), paths->count};
        for (size_t i = 0; i < paths->count; i++)
                absolute.items[i] = paths->items[i][0] == '/' || here == NULL
                                            ? paths->items[i]
                                            : arena_printf(run->arena, "%s/%s", here, paths->items[i]);
        return absolute;
}

static void open_archives(struct check_run *run, const struct environment *environment)
{
        struct archives_request request = {
                .root = &run->root,
                .wheels = absolute_all(run, &run->request->wheels),
                .uv_cache = cache_of(run, "UV_CACHE_DIR", "uv"),
                .pip_cache = cache_of(run, "PIP_CACHE_DIR", "pip"),
        };
        struct strings configured, asked = absolute_all(run, &run->request->find_links);
        find_homes(run, environment, &request.homes);
        check_find_links(run, environment, &request.homes, &configured);
        request.find_links.items = arena_new_array(run->arena, const char *, asked.count + configured.count + 1);
        for (size_t i = 0; i < asked.count; i++)
                request.find_links.items[request.find_links.count++] = asked.items[i];
        for (size_t i = 0; i < configured.count; i++)
                request.find_links.items[request.find_links.count++] = configured.items[i];
        run->archives = archives_new(&request);
}

bool check_archives_find(struct check_run *run, struct finding *finding)
{
        if (finding->environment == NULL || finding->distribution == NULL || !finding->has_expected)
                return false;
        if (run->archives == NULL)
                open_archives(run, finding->environment);
        const struct archives_wanted wanted = {
                .environment = finding->environment,
                .distribution = finding->distribution,
                .path = finding->subject,
                .digest = finding->expected,
                .size = finding->expected_size,
        };
        return archives_find(run->archives, &wanted, run->arena, &finding->origin);
}

void check_archives_searched(const struct check_run *run, struct strings *ret_sentences)
{
        struct strings archives = {0}, all;
        if (run->archives != NULL)
                archives_searched(run->archives, run->arena, &archives);
        all = (struct strings){arena_new_array(run->arena, const char *, archives.count + 1), 0};
        all.items[all.count++] = "RECORD: the lines whose removal gives the recorded SHA-256";
        for (size_t i = 0; i < archives.count; i++)
                all.items[all.count++] = archives.items[i];
        *ret_sentences = all;
}
