#include "cli/commands.h"
#include "cli/session.h"

int run_check(struct command_call *call, struct error *ret_error)
{
        struct check_request request = target_request(call->options, &call->options->arguments);
        struct check check;
        int result = target_require(call->command, call->options, &request.targets, call->arena, ret_error);
        if (result == 0)
                result = flow_check(call->context, &request, call->arena, &check, ret_error);
        if (result < 0)
                return result;
        struct report_style style = session_style(call->options, call->command->name);
        call->reporter->check(&check, &style, call->out);
        return exit_status_of_verdict(check.verdict);
}

/* `diff FILE` means the environment around the file. */
static struct check_request diff_request(const struct command_call *call, const char **ret_subject)
{
        const struct options *options = call->options;
        struct check_request request = target_request(options, &options->arguments);
        const char *first = request.targets.count > 0 ? request.targets.items[0] : "";
        *ret_subject = "";
        if (request.targets.count == 2) {
                *ret_subject = target_subject(options, request.targets.items[1], call->arena);
                request.targets.count = 1;
        } else if (target_is_file(options, first)) {
                const char **items = arena_new_array(call->arena, const char *, 1);
                items[0] = target_of_file(options, first, call->arena);
                *ret_subject = target_subject(options, first, call->arena);
                if (items[0] != NULL)
                        request.targets.items = items;
        }
        return request;
}

int run_diff(struct command_call *call, struct error *ret_error)
{
        const char *subject;
        struct check_request request = diff_request(call, &subject);
        struct check check;
        int result = target_require(call->command, call->options, &request.targets, call->arena, ret_error);
        if (result == 0)
                result = flow_diff(call->context, &request, subject, call->arena, &check, ret_error);
        if (result < 0)
                return result;
        struct report_style style = session_style(call->options, call->command->name);
        call->reporter->diff(&check, &style, call->out);
        return check.findings.count > 0 ? EXIT_FINDINGS : exit_status_of_verdict(check.verdict);
}
