/* Step create-file: an installed file that is gone stands in its place again. What it was before is known to its last
 * byte, so that undo, which takes it away, loses nothing. `before` says whose it will be and how it may be used; that
 * it has no digest says that nothing stood there. */
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/identify.h"
#include "repair/kinds.h"

static enum place judge(const struct step *step, bool exists, const struct file_identity *found)
{
        if (!exists)
                return PLACE_BEFORE;
        return digest_equal(&found->digest, &step->after) ? PLACE_AFTER : PLACE_OTHER;
}

static int look(struct repair_run *run, const struct step *step, enum place *ret_place, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        struct file_identity found;
        bool exists = false;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = ground_look(&ground, ground.name, &exists, &found, ret_error);
        if (result == 0)
                *ret_place = judge(step, exists, &found);
        return result;
}

/* Under the temporary name lies our own new file, whole or in part, or on the way back the file itself, moved aside. A
 * file of other bytes that an undo has moved aside is somebody else's, and goes back. */
static int settle(struct repair_run *run, const struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        const char *temporary = step_temporary(run, step);
        bool left = false;
        struct file_identity spare;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = ground_look(&ground, temporary, &left, &spare, ret_error);
        if (result < 0)
                return result;
        if (!left) /* the change may have been made without reaching the disk */
                return write_sync_directory(ground.fd, ret_error);
        bool undoing = strcmp(run->plan->state, "undoing") == 0;
        if (undoing && !digest_equal(&spare.digest, &step->after))
                return write_move(ground.fd, temporary, ground.fd, ground.name, &spare, ret_error);
        return write_unlink(ground.fd, temporary, ret_error);
}

static int act(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = step_write_object(run, step, &ground, &step->after, false, ret_error);
        return result == 0 ? write_place(ground.fd, step_temporary(run, step), ground.name, ret_error) : result;
}

static int undo(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        struct file_identity found;
        bool exists = false;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = ground_look(&ground, ground.name, &exists, &found, ret_error);
        if (result < 0)
                return result;
        if (judge(step, exists, &found) != PLACE_AFTER)
                return error_set(ret_error, ERR_CHANGED, 0, "%s was changed by somebody else", step->path);
        return write_remove(ground.fd, ground.name, step_temporary(run, step), &found, ret_error);
}

const struct step_kind kind_create_file = {
        .op = STEP_CREATE_FILE,
        .undo_rank = 1,
        .look = look,
        .settle = settle,
        .act = act,
        .undo = undo,
};
