#include <string.h>

#include "base/cleanup.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/suggest.h"

static int fail(const struct error *error)
{
        session_complain(error->text);
        return exit_status_of_error(error->code);
}

static int refuse_command(const char *word, struct error *ret_error)
{
        struct suggestion suggestion = suggestion_for(word, strlen(word));
        for (size_t i = 0; i < n_commands; i++)
                suggestion_weigh(&suggestion, commands[i].name);
        if (suggestion.best != NULL)
                return error_set(ret_error, ERR_USAGE, 0, "there is no command '%s'; did you mean '%s'?", word,
                                 suggestion.best);
        return error_set(ret_error, ERR_USAGE, 0, "there is no command '%s'; `pristine --help` lists them", word);
}

static int check_arguments(const struct command *command, size_t given, struct error *ret_error)
{
        if (given >= command->arguments_min && given <= command->arguments_max)
                return 0;
        return error_set(ret_error, ERR_USAGE, 0, "%s: too %s arguments; usage: pristine %s [OPTIONS] %s",
                         command->name, given < command->arguments_min ? "few" : "many", command->name,
                         command->arguments);
}

/* A plan that stopped part-way must not be forgotten, whatever else is being done. Where the command itself stopped,
 * its own error says so. */
static void announce_interrupted(const struct flow_context *context, struct arena *arena, int result)
{
        const char *sentence = result != ERR_PARTWAY ? flow_interrupted_plan(context, arena) : NULL;
        if (sentence != NULL)
                session_complain(sentence);
}

static int run_command(const struct command *command, const struct options *options, struct arena *arena,
                       struct text *out, struct error *ret_error)
{
        struct flow_context context;
        struct command_call call = {
                .command = command,
                .options = options,
                .context = &context,
                .arena = arena,
                .reporter = reporter_find(options->format),
                .out = out,
        };
        if (call.reporter == NULL)
                return error_set(ret_error, ERR_UNSUPPORTED, 0,
                                 "--format=%s: this build does not have it yet; it has terminal and json",
                                 options->format);
        int result = check_arguments(command, options->arguments.count, ret_error);
        if (result == 0)
                result = session_begin(options, &context, ret_error);
        if (result < 0)
                return result;
        result = command->run(&call, ret_error);
        announce_interrupted(&context, arena, result);
        return result;
}

/* From the words of the command line to a report in `out`: an exit status, or a negative error code. */
static int answer(int argc, char **argv, struct arena *arena, struct options *options, struct text *out,
                  struct error *ret_error)
{
        int index = 1;
        int result = options_parse(argc, argv, &index, NULL, arena, options, ret_error);
        if (result < 0)
                return result;
        const char *word = index < argc ? argv[index++] : "";
        bool help = strcmp(word, "help") == 0;
        if (help)
                word = index < argc ? argv[index++] : "";
        const struct command *command = command_find(word);
        if (command == NULL && *word != '\0')
                return refuse_command(word, ret_error);
        if (command != NULL)
                result = options_parse(argc, argv, &index, command->options, arena, options, ret_error);
        if (result < 0)
                return result;
        if (options->version)
                text_add(out, "pristine " PRISTINE_VERSION "\n");
        else if (command == NULL && !help && !options->help)
                return error_set(ret_error, ERR_USAGE, 0, "what shall it do? `pristine --help` lists the commands");
        else if (command == NULL)
                help_program(out);
        else if (help || options->help)
                help_command(command, out);
        else
                return run_command(command, options, arena, out, ret_error);
        return EXIT_CLEAN;
}

int main(int argc, char **argv)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(text_clear) struct text out = TEXT_INIT;
        struct options options;
        struct error error = {0};
        session_guard_descriptors();
        options_defaults(&arena, &options);
        int status = answer(argc, argv, &arena, &options, &out, &error);
        if (status < 0)
                return fail(&error);
        if (session_write(&options, &out, &error) < 0)
                return fail(&error);
        return status;
}
