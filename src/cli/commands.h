/* The table of commands: what --help lists, what main() runs. Adding a command is one line here and its flow. */
#ifndef PRISTINE_CLI_COMMANDS_H
#define PRISTINE_CLI_COMMANDS_H

#include "base/text.h"
#include "cli/options.h"
#include "flow/flow.h"
#include "report/report.h"

enum exit_status {
        EXIT_CLEAN = 0,
        EXIT_FINDINGS = 1,
        EXIT_USAGE = 2,
        EXIT_INCOMPLETE = 3,
        EXIT_REFUSED = 4,
        EXIT_PARTWAY = 5,
};

/* What a command is given and where its report goes. */
struct command_call {
        const struct options *options;
        const struct flow_context *context;
        struct arena *arena;
        const struct reporter *reporter;
        struct report_style style;
        struct text *out;
};

struct command {
        const char *name, *arguments, *summary;
        const char *const *options; /* names of its own options, NULL-terminated */
        const char *details;        /* more lines of --help, "" if none */
        unsigned arguments_min, arguments_max;
        /* An exit status, or a negative error code with *ret_error set. */
        int (*run)(struct command_call *call, struct error *ret_error);
};

extern const struct command commands[];
extern const size_t n_commands;

const struct command *command_find(const char *name);
int exit_status_of_error(int code);

void help_program(struct text *out);
void help_command(const struct command *command, struct text *out);

#endif
