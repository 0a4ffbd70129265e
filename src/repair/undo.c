/* Taking a plan back, finished or not. First everything is looked at; only when each step can go back is any touched.
 */
#include "base/cleanup.h"
#include "repair/kinds.h"
#include "repair/steps.h"

enum { RANKS = 4 };

static bool step_can_return(const struct step *step)
{
        return step->reversible && !step->purged;
}

/* What is to be done with the step, its leftovers cleared when it was interrupted. */
static int step_decide(struct repair_run *run, struct step *step, enum decision *ret_decision, struct error *ret_error)
{
        const struct step_kind *kind = step_kind_of(step->op);
        enum place place = PLACE_OTHER;
        int result = 0;
        bool touched = step->state == STATE_DONE || step->state == STATE_DOING;
        *ret_decision = DECISION_SKIP;
        if (!touched)
                return 0;
        if (step->state == STATE_DOING)
                result = kind->settle(run, step, ret_error);
        if (result == 0)
                result = kind->look(run, step, &place, ret_error);
        if (result < 0) {
                error_add(ret_error, "%s is not as the plan left it; put that right, and undo again", step->path);
                return result;
        }
        *ret_decision = recover_decide(DIRECTION_UNDO, step->state, place, kind->cache);
        if (!step_can_return(step) && *ret_decision != DECISION_MARK)
                *ret_decision = DECISION_SKIP;
        if (*ret_decision == DECISION_CONFLICT)
                return error_set(ret_error, ERR_CHANGED, 0,
                                 "%s is not as the plan left it: somebody changed it since, and undo would lose that",
                                 step->path);
        return 0;
}

int repair_check_undo(struct repair_run *run, struct error *ret_error)
{
        size_t lost = 0, touched = 0;
        for (size_t i = 0; i < run->option->n_steps; i++) {
                struct step *step = &run->option->steps[i];
                enum decision decision;
                int result = step_decide(run, step, &decision, ret_error);
                if (result < 0)
                        return result;
                if (step->op == STEP_VERIFY)
                        continue;
                touched += decision != DECISION_SKIP;
                lost += step->state == STATE_DONE && !step_can_return(step);
        }
        /* An undo that was interrupted may have nothing left to do but to say that it is done. */
        if (touched == 0 && lost > 0 && strcmp(run->plan->state, "undoing") != 0)
                return error_set(ret_error, ERR_REFUSED, 0,
                                 "nothing of plan %s can be taken back: its %zu artifact%s purged or deleted for good",
                                 run->plan->id, lost, lost == 1 ? " was" : "s were");
        return 0;
}

static int step_undo(struct repair_run *run, struct step *step, struct error *ret_error)
{
        enum decision decision;
        int result = step_decide(run, step, &decision, ret_error);
        if (result < 0 || decision == DECISION_SKIP)
                return result;
        if (decision == DECISION_ACT) {
                step_mark(step, STATE_DOING, "");
                result = journal_record(run->journal, run->plan, &step, 1, ret_error);
                if (result == 0)
                        result = step_kind_of(step->op)->undo(run, step, ret_error);
                if (result < 0) {
                        step_kind_of(step->op)->settle(run, step, NULL);
                        return result;
                }
        }
        step_mark(step, STATE_UNDONE, "");
        return journal_record(run->journal, run->plan, &step, 1, ret_error);
}

static int steps_undo(struct repair_run *run, struct error *ret_error)
{
        for (int rank = 0; rank < RANKS; rank++)
                for (size_t i = run->option->n_steps; i-- > 0;) {
                        struct step *step = &run->option->steps[i];
                        if (step_kind_of(step->op)->undo_rank != rank)
                                continue;
                        if (steps_stopped(run))
                                return error_set(ret_error, ERR_INTERRUPTED, 0, "interrupted before step %u",
                                                 step->number);
                        int result = step_undo(run, step, ret_error);
                        if (result < 0)
                                return result;
                }
        return 0;
}

/* Nothing was taken back yet: the plan is as it was, and may be undone another time. */
static bool undo_not_begun(struct repair_run *run)
{
        for (size_t i = 0; i < run->option->n_steps; i++) {
                struct step *step = &run->option->steps[i];
                enum place place = PLACE_OTHER;
                if (step->state == STATE_UNDONE)
                        return false;
                if (step->state != STATE_DOING)
                        continue;
                if (step_kind_of(step->op)->look(run, step, &place, NULL) < 0 || place != PLACE_AFTER)
                        return false;
                step_mark(step, STATE_DONE, "");
        }
        return true;
}

static int undo_end(struct repair_run *run, const char *old_state, struct error *ret_error)
{
        bool untouched = strcmp(old_state, "undoing") != 0 && undo_not_begun(run);
        if (untouched) {
                run->plan->state = old_state;
                steps_record_all(run, NULL);
        }
        error_add(ret_error, untouched ? "nothing was changed" : "stopped part-way");
        if (ret_error != NULL)
                ret_error->code = untouched ? ERR_REFUSED : ERR_PARTWAY;
        return untouched ? ERR_REFUSED : ERR_PARTWAY;
}

static int undo_begin(struct repair_run *run, struct error *ret_error)
{
        bool resumed = strcmp(run->plan->state, "undoing") == 0;
        run->plan->state = "undoing";
        int result = journal_begin(run->journal, ret_error);
        if (result == 0)
                result = journal_record(run->journal, run->plan, NULL, 0, ret_error);
        if (result == 0 && !resumed)
                result = directories_begin_undo(run, ret_error);
        if (result == 0)
                result = journal_commit(run->journal, ret_error);
        journal_rollback(run->journal);
        return result;
}

int repair_undo(struct repair_run *run, struct error *ret_error)
{
        const char *old_state = run->plan->state;
        int result = undo_begin(run, ret_error);
        if (result == 0)
                result = steps_undo(run, ret_error);
        if (result < 0)
                return undo_end(run, old_state, ret_error);
        directories_end_undo(run);
        run->plan->state = "undone";
        result = journal_record(run->journal, run->plan, NULL, 0, ret_error);
        if (result < 0) {
                run->plan->state = "undoing";
                return undo_end(run, "undoing", ret_error);
        }
        return 0;
}
