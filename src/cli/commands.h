/* The table of commands: what --help lists and what main() runs. Adding a command is one line there, its flow, and a
 * run function that connects the two: options -> request -> flow -> reporter -> exit status. */
#ifndef PRISTINE_CLI_COMMANDS_H
#define PRISTINE_CLI_COMMANDS_H

#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/options.h"
#include "flow/flow.h"
#include "report/report.h"

struct command;

/* What a command is given and where its report goes. */
struct command_call {
        const struct command *command;
        const struct options *options;
        const struct flow_context *context;
        struct arena *arena;
        const struct reporter *reporter;
        struct text *out;
};

struct command {
        const char *name, *arguments, *summary;
        const char *details;        /* more lines of --help, "" if none */
        const char *const *options; /* names of its own options, NULL-terminated */
        unsigned arguments_min, arguments_max;
        /* An exit status, or a negative error code with *ret_error set. */
        int (*run)(struct command_call *call, struct error *ret_error);
};

extern const struct command commands[];
extern const size_t n_commands;

const struct command *command_find(const char *name);

/* help.c: made from the tables alone. */
void help_program(struct text *out);
void help_command(const struct command *command, struct text *out);

/* target.c: what the words of the command line say about where to look. */
struct check_request target_request(const struct options *options, const struct strings *targets);
/* Refuses an empty list, naming environments that are near at hand, and files. */
int target_require(const struct command *command, const struct options *options, const struct strings *targets,
                   struct arena *arena, struct error *ret_error);
bool target_is_file(const struct options *options, const char *path);
/* The environment around a file, NULL when the path is none of a file inside one. */
const char *target_of_file(const struct options *options, const char *path, struct arena *arena);
/* FINDING or PATH[#HUNK] with a path inside an environment made absolute, so that it may be given from anywhere. */
const char *target_subject(const struct options *options, const char *subject, struct arena *arena);

/* run_*.c */
int run_check(struct command_call *call, struct error *ret_error);
int run_diff(struct command_call *call, struct error *ret_error);
int run_explain(struct command_call *call, struct error *ret_error);
int run_plan(struct command_call *call, struct error *ret_error);
int run_apply(struct command_call *call, struct error *ret_error);
int run_verify(struct command_call *call, struct error *ret_error);
int run_undo(struct command_call *call, struct error *ret_error);
int run_log(struct command_call *call, struct error *ret_error);
int run_purge(struct command_call *call, struct error *ret_error);
int run_accept(struct command_call *call, struct error *ret_error);

#endif
