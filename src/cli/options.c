#include "cli/options.h"

#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(struct options, field)

static const char *const formats[] = {"terminal", "json", "sarif", "html", NULL};
static const char *const colors[] = {"auto", "always", "never", NULL};
static const char *const failures[] = {"stop", "undo", NULL};

const struct option_spec global_options[] = {
        {"format", 0, OPTION_TEXT, "FORMAT", "terminal (default) or json; sarif and html come later", AT(format),
         formats},
        {"output", 'o', OPTION_TEXT, "FILE", "write the report to FILE", AT(output), NULL},
        {"color", 0, OPTION_TEXT, "WHEN", "auto (default), always or never", AT(color), colors},
        {"state-dir", 0, OPTION_TEXT, "DIR", "where the journal is kept", AT(state_dir), NULL},
        {"root", 0, OPTION_TEXT, "DIR", "look at a mounted tree; paths are meant inside it", AT(root), NULL},
        {"jobs", 0, OPTION_NUMBER, "N", "threads (default: all processors)", AT(jobs), NULL},
        {"deadline", 0, OPTION_NUMBER, "SECONDS", "stop in good order after SECONDS", AT(deadline), NULL},
        {"quiet", 'q', OPTION_FLAG, NULL, "only the verdict", AT(quiet), NULL},
        {"verbose", 'v', OPTION_COUNT, NULL, "notes and details as well", AT(verbosity), NULL},
        {"help", 'h', OPTION_FLAG, NULL, "this text", AT(help), NULL},
        {"version", 0, OPTION_FLAG, NULL, "the program's version", AT(version), NULL},
};
const size_t n_global_options = sizeof global_options / sizeof *global_options;

static const struct option_spec command_options[] = {
        {"artifacts", 0, OPTION_TEXTS, "GLOB", "also take the files GLOB matches for leftovers (repeatable)",
         AT(artifacts), NULL},
        {"workdir", 0, OPTION_TEXTS, "DIR", "a working directory to look for leftovers in (repeatable)", AT(workdirs),
         NULL},
        {"oracle-seconds", 0, OPTION_NUMBER, "N", "time for finding original bytes, for the whole run (default 10)",
         AT(oracle_seconds), NULL},
        {"trust-stat", 0, OPTION_FLAG, NULL, "do not hash files whose stat is as last time", AT(trust_stat), NULL},
        {"option", 0, OPTION_TEXT, "NAME", "surgical, restore or reinstall", AT(option), NULL},
        {"keep", 0, OPTION_TEXTS, "PATH[#HUNK]", "leave this file or hunk as it is (repeatable)", AT(keep), NULL},
        {"offline", 0, OPTION_FLAG, NULL, "look for original bytes on this machine only", AT(offline), NULL},
        {"with-deps", 0, OPTION_FLAG, NULL, "let a reinstallation change dependencies", AT(with_deps), NULL},
        {"yes", 'y', OPTION_FLAG, NULL, "do not ask", AT(yes), NULL},
        {"restart", 0, OPTION_FLAG, NULL, "restart what the plan says", AT(restart), NULL},
        {"delete", 0, OPTION_FLAG, NULL, "delete artifacts instead of moving them into quarantine",
         AT(delete_artifacts), NULL},
        {"quarantine", 0, OPTION_TEXT, "DIR", "move artifacts there (copy, verify, unlink)", AT(quarantine), NULL},
        {"on-failure", 0, OPTION_TEXT, "WHAT", "stop (default) or undo", AT(on_failure), failures},
        {"reason", 0, OPTION_TEXT, "TEXT", "why it is wanted", AT(reason), NULL},
        {"list", 0, OPTION_FLAG, NULL, "list what was accepted", AT(list), NULL},
        {"remove", 0, OPTION_FLAG, NULL, "take an acceptance back", AT(remove), NULL},
};

enum {
        N_COMMAND_OPTIONS = sizeof command_options / sizeof *command_options,
        N_ALL_MAX = N_COMMAND_OPTIONS + sizeof global_options / sizeof *global_options,
        LONG_ONLY = 256, /* getopt's value of the i-th option without a letter is LONG_ONLY + i */
};

const struct option_spec *option_find(const char *name)
{
        for (size_t i = 0; i < n_global_options; i++)
                if (strcmp(global_options[i].name, name) == 0)
                        return &global_options[i];
        for (size_t i = 0; i < N_COMMAND_OPTIONS; i++)
                if (strcmp(command_options[i].name, name) == 0)
                        return &command_options[i];
        return NULL;
}

static const char *default_state_dir(struct arena *arena)
{
        const char *state_home = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
        if (geteuid() == 0)
                return "/var/lib/pristine";
        if (state_home != NULL && state_home[0] == '/')
                return arena_printf(arena, "%s/pristine", state_home);
        return arena_printf(arena, "%s/.local/state/pristine", home != NULL && home[0] == '/' ? home : "");
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

static void strings_add(struct arena *arena, struct strings *strings, const char *item)
{
        const char **items = arena_new_array(arena, const char *, strings->count + 1);
        if (strings->count > 0)
                memcpy(items, strings->items, strings->count * sizeof *items);
        items[strings->count] = item;
        *strings = (struct strings){items, strings->count + 1};
}

static int set_number(const struct option_spec *spec, const char *value, double *ret_number, struct error *ret_error)
{
        char *end;
        double number = strtod(value, &end);
        if (end == value || *end != '\0' || !(number >= 0 && number <= 1e6))
                return error_set(ret_error, ERR_USAGE, 0, "--%s wants a number from 0 to 1000000, not '%s'", spec->name,
                                 value);
        *ret_number = number;
        return 0;
}

static int set_text(const struct option_spec *spec, const char *value, const char **ret_text, struct error *ret_error)
{
        bool known = spec->choices == NULL;
        for (size_t i = 0; !known && spec->choices[i] != NULL; i++)
                known = strcmp(spec->choices[i], value) == 0;
        if (!known)
                return error_set(ret_error, ERR_USAGE, 0, "--%s: '%s' is none of its words; see --help", spec->name,
                                 value);
        *ret_text = value;
        return 0;
}

static int option_set(const struct option_spec *spec, const char *value, struct arena *arena, struct options *options,
                      struct error *ret_error)
{
        void *field = (char *)options + spec->offset;
        switch (spec->kind) {
        case OPTION_FLAG:
                *(bool *)field = true;
                return 0;
        case OPTION_COUNT:
                ++*(int *)field;
                return 0;
        case OPTION_TEXT:
                return set_text(spec, value, field, ret_error);
        case OPTION_TEXTS:
                strings_add(arena, field, value);
                return 0;
        default:
                return set_number(spec, value, field, ret_error);
        }
}

/* The options one getopt run knows, in getopt's own form. */
struct grammar {
        const struct option_spec *specs[N_ALL_MAX];
        struct option longs[N_ALL_MAX + 1];
        char shorts[2 * N_ALL_MAX + 3];
        size_t count, n_shorts;
};

static void grammar_add(struct grammar *grammar, const struct option_spec *spec)
{
        int value = spec->letter != 0 ? spec->letter : LONG_ONLY + (int)grammar->count;
        int argument = spec->argument != NULL ? required_argument : no_argument;
        grammar->longs[grammar->count] = (struct option){spec->name, argument, NULL, value};
        grammar->specs[grammar->count++] = spec;
        if (spec->letter != 0) {
                grammar->shorts[grammar->n_shorts++] = spec->letter;
                if (spec->argument != NULL)
                        grammar->shorts[grammar->n_shorts++] = ':';
        }
}

static void grammar_init(struct grammar *grammar, const char *mode, const char *const *names)
{
        *grammar = (struct grammar){.n_shorts = strlen(mode)};
        memcpy(grammar->shorts, mode, grammar->n_shorts);
        for (size_t i = 0; i < n_global_options; i++)
                grammar_add(grammar, &global_options[i]);
        for (size_t i = 0; names != NULL && names[i] != NULL; i++)
                grammar_add(grammar, option_find(names[i]));
}

static const struct option_spec *grammar_find(const struct grammar *grammar, int value)
{
        for (size_t i = 0; i < grammar->count; i++)
                if (grammar->longs[i].val == value)
                        return grammar->specs[i];
        return NULL;
}

static const char *grammar_name_at(const void *context, size_t i)
{
        return ((const struct grammar *)context)->longs[i].name;
}

/* getopt says only that something was wrong; the word before optind is the one. */
static int grammar_complain(const struct grammar *grammar, int value, char **argv, struct error *ret_error)
{
        const char *word = argv[optind - 1];
        if (value == ':')
                return error_set(ret_error, ERR_USAGE, 0, "%s wants an argument; see --help", word);
        if (strncmp(word, "--", 2) != 0)
                return error_set(ret_error, ERR_USAGE, 0, "there is no option -%c; see --help",
                                 optopt != 0 ? optopt : '?');
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
        const char *near = nearest_word(name, grammar->count, grammar_name_at, grammar);
        if (optopt != 0)
                return error_set(ret_error, ERR_USAGE, 0, "--%s takes no argument", name);
        if (near != NULL)
                return error_set(ret_error, ERR_USAGE, 0, "there is no option --%s here; did you mean --%s?", name,
                                 near);
        return error_set(ret_error, ERR_USAGE, 0, "there is no option --%s here; see --help", name);
}

static int grammar_run(const struct grammar *grammar, int argc, char **argv, struct arena *arena,
                       struct options *options, struct error *ret_error)
{
        opterr = 0;
        optind = 0; /* GNU: start over, the mode character of `shorts` included */
        for (;;) {
                int value = getopt_long(argc, argv, grammar->shorts, grammar->longs, NULL);
                if (value == -1)
                        return 0;
                const struct option_spec *spec = grammar_find(grammar, value);
                if (spec == NULL)
                        return grammar_complain(grammar, value, argv, ret_error);
                int result = option_set(spec, optarg, arena, options, ret_error);
                if (result < 0)
                        return result;
        }
}

int options_parse_global(int argc, char **argv, struct arena *arena, struct options *options, int *ret_used,
                         struct error *ret_error)
{
        struct grammar grammar;
        grammar_init(&grammar, "+:", NULL);
        int result = grammar_run(&grammar, argc, argv, arena, options, ret_error);
        if (result == 0)
                *ret_used = optind;
        return result;
}

int options_parse_command(int argc, char **argv, const char *const *names, struct arena *arena, struct options *options,
                          struct error *ret_error)
{
        struct grammar grammar;
        grammar_init(&grammar, ":", names);
        int result = grammar_run(&grammar, argc, argv, arena, options, ret_error);
        for (int i = optind; result == 0 && i < argc; i++)
                strings_add(arena, &options->arguments, argv[i]);
        return result;
}

/* Edit distance with transpositions, on short words only. */
static size_t word_distance(const char *a, const char *b)
{
        enum { LONGEST = 32 };
        size_t n = strlen(a), m = strlen(b), rows[3][LONGEST + 1];
        if (n > LONGEST || m > LONGEST)
                return SIZE_MAX;
        for (size_t j = 0; j <= m; j++)
                rows[0][j] = j;
        for (size_t i = 1; i <= n; i++) {
                size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
                row[0] = i;
                for (size_t j = 1; j <= m; j++) {
                        size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
                        best = above[j] + 1 < best ? above[j] + 1 : best;
                        best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
                        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && above2[j - 2] + 1 < best)
                                best = above2[j - 2] + 1;
                        row[j] = best;
                }
        }
        return rows[n % 3][m];
}

const char *nearest_word(const char *word, size_t n, const char *(*name_at)(const void *context, size_t i),
                         const void *context)
{
        const char *best = NULL;
        size_t best_distance = 1 + strlen(word) / 3;
        for (size_t i = 0; i < n; i++) {
                size_t distance = word_distance(word, name_at(context, i));
                if (distance <= best_distance && (best == NULL || distance < best_distance)) {
                        best = name_at(context, i);
                        best_distance = distance;
                }
        }
        return best;
}
