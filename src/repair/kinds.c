#include "repair/kinds.h"

#include <errno.h>

#include "base/cleanup.h"
#include "fs/identify.h"

static const struct step_kind *const kinds[] = {
        &kind_replace_file, &kind_create_file,     &kind_remove_bytecode,
        &kind_quarantine,   &kind_delete_artifact, &kind_verify,
};

const struct step_kind *step_kind_of(enum step_op op)
{
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
                if (kinds[i]->op == op)
                        return kinds[i];
        return &kind_verify;
}

const char *step_temporary(const struct repair_run *run, const struct step *step)
{
        return arena_printf(run->arena, ".pristine-%s-%u.tmp", run->plan->token + TOKEN_HALF, step->number);
}

int step_write_object(struct repair_run *run, const struct step *step, const struct ground *ground,
                      const struct digest *digest, bool as_before, struct error *ret_error)
{
        AUTO_CLOSE int object = -1;
        struct xattrs xattrs;
        int result = journal_open_object(run->journal, digest, &object, ret_error);
        if (result == 0)
                result = journal_load_xattrs(run->journal, run->plan, step->number, run->arena, &xattrs, ret_error);
        if (result < 0)
                return result;
        struct write_source source = {.fd = object, .digest = digest};
        struct write_metadata metadata = {
                .mode = step->before.mode,
                .uid = step->before.uid,
                .gid = step->before.gid,
                .set_mtime = as_before,
                .mtime_ns = step->before.mtime_ns,
                .xattrs = &xattrs,
                .new_content = !as_before,
        };
        return write_new_file(ground->fd, step_temporary(run, step), &source, &metadata, ret_error);
}

int step_copy_file(struct repair_run *run, const struct step *step, const struct ground *from, int to_fd,
                   const char *to, struct error *ret_error)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity found;
        struct xattrs xattrs;
        int result = fs_open_regular(from->fd, from->name, &fd, &found, ret_error);
        if (result == 0)
                result = xattrs_read(fd, run->arena, &xattrs, ret_error);
        if (result < 0)
                return result;
        struct write_source source = {.fd = fd, .digest = &step->before.digest};
        struct write_metadata metadata = {
                .mode = step->before.mode,
                .uid = step->before.uid,
                .gid = step->before.gid,
                .set_mtime = true,
                .mtime_ns = step->before.mtime_ns,
                .xattrs = &xattrs,
        };
        return write_new_file(to_fd, to, &source, &metadata, ret_error);
}

bool step_is_before(const struct step *step, const struct file_identity *found)
{
        return identity_same_content(found, &step->before) && found->mtime_ns == step->before.mtime_ns &&
               found->mode == step->before.mode && found->uid == step->before.uid && found->gid == step->before.gid;
}

/* The file stands aside and its own name is free: it goes back, whatever it is, unless it is a copy that an undo had
 * begun, whose source is still there. */
static int settle_free_name(struct repair_run *run, const struct step *step, const struct ground *ground,
                            const char *aside, const struct file_identity *spare, struct error *ret_error)
{
        bool copy = step_kind_of(step->op)->cache ||
                    (step->op == STEP_QUARANTINE && !step_is_before(step, spare) && quarantine_holds(run, step));
        return copy ? write_unlink(ground->fd, aside, ret_error)
                    : write_move(ground->fd, aside, ground->fd, ground->name, spare, ret_error);
}

int step_settle_aside(struct repair_run *run, const struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        const char *aside = step_temporary(run, step);
        bool exists = false, stands_aside = false;
        struct file_identity found, spare;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = ground_look(&ground, aside, &stands_aside, &spare, ret_error);
        if (result == 0 && stands_aside)
                result = ground_look(&ground, ground.name, &exists, &found, ret_error);
        if (result < 0)
                return result;
        if (!stands_aside) /* what was done may not have reached the disk */
                return write_sync_directory(ground.fd, ret_error);
        if (!exists)
                return settle_free_name(run, step, &ground, aside, &spare, ret_error);
        if (step_kind_of(step->op)->cache || step->op == STEP_QUARANTINE ||
            identity_same_content(&spare, &step->before))
                return write_unlink(ground.fd, aside, ret_error);
        return error_set(ret_error, ERR_CHANGED, 0,
                         "%s was changed by somebody else; what stood there before is %s beside "
                         "it: settle that by hand",
                         step->path, aside);
}
