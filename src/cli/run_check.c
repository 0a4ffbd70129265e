#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/session.h"

int run_check(struct command_call *call, struct error *ret_error)
{
        struct check_request request = target_request(call->options, &call->options->arguments);
        struct check check;
        int result = target_require(call->command, &request.targets, call->arena, ret_error);
        if (result == 0)
                result = flow_check(call->context, &request, call->arena, &check, ret_error);
        if (result < 0)
                return result;
        struct report_style style = session_style(call->options, call->command->name);
        call->reporter->check(&check, &style, call->out);
        return exit_status_of_verdict(check.verdict);
}

static bool is_file(const char *path)
{
        struct stat st;
        return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* `diff FILE` means the environment around the file. */
static struct check_request diff_request(struct command_call *call, const char **ret_subject)
{
        struct check_request request = target_request(call->options, &call->options->arguments);
        *ret_subject = "";
        if (request.targets.count == 2) {
                *ret_subject = request.targets.items[1];
                request.targets.count = 1;
        } else if (request.targets.count == 1 && is_file(request.targets.items[0])) {
                const char *around = target_of_file(call->options, request.targets.items[0], call->arena);
                const char **items = arena_new_array(call->arena, const char *, 1);
                *ret_subject = target_absolute(request.targets.items[0], call->arena);
                items[0] = around != NULL ? around : request.targets.items[0];
                request.targets = (struct strings){items, 1};
        }
        return request;
}

int run_diff(struct command_call *call, struct error *ret_error)
{
        const char *subject;
        struct check_request request = diff_request(call, &subject);
        struct check check;
        int result = target_require(call->command, &request.targets, call->arena, ret_error);
        if (result == 0)
                result = flow_diff(call->context, &request, subject, call->arena, &check, ret_error);
        if (result < 0)
                return result;
        struct report_style style = session_style(call->options, call->command->name);
        call->reporter->diff(&check, &style, call->out);
        return check.findings.count > 0 ? EXIT_FINDINGS : exit_status_of_verdict(check.verdict);
}
