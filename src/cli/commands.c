#include "cli/commands.h"

#include <string.h>

static const char *const no_options[] = {NULL};
static const char *const check_options[] = {"artifacts",      "workdir",    "wheel", "find-links",
                                            "oracle-seconds", "trust-stat", NULL};
static const char *const plan_options[] = {"option",     "keep",           "artifacts",  "workdir", "wheel",
                                           "find-links", "oracle-seconds", "trust-stat", "offline", "with-deps",
                                           NULL};
static const char *const apply_options[] = {"option", "yes", "restart", "delete", "quarantine", "on-failure", NULL};
static const char *const yes_options[] = {"yes", NULL};
static const char *const accept_options[] = {"reason",  "list",           "remove", "artifacts",
                                             "workdir", "oracle-seconds", NULL};

enum { ANY = 1000 };

const struct command commands[] = {
        {"check", "TARGET...", "find what is not as it was installed, and what was left behind",
         "TARGET is an environment: a venv, or its site-packages directory. Nothing is changed, and nothing that is "
         "found there is run.",
         check_options, 0, ANY, run_check},
        {"diff", "TARGET [PATH|FINDING]", "show the installed lines against the current ones",
         "A single PATH of a file inside an environment will do. PATH may also be the end of a path, and FINDING the "
         "beginning of an id that check prints.",
         check_options, 0, 2, run_diff},
        {"explain", "[RULE]", "say what a rule or label means, and what to do",
         "RULE is the rule of a finding or a label of its lines. Without one, all are listed.", no_options, 0, 1,
         run_explain},
        {"plan", "TARGET...", "propose how to put it back",
         "Runs a check, stores a plan and shows every way side by side. Changes nothing but the journal.", plan_options,
         0, ANY, run_plan},
        {"apply", "[PLAN]", "do exactly what a plan says",
         "Without PLAN the newest is taken; one that was interrupted is resumed. Refused when anything that the plan "
         "touches has changed since.",
         apply_options, 0, 1, run_apply},
        {"verify", "[PLAN]", "look again whether what a plan did still holds", "", no_options, 0, 1, run_verify},
        {"undo", "[PLAN]", "put everything back as it was before apply", "", yes_options, 0, 1, run_undo},
        {"log", "[PLAN]", "show what was done, when, and by whom", "", no_options, 0, 1, run_log},
        {"purge", "[PLAN]", "delete for good what a plan moved into quarantine", "", yes_options, 0, 1, run_purge},
        {"accept", "FINDING|PATH[#HUNK] [TARGET...]", "keep what is wanted, with a reason",
         "TARGET is needed only for what no earlier check has found. Kept in the state directory, never in the "
         "environment. A further change makes it a finding again.",
         accept_options, 0, ANY, run_accept},
};
const size_t n_commands = sizeof commands / sizeof *commands;

const struct command *command_find(const char *name)
{
        for (size_t i = 0; i < n_commands; i++)
                if (strcmp(commands[i].name, name) == 0)
                        return &commands[i];
        return NULL;
}
