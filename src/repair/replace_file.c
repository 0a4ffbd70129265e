/* Step replace-file: other bytes take the place of a file's, and everything else of it stays. */
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/identify.h"
#include "repair/kinds.h"

static enum place judge(const struct step *step, bool exists, const struct file_identity *found)
{
        if (exists && identity_same_content(found, &step->before))
                return PLACE_BEFORE;
        return exists && digest_equal(&found->digest, &step->after) ? PLACE_AFTER : PLACE_OTHER;
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

/* The temporary name holds our own new file (whole or in part) while the target is still the old one; the old file,
 * once the two were exchanged; or somebody else's write that the exchange brought out, which goes back. */
static int settle(struct repair_run *run, const struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        const char *temporary = step_temporary(run, step);
        bool exists = false, left = false;
        struct file_identity found, spare;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = ground_look(&ground, temporary, &left, &spare, ret_error);
        if (result == 0 && left)
                result = ground_look(&ground, ground.name, &exists, &found, ret_error);
        if (result < 0)
                return result;
        if (!left) /* the change may have been made without reaching the disk */
                return write_sync_directory(ground.fd, ret_error);
        bool undoing = strcmp(run->plan->state, "undoing") == 0;
        enum place old = undoing ? PLACE_AFTER : PLACE_BEFORE, now = judge(step, exists, &found);
        bool ours = judge(step, true, &spare) != PLACE_OTHER;
        if (now == old || ours)
                return write_unlink(ground.fd, temporary, ret_error);
        return error_set(ret_error, ERR_CHANGED, 0,
                         "%s was changed by somebody else while it was being replaced; one of the two versions stands "
                         "beside it as %s: settle that by hand",
                         step->path, temporary);
}

static int act(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = step_write_object(run, step, &ground, &step->after, false, ret_error);
        if (result == 0)
                result = write_replace(ground.fd, step_temporary(run, step), ground.name, &step->before, ret_error);
        return result;
}

static int undo(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        AUTO_CLOSE int object = -1;
        struct stat st;
        int result = journal_open_object(run->journal, &step->after, &object, ret_error);
        if (result == 0 && fstat(object, &st) < 0)
                result = error_set(ret_error, ERR_SYSTEM, 0, "cannot stat the object of %s", step->path);
        if (result == 0)
                result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = step_write_object(run, step, &ground, &step->before.digest, true, ret_error);
        if (result < 0)
                return result;
        struct file_identity expected = {
                .mode = S_IFREG, .size = (uint64_t)st.st_size, .has_digest = true, .digest = step->after};
        return write_replace(ground.fd, step_temporary(run, step), ground.name, &expected, ret_error);
}

const struct step_kind kind_replace_file = {
        .op = STEP_REPLACE_FILE,
        .keeps_old = true,
        .undo_rank = 1,
        .look = look,
        .settle = settle,
        .act = act,
        .undo = undo,
};
