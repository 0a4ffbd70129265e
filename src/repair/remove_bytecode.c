/* Step remove-bytecode: Python makes it anew from the source it finds. */
#include "base/cleanup.h"
#include "fs/identify.h"
#include "repair/kinds.h"

static int look_beside(struct repair_run *run, const struct step *step, struct ground *ground, bool *ret_exists,
                       struct file_identity *ret_found, struct error *ret_error)
{
        int result = ground_open(run->root, step->path, ground, ret_error);
        return result == 0 ? ground_look(ground, ground->name, ret_exists, ret_found, ret_error) : result;
}

static int look(struct repair_run *run, const struct step *step, enum place *ret_place, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        struct file_identity found;
        bool exists = false;
        int result = look_beside(run, step, &ground, &exists, &found, ret_error);
        if (result < 0)
                return result;
        if (!exists)
                *ret_place = PLACE_AFTER;
        else
                *ret_place = identity_same_content(&found, &step->before) ? PLACE_BEFORE : PLACE_OTHER;
        return 0;
}

/* Whatever bytecode is there now: the plan's was put into the journal before the first change. */
static int act(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        struct file_identity found;
        bool exists = false;
        int result = look_beside(run, step, &ground, &exists, &found, ret_error);
        if (result < 0 || !exists)
                return result;
        return write_remove(ground.fd, ground.name, step_temporary(run, step), &found, ret_error);
}

static int undo(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        struct file_identity found;
        bool exists = false;
        const char *temporary = step_temporary(run, step);
        int result = look_beside(run, step, &ground, &exists, &found, ret_error);
        if (result == 0)
                result = step_write_object(run, step, &ground, &step->before.digest, true, ret_error);
        if (result < 0)
                return result;
        return exists ? write_replace(ground.fd, temporary, ground.name, &found, ret_error)
                      : write_place(ground.fd, temporary, ground.name, ret_error);
}

const struct step_kind kind_remove_bytecode = {
        .op = STEP_REMOVE_BYTECODE,
        .cache = true,
        .keeps_old = true,
        .undo_rank = 2,
        .look = look,
        .settle = step_settle_aside,
        .act = act,
        .undo = undo,
};
