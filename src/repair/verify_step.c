/* Step verify: every other step's file is as that step left it. */
#include "repair/kinds.h"

bool repair_step_holds(struct repair_run *run, const struct step *step)
{
        const struct step_kind *kind = step_kind_of(step->op);
        enum place place = PLACE_OTHER;
        if (step->op == STEP_VERIFY)
                return true;
        if (kind->look(run, step, &place, NULL) < 0)
                return false;
        return place == PLACE_AFTER || (place == PLACE_OTHER && kind->cache);
}

static int look(struct repair_run *run, const struct step *step, enum place *ret_place, struct error *ret_error)
{
        (void)run;
        (void)ret_error;
        *ret_place = step->state == STATE_DONE ? PLACE_AFTER : PLACE_BEFORE;
        return 0;
}

static int settle(struct repair_run *run, const struct step *step, struct error *ret_error)
{
        (void)run;
        (void)step;
        (void)ret_error;
        return 0;
}

static int act(struct repair_run *run, struct step *step, struct error *ret_error)
{
        (void)step;
        for (size_t i = 0; i < run->option->n_steps; i++)
                if (!repair_step_holds(run, &run->option->steps[i]))
                        return error_set(ret_error, ERR_CHANGED, 0, "%s was changed again since its step was done",
                                         run->option->steps[i].path);
        return 0;
}

static int undo(struct repair_run *run, struct step *step, struct error *ret_error)
{
        return settle(run, step, ret_error);
}

const struct step_kind kind_verify = {
        .op = STEP_VERIFY,
        .undo_rank = 3,
        .look = look,
        .settle = settle,
        .act = act,
        .undo = undo,
};
