#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/commands.h"

struct check_request target_request(const struct options *options, const struct strings *targets)
{
        return (struct check_request){
                .targets = *targets,
                .artifacts = options->artifacts,
                .workdirs = options->workdirs,
                .wheels = options->wheels,
                .find_links = options->find_links,
                .oracle_seconds = options->oracle_seconds,
                .trust_stat = options->trust_stat,
                .vendor_notes = options->verbose,
        };
}

/* Whether a directory says of itself that it is an environment. */
static bool is_environment(const char *directory, struct arena *arena)
{
        return access(arena_printf(arena, "%s/pyvenv.cfg", directory), F_OK) == 0;
}

static const char *environment_at_hand(struct arena *arena)
{
        static const char *const usual[] = {".venv", "venv", "env", "."};
        const char *active = getenv("VIRTUAL_ENV");
        if (active != NULL && is_environment(active, arena))
                return arena_strdup(arena, active);
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
                if (is_environment(usual[i], arena))
                        return usual[i];
        return NULL;
}

/* Beneath --root a path has no meaning for the calls below. */
static bool is_here(const struct options *options)
{
        return strcmp(options->root, "/") == 0;
}

bool target_is_file(const struct options *options, const char *path)
{
        struct stat st;
        return is_here(options) && stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static int refuse_file(const struct command *command, const struct options *options, const char *path,
                       struct arena *arena, struct error *ret_error)
{
        const char *around = target_of_file(options, path, arena);
        if (around != NULL)
                return error_set(ret_error, ERR_USAGE, 0,
                                 "%s is a file. Its environment: pristine %s %s; that file alone: pristine diff %s",
                                 path, command->name, around, path);
        return error_set(ret_error, ERR_USAGE, 0,
                         "%s is a file: name an environment, such as a venv or its site-packages directory", path);
}

int target_require(const struct command *command, const struct options *options, const struct strings *targets,
                   struct arena *arena, struct error *ret_error)
{
        for (size_t i = 0; i < targets->count; i++)
                if (target_is_file(options, targets->items[i]))
                        return refuse_file(command, options, targets->items[i], arena, ret_error);
        if (targets->count > 0)
                return 0;
        const char *near = environment_at_hand(arena);
        if (near != NULL)
                return error_set(ret_error, ERR_USAGE, 0, "%s what? Name an environment, for example: pristine %s %s",
                                 command->name, command->name, near);
        return error_set(ret_error, ERR_USAGE, 0,
                         "%s what? Name an environment: a venv, or its site-packages directory (no venv is active or "
                         "lies here)",
                         command->name);
}

/* As findings name it: links in its directory resolved, but not the last name, which may be a link or gone. */
static const char *absolute(const char *path, struct arena *arena)
{
        const char *slash = strrchr(path, '/');
        const char *directory = slash == NULL ? "." : slash == path ? "/" : arena_strndup(arena, path, slash - path);
        AUTO_FREE char *resolved = realpath(directory, NULL);
        if (resolved == NULL)
                return NULL;
        return arena_printf(arena, "%s/%s", strcmp(resolved, "/") == 0 ? "" : resolved,
                            slash != NULL ? slash + 1 : path);
}

/* A venv somewhere above is a better answer than the site-packages directory on the way there. */
const char *target_of_file(const struct options *options, const char *path, struct arena *arena)
{
        const char *whole = is_here(options) ? absolute(path, arena) : NULL;
        const char *site = NULL;
        for (size_t length = whole != NULL ? strlen(whole) : 0; length > 1; length--) {
                if (whole[length] != '/')
                        continue;
                const char *directory = arena_strndup(arena, whole, length);
                if (is_environment(directory, arena))
                        return directory;
                struct bytes view = {(const unsigned char *)directory, length};
                if (site == NULL && (bytes_end_with(view, "/site-packages") || bytes_end_with(view, "/dist-packages")))
                        site = directory;
        }
        return site;
}

const char *target_subject(const struct options *options, const char *subject, struct arena *arena)
{
        size_t length = strcspn(subject, "#");
        const char *path = arena_strndup(arena, subject, length);
        if (*path == '\0' || target_of_file(options, path, arena) == NULL)
                return subject;
        return arena_printf(arena, "%s%s", absolute(path, arena), subject + length);
}
