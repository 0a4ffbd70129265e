#include <string.h>

#include "base/cleanup.h"
#include "cli/commands.h"
#include "cli/session.h"

static const char *command_name_at(const void *context, size_t i)
{
        (void)context;
        return commands[i].name;
}

static int fail(const struct error *error)
{
        session_complain(error->text);
        return exit_status_of_error(error->code);
}

static int finish(const struct options *options, const struct text *out, int status)
{
        struct error error = {0};
        if (session_write(options, out, &error) < 0) {
                session_complain(error.text);
                return EXIT_USAGE;
        }
        return status;
}

static int show_help(const struct options *options, const struct command *command)
{
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        if (command != NULL)
                help_command(command, &out);
        else
                help_program(&out);
        return finish(options, &out, EXIT_CLEAN);
}

static int unknown_command(const char *word)
{
        CLEANUP(text_clear) struct text message = TEXT_INIT;
        const char *near = nearest_word(word, n_commands, command_name_at, NULL);
        text_addf(&message, "there is no command '%s'", word);
        if (near != NULL)
                text_addf(&message, "; did you mean '%s'?", near);
        else
                text_add(&message, "; `pristine --help` lists them");
        session_complain(message.data);
        return EXIT_USAGE;
}

static int run_command(const struct command *command, const struct options *options, struct arena *arena)
{
        struct error error = {0};
        struct flow_context context;
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        struct command_call call = {.options = options, .context = &context, .arena = arena, .out = &out};
        call.reporter = reporter_find(options->format);
        if (call.reporter == NULL) {
                error_set(&error, ERR_USAGE, 0, "--format=%s comes with a later version; terminal and json are here",
                          options->format);
                return fail(&error);
        }
        size_t given = options->arguments.count;
        if (given < command->arguments_min || given > command->arguments_max) {
                error_set(&error, ERR_USAGE, 0, "usage: pristine %s [OPTIONS] %s", command->name, command->arguments);
                return fail(&error);
        }
        if (session_begin(options, &context, &error) < 0)
                return fail(&error);
        int status = command->run(&call, &error);
        return status < 0 ? fail(&error) : finish(options, &out, status);
}

int main(int argc, char **argv)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct options options;
        struct error error = {0};
        int used = 0;
        options_defaults(&arena, &options);
        if (options_parse_global(argc, argv, &arena, &options, &used, &error) < 0)
                return fail(&error);
        if (options.version) {
                CLEANUP(text_clear) struct text out = TEXT_INIT;
                text_add(&out, "pristine " PRISTINE_VERSION "\n");
                return finish(&options, &out, EXIT_CLEAN);
        }
        if (used >= argc) {
                if (options.help)
                        return show_help(&options, NULL);
                session_complain("no command; `pristine --help` lists them");
                return EXIT_USAGE;
        }
        if (strcmp(argv[used], "help") == 0 && used + 1 >= argc)
                return show_help(&options, NULL);
        bool help = strcmp(argv[used], "help") == 0;
        const struct command *command = command_find(argv[used + help]);
        if (command == NULL)
                return unknown_command(argv[used + help]);
        if (help || options.help)
                return show_help(&options, command);
        if (options_parse_command(argc - used, argv + used, command->options, &arena, &options, &error) < 0)
                return fail(&error);
        return options.help ? show_help(&options, command) : run_command(command, &options, &arena);
}
