/* Step quarantine: an artifact leaves for a directory that only we may enter, made for this plan under a name that
 * nobody could guess before, with a manifest of what came from where. On the artifact's own file system it is a rename;
 * elsewhere (--quarantine) a copy that is compared before the artifact goes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "fs/hash.h"
#include "fs/identify.h"
#include "repair/kinds.h"

static const char *directory_of(struct arena *arena, const char *path)
{
        const char *slash = strrchr(path, '/');
        return slash == path ? "/" : arena_strndup(arena, path, (size_t)(slash - path));
}

static const char *name_of(const char *path)
{
        return strrchr(path, '/') + 1;
}

static bool target_is_taken(const struct repair_run *run, size_t n_steps, const char *target)
{
        for (size_t i = 0; i < n_steps; i++)
                if (strcmp(run->option->steps[i].target, target) == 0)
                        return true;
        return false;
}

void quarantine_assign(struct repair_run *run)
{
        for (size_t i = 0; i < run->option->n_steps; i++) {
                struct step *step = &run->option->steps[i];
                step->target = "";
                if (step->op != STEP_QUARANTINE)
                        continue;
                const char *where = run->quarantine[0] != '\0' ? run->quarantine : directory_of(run->arena, step->path);
                const char *directory =
                        arena_printf(run->arena, "%s/.pristine-quarantine-%s-%.*s",
                                     strcmp(where, "/") == 0 ? "" : where, run->plan->id, TOKEN_HALF, run->plan->token);
                step->target = "";
                const char *target = arena_printf(run->arena, "%s/%s", directory, name_of(step->path));
                if (target_is_taken(run, i, target))
                        target = arena_printf(run->arena, "%s/%u-%.200s", directory, step->number, name_of(step->path));
                step->target = target;
        }
}

/* Opens the quarantine directory of a step. */
static int quarantine_open(struct repair_run *run, const struct step *step, struct ground *ret_parent, int *ret_fd,
                           struct error *ret_error)
{
        CLEANUP(ground_close) struct ground parent = GROUND_INIT;
        const char *directory = directory_of(run->arena, step->target);
        int result = ground_open(run->root, directory, &parent, ret_error);
        if (result == 0)
                result = write_open_own_directory(parent.fd, parent.name, ret_fd, ret_error);
        if (result < 0)
                return result;
        *ret_parent = parent;
        parent = GROUND_INIT;
        return 0;
}

static const char *manifest_name(const struct repair_run *run)
{
        return arena_printf(run->arena, "manifest-%.*s.json", TOKEN_HALF, run->plan->token);
}

static json_t *manifest_entry(const struct step *step)
{
        char hex[DIGEST_HEX_SIZE];
        digest_to_hex(&step->before.digest, hex);
        const struct file_identity *before = &step->before;
        return json_pack("{s:s, s:o, s:I, s:s, s:I, s:I, s:i, s:i, s:i, s:o}", "name", "", "path",
                         json_from_path(step->path), "bytes", (json_int_t)before->size, "sha256", hex, "device",
                         (json_int_t)before->device, "inode", (json_int_t)before->inode, "mode", (int)before->mode,
                         "uid", (int)before->uid, "gid", (int)before->gid, "modified",
                         json_from_time(before->mtime_ns));
}

/* Everything of the plan that goes into the same directory. */
static char *manifest_text(const struct repair_run *run, const struct step *step)
{
        const char *directory = directory_of(run->arena, step->target);
        json_t *manifest =
                json_pack("{s:s, s:s, s:[]}", "schema", "pristine.quarantine/1", "plan", run->plan->id, "files");
        for (size_t i = 0; i < run->option->n_steps; i++) {
                const struct step *other = &run->option->steps[i];
                if (other->target[0] == '\0' || strcmp(directory_of(run->arena, other->target), directory) != 0)
                        continue;
                json_t *entry = manifest_entry(other);
                json_object_set_new(entry, "name", json_from_path(name_of(other->target)));
                json_array_append_new(json_object_get(manifest, "files"), entry);
        }
        char *text = json_dumps(manifest, JSON_INDENT(1));
        json_decref(manifest);
        return text;
}

/* One that a crash cut short is written again. */
static int manifest_write(struct repair_run *run, const struct step *step, int directory_fd, struct error *ret_error)
{
        AUTO_FREE char *text = manifest_text(run, step);
        struct ground place = {.fd = directory_fd, .name = manifest_name(run)};
        struct file_identity found;
        struct digest digest;
        bool exists = false;
        struct bytes bytes = bytes_of(text);
        hash_bytes(bytes, &digest);
        int result = ground_look(&place, place.name, &exists, &found, ret_error);
        if (result < 0 || (exists && digest_equal(&found.digest, &digest)))
                return result;
        if (exists)
                result = write_unlink(directory_fd, place.name, ret_error);
        struct write_source source = {.fd = -1, .bytes = bytes};
        struct write_metadata metadata = {.mode = 0600, .uid = geteuid(), .gid = getegid()};
        return result == 0 ? write_new_file(directory_fd, place.name, &source, &metadata, ret_error) : result;
}

static int quarantine_make(struct repair_run *run, const struct step *step, int *ret_fd, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground parent = GROUND_INIT;
        AUTO_CLOSE int fd = -1;
        const char *directory = directory_of(run->arena, step->target);
        int result = ground_open(run->root, directory, &parent, ret_error);
        if (result == 0)
                result = write_open_own_directory(parent.fd, parent.name, &fd, ret_error);
        if (result == ERR_NOT_FOUND && parent.fd >= 0)
                result = write_make_directory(parent.fd, parent.name, &fd, ret_error);
        if (result == 0)
                result = manifest_write(run, step, fd, ret_error);
        if (result < 0)
                return result;
        *ret_fd = steal_fd(&fd);
        return 0;
}

bool quarantine_holds(struct repair_run *run, const struct step *step)
{
        CLEANUP(ground_close) struct ground parent = GROUND_INIT;
        AUTO_CLOSE int fd = -1;
        struct stat st;
        struct file_identity found;
        if (step->target[0] == '\0' || quarantine_open(run, step, &parent, &fd, NULL) < 0 ||
            fstatat(fd, name_of(step->target), &st, AT_SYMLINK_NOFOLLOW) < 0)
                return false;
        fs_identity_from_stat(&st, &found);
        return S_ISREG(st.st_mode) && found.size == step->before.size && found.mtime_ns == step->before.mtime_ns;
}

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
        if (exists)
                *ret_place = step_is_before(step, &found) ? PLACE_BEFORE : PLACE_OTHER;
        else
                *ret_place = step->purged || quarantine_holds(run, step) ? PLACE_AFTER : PLACE_OTHER;
        return 0;
}

/* Removes the plan's directory once nothing but the manifest is in it. */
static int quarantine_tidy(struct repair_run *run, const struct ground *parent, int directory_fd,
                           struct error *ret_error)
{
        const char *manifest = manifest_name(run);
        int listed = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        AUTO_CLOSEDIR DIR *entries = listed >= 0 ? fdopendir(listed) : NULL;
        if (entries == NULL)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot list the quarantine %s", parent->name);
        for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
                if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                    strcmp(entry->d_name, manifest) != 0)
                        return 0;
        int result = write_unlink(directory_fd, manifest, ret_error);
        return result == 0 ? write_remove_directory(parent->fd, parent->name, ret_error) : result;
}

int quarantine_forget(struct repair_run *run, const struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground parent = GROUND_INIT;
        AUTO_CLOSE int fd = -1;
        int result = step->target[0] != '\0' ? quarantine_open(run, step, &parent, &fd, ret_error) : ERR_NOT_FOUND;
        if (result == ERR_NOT_FOUND)
                return 0;
        if (result == 0)
                result = write_unlink(fd, name_of(step->target), ret_error);
        return result == 0 ? quarantine_tidy(run, &parent, fd, ret_error) : result;
}

/* An artifact that is still in its place needs no copy: what there is of one was cut short. */
static int settle(struct repair_run *run, const struct step *step, struct error *ret_error)
{
        enum place place = PLACE_OTHER;
        int result = step_settle_aside(run, step, ret_error);
        if (result == 0)
                result = look(run, step, &place, ret_error);
        return result == 0 && place == PLACE_BEFORE ? quarantine_forget(run, step, ret_error) : result;
}

static int leave_by_copy(struct repair_run *run, const struct step *step, const struct ground *ground, int directory_fd,
                         struct error *ret_error)
{
        struct ground copy = {.fd = directory_fd, .name = name_of(step->target)};
        struct file_identity found;
        bool exists = false;
        int result = step_copy_file(run, step, ground, directory_fd, copy.name, ret_error);
        if (result == 0)
                result = write_sync_directory(directory_fd, ret_error);
        if (result == 0)
                result = ground_look(&copy, copy.name, &exists, &found, ret_error);
        if (result < 0)
                return result;
        if (!exists || !identity_same_content(&found, &step->before))
                return error_set(ret_error, ERR_CHANGED, 0, "the copy of %s is not what was copied", step->path);
        return write_remove(ground->fd, ground->name, step_temporary(run, step), &step->before, ret_error);
}

static int act(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        AUTO_CLOSE int fd = -1;
        struct stat here, there;
        struct file_identity found;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result < 0)
                return result;
        if (fstatat(ground.fd, ground.name, &here, AT_SYMLINK_NOFOLLOW) < 0)
                return error_set(ret_error, ERR_CHANGED, errno, "%s", step->path);
        fs_identity_from_stat(&here, &found);
        if (!S_ISREG(here.st_mode) || !identity_untouched(&found, &step->before))
                return error_set(ret_error, ERR_CHANGED, 0, "%s was changed by somebody else", step->path);
        result = quarantine_make(run, step, &fd, ret_error);
        if (result < 0)
                return result;
        if (fstat(fd, &there) == 0 && there.st_dev == here.st_dev)
                return write_move(ground.fd, ground.name, fd, name_of(step->target), &step->before, ret_error);
        return leave_by_copy(run, step, &ground, fd, ret_error);
}

static int return_by_copy(struct repair_run *run, struct step *step, const struct ground *ground,
                          const struct ground *copy, struct error *ret_error)
{
        const char *temporary = step_temporary(run, step);
        int result = step_copy_file(run, step, copy, ground->fd, temporary, ret_error);
        if (result == 0)
                result = write_place(ground->fd, temporary, ground->name, ret_error);
        if (result < 0)
                return result;
        return write_unlink(copy->fd, copy->name, ret_error);
}

static int undo(struct repair_run *run, struct step *step, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        CLEANUP(ground_close) struct ground parent = GROUND_INIT;
        AUTO_CLOSE int fd = -1;
        struct file_identity found;
        bool exists = false;
        int result = ground_open(run->root, step->path, &ground, ret_error);
        if (result == 0)
                result = quarantine_open(run, step, &parent, &fd, ret_error);
        if (result < 0)
                return result;
        struct ground copy = {.fd = fd, .name = name_of(step->target)};
        result = ground_look(&copy, copy.name, &exists, &found, ret_error);
        if (result < 0)
                return result;
        if (!exists || !identity_same_content(&found, &step->before))
                return error_set(ret_error, ERR_CHANGED, 0, "%s in the quarantine is not what was put there",
                                 step->target);
        struct stat here;
        if (fstat(ground.fd, &here) == 0 && here.st_dev == found.device)
                result = write_move(fd, copy.name, ground.fd, ground.name, &found, ret_error);
        else
                result = return_by_copy(run, step, &ground, &copy, ret_error);
        return result == 0 ? quarantine_tidy(run, &parent, fd, ret_error) : result;
}

const struct step_kind kind_quarantine = {
        .op = STEP_QUARANTINE,
        .look = look,
        .settle = settle,
        .act = act,
        .undo = undo,
};
