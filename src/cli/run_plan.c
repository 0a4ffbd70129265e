#include <string.h>

#include "cli/commands.h"
#include "cli/session.h"

static const char *plan_named(const struct command_call *call)
{
        return call->options->arguments.count > 0 ? call->options->arguments.items[0] : "";
}

static void report_outcome(const struct command_call *call, const struct plan_outcome *outcome)
{
        struct plan_report report = {
                .plans = &outcome->plan,
                .n_plans = outcome->plan.id != NULL ? 1 : 0,
                .check = outcome->has_check ? &outcome->check : NULL,
                .verdict = outcome->verdict,
                .has_verdict = outcome->has_check || outcome->plan.id != NULL,
                .with_steps = true,
                .note = outcome->note != NULL ? outcome->note : "",
        };
        struct report_style style = session_style(call->options, call->command->name);
        call->reporter->plan(&report, &style, call->out);
}

static int refuse_option(const char *option, struct error *ret_error)
{
        return error_set(ret_error, ERR_USAGE, 0, "--option=%s: it takes surgical, restore or reinstall[=VERSION]",
                         option);
}

static bool option_is_known(const char *option)
{
        static const char *const names[] = {"", "surgical", "restore", "reinstall"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (strcmp(option, names[i]) == 0)
                        return true;
        return strncmp(option, "reinstall=", strlen("reinstall=")) == 0;
}

static struct strings keep_subjects(const struct command_call *call)
{
        const struct strings *keep = &call->options->keep;
        const char **items = arena_new_array(call->arena, const char *, keep->count);
        for (size_t i = 0; i < keep->count; i++)
                items[i] = target_subject(call->options, keep->items[i], call->arena);
        return (struct strings){items, keep->count};
}

int run_plan(struct command_call *call, struct error *ret_error)
{
        const struct options *options = call->options;
        struct plan_request request = {
                .check = target_request(options, &options->arguments),
                .option = options->option,
                .keep = keep_subjects(call),
                .offline = options->offline,
                .with_deps = options->with_deps,
        };
        struct plan_outcome outcome = {0};
        if (!option_is_known(options->option))
                return refuse_option(options->option, ret_error);
        int result = target_require(call->command, options, &options->arguments, call->arena, ret_error);
        if (result == 0)
                result = flow_plan(call->context, &request, call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome);
        return exit_status_of_verdict(outcome.verdict);
}

int run_apply(struct command_call *call, struct error *ret_error)
{
        const struct options *options = call->options;
        struct apply_request request = {
                .plan = plan_named(call),
                .option = options->option,
                .yes = options->yes,
                .restart = options->restart,
                .delete_artifacts = options->delete_artifacts,
                .quarantine = options->quarantine,
                .undo_on_failure = strcmp(options->on_failure, "undo") == 0,
        };
        struct plan_outcome outcome = {0};
        if (!option_is_known(options->option))
                return refuse_option(options->option, ret_error);
        int result = flow_apply(call->context, &request, call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome);
        return EXIT_CLEAN;
}

int run_verify(struct command_call *call, struct error *ret_error)
{
        struct plan_outcome outcome = {0};
        int result = flow_verify(call->context, plan_named(call), call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome);
        return exit_status_of_verdict(outcome.verdict);
}

int run_undo(struct command_call *call, struct error *ret_error)
{
        struct plan_outcome outcome = {0};
        int result = flow_undo(call->context, plan_named(call), call->options->yes, call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome);
        return EXIT_CLEAN;
}

int run_purge(struct command_call *call, struct error *ret_error)
{
        struct plan_outcome outcome = {0};
        int result = flow_purge(call->context, plan_named(call), call->options->yes, call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome);
        return EXIT_CLEAN;
}

int run_log(struct command_call *call, struct error *ret_error)
{
        struct plan *plans = NULL;
        size_t count = 0;
        int result = flow_log(call->context, plan_named(call), call->arena, &plans, &count, ret_error);
        if (result < 0)
                return result;
        struct plan_report report = {
                .plans = plans,
                .n_plans = count,
                .with_steps = call->options->arguments.count > 0,
                .note = "",
        };
        struct report_style style = session_style(call->options, call->command->name);
        call->reporter->plan(&report, &style, call->out);
        return EXIT_CLEAN;
}
