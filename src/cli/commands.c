#include "cli/commands.h"

#include <string.h>

#include "cli/session.h"

static int exit_status_of_verdict(enum verdict verdict)
{
        static const int statuses[] = {
                [VERDICT_CLEAN] = EXIT_CLEAN, [VERDICT_DIRTY] = EXIT_FINDINGS, [VERDICT_UNKNOWN] = EXIT_INCOMPLETE};
        return statuses[verdict];
}

int exit_status_of_error(int code)
{
        switch (code) {
        case ERR_REFUSED:
        case ERR_CHANGED:
                return EXIT_REFUSED;
        case ERR_PARTWAY:
                return EXIT_PARTWAY;
        default:
                return EXIT_USAGE;
        }
}

static struct check_request check_request_of(const struct options *options)
{
        return (struct check_request){
                .targets = options->arguments,
                .artifacts = options->artifacts,
                .workdirs = options->workdirs,
                .oracle_seconds = options->oracle_seconds,
                .trust_stat = options->trust_stat,
                .vendor_notes = options->verbosity > 0,
        };
}

static int run_check(struct command_call *call, struct error *ret_error)
{
        struct check_request request = check_request_of(call->options);
        struct check check;
        int result = flow_check(call->context, &request, call->arena, &check, ret_error);
        if (result < 0)
                return result;
        call->style = session_style(call->options, "check");
        call->reporter->check(&check, &call->style, call->out);
        return exit_status_of_verdict(check.verdict);
}

/* `diff TARGET [PATH|FINDING]`; a single argument may also be a file of an environment. */
static int run_diff(struct command_call *call, struct error *ret_error)
{
        struct check_request request = check_request_of(call->options);
        struct check check;
        const char *subject = request.targets.count > 1 ? request.targets.items[1] : "";
        request.targets.count = 1;
        int result = flow_diff(call->context, &request, subject, call->arena, &check, ret_error);
        if (result < 0)
                return result;
        call->style = session_style(call->options, "diff");
        call->reporter->diff(&check, &call->style, call->out);
        return check.findings.count > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int run_explain(struct command_call *call, struct error *ret_error)
{
        const char *rule = call->options->arguments.items[0];
        const char *page = flow_explain(rule, call->arena);
        if (page == NULL)
                return error_set(ret_error, ERR_USAGE, 0,
                                 "there is no rule '%s'; a finding's `rule` or a hunk's label is meant", rule);
        text_add(call->out, page);
        return EXIT_CLEAN;
}

static const char *first_argument(const struct command_call *call)
{
        return call->options->arguments.count > 0 ? call->options->arguments.items[0] : "";
}

static void report_outcome(struct command_call *call, const struct plan_outcome *outcome, const char *command)
{
        struct plan_report report = {
                .plans = &outcome->plan,
                .n_plans = 1,
                .check = outcome->has_check ? &outcome->check : NULL,
                .verdict = outcome->verdict,
                .has_verdict = outcome->has_check,
                .note = outcome->note != NULL ? outcome->note : "",
        };
        call->style = session_style(call->options, command);
        call->reporter->plan(&report, &call->style, call->out);
}

static int run_plan(struct command_call *call, struct error *ret_error)
{
        struct plan_request request = {
                .check = check_request_of(call->options),
                .option = call->options->option,
                .keep = call->options->keep,
                .offline = call->options->offline,
                .with_deps = call->options->with_deps,
        };
        struct plan_outcome outcome = {0};
        int result = flow_plan(call->context, &request, call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome, "plan");
        return exit_status_of_verdict(outcome.verdict);
}

static int run_apply(struct command_call *call, struct error *ret_error)
{
        const struct options *options = call->options;
        struct apply_request request = {
                .plan = first_argument(call),
                .option = options->option,
                .yes = options->yes,
                .restart = options->restart,
                .delete_artifacts = options->delete_artifacts,
                .quarantine = options->quarantine,
                .undo_on_failure = strcmp(options->on_failure, "undo") == 0,
        };
        struct plan_outcome outcome = {0};
        int result = flow_apply(call->context, &request, call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome, "apply");
        return EXIT_CLEAN;
}

static int run_verify(struct command_call *call, struct error *ret_error)
{
        struct plan_outcome outcome = {0};
        int result = flow_verify(call->context, first_argument(call), call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome, "verify");
        return exit_status_of_verdict(outcome.verdict);
}

static int run_undo(struct command_call *call, struct error *ret_error)
{
        struct plan_outcome outcome = {0};
        int result =
                flow_undo(call->context, first_argument(call), call->options->yes, call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome, "undo");
        return EXIT_CLEAN;
}

static int run_purge(struct command_call *call, struct error *ret_error)
{
        struct plan_outcome outcome = {0};
        int result =
                flow_purge(call->context, first_argument(call), call->options->yes, call->arena, &outcome, ret_error);
        if (result < 0)
                return result;
        report_outcome(call, &outcome, "purge");
        return EXIT_CLEAN;
}

static int run_log(struct command_call *call, struct error *ret_error)
{
        struct plan *plans;
        size_t count;
        int result = flow_log(call->context, first_argument(call), call->arena, &plans, &count, ret_error);
        if (result < 0)
                return result;
        struct plan_report report = {.plans = plans, .n_plans = count, .note = ""};
        call->style = session_style(call->options, "log");
        call->reporter->plan(&report, &call->style, call->out);
        return EXIT_CLEAN;
}

static int accept_one(struct command_call *call, struct error *ret_error)
{
        struct check_request request = check_request_of(call->options);
        const char *subject = first_argument(call);
        if (request.targets.count < 1)
                return error_set(ret_error, ERR_USAGE, 0,
                                 "name what to accept: FINDING, PATH or PATH#HUNK, and the environment it is in");
        if (call->options->remove)
                return flow_accept_remove(call->context, subject, ret_error);
        request.targets.items++;
        request.targets.count--;
        struct acceptance acceptance;
        int result = flow_accept(call->context, &request, subject, call->options->reason, call->arena, &acceptance,
                                 ret_error);
        if (result < 0)
                return result;
        call->style = session_style(call->options, "accept");
        call->reporter->acceptances(&acceptance, 1, &call->style, call->out);
        return EXIT_CLEAN;
}

static int run_accept(struct command_call *call, struct error *ret_error)
{
        if (!call->options->list)
                return accept_one(call, ret_error);
        struct acceptance *items;
        size_t count;
        int result = flow_accept_list(call->context, call->arena, &items, &count, ret_error);
        if (result < 0)
                return result;
        call->style = session_style(call->options, "accept");
        call->reporter->acceptances(items, count, &call->style, call->out);
        return EXIT_CLEAN;
}

static const char *const check_options[] = {"artifacts", "workdir", "oracle-seconds", "trust-stat", NULL};
static const char *const plan_options[] = {"option",     "keep",    "artifacts", "workdir", "oracle-seconds",
                                           "trust-stat", "offline", "with-deps", NULL};
static const char *const apply_options[] = {"option", "yes", "restart", "delete", "quarantine", "on-failure", NULL};
static const char *const yes_options[] = {"yes", NULL};
static const char *const accept_options[] = {"reason", "list", "remove", "oracle-seconds", NULL};
static const char *const no_options[] = {NULL};

enum { ANY = 1000 };

const struct command commands[] = {
        {"check", "TARGET…", "what is not as it was installed, and what was left behind", check_options,
         "TARGET is an environment: a venv, or its site-packages directory. Nothing is changed and nothing of it is "
         "run.",
         0, ANY, run_check},
        {"diff", "TARGET [PATH|FINDING]", "the installed lines against the current ones", check_options, "", 1, 2,
         run_diff},
        {"explain", "RULE", "what a rule or label means, and what to do", no_options, "", 1, 1, run_explain},
        {"plan", "TARGET…", "propose how to put it back", plan_options,
         "Stores a plan and shows every way side by side. Changes nothing but the journal.", 0, ANY, run_plan},
        {"apply", "[PLAN]", "do exactly what a plan says", apply_options,
         "Without PLAN, the newest one; an interrupted one is resumed. Refused when anything moved since.", 0, 1,
         run_apply},
        {"verify", "[PLAN]", "look again whether a plan's result still holds", no_options, "", 0, 1, run_verify},
        {"undo", "[PLAN]", "put everything back as it was before apply", yes_options, "", 0, 1, run_undo},
        {"log", "[PLAN]", "what was done, when, and by whom", no_options, "", 0, 1, run_log},
        {"purge", "[PLAN]", "delete what a plan moved into quarantine", yes_options, "", 0, 1, run_purge},
        {"accept", "FINDING|PATH[#HUNK] [TARGET…]", "keep a finding that is wanted, with a reason", accept_options,
         "It is a finding again as soon as the bytes change once more.", 0, ANY, run_accept},
};
const size_t n_commands = sizeof commands / sizeof *commands;

const struct command *command_find(const char *name)
{
        for (size_t i = 0; i < n_commands; i++)
                if (strcmp(commands[i].name, name) == 0)
                        return &commands[i];
        return NULL;
}
