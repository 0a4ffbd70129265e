/* The words of the command line. One table says every option once: its name, argument, help, and where its value goes;
 * the table of commands says which of them each command takes. Parsing, --help, usage errors and the tests read the
 * same tables.
 *
 *     pristine [GLOBAL] COMMAND [OPTIONS] [ARGS]      global options may stand on either side of COMMAND
 *     --name=value  --name value  -o value  -ovalue  -qv  and "--", behind which nothing is an option
 *
 * Names are never abbreviated: a word that means --delete today must not mean something else after an update. */
#ifndef PRISTINE_CLI_OPTIONS_H
#define PRISTINE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/hunk.h"

/* Every value an option can set, with the defaults of options_defaults(). */
struct options {
        /* global */
        const char *format, *output, *color, *state_dir, *root;
        double jobs, deadline;
        bool quiet, verbose, help, version;
        /* of commands */
        struct strings artifacts, workdirs, keep, wheels, find_links;
        double oracle_seconds;
        bool trust_stat, offline, with_deps, yes, restart, delete_artifacts, list, remove;
        const char *option, *quarantine, *on_failure, *reason;
        /* what is left: COMMAND's own arguments */
        struct strings arguments;
};

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_TEXTS, OPTION_NUMBER, OPTION_COUNT };

struct option_spec {
        const char *name;
        char letter; /* 0: none */
        bool global; /* taken by every command */
        enum option_kind kind;
        const char *argument; /* as --help shows it, NULL for a flag */
        const char *help;
        size_t offset;              /* into struct options */
        const char *const *choices; /* the values it takes, NULL: any text */
        double least, most;         /* of a number */
};

extern const struct option_spec option_specs[];
extern const size_t n_option_specs;

/* Which options a command takes: the global ones and these, by name, NULL-terminated. */
bool option_is_taken(const struct option_spec *spec, const char *const *names);

void options_defaults(struct arena *arena, struct options *ret_options);

/* Reads words from argv[*index] on. With `names` NULL it stops in front of the first word that is no option (the
 * command), else all words are read and those that are no options become options->arguments. *index is moved behind
 * what was read. */
int options_parse(int argc, char **argv, int *index, const char *const *names, struct arena *arena,
                  struct options *options, struct error *ret_error);

#endif
