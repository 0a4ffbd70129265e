#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/commands.h"

struct check_request target_request(const struct options *options, const struct strings *targets)
{
        return (struct check_request){
                .targets = *targets,
                .artifacts = options->artifacts,
                .workdirs = options->workdirs,
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

int target_require(const struct command *command, const struct strings *targets, struct arena *arena,
                   struct error *ret_error)
{
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

const char *target_absolute(const char *path, struct arena *arena)
{
        AUTO_FREE char *resolved = realpath(path, NULL);
        return resolved != NULL ? arena_strdup(arena, resolved) : path;
}

const char *target_of_file(const struct options *options, const char *path, struct arena *arena)
{
        /* Beneath --root the path has no meaning for these calls. */
        if (strcmp(options->root, "/") != 0 || access(path, F_OK) != 0)
                return NULL;
        char *copy = arena_strdup(arena, target_absolute(path, arena));
        for (char *slash = strrchr(copy, '/'); slash != NULL && slash != copy; slash = strrchr(copy, '/')) {
                *slash = '\0';
                const char *name = strrchr(copy, '/');
                if (is_environment(copy, arena))
                        return copy;
                if (name != NULL && (strcmp(name, "/site-packages") == 0 || strcmp(name, "/dist-packages") == 0)) {
                        /* A venv above would be the better answer. */
                        const char *venv = target_of_file(options, copy, arena);
                        return venv != NULL ? venv : copy;
                }
        }
        return NULL;
}
