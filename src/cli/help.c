#include "cli/commands.h"

#include <string.h>

enum { HELP_COLUMN = 28 };

static void help_option(const struct option_spec *spec, struct text *out)
{
        size_t start = out->size;
        if (spec->letter != 0)
                text_addf(out, "  -%c, --%s", spec->letter, spec->name);
        else
                text_addf(out, "      --%s", spec->name);
        if (spec->argument != NULL)
                text_addf(out, "=%s", spec->argument);
        size_t width = out->size - start;
        if (width + 2 > HELP_COLUMN) {
                text_add_char(out, '\n');
                width = 0;
        }
        text_addf(out, "%*s%s\n", (int)(HELP_COLUMN - width), "", spec->help);
}

static void help_globals(struct text *out)
{
        text_add(out, "\nGlobal options\n");
        for (size_t i = 0; i < n_global_options; i++)
                help_option(&global_options[i], out);
}

void help_program(struct text *out)
{
        text_add(
                out,
                "pristine: what is really running here, what did debugging leave behind; put it back, and prove it.\n\n"
                "Usage: pristine [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n\nCommands\n");
        for (size_t i = 0; i < n_commands; i++)
                text_addf(out, "  %-10s%s\n", commands[i].name, commands[i].summary);
        help_globals(out);
        text_add(out,
                 "\nExit status: 0 clean or done, 1 findings, 2 usage or internal error, 3 incomplete, 4 refused,\n"
                 "5 stopped part-way. `pristine COMMAND --help` tells more.\n");
}

void help_command(const struct command *command, struct text *out)
{
        text_addf(out, "pristine %s: %s\n\nUsage: pristine %s [OPTIONS]%s%s\n", command->name, command->summary,
                  command->name, *command->arguments != '\0' ? " " : "", command->arguments);
        if (*command->details != '\0')
                text_addf(out, "\n%s\n", command->details);
        if (command->options[0] != NULL)
                text_add(out, "\nOptions\n");
        for (size_t i = 0; command->options[i] != NULL; i++)
                help_option(option_find(command->options[i]), out);
        help_globals(out);
}
