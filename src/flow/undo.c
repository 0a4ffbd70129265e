#include "base/cleanup.h"
#include "flow/journal_flow.h"

static const char *const interrupted_states[] = {"applying", "undoing", NULL};
static const char *const done_states[] = {"applied", "purged", NULL};
static const char *const untouched_states[] = {"planned", "undone", "empty", NULL};

static int pick(struct journal *journal, const char *id, struct arena *arena, const char **ret_id,
                struct error *ret_error)
{
        const char *const *const order[] = {interrupted_states, done_states, untouched_states};
        if (id != NULL && id[0] != '\0') {
                *ret_id = id;
                return 0;
        }
        for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
                const char *found = NULL;
                int result = journal_find_plan(journal, order[i], arena, &found, ret_error);
                if (result < 0)
                        return result;
                if (found != NULL) {
                        *ret_id = found;
                        return 0;
                }
        }
        return error_set(ret_error, ERR_REFUSED, 0, "no plan was made yet, so there is nothing to undo");
}

static bool plan_is_untouched(const struct plan *plan)
{
        for (size_t i = 0; untouched_states[i] != NULL; i++)
                if (plan_state_is(plan, untouched_states[i]))
                        return true;
        return false;
}

static size_t count_lost(const struct repair_run *run)
{
        size_t lost = 0;
        for (size_t i = 0; i < run->option->n_steps; i++)
                lost += run->option->steps[i].state == STATE_DONE && run->option->steps[i].op != STEP_VERIFY;
        return lost;
}

static int take_back(const struct flow_context *context, bool yes, struct plan_session *session, struct arena *arena,
                     struct error *ret_error)
{
        struct repair_run *run = &session->run;
        int result = repair_choose(run, run->plan->chosen, ret_error);
        if (result == 0)
                result = repair_lock_environments(run, ret_error);
        if (result == 0)
                result = repair_check_undo(run, ret_error);
        if (result == 0)
                result = flow_agree(
                        context, yes,
                        arena_printf(arena, "Take plan %s back: everything as it was before?", run->plan->id),
                        ret_error);
        if (result < 0)
                return flow_refuse(result, ret_error);
        return repair_undo(run, ret_error);
}

static const char *note_of(const struct repair_run *run, struct arena *arena)
{
        size_t lost = count_lost(run);
        if (lost == 0)
                return "everything is as it was before the plan";
        return arena_printf(arena, "as it was before the plan, except for %zu artifact%s purged or deleted for good",
                            lost, lost == 1 ? " that was" : "s that were");
}

int flow_undo(const struct flow_context *context, const char *plan, bool yes, struct arena *arena,
              struct plan_outcome *ret_outcome, struct error *ret_error)
{
        CLEANUP(plan_session_close) struct plan_session session = PLAN_SESSION_INIT;
        const char *id = NULL;
        int result = flow_open_journal(context, JOURNAL_WRITE, &session.journal, ret_error);
        if (result == 0)
                result = pick(session.journal, plan, arena, &id, ret_error);
        if (result == 0)
                result = plan_session_open(context, id, arena, &session, ret_error);
        if (result < 0)
                return flow_refuse(result, ret_error);
        bool untouched = plan_is_untouched(&session.plan);
        if (!untouched)
                result = take_back(context, yes, &session, arena, ret_error);
        if (result < 0) {
                error_add(ret_error, "undo of plan %s", id);
                return result;
        }
        *ret_outcome = (struct plan_outcome){
                .plan = session.plan,
                .verdict = VERDICT_DIRTY, /* what the plan was made for is back */
                .note = untouched ? "nothing of this plan is applied, so there is nothing to undo"
                                  : note_of(&session.run, arena),
        };
        return 0;
}
