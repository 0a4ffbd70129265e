/* Modification times of directories. Only the plan itself may lie between the two that are compared: a time set back
 * over somebody else's change would hide it, from Python's own import caches among others. */
#include <sys/stat.h>

#include "base/cleanup.h"
#include "repair/ground.h"
#include "repair/steps.h"

static bool directory_mtime(struct repair_run *run, const char *path, int64_t *ret_mtime_ns)
{
        AUTO_CLOSE int fd = -1;
        struct stat st;
        struct file_identity identity;
        if (ground_enter(run->root, path, &fd, NULL) < 0 || fstat(fd, &st) < 0)
                return false;
        fs_identity_from_stat(&st, &identity);
        *ret_mtime_ns = identity.mtime_ns;
        return true;
}

static bool is_listed(const struct directory_time *items, size_t count, const char *path)
{
        for (size_t i = 0; i < count; i++)
                if (strcmp(items[i].path, path) == 0)
                        return true;
        return false;
}

int directories_note_before(struct repair_run *run, struct error *ret_error)
{
        AUTO_FREE struct directory_time *items = heap_alloc((run->option->n_steps + 1) * sizeof *items);
        size_t count = 0;
        for (size_t i = 0; i < run->option->n_steps; i++) {
                const char *slash = strrchr(run->option->steps[i].path, '/');
                if (slash == NULL)
                        continue;
                const char *start = run->option->steps[i].path;
                const char *path = slash == start ? "/" : arena_strndup(run->arena, start, (size_t)(slash - start));
                struct directory_time item = {.path = path, .after_ns = INT64_MIN};
                if (!is_listed(items, count, path) && directory_mtime(run, path, &item.before_ns))
                        items[count++] = item;
        }
        return journal_save_directories(run->journal, run->plan, items, count, ret_error);
}

int directories_note_after(struct repair_run *run, struct error *ret_error)
{
        struct directory_time *items = NULL;
        size_t count = 0, kept = 0;
        int result = journal_load_directories(run->journal, run->plan, run->arena, &items, &count, ret_error);
        if (result < 0)
                return result;
        for (size_t i = 0; i < count; i++)
                if (directory_mtime(run, items[i].path, &items[i].after_ns))
                        items[kept++] = items[i];
        return journal_save_directories(run->journal, run->plan, items, kept, ret_error);
}

/* Something that was in it is gone for good: it will not be as it was. */
static bool loses_a_file(const struct repair_run *run, const char *path)
{
        size_t length = strlen(path);
        for (size_t i = 0; i < run->option->n_steps; i++) {
                const struct step *step = &run->option->steps[i];
                if ((!step->reversible || step->purged) && strncmp(step->path, path, length) == 0 &&
                    strrchr(step->path, '/') == step->path + length)
                        return true;
        }
        return false;
}

/* Forgets the directories that others have changed, so that a resumed undo knows the same ones. */
int directories_begin_undo(struct repair_run *run, struct error *ret_error)
{
        struct directory_time *items = NULL;
        size_t count = 0, kept = 0;
        int result = journal_load_directories(run->journal, run->plan, run->arena, &items, &count, ret_error);
        if (result < 0)
                return result;
        for (size_t i = 0; i < count; i++) {
                int64_t now = 0;
                if (items[i].after_ns != INT64_MIN && !loses_a_file(run, items[i].path) &&
                    directory_mtime(run, items[i].path, &now) && now == items[i].after_ns)
                        items[kept++] = items[i];
        }
        return journal_save_directories(run->journal, run->plan, items, kept, ret_error);
}

/* What cannot be set back is no reason to call the undo unfinished. */
void directories_end_undo(struct repair_run *run)
{
        struct directory_time *items = NULL;
        size_t count = 0;
        if (journal_load_directories(run->journal, run->plan, run->arena, &items, &count, NULL) < 0)
                return;
        for (size_t i = 0; i < count; i++) {
                AUTO_CLOSE int fd = -1;
                if (ground_enter(run->root, items[i].path, &fd, NULL) == 0)
                        write_set_mtime(fd, items[i].before_ns, NULL);
        }
}
