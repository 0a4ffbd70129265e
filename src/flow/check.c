#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "flow/check_run.h"
#include "flow/flow.h"
#include "judge/judge.h"
#include "journal/journal.h"
#include "observe/python.h"

/* A relative target is meant from where the person stands; beneath --root there is no such place. */
static const char *target_path(const struct check_run *run, const char *target)
{
        AUTO_FREE char *here = NULL;
        if (target[0] == '/' || strcmp(run->root.path, "/") != 0)
                return target;
        here = getcwd(NULL, 0);
        return here != NULL ? arena_printf(run->arena, "%s/%s", here, target) : target;
}

static int target_refuse(const char *target, struct error *ret_error)
{
        if (strncmp(target, "pid:", 4) == 0 || strstr(target, "://") != NULL)
                return error_set(ret_error, ERR_USAGE, 0,
                                 "%s: this version looks at environments only; name a directory, such as a venv",
                                 target);
        return 0;
}

static bool environment_is_known(const struct check *check, const char *path)
{
        for (size_t i = 0; i < check->n_environments; i++)
                if (strcmp(check->environments[i].path, path) == 0)
                        return true;
        return false;
}

static int find_environments(struct check_run *run, struct check *check, struct error *ret_error)
{
        const struct strings *targets = &run->request->targets;
        if (targets->count == 0)
                return error_set(ret_error, ERR_USAGE, 0,
                                 "no target: name an environment, such as a venv or its site-packages directory");
        check->environments = arena_new_array(run->arena, struct environment, targets->count);
        for (size_t i = 0; i < targets->count; i++) {
                struct environment environment = {0};
                int result = target_refuse(targets->items[i], ret_error);
                if (result == 0)
                        result = python_find_environment(&run->root, target_path(run, targets->items[i]), run->arena,
                                                         &environment, ret_error);
                if (result < 0)
                        return result;
                if (!environment_is_known(check, environment.path))
                        check->environments[check->n_environments++] = environment;
        }
        return 0;
}

static void observe_progress(void *context, uint64_t files_done, uint64_t files, uint64_t bytes_done, uint64_t bytes,
                             bool code_done)
{
        const struct check_run *run = context;
        if (code_done)
                check_run_progress(run, "code judged; hashing binaries (MiB)", bytes_done >> 20, bytes >> 20);
        else
                check_run_progress(run, "verifying files", files_done, files);
}

static void observe_code_judged(void *context, const struct environment *environment, const struct file_facts *facts,
                                uint64_t bytes_left)
{
        check_announce_code(context, environment, facts, bytes_left);
}

static void add_findings(struct check_run *run, const struct environment *environment, const struct file_facts *facts)
{
        for (size_t i = 0; i < facts->count; i++) {
                struct finding finding;
                if (check_is_vendor_fact(&facts->items[i]))
                        continue;
                judge_fact(environment, &facts->items[i], run->arena, &finding);
                check_run_add_finding(run, &finding);
        }
}

static int observe_environment(struct check_run *run, struct environment *environment, struct error *ret_error)
{
        struct observe_options options = {
                .jobs = run->context->jobs,
                .vendor_notes = run->request->vendor_notes,
                .stop = run->context->stop,
                .progress = run->context->progress != NULL ? observe_progress : NULL,
                .progress_context = run,
                .code_judged = run->context->notice != NULL ? observe_code_judged : NULL,
        };
        if (run->request->trust_stat)
                options.stat_cache = arena_printf(run->arena, "%s/stat-cache", run->context->state_dir);
        struct file_facts facts = {0};
        struct unknowns unknowns = {0};
        int result = python_observe(&run->root, environment, &options, run->arena, &facts, &unknowns, ret_error);
        if (result < 0) {
                error_add(ret_error, "checking %s", environment->path);
                return result;
        }
        check_run_add_unknowns(run, &unknowns);
        add_findings(run, environment, &facts);
        check_vendor(run, environment, &facts);
        return 0;
}

static void finish(struct check_run *run, struct check *check)
{
        if (check_run_stopped(run))
                check_run_add_unknown(run, "check", "stopped before everything was looked at", true);
        check->findings.items = arena_copy(run->arena, run->findings, run->n_findings * sizeof *run->findings);
        check->findings.count = run->n_findings;
        check->unknowns.items = arena_copy(run->arena, run->unknowns, run->n_unknowns * sizeof *run->unknowns);
        check->unknowns.count = run->n_unknowns;
        check_archives_searched(run, &check->searched);
}

static int64_t now_ns(void)
{
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* So that a finding's id is enough to accept it by. A state directory that cannot be written to is no reason to fail.
 */
static void note_targets(const struct flow_context *context, const struct check_request *request,
                         const struct check *check)
{
        if (check->verdict != VERDICT_DIRTY || request->read_only_journal || strcmp(context->root, "/") != 0)
                return;
        for (size_t i = 0; i < check->n_environments; i++)
                journal_note_target(context->state_dir, check->environments[i].path, NULL);
}

int flow_check(const struct flow_context *context, const struct check_request *request, struct arena *arena,
               struct check *ret_check, struct error *ret_error)
{
        CLEANUP(check_run_close) struct check_run run;
        struct check check = {.started_ns = now_ns()};
        double start = clock_seconds();
        struct journal_memory memory = {0};
        int result = check_run_open(&run, context, request, arena, ret_error);
        if (result == 0)
                result = journal_recall(context->state_dir, arena, &memory, ret_error);
        if (result == 0)
                result = find_environments(&run, &check, ret_error);
        for (size_t i = 0; i < check.n_environments && result == 0; i++)
                result = observe_environment(&run, &check.environments[i], ret_error);
        if (result == 0) {
                check_sources(&run);
                result = check_evidence(&run, &memory.globs, ret_error);
        }
        if (result < 0)
                return result;
        check_acceptances(&run, memory.acceptances, memory.n_acceptances);
        finish(&run, &check);
        check.interrupted_plan = memory.interrupted_plan;
        for (size_t i = 0; i < check.findings.count; i++)
                judge_finding(&check.findings.items[i], arena);
        judge_check(&check);
        note_targets(context, request, &check);
        check.seconds = clock_seconds() - start;
        *ret_check = check;
        return 0;
}
