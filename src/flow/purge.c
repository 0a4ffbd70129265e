#include "base/cleanup.h"
#include "flow/journal_flow.h"

static const char *const states[] = {"applied", "purged", NULL};

int flow_purge(const struct flow_context *context, const char *plan, bool yes, struct arena *arena,
               struct plan_outcome *ret_outcome, struct error *ret_error)
{
        CLEANUP(plan_session_close) struct plan_session session = PLAN_SESSION_INIT;
        const char *id = NULL;
        int result = flow_open_journal(context, JOURNAL_WRITE, &session.journal, ret_error);
        if (result == 0)
                result = plan_pick(session.journal, plan, states,
                                   "no plan is applied, so there is no quarantine to empty", arena, &id, ret_error);
        if (result == 0)
                result = plan_session_open(context, id, arena, &session, ret_error);
        if (result < 0)
                return flow_refuse(result, ret_error);
        if (!plan_state_is(&session.plan, "applied") && !plan_state_is(&session.plan, "purged"))
                return error_set(ret_error, ERR_REFUSED, 0,
                                 "plan %s is %s: only an applied plan has a quarantine to empty", id,
                                 session.plan.state);
        result = repair_choose(&session.run, session.plan.chosen, ret_error);
        if (result == 0)
                result = flow_agree(
                        context, yes,
                        arena_printf(arena, "Remove what plan %s put into quarantine? It cannot be brought back.", id),
                        ret_error);
        if (result == 0)
                result = repair_purge(&session.run, ret_error);
        if (result < 0)
                return flow_refuse(result, ret_error);
        *ret_outcome = (struct plan_outcome){
                .plan = session.plan,
                .verdict = session.plan.left.count == 0 ? VERDICT_CLEAN : VERDICT_DIRTY,
                .note = "the quarantine is empty; undo can take back the rest of the plan only",
        };
        return 0;
}
