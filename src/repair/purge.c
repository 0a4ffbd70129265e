/* Emptying a plan's quarantine. The rows come first: a file that may be gone is one that undo must not promise. */
#include "repair/kinds.h"
#include "repair/steps.h"

int repair_purge(struct repair_run *run, struct error *ret_error)
{
        size_t count = 0;
        for (size_t i = 0; i < run->option->n_steps; i++) {
                struct step *step = &run->option->steps[i];
                if (step->op != STEP_QUARANTINE || step->state != STATE_DONE)
                        continue;
                count++;
                step->purged = true;
                step_mark(step, STATE_DONE, "purged");
        }
        if (count == 0)
                return error_set(ret_error, ERR_REFUSED, 0, "plan %s has nothing in quarantine", run->plan->id);
        run->plan->state = "purged";
        int result = steps_record_all(run, ret_error);
        for (size_t i = 0; i < run->option->n_steps && result == 0; i++)
                if (run->option->steps[i].purged)
                        result = quarantine_forget(run, &run->option->steps[i], ret_error);
        if (result < 0)
                error_add(ret_error, "purging plan %s (the same command again goes on)", run->plan->id);
        return result;
}
