#include "cli/commands.h"

#include <string.h>

enum { NAME_COLUMN = 2, HELP_COLUMN = 27, WIDTH = 80 };

/* `text` from the current column on, wrapped at words, continued at `hang`. */
static void add_wrapped(struct text *out, const char *text, size_t hang)
{
        size_t column = hang;
        for (const char *word = text; *word != '\0';) {
                size_t size = strcspn(word, " ");
                if (column > hang && column + 1 + size > WIDTH) {
                        text_addf(out, "\n%*s", (int)hang, "");
                        column = hang;
                } else if (column > hang) {
                        text_add_char(out, ' ');
                        column++;
                }
                text_add_bytes(out, word, size);
                column += size;
                word += size + (word[size] == ' ');
        }
        text_add_char(out, '\n');
}

static void help_option(const struct option_spec *spec, struct text *out)
{
        size_t start = out->size;
        if (spec->letter != 0)
                text_addf(out, "%*s-%c, --%s", NAME_COLUMN, "", spec->letter, spec->name);
        else
                text_addf(out, "%*s    --%s", NAME_COLUMN, "", spec->name);
        if (spec->argument != NULL)
                text_addf(out, "=%s", spec->argument);
        size_t width = out->size - start;
        if (width + 1 > HELP_COLUMN) {
                text_add_char(out, '\n');
                width = 0;
        }
        text_addf(out, "%*s", (int)(HELP_COLUMN - width), "");
        add_wrapped(out, spec->help, HELP_COLUMN);
}

/* The options of one command, or with command NULL the global ones. */
static void help_options(const struct command *command, struct text *out)
{
        bool any = false;
        for (size_t i = 0; i < n_option_specs; i++) {
                const struct option_spec *spec = &option_specs[i];
                bool own = command != NULL && !spec->global && option_is_taken(spec, command->options);
                if (command != NULL ? !own : !spec->global)
                        continue;
                if (!any)
                        text_add(out, command != NULL ? "\nOptions\n" : "\nGlobal options\n");
                any = true;
                help_option(spec, out);
        }
}

void help_program(struct text *out)
{
        text_add(out, "pristine: what is really running here? What did debugging leave behind?\n"
                      "Put it back, and prove it.\n\n"
                      "Usage: pristine [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n\nCommands\n");
        for (size_t i = 0; i < n_commands; i++)
                text_addf(out, "  %-9s%s\n", commands[i].name, commands[i].summary);
        help_options(NULL, out);
        text_add(out, "\nExit status\n"
                      "  0  clean, or done                    3  incomplete: not all could be looked at\n"
                      "  1  findings or differences           4  refused, nothing was changed\n"
                      "  2  usage or internal error           5  stopped part-way: run it again, or undo\n"
                      "\nBegin with: pristine check VENV. `pristine COMMAND --help` tells more.\n");
}

void help_command(const struct command *command, struct text *out)
{
        text_addf(out, "pristine %s: %s\n\nUsage: pristine %s [OPTIONS]%s%s\n", command->name, command->summary,
                  command->name, *command->arguments != '\0' ? " " : "", command->arguments);
        if (*command->details != '\0') {
                text_add_char(out, '\n');
                add_wrapped(out, command->details, 0);
        }
        help_options(command, out);
        help_options(NULL, out);
}
