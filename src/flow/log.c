#include "base/cleanup.h"
#include "flow/journal_flow.h"

int flow_log(const struct flow_context *context, const char *plan, struct arena *arena, struct plan **ret_plans,
             size_t *ret_count, struct error *ret_error)
{
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        bool all = plan == NULL || plan[0] == '\0';
        int result = all ? journal_open(context->state_dir, JOURNAL_READ, &journal, ret_error)
                         : flow_open_journal(context, JOURNAL_READ, &journal, ret_error);
        if (all && result == ERR_NOT_FOUND) {
                *ret_plans = NULL; /* an empty log is one */
                *ret_count = 0;
                return 0;
        }
        if (result < 0)
                return result;
        if (all)
                return journal_load_plans(journal, arena, ret_plans, ret_count, ret_error);
        struct plan *one = arena_new(arena, struct plan);
        result = journal_load_plan(journal, plan, arena, one, ret_error);
        if (result < 0)
                return result;
        *ret_plans = one;
        *ret_count = 1;
        return 0;
}
