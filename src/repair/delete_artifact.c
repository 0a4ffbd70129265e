/* Step delete-artifact: a quarantine that was asked to be none (--delete). Has no inverse. */
#include "base/cleanup.h"
#include "fs/identify.h"
#include "repair/kinds.h"

static int look(struct repair_run *run, const struct step *step, enum place *ret_place, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        struct file_identity found;
        bool exists = false;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = ground_look(&ground, ground.name, &exists, &found, ret_error);
        if (result < 0)
                return result;
        if (!exists)
                *ret_place = PLACE_AFTER;
        else
                *ret_place = step_is_before(step, &found) ? PLACE_BEFORE : PLACE_OTHER;
        return 0;
}

static int act(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result < 0)
                return result;
        return write_remove(ground.fd, ground.name, step_temporary(run, step), &step->before, ret_error);
}

static int undo(struct repair_run *run, struct step *step, struct error *ret_error)
{
        (void)run;
        return error_set(ret_error, ERR_REFUSED, 0, "%s was deleted for good (--delete)", step->path);
}

const struct step_kind kind_delete_artifact = {
        .op = STEP_DELETE_ARTIFACT,
        .look = look,
        .settle = step_settle_aside,
        .act = act,
        .undo = undo,
};
