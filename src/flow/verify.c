#include "base/cleanup.h"
#include "flow/journal_flow.h"

static const char *const states[] = {"applied", "purged", NULL};

/* Steps that were done must still hold; the others are no claim. */
static size_t count_broken(struct repair_run *run)
{
        size_t broken = 0;
        for (size_t i = 0; i < run->option->n_steps; i++) {
                struct step *step = &run->option->steps[i];
                if (step->state != STATE_DONE || repair_step_holds(run, step))
                        continue;
                step->message = "changed again since this step was done";
                broken++;
        }
        return broken;
}

static enum verdict judge(const struct plan_outcome *outcome, size_t broken)
{
        if (broken > 0 || outcome->check.verdict == VERDICT_DIRTY)
                return VERDICT_DIRTY;
        return outcome->check.verdict;
}

static const char *note_of(const struct plan_outcome *outcome, size_t broken, struct arena *arena)
{
        const char *id = outcome->plan.id;
        if (!plan_state_is(&outcome->plan, "applied") && !plan_state_is(&outcome->plan, "purged"))
                return arena_printf(arena, "plan %s is %s, not applied", id, outcome->plan.state);
        if (broken > 0)
                return arena_printf(arena, "%zu path%s changed again since plan %s was applied", broken,
                                    broken == 1 ? " was" : "s were", id);
        return outcome->verdict == VERDICT_CLEAN
                       ? arena_printf(arena, "every step of plan %s holds and a fresh check found nothing", id)
                       : arena_printf(arena, "every step of plan %s holds; a fresh check has more to say", id);
}

int flow_verify(const struct flow_context *context, const char *plan, struct arena *arena,
                struct plan_outcome *ret_outcome, struct error *ret_error)
{
        CLEANUP(plan_session_close) struct plan_session session = PLAN_SESSION_INIT;
        struct plan_outcome outcome = {.has_check = true};
        const char *id = NULL;
        size_t broken = 0;
        int result = flow_open_journal(context, JOURNAL_READ, &session.journal, ret_error);
        if (result == 0)
                result = plan_pick(session.journal, plan, states, "no plan is applied, so there is nothing to verify",
                                   arena, &id, ret_error);
        if (result == 0)
                result = plan_session_open(context, id, arena, &session, ret_error);
        if (result < 0)
                return flow_refuse(result, ret_error);
        if (session.plan.chosen[0] != '\0') {
                result = repair_choose(&session.run, session.plan.chosen, ret_error);
                if (result < 0)
                        return result;
                broken = count_broken(&session.run);
        }
        struct check_request request = {
                .targets = session.plan.targets,
                .artifacts = session.plan.artifacts,
                .workdirs = session.plan.workdirs,
                .oracle_seconds = -1,
                .read_only_journal = true,
        };
        struct flow_context same = *context;
        same.root = session.plan.root;
        result = flow_check(&same, &request, arena, &outcome.check, ret_error);
        if (result < 0)
                return result;
        outcome.plan = session.plan;
        outcome.verdict = judge(&outcome, broken);
        outcome.note = note_of(&outcome, broken, arena);
        *ret_outcome = outcome;
        return 0;
}
