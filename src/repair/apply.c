/* Carrying a plan out: everything that an undo needs becomes durable, then each step between its intent and its done
 * row. The done row of a step and the intent of the next are one transaction. */
#include <errno.h>
#include <time.h>

#include "base/cleanup.h"
#include "fs/identify.h"
#include "repair/kinds.h"
#include "repair/steps.h"

void step_mark(struct step *step, enum step_state state, const char *message)
{
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        step->state = state;
        step->when_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
        step->user = getuid();
        step->message = message;
}

bool steps_stopped(const struct repair_run *run)
{
        return run->stop != NULL && atomic_load(run->stop);
}

int steps_record_all(struct repair_run *run, struct error *ret_error)
{
        AUTO_FREE struct step **steps = heap_alloc((run->option->n_steps + 1) * sizeof(struct step *));
        for (size_t i = 0; i < run->option->n_steps; i++)
                steps[i] = &run->option->steps[i];
        return journal_record(run->journal, run->plan, steps, run->option->n_steps, ret_error);
}

/* The file as it is now, for the undo: bytes into the journal, attributes for the transaction that follows. */
static int keep_old(struct repair_run *run, struct step *step, struct xattrs *ret_xattrs, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        AUTO_CLOSE int fd = -1;
        struct file_identity found;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = fs_open_regular(ground.fd, ground.name, &fd, &found, ret_error);
        if (result == 0)
                result = fs_identify(fd, &found, ret_error);
        if (result == 0 && !identity_same_content(&found, &step->before))
                result = error_set(ret_error, ERR_CHANGED, 0, "%s was changed since the plan was made; plan again",
                                   step->path);
        if (result == 0)
                result = xattrs_read(fd, run->arena, ret_xattrs, ret_error);
        if (result == 0)
                result = journal_store_file(run->journal, fd, &found.digest, ret_error);
        if (result == 0)
                step->before = found;
        else
                error_add(ret_error, "keeping the old bytes of %s", step->path);
        return result;
}

static int keep_all(struct repair_run *run, struct xattrs *xattrs, struct error *ret_error)
{
        int result = 0;
        for (size_t i = 0; i < run->option->n_steps && result == 0; i++)
                if (step_kind_of(run->option->steps[i].op)->keeps_old)
                        result = keep_old(run, &run->option->steps[i], &xattrs[i], ret_error);
        return result == 0 ? journal_sync_objects(run->journal, ret_error) : result;
}

static int record_begin(struct repair_run *run, const struct xattrs *xattrs, struct error *ret_error)
{
        int result = journal_begin(run->journal, ret_error);
        if (result == 0)
                result = steps_record_all(run, ret_error);
        for (size_t i = 0; i < run->option->n_steps && result == 0; i++)
                result = journal_save_xattrs(run->journal, run->plan, run->option->steps[i].number, &xattrs[i],
                                             ret_error);
        if (result == 0)
                result = directories_note_before(run, ret_error);
        if (result == 0)
                result = journal_commit(run->journal, ret_error);
        journal_rollback(run->journal);
        return result;
}

int repair_begin(struct repair_run *run, bool delete_artifacts, struct error *ret_error)
{
        char token[2 * TOKEN_HALF + 1];
        struct xattrs *xattrs = arena_new_array(run->arena, struct xattrs, run->option->n_steps);
        int result = write_random_name(token, 2 * TOKEN_HALF, ret_error);
        if (result == 0)
                result = keep_all(run, xattrs, ret_error);
        if (result < 0)
                return result;
        run->plan->token = arena_strdup(run->arena, token);
        run->plan->state = "applying";
        for (size_t i = 0; i < run->option->n_steps; i++) {
                struct step *step = &run->option->steps[i];
                step_mark(step, STATE_TODO, "");
                step->purged = false;
                if (step->op == STEP_QUARANTINE && delete_artifacts) {
                        step->op = STEP_DELETE_ARTIFACT;
                        step->reversible = false;
                } else if (step->op == STEP_DELETE_ARTIFACT && !delete_artifacts) {
                        step->op = STEP_QUARANTINE;
                        step->reversible = true;
                }
        }
        quarantine_assign(run);
        return record_begin(run, xattrs, ret_error);
}

/* After a failed act: what it left is cleared, and the row says what is so. The step is over (failed) when it is
 * certain that it changed nothing, else it waits to be settled (doing). */
static void step_fail(struct repair_run *run, struct step *step, int result, const struct error *error)
{
        enum place place = PLACE_OTHER;
        const struct step_kind *kind = step_kind_of(step->op);
        bool clear = kind->settle(run, step, NULL) == 0 && kind->look(run, step, &place, NULL) == 0;
        bool untouched = (clear && place == PLACE_BEFORE) || result == ERR_CHANGED;
        step_mark(step, untouched ? STATE_FAILED : STATE_DOING, arena_strdup(run->arena, error->text));
}

static bool anything_done(const struct repair_run *run)
{
        for (size_t i = 0; i < run->option->n_steps; i++)
                if (run->option->steps[i].op != STEP_VERIFY &&
                    (run->option->steps[i].state == STATE_DONE || run->option->steps[i].state == STATE_DOING))
                        return true;
        return false;
}

/* The journal learns how it ended, if it can; what it then lacks is settled by looking at the files. */
static int apply_end(struct repair_run *run, int result, struct error *ret_error)
{
        if (!anything_done(run)) {
                run->plan->state = "planned";
                steps_record_all(run, NULL);
                error_add(ret_error, "nothing was changed");
                return result == ERR_CHANGED ? ERR_CHANGED : ERR_REFUSED;
        }
        steps_record_all(run, NULL);
        error_add(ret_error, "stopped part-way");
        return ERR_PARTWAY;
}

static int step_run(struct repair_run *run, struct step *step, struct error *ret_error)
{
        int result = step_kind_of(step->op)->act(run, step, ret_error);
        if (result == 0) {
                step_mark(step, STATE_DONE, "");
                return 0;
        }
        step_fail(run, step, result, ret_error);
        return result;
}

/* What is to be done with the step, its leftovers cleared when it was interrupted. */
static int step_decide(struct repair_run *run, struct step *step, enum decision *ret_decision, struct error *ret_error)
{
        const struct step_kind *kind = step_kind_of(step->op);
        enum place place = PLACE_BEFORE;
        int result = 0;
        /* A step that nothing has happened to yet looks for itself when it acts. */
        if (step->state == STATE_DOING || step->state == STATE_FAILED) {
                result = kind->settle(run, step, ret_error);
                if (result == 0)
                        result = kind->look(run, step, &place, ret_error);
        }
        if (result < 0) {
                error_add(ret_error, "%s cannot be told to be as before or as the plan leaves it", step->path);
                return result;
        }
        *ret_decision = recover_decide(DIRECTION_APPLY, step->state, place, kind->cache);
        if (*ret_decision == DECISION_CONFLICT)
                return error_set(ret_error, ERR_CHANGED, 0,
                                 "%s is neither as it was before nor as the plan leaves it: somebody changed it",
                                 step->path);
        return 0;
}

static int record_end(struct repair_run *run, struct step *const *changed, size_t n_changed, struct error *ret_error)
{
        run->plan->state = "applied";
        int result = journal_begin(run->journal, ret_error);
        if (result == 0)
                result = journal_record(run->journal, run->plan, changed, n_changed, ret_error);
        if (result == 0)
                result = directories_note_after(run, ret_error);
        if (result == 0)
                result = journal_commit(run->journal, ret_error);
        journal_rollback(run->journal);
        return result;
}

static int steps_apply(struct repair_run *run, struct error *ret_error)
{
        struct step *changed[2];
        size_t n_changed = 0;
        for (size_t i = 0; i < run->option->n_steps; i++) {
                struct step *step = &run->option->steps[i];
                enum decision decision = DECISION_SKIP;
                if (steps_stopped(run))
                        return error_set(ret_error, ERR_INTERRUPTED, 0, "interrupted before step %u", step->number);
                int result = step_decide(run, step, &decision, ret_error);
                if (result < 0)
                        return result;
                if (decision == DECISION_SKIP)
                        continue;
                enum step_state old = step->state;
                step_mark(step, decision == DECISION_MARK ? STATE_DONE : STATE_DOING, "");
                changed[n_changed++] = step;
                result = journal_record(run->journal, run->plan, changed, n_changed, ret_error);
                if (result < 0) {
                        step->state = old;
                        return result;
                }
                n_changed = 0;
                if (decision == DECISION_MARK)
                        continue;
                result = step_run(run, step, ret_error);
                if (result < 0)
                        return result;
                changed[n_changed++] = step;
        }
        return record_end(run, changed, n_changed, ret_error);
}

int repair_apply(struct repair_run *run, struct error *ret_error)
{
        struct error error = {0};
        int result = steps_apply(run, &error);
        if (result == 0)
                return 0;
        run->plan->state = "applying";
        result = apply_end(run, result, &error);
        error.code = result;
        if (ret_error != NULL)
                *ret_error = error;
        return result;
}
