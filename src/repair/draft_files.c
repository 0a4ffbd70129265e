/* Steps for code: bytes put back, and the bytecode that was compiled from what stood there. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "fs/identify.h"
#include "observe/bytecode.h"
#include "repair/draft.h"
#include "repair/ground.h"

enum { SOURCE_MAX = 64 << 20, RECORD_MAX = 256 << 20 };

/* The current bytes, still those that the check saw. */
static int read_current(struct draft *draft, const struct finding *finding, struct file_identity *ret_identity,
                        struct bytes *ret_bytes, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct bytes bytes;
        int result = ground_open(draft->input->root, finding->path, &ground, ret_error);
        if (result == 0)
                result = fs_open_regular(ground.fd, ground.name, &fd, &identity, ret_error);
        if (result == 0)
                result = fs_identify(fd, &identity, ret_error);
        if (result == 0)
                result = fs_read_whole(fd, SOURCE_MAX, &bytes, ret_error);
        if (result < 0)
                return result;
        *ret_bytes = (struct bytes){arena_copy(draft->arena, bytes.data, bytes.size), bytes.size};
        free((void *)bytes.data);
        hash_bytes(*ret_bytes, &identity.digest);
        if (!digest_equal(&identity.digest, &finding->found.digest))
                return error_set(ret_error, ERR_CHANGED, 0, "it changed since the check");
        *ret_identity = identity;
        return 0;
}

/* Whether RECORD has a row for the path; when in doubt, yes. */
static bool record_lists(struct draft *draft, const struct finding *finding, const char *path)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct bytes record;
        if (finding->distribution == NULL)
                return true;
        const char *name =
                arena_printf(draft->arena, "%s/%s/RECORD", finding->environment->path, finding->distribution->info);
        if (ground_open(draft->input->root, name, &ground, NULL) < 0 ||
            fs_open_regular(ground.fd, ground.name, &fd, &identity, NULL) < 0 ||
            fs_read_whole(fd, RECORD_MAX, &record, NULL) < 0)
                return true;
        const char *file = strrchr(path, '/') + 1;
        bool listed = memmem(record.data, record.size, file, strlen(file)) != NULL;
        free((void *)record.data);
        return listed;
}

static void remove_bytecode(struct draft *draft, const struct finding *finding, const char *path)
{
        struct file_identity identity;
        struct error error = {0};
        bool cached = strstr(path, "/__pycache__/") != NULL;
        if (draft_has_path(draft, path) || (!cached && record_lists(draft, finding, path)))
                return;
        if (draft_identify(draft, path, &identity, &error) < 0) {
                string_list_add(&draft->left,
                                arena_printf(draft->arena, "%s: bytecode that stays: %s", path, error.text));
                return;
        }
        struct step *step =
                draft_add_step(draft, STEP_REMOVE_BYTECODE, path, finding->environment->path, finding, &identity);
        step->reversible = true;
}

static void remove_all_bytecode(struct draft *draft, const struct finding *finding)
{
        struct strings paths = {0};
        struct error error = {0};
        if (bytecode_of_module(draft->input->root, finding->path, draft->arena, &paths, &error) < 0)
                string_list_add(&draft->left, arena_printf(draft->arena, "%s: %s", finding->path, error.text));
        for (size_t i = 0; i < paths.count; i++)
                remove_bytecode(draft, finding, paths.items[i]);
}

static void add_risks(struct draft *draft, const struct finding *finding, const struct file_identity *before)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        struct stat st;
        if (before->links > 1)
                string_list_add(&draft->risks,
                                arena_printf(draft->arena,
                                             "%s has %llu more name(s) elsewhere (hard links, e.g. of an installer's "
                                             "cache or another environment): those keep the edited bytes",
                                             finding->path, (unsigned long long)before->links - 1));
        if (ground_open(draft->input->root, finding->path, &ground, NULL) == 0 && fstat(ground.fd, &st) == 0 &&
            (st.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH)
                string_list_add(&draft->risks,
                                arena_printf(draft->arena,
                                             "anybody can write to the directory of %s and change it again",
                                             finding->path));
}

static void add_globs(struct draft *draft, const struct finding *finding)
{
        for (size_t i = 0; i < finding->hunks.count; i++) {
                const struct hunk *hunk = &finding->hunks.items[i];
                for (size_t j = 0; j < hunk->writes.count && !hunk_stays(hunk); j++)
                        string_list_add(&draft->globs, hunk->writes.items[j]);
        }
}

static void replace(struct draft *draft, const struct finding *finding, const struct file_identity *before,
                    struct bytes content, enum proof proof)
{
        struct step *step =
                draft_add_step(draft, STEP_REPLACE_FILE, finding->path, finding->environment->path, finding, before);
        hash_bytes(content, &step->after);
        step->has_after = true;
        step->reversible = true;
        heap_reserve(draft->contents, draft->n_contents, draft->contents_capacity);
        draft->contents[draft->n_contents++] = content;
        draft->files++;
        draft->proof = proof < draft->proof ? proof : draft->proof;
        add_risks(draft, finding, before);
        add_globs(draft, finding);
        remove_all_bytecode(draft, finding);
}

static size_t count_staying(const struct hunks *hunks)
{
        size_t count = 0;
        for (size_t i = 0; i < hunks->count; i++)
                count += hunk_stays(&hunks->items[i]);
        return count;
}

static bool draft_partial(struct draft *draft, const struct finding *finding, const struct file_identity *before,
                          struct bytes current, size_t staying)
{
        const struct repair_input *input = draft->input;
        struct bytes content = compose_partial(finding, current, draft->arena);
        bool python = bytes_end_with(bytes_of(finding->path), ".py");
        if (python && !input->parses(input->parses_context, content)) {
                draft_leave(draft, finding,
                            "what the hunks to keep would leave is no whole Python program; keep or remove others with "
                            "them");
                return false;
        }
        replace(draft, finding, before, content, python ? PROOF_SYNTAX : PROOF_NONE);
        string_list_add(&draft->risks,
                        arena_printf(draft->arena,
                                     "%s keeps %zu of its %zu changes: what is left is checked for syntax only, not "
                                     "proven by RECORD",
                                     finding->path, staying, finding->hunks.count));
        return true;
}

static bool draft_modified(struct draft *draft, const struct finding *finding)
{
        struct file_identity before;
        struct bytes current;
        struct error error = {0};
        if (!finding->origin.proven) {
                draft_leave(draft, finding,
                            arena_printf(draft->arena, "its original bytes were not found%s%s",
                                         finding->origin.note != NULL && finding->origin.note[0] != '\0' ? ": " : "",
                                         finding->origin.note != NULL ? finding->origin.note : ""));
                return false;
        }
        if (!draft->restores && finding->origin.source != ORIGIN_RECORD_ORACLE) {
                draft_leave(draft, finding,
                            arena_printf(draft->arena,
                                         "no removal of lines gives its original back; the option restore does (%s)",
                                         finding->origin.note));
                return false;
        }
        size_t staying = count_staying(&finding->hunks);
        if (staying > 0 && staying == finding->hunks.count) {
                draft_leave(draft, finding, "every change in it is to be kept");
                return false;
        }
        if (read_current(draft, finding, &before, &current, &error) < 0) {
                draft_leave(draft, finding, arena_strdup(draft->arena, error.text));
                return false;
        }
        if (staying > 0)
                return draft_partial(draft, finding, &before, current, staying);
        replace(draft, finding, &before, finding->origin.original, PROOF_RECORD);
        return true;
}

/* Whose a new file is: its directory's; usable as installers leave files. False where the directory is gone as well. */
static bool identity_of_new(struct draft *draft, const char *path, struct file_identity *ret_identity)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        struct stat st;
        bool exists = true;
        struct file_identity found;
        if (ground_open(draft->input->root, path, &ground, NULL) < 0 || fstat(ground.fd, &st) < 0 ||
            ground_look(&ground, ground.name, &exists, &found, NULL) < 0 || exists)
                return false;
        mode_t mode = (st.st_mode & 0111) & (strstr(path, "/bin/") != NULL ? 0111 : 0);
        *ret_identity = (struct file_identity){
                .mode = S_IFREG | 0644 | mode, .uid = st.st_uid, .gid = st.st_gid, .mtime_ns = 0};
        return true;
}

static bool draft_missing(struct draft *draft, const struct finding *finding)
{
        struct file_identity before;
        if (!finding->origin.proven || !draft->restores) {
                draft_leave(draft, finding,
                            finding->origin.proven
                                    ? arena_printf(draft->arena, "the option restore puts it back (%s)",
                                                   finding->origin.note)
                                    : "no archive that was looked into holds its bytes; reinstall the distribution");
                return false;
        }
        if (!identity_of_new(draft, finding->path, &before)) {
                draft_leave(draft, finding, "its directory is gone as well; reinstall the distribution");
                return false;
        }
        struct step *step =
                draft_add_step(draft, STEP_CREATE_FILE, finding->path, finding->environment->path, finding, &before);
        hash_bytes(finding->origin.original, &step->after);
        step->has_after = true;
        step->reversible = true;
        heap_reserve(draft->contents, draft->n_contents, draft->contents_capacity);
        draft->contents[draft->n_contents++] = finding->origin.original;
        draft->files++;
        remove_all_bytecode(draft, finding);
        return true;
}

/* Bytecode that is not its source's: Python compiles it anew. */
static bool draft_stale(struct draft *draft, const struct finding *finding)
{
        struct file_identity identity;
        struct error error = {0};
        if (draft_has_path(draft, finding->path))
                return true;
        if (draft_identify(draft, finding->path, &identity, &error) < 0) {
                draft_leave(draft, finding, arena_strdup(draft->arena, error.text));
                return false;
        }
        draft_add_step(draft, STEP_REMOVE_BYTECODE, finding->path, finding->environment->path, finding, &identity)
                ->reversible = true;
        return true;
}

static const struct {
        const char *rule, *why;
} reasons[] = {
        {"file-clobbered", "another distribution's copy stands there: decide which of the two should own it"},
        {"file-unreadable", "it could not be read"},
        {"upstream-record-wrong", "it differs from RECORD but seems to be so from birth; nothing proves otherwise"},
        {"unowned-module",
         "no distribution owns it, so nothing says what should be there; remove or accept it by hand"},
        {"startup-hook", "no distribution owns it, so nothing says what should be there; remove or accept it by hand"},
        {"distribution-partial", "reinstall the distribution"},
        {"distribution-duplicate", "reinstall the distribution"},
};

bool draft_file(struct draft *draft, const struct finding *finding)
{
        if (strcmp(finding->rule, "file-missing") == 0)
                return draft_missing(draft, finding);
        bool proven = finding->origin.proven && finding->exists && finding->found.has_digest;
        if (strcmp(finding->rule, "file-modified") == 0 || proven)
                return draft_modified(draft, finding);
        if (strcmp(finding->rule, "stale-bytecode") == 0 && finding->exists && finding->environment != NULL)
                return draft_stale(draft, finding);
        const char *why = "the surgical option has no step for this rule";
        for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
                if (strcmp(finding->rule, reasons[i].rule) == 0)
                        why = reasons[i].why;
        draft_leave(draft, finding, why);
        return false;
}
