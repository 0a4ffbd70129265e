/* Everything that can be known before the first change: whether the ground is as planned, whether we may write there,
 * whether there is room, whether an installer is at work. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/cleanup.h"
#include "fs/identify.h"
#include "observe/artifact_probe.h"
#include "observe/bytecode.h"
#include "repair/kinds.h"

enum { ROOM_SPARE = 1 << 20 }; /* for directories, the journal and rounding up */

int repair_choose(struct repair_run *run, const char *option, struct error *ret_error)
{
        const char *wanted = option[0] != '\0' ? option : run->plan->recommended;
        if (wanted[0] == '\0')
                return error_set(ret_error, ERR_REFUSED, 0, "plan %s has nothing to do", run->plan->id);
        for (size_t i = 0; i < run->plan->n_options; i++) {
                if (strcmp(run->plan->options[i].name, wanted) != 0)
                        continue;
                run->option = &run->plan->options[i];
                if (!run->option->possible)
                        return error_set(ret_error, ERR_REFUSED, 0, "option %s of plan %s is not possible: %s", wanted,
                                         run->plan->id, run->option->why_not);
                run->plan->chosen = run->option->name;
                return 0;
        }
        return error_set(ret_error, ERR_USAGE, 0, "plan %s has no option %s", run->plan->id, wanted);
}

static bool step_is_of_environment(const struct step *step)
{
        return step->op == STEP_REPLACE_FILE || step->op == STEP_CREATE_FILE || step->op == STEP_REMOVE_BYTECODE;
}

static bool base_is_seen(const struct plan_option *option, size_t n_steps, const char *base)
{
        for (size_t i = 0; i < n_steps; i++)
                if (step_is_of_environment(&option->steps[i]) && strcmp(option->steps[i].base, base) == 0)
                        return true;
        return false;
}

int repair_lock_environments(struct repair_run *run, struct error *ret_error)
{
        enum { LOCKS_MAX = sizeof run->locks / sizeof *run->locks };
        for (size_t i = 0; i < run->option->n_steps && run->n_locks < LOCKS_MAX; i++) {
                const struct step *step = &run->option->steps[i];
                AUTO_CLOSE int fd = -1;
                int lock = -1;
                if (!step_is_of_environment(step) || base_is_seen(run->option, i, step->base))
                        continue;
                int result = ground_enter(run->root, step->base, &fd, ret_error);
                if (result == 0)
                        result = write_lock_file(fd, ".lock", false, &lock, ret_error);
                if (result == ERR_NOT_FOUND)
                        continue;
                if (result < 0) {
                        error_add(ret_error, "an installer may be at work in %s", step->base);
                        return result;
                }
                run->locks[run->n_locks++] = lock;
        }
        return 0;
}

void repair_run_close(struct repair_run *run)
{
        for (size_t i = 0; i < run->n_locks; i++)
                close(run->locks[i]);
        run->n_locks = 0;
}

static int may_write(const struct ground *ground, const struct step *step, struct error *ret_error)
{
        struct stat st;
        if (faccessat(ground->fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
                return error_set(ret_error, ERR_REFUSED, errno, "the directory of %s cannot be changed", step->path);
        if (fstat(ground->fd, &st) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "the directory of %s", step->path);
        uid_t self = geteuid();
        if (self != 0 && (st.st_mode & S_ISVTX) != 0 && st.st_uid != self && step->before.uid != self)
                return error_set(ret_error, ERR_REFUSED, 0, "%s belongs to user %u: only they or root may move it",
                                 step->path, step->before.uid);
        bool puts = step->op == STEP_REPLACE_FILE || step->op == STEP_CREATE_FILE;
        if (self != 0 && puts && step->before.uid != self)
                return error_set(ret_error, ERR_REFUSED, 0,
                                 "%s belongs to user %u: only they or root can put a file of theirs in its place",
                                 step->path, step->before.uid);
        return 0;
}

static int has_room(int fd, uint64_t bytes, const char *where, struct error *ret_error)
{
        struct statvfs fs;
        if (fstatvfs(fd, &fs) < 0)
                return 0; /* the write itself will tell */
        uint64_t free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
        if (geteuid() == 0)
                free_bytes = (uint64_t)fs.f_bfree * fs.f_frsize;
        if (free_bytes < bytes)
                return error_set(ret_error, ERR_REFUSED, ENOSPC, "%s needs %llu bytes and has %llu", where,
                                 (unsigned long long)bytes, (unsigned long long)free_bytes);
        return 0;
}

/* An artifact is the very file that was previewed, not one like it; but an undo may have brought it back as a copy. */
static bool step_is_untouched(const struct repair_run *run, const struct step *step, const struct file_identity *found)
{
        if (step->op != STEP_QUARANTINE && step->op != STEP_DELETE_ARTIFACT)
                return identity_same_content(found, &step->before);
        if (strcmp(run->plan->state, "undone") == 0)
                return step_is_before(step, found);
        return identity_untouched(found, &step->before) && identity_same_content(found, &step->before);
}

static int preflight_step(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        struct file_identity found = {0};
        bool exists = false;
        if (step->op == STEP_VERIFY)
                return 0;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = ground_look(&ground, ground.name, &exists, &found, ret_error);
        if (result < 0) {
                error_add(ret_error, "%s is not as planned", step->path);
                return result == ERR_NOT_FOUND ? ERR_CHANGED : result;
        }
        if (step->op == STEP_CREATE_FILE)
                return exists ? error_set(ret_error, ERR_CHANGED, 0,
                                          "%s stands there again since the plan was made; plan again", step->path)
                              : may_write(&ground, step, ret_error);
        if (!exists || !step_is_untouched(run, step, &found))
                return error_set(ret_error, ERR_CHANGED, 0, "%s %s since the plan was made; plan again", step->path,
                                 exists ? "was changed" : "is gone");
        if ((step->op == STEP_QUARANTINE || step->op == STEP_DELETE_ARTIFACT) && found.links > 1)
                return error_set(ret_error, ERR_CHANGED, 0, "%s has a second name somewhere since the plan was made",
                                 step->path);
        step->before = found; /* what undo brings back: the same bytes, and whatever mode and times they have by now */
        result = may_write(&ground, step, ret_error);
        uint64_t room = step->op == STEP_REPLACE_FILE ? 2 * step->before.size + ROOM_SPARE : 0;
        return result == 0 ? has_room(ground.fd, room, step->path, ret_error) : result;
}

static bool bytecode_is_planned(const struct plan_option *option, const char *path)
{
        for (size_t i = 0; i < option->n_steps; i++)
                if (option->steps[i].op == STEP_REMOVE_BYTECODE && strcmp(option->steps[i].path, path) == 0)
                        return true;
        return false;
}

/* Bytecode in __pycache__ that was made since would outlive its source. */
static int preflight_bytecode(struct repair_run *run, const struct step *step, struct error *ret_error)
{
        struct strings paths = {0};
        if (step->op != STEP_REPLACE_FILE && step->op != STEP_CREATE_FILE)
                return 0;
        int result = bytecode_of_module(run->root, step->path, run->arena, &paths, ret_error);
        for (size_t i = 0; i < paths.count && result == 0; i++)
                if (strstr(paths.items[i], "/__pycache__/") != NULL &&
                    !bytecode_is_planned(run->option, paths.items[i]))
                        result = error_set(ret_error, ERR_CHANGED, 0,
                                           "%s was compiled since the plan was made; plan again", paths.items[i]);
        return result;
}

/* A writer that still runs would go on writing into the quarantine. */
static int preflight_holders(struct repair_run *run, struct error *ret_error)
{
        size_t count = 0;
        struct artifact *artifacts = arena_new_array(run->arena, struct artifact, run->option->n_steps);
        AUTO_FREE struct artifact **pointers = heap_alloc((run->option->n_steps + 1) * sizeof *pointers);
        for (size_t i = 0; i < run->option->n_steps; i++) {
                const struct step *step = &run->option->steps[i];
                if (step->op != STEP_QUARANTINE && step->op != STEP_DELETE_ARTIFACT)
                        continue;
                artifacts[count] = (struct artifact){.path = step->path, .found = step->before};
                pointers[count] = &artifacts[count];
                count++;
        }
        artifact_holders(run->arena, pointers, count);
        for (size_t i = 0; i < count; i++)
                if (artifacts[i].n_open_by > 0)
                        return error_set(ret_error, ERR_CHANGED, 0, "%s is held open by process %u", artifacts[i].path,
                                         artifacts[i].open_by[0]);
        return 0;
}

static int preflight_quarantine(struct repair_run *run, struct error *ret_error)
{
        AUTO_CLOSE int fd = -1;
        uint64_t bytes = ROOM_SPARE;
        if (run->quarantine[0] == '\0')
                return 0;
        int result = ground_enter(run->root, run->quarantine, &fd, ret_error);
        if (result < 0) {
                error_add(ret_error, "--quarantine");
                return result;
        }
        if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
                return error_set(ret_error, ERR_REFUSED, errno, "--quarantine %s cannot be written to",
                                 run->quarantine);
        for (size_t i = 0; i < run->option->n_steps; i++)
                if (run->option->steps[i].op == STEP_QUARANTINE)
                        bytes += run->option->steps[i].before.size;
        return has_room(fd, bytes, run->quarantine, ret_error);
}

int repair_preflight(struct repair_run *run, struct error *ret_error)
{
        for (size_t i = 0; i < run->option->n_steps; i++) {
                int result = preflight_step(run, &run->option->steps[i], ret_error);
                if (result == 0)
                        result = preflight_bytecode(run, &run->option->steps[i], ret_error);
                if (result < 0)
                        return result;
        }
        int result = preflight_holders(run, ret_error);
        return result == 0 ? preflight_quarantine(run, ret_error) : result;
}
