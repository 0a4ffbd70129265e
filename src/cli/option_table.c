#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const formats[] = {"terminal", "json", "sarif", "html", NULL};
static const char *const colors[] = {"auto", "always", "never", NULL};
static const char *const failures[] = {"stop", "undo", NULL};

enum { GLOBAL = true, OWN = false };

#define FLAG(name, letter, scope, field, help)                                                                         \
        {                                                                                                              \
                name, letter, scope, OPTION_FLAG, NULL, help, offsetof(struct options, field), NULL, 0, 0              \
        }
#define TEXT(name, letter, scope, field, argument, choices, help)                                                      \
        {                                                                                                              \
                name, letter, scope, OPTION_TEXT, argument, help, offsetof(struct options, field), choices, 0, 0       \
        }
#define TEXTS(name, field, argument, help)                                                                             \
        {                                                                                                              \
                name, 0, OWN, OPTION_TEXTS, argument, help, offsetof(struct options, field), NULL, 0, 0                \
        }
#define NUMBER(name, scope, kind, field, argument, least, most, help)                                                  \
        {                                                                                                              \
                name, 0, scope, kind, argument, help, offsetof(struct options, field), NULL, least, most               \
        }

const struct option_spec option_specs[] = {
        TEXTS("artifacts", artifacts, "GLOB", "count the files that GLOB matches as leftovers; may be repeated"),
        TEXTS("workdir", workdirs, "DIR", "look for leftovers in DIR as well; may be repeated"),
        TEXTS("wheel", wheels, "FILE", "take original bytes from this wheel; may be repeated"),
        TEXTS("find-links", find_links, "DIR", "look for wheels in DIR as well; may be repeated"),
        NUMBER("oracle-seconds", OWN, OPTION_NUMBER, oracle_seconds, "N", 0, 86400,
               "time to look for original bytes, for the whole run; default 10"),
        FLAG("trust-stat", 0, OWN, trust_stat, "skip files whose size, times and inode are as at the last check"),
        TEXT("option", 0, OWN, option, "NAME", NULL, "take this way: surgical, restore or reinstall[=VERSION]"),
        TEXTS("keep", keep, "PATH[#HUNK]", "leave this file or hunk as it is; may be repeated"),
        FLAG("offline", 0, OWN, offline, "look for original bytes on this machine only"),
        FLAG("with-deps", 0, OWN, with_deps, "let a reinstallation change dependencies too (later)"),
        FLAG("yes", 'y', OWN, yes, "do not ask"),
        FLAG("restart", 0, OWN, restart, "restart the services that the plan names (none does yet)"),
        FLAG("delete", 0, OWN, delete_artifacts, "delete dump files instead of moving them into quarantine"),
        TEXT("quarantine", 0, OWN, quarantine, "DIR", NULL, "move dump files to DIR; default: beside each of them"),
        TEXT("on-failure", 0, OWN, on_failure, "WHAT", failures, "stop (default), or undo what was done"),
        TEXT("reason", 0, OWN, reason, "TEXT", NULL, "why it is wanted"),
        FLAG("list", 0, OWN, list, "show what was accepted"),
        FLAG("remove", 0, OWN, remove, "take an acceptance back"),

        TEXT("format", 0, GLOBAL, format, "FORMAT", formats, "terminal (default) or json; sarif and html come later"),
        TEXT("output", 'o', GLOBAL, output, "FILE", NULL, "write the report to FILE"),
        TEXT("color", 0, GLOBAL, color, "WHEN", colors, "auto (default), always or never"),
        TEXT("state-dir", 0, GLOBAL, state_dir, "DIR", NULL, "where plans and their journal are kept"),
        TEXT("root", 0, GLOBAL, root, "DIR", NULL, "look at a mounted tree; paths are meant inside it"),
        NUMBER("jobs", GLOBAL, OPTION_COUNT, jobs, "N", 1, 1024, "threads; default: all processors"),
        NUMBER("deadline", GLOBAL, OPTION_NUMBER, deadline, "SECONDS", 0.001, 1e6,
               "stop in good order after that many seconds"),
        FLAG("quiet", 'q', GLOBAL, quiet, "print the verdict only"),
        FLAG("verbose", 'v', GLOBAL, verbose, "print notes and details as well"),
        FLAG("help", 'h', GLOBAL, help, "print this text"),
        FLAG("version", 0, GLOBAL, version, "print the program's version"),
};
const size_t n_option_specs = sizeof option_specs / sizeof *option_specs;

bool option_is_taken(const struct option_spec *spec, const char *const *names)
{
        for (size_t i = 0; names != NULL && names[i] != NULL; i++)
                if (strcmp(names[i], spec->name) == 0)
                        return true;
        return spec->global;
}

static const char *default_state_dir(struct arena *arena)
{
        const char *state_home = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
        if (geteuid() == 0)
                return "/var/lib/pristine";
        if (state_home != NULL && state_home[0] == '/')
                return arena_printf(arena, "%s/pristine", state_home);
        return home != NULL && home[0] == '/' ? arena_printf(arena, "%s/.local/state/pristine", home) : "";
}

void options_defaults(struct arena *arena, struct options *ret_options)
{
        *ret_options = (struct options){
                .format = "terminal",
                .output = "",
                .color = "auto",
                .state_dir = default_state_dir(arena),
                .root = "/",
                .oracle_seconds = -1,
                .option = "",
                .quarantine = "",
                .on_failure = "stop",
                .reason = "",
        };
}
