#include "base/cleanup.h"
#include "flow/journal_flow.h"

static const char *const interrupted_states[] = {"applying", "undoing", NULL};
static const char *const waiting_states[] = {"planned", "undone", NULL};
static const char *const done_states[] = {"applied", "purged", NULL};

/* An interrupted plan comes first: nothing else may be begun before it is settled. */
static int pick(struct journal *journal, const char *id, struct arena *arena, const char **ret_id,
                struct error *ret_error)
{
        const char *interrupted = NULL, *waiting = NULL;
        int result = journal_find_plan(journal, interrupted_states, arena, &interrupted, ret_error);
        if (result < 0)
                return result;
        bool given = id != NULL && id[0] != '\0';
        if (interrupted != NULL && given && strcmp(interrupted, id) != 0)
                return error_set(ret_error, ERR_REFUSED, 0,
                                 "plan %s stopped part-way and comes first; `pristine undo %s` takes it back",
                                 interrupted, interrupted);
        if (interrupted != NULL || given) {
                *ret_id = interrupted != NULL ? interrupted : id;
                return 0;
        }
        result = journal_find_plan(journal, waiting_states, arena, &waiting, ret_error);
        if (result == 0 && waiting != NULL)
                *ret_id = waiting;
        else if (result == 0)
                result = plan_pick(journal, "", done_states, "there is no plan to apply; make one with `pristine plan`",
                                   arena, ret_id, ret_error);
        return result;
}

static const char *question_of(const struct repair_run *run, bool delete_artifacts, struct arena *arena)
{
        size_t counts[STEP_VERIFY + 1] = {0};
        for (size_t i = 0; i < run->option->n_steps; i++)
                counts[run->option->steps[i].op]++;
        return arena_printf(
                arena, "%s plan %s, option %s: put back %zu file(s), remove %zu compiled file(s), %s %zu artifact(s)?",
                plan_state_is(run->plan, "applying") ? "Go on with" : "Apply", run->plan->id, run->option->name,
                counts[STEP_REPLACE_FILE] + counts[STEP_CREATE_FILE], counts[STEP_REMOVE_BYTECODE],
                delete_artifacts ? "delete" : "move away", counts[STEP_QUARANTINE] + counts[STEP_DELETE_ARTIFACT]);
}

/* Each weakness has a question of its own. --yes answers all: what weakens a plan was asked for by name, by --keep or
 * an acceptance when planning, by --delete now. */
static int agree(const struct flow_context *context, const struct apply_request *request, const struct repair_run *run,
                 struct arena *arena, struct error *ret_error)
{
        int result = flow_agree(context, request->yes, question_of(run, request->delete_artifacts, arena), ret_error);
        if (result == 0 && run->option->files > 0 && run->option->proof < PROOF_MEMBER)
                result = flow_agree(context, request->yes,
                                    "Some hunks stay, so the result is checked for syntax only, not proven. Go on?",
                                    ret_error);
        if (result == 0 && request->delete_artifacts)
                result = flow_agree(context, request->yes, "Deleted artifacts cannot be brought back. Go on?",
                                    ret_error);
        return result;
}

static int resolve_quarantine(const struct apply_request *request, struct plan_session *session, struct arena *arena,
                              struct error *ret_error)
{
        AUTO_CLOSE int fd = -1;
        AUTO_FREE char *resolved = NULL;
        if (request->quarantine == NULL || request->quarantine[0] == '\0')
                return 0;
        if (request->delete_artifacts)
                return error_set(ret_error, ERR_USAGE, 0, "--delete and --quarantine exclude each other");
        const char *path =
                flow_absolute(&(struct flow_context){.root = session->plan.root}, request->quarantine, arena);
        int result = root_open_directory(&session->root, path, &fd, &resolved, ret_error);
        if (result < 0) {
                error_add(ret_error, "--quarantine");
                return flow_refuse(result, ret_error);
        }
        session->run.quarantine = arena_strdup(arena, resolved);
        return 0;
}

static int begin(const struct flow_context *context, const struct apply_request *request, struct plan_session *session,
                 struct arena *arena, struct error *ret_error)
{
        struct repair_run *run = &session->run;
        int result = resolve_quarantine(request, session, arena, ret_error);
        if (result == 0)
                result = repair_preflight(run, ret_error);
        if (result == 0)
                result = agree(context, request, run, arena, ret_error);
        if (result == 0)
                result = repair_begin(run, request->delete_artifacts, ret_error);
        return flow_refuse(result, ret_error);
}

static int take_back(struct repair_run *run, struct error *ret_error)
{
        struct error error = {0};
        run->stop = NULL; /* the Ctrl-C that ended the apply does not end this */
        int result = repair_check_undo(run, &error);
        if (result == 0)
                result = repair_undo(run, &error);
        if (result < 0) {
                error_add(ret_error, "and it could not be taken back (%s)", error.text);
                return ERR_PARTWAY;
        }
        error_add(ret_error, "everything was taken back");
        return flow_refuse(ERR_REFUSED, ret_error);
}

static const char *note_of(const struct plan *plan, struct arena *arena)
{
        return arena_printf(arena,
                            "%s; `pristine verify %s` looks again, `pristine undo %s` takes it back; processes that "
                            "run already keep the old code until they are restarted",
                            plan->left.count > 0 ? "done, except for what the plan leaves" : "done", plan->id,
                            plan->id);
}

static int carry_out(const struct flow_context *context, const struct apply_request *request,
                     struct plan_session *session, struct arena *arena, struct error *ret_error)
{
        struct repair_run *run = &session->run;
        bool resuming = plan_state_is(run->plan, "applying");
        int result = repair_choose(run,
                                   resuming                  ? run->plan->chosen
                                   : request->option != NULL ? request->option
                                                             : "",
                                   ret_error);
        if (result == 0)
                result = repair_lock_environments(run, ret_error);
        if (result < 0)
                return flow_refuse(result, ret_error);
        if (resuming)
                result = flow_agree(context, request->yes, question_of(run, false, arena), ret_error);
        else
                result = begin(context, request, session, arena, ret_error);
        if (result < 0)
                return result;
        result = repair_apply(run, ret_error);
        return result == ERR_PARTWAY && request->undo_on_failure ? take_back(run, ret_error) : result;
}

int flow_apply(const struct flow_context *context, const struct apply_request *request, struct arena *arena,
               struct plan_outcome *ret_outcome, struct error *ret_error)
{
        CLEANUP(plan_session_close) struct plan_session session = PLAN_SESSION_INIT;
        const char *id = NULL;
        int result = flow_open_journal(context, JOURNAL_WRITE, &session.journal, ret_error);
        if (result == 0)
                result = pick(session.journal, request->plan, arena, &id, ret_error);
        if (result == 0)
                result = plan_session_open(context, id, arena, &session, ret_error);
        if (result < 0)
                return flow_refuse(result, ret_error);
        bool done = plan_state_is(&session.plan, "applied") || plan_state_is(&session.plan, "purged");
        if (plan_state_is(&session.plan, "undoing"))
                return error_set(ret_error, ERR_REFUSED, 0,
                                 "the undo of plan %s stopped part-way: `pristine undo %s` ends it", id, id);
        if (!done)
                result = carry_out(context, request, &session, arena, ret_error);
        if (result < 0) {
                error_add(ret_error, "plan %s", id);
                return result;
        }
        *ret_outcome = (struct plan_outcome){
                .plan = session.plan,
                .verdict = session.plan.left.count == 0 ? VERDICT_CLEAN : VERDICT_DIRTY,
                .note = done ? "this plan is applied already" : note_of(&session.plan, arena),
        };
        return 0;
}
