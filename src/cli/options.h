/* The words of the command line. One table says every option once: its name, argument, help, and where its value goes;
 * one line per command says which of them it takes. Parsing, --help and the tests read the same tables. getopt_long()
 * does the splitting. */
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
        bool quiet, help, version;
        int verbosity;
        /* of commands */
        struct strings artifacts, workdirs, keep;
        double oracle_seconds;
        bool trust_stat, offline, with_deps, yes, restart, delete_artifacts, list, remove;
        const char *option, *quarantine, *on_failure, *reason;
        /* what is left: COMMAND's own arguments */
        struct strings arguments;
};

enum option_kind { OPTION_FLAG, OPTION_COUNT, OPTION_TEXT, OPTION_TEXTS, OPTION_NUMBER };

struct option_spec {
        const char *name;
        char letter; /* 0: none */
        enum option_kind kind;
        const char *argument; /* as --help shows it, NULL for a flag */
        const char *help;
        size_t offset;              /* into struct options */
        const char *const *choices; /* NULL: any */
};

extern const struct option_spec global_options[];
extern const size_t n_global_options;

/* NULL when no option has that name. */
const struct option_spec *option_find(const char *name);

void options_defaults(struct arena *arena, struct options *ret_options);

/* Parses global options up to the first word that is none; *ret_used is the index of that word. */
int options_parse_global(int argc, char **argv, struct arena *arena, struct options *options, int *ret_used,
                         struct error *ret_error);

/* Parses what follows a command: its own options (names, NULL-terminated), the global ones, and its arguments. */
int options_parse_command(int argc, char **argv, const char *const *names, struct arena *arena, struct options *options,
                          struct error *ret_error);

/* The nearest of n names to a mistyped word, or NULL when none is near. name_at(context, i) gives the i-th. */
const char *nearest_word(const char *word, size_t n, const char *(*name_at)(const void *context, size_t i),
                         const void *context);

#endif
