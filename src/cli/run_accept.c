#include <string.h>

#include "cli/commands.h"
#include "cli/session.h"

static void report_acceptances(const struct command_call *call, const struct acceptance *items, size_t count)
{
        struct report_style style = session_style(call->options, call->command->name);
        call->reporter->acceptances(items, count, &style, call->out);
}

/* The environments to look in: the ones named, else the one around the file. */
static struct strings accept_targets(const struct command_call *call, const char *subject)
{
        struct strings targets = call->options->arguments;
        targets.items++;
        targets.count--;
        const char *path = arena_strndup(call->arena, subject, strcspn(subject, "#"));
        const char *around = targets.count == 0 ? target_of_file(call->options, path, call->arena) : NULL;
        if (around != NULL) {
                targets.items = arena_new_array(call->arena, const char *, 1);
                targets.items[targets.count++] = around;
        }
        return targets;
}

static int accept_one(struct command_call *call, struct error *ret_error)
{
        const char *subject = call->options->arguments.items[0];
        struct strings targets = accept_targets(call, subject);
        struct check_request request = target_request(call->options, &targets);
        struct acceptance acceptance;
        if (call->options->reason[0] == '\0')
                return error_set(ret_error, ERR_USAGE, 0, "say why it is wanted: pristine accept %s --reason TEXT",
                                 subject);
        subject = target_subject(call->options, subject, call->arena);
        int result = flow_accept(call->context, &request, subject, call->options->reason, call->arena, &acceptance,
                                 ret_error);
        if (result == 0)
                report_acceptances(call, &acceptance, 1);
        return result;
}

static int accept_list(struct command_call *call, struct error *ret_error)
{
        struct acceptance *items = NULL;
        size_t count = 0;
        int result = flow_accept_list(call->context, call->arena, &items, &count, ret_error);
        if (result == 0)
                report_acceptances(call, items, count);
        return result;
}

/* Tells what is still accepted. */
static int accept_remove(struct command_call *call, struct error *ret_error)
{
        const char *subject = target_subject(call->options, call->options->arguments.items[0], call->arena);
        int result = flow_accept_remove(call->context, subject, ret_error);
        return result == 0 ? accept_list(call, ret_error) : result;
}

int run_accept(struct command_call *call, struct error *ret_error)
{
        const struct options *options = call->options;
        if (options->list)
                return accept_list(call, ret_error);
        if (options->arguments.count == 0)
                return error_set(ret_error, ERR_USAGE, 0,
                                 "accept what? Name a FINDING or PATH[#HUNK], or ask for --list");
        if (options->remove)
                return accept_remove(call, ret_error);
        return accept_one(call, ret_error);
}
