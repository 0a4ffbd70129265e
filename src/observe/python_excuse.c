#include "observe/python_excuse.h"

#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "observe/python_bundle.h"
#include "observe/python_launcher.h"
#include "observe/python_module.h"

enum {
        EXCUSE_BYTES_MAX = 4 << 20, /* the largest bundle seen is under 1 MiB, scripts are smaller */
        ENTRY_POINTS_BYTES_MAX = 1 << 20,
        NAMESPACE_STUB_MAX = 1024,
};

/* File systems and archives keep whole seconds, some only even ones: this much later is not yet "newer". */
static const int64_t RECORD_SLACK_NS = 2000000000;

/* One fact on trial, its bytes read when the first excuse asks. */
struct excuse_case {
        struct python_excuses *excuses;
        struct file_fact *fact;
        struct bytes path;
        bool asked, readable;
        struct bytes bytes;
};

void python_excuses_open(const struct root *root, int prefix_fd, const struct environment *environment,
                         struct arena *arena, struct python_excuses *ret_excuses)
{
        *ret_excuses = (struct python_excuses){
                .root = root,
                .prefix_fd = prefix_fd,
                .environment = environment,
                .arena = arena,
                .entry_points = arena_new_array(arena, const struct entry_points *, environment->n_distributions),
        };
}

/* The directory's own name: "bin" of "bin/pip". */
static struct bytes path_directory_name(struct bytes path)
{
        return path_name(path_directory(path));
}

bool python_row_needs_no_hash(struct bytes path)
{
        static const char *const names[] = {"RECORD",    "RECORD.jws",  "RECORD.p7s",     "INSTALLER",
                                            "REQUESTED", "__pycache__", "direct_url.json"};
        struct bytes name = path_name(path);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (bytes_equal(name, bytes_of(names[i])))
                        return true;
        if (bytes_end_with(name, ".virtualenv"))
                return true;
        return bytes_end_with(name, ".pyc") && bytes_equal(path_directory_name(path), BYTES_LITERAL("__pycache__"));
}

/* Debian's own directory, which no pip writes to by itself; its RECORDs are wrong from birth or absent. */
const char *python_site_delegate(const struct site *site)
{
        return bytes_end_with(bytes_of(site->path), "lib/python3/dist-packages") ? "dpkg" : NULL;
}

const char *python_delegate(const struct environment *environment, const struct distribution *distribution)
{
        static const struct {
                const char *installer, *keeper;
        } delegates[] = {{"debian", "dpkg"}, {"dpkg", "dpkg"}, {"rpm", "rpm"}, {"conda", "conda"}};
        for (size_t i = 0; i < sizeof delegates / sizeof *delegates; i++)
                if (distribution->installer != NULL && strcmp(distribution->installer, delegates[i].installer) == 0)
                        return delegates[i].keeper;
        return python_site_delegate(&environment->sites[distribution->site]);
}

static bool read_beneath(const struct python_excuses *excuses, const char *path, size_t limit, struct bytes *ret_bytes)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct bytes bytes;
        if (fs_open_regular(excuses->prefix_fd, path, &fd, &identity, NULL) < 0 ||
            fs_read_whole(fd, limit, &bytes, NULL) < 0)
                return false;
        ret_bytes->data = arena_copy(excuses->arena, bytes.data, bytes.size);
        ret_bytes->size = bytes.size;
        free((void *)bytes.data);
        return true;
}

/* False where the file cannot be read, is too large, or is no longer what was compared. */
static bool case_read(struct excuse_case *trial)
{
        if (trial->asked)
                return trial->readable;
        const struct file_identity *found = &trial->fact->found;
        trial->asked = true;
        if (!trial->fact->exists || found->size > EXCUSE_BYTES_MAX ||
            !read_beneath(trial->excuses, trial->fact->path, EXCUSE_BYTES_MAX, &trial->bytes))
                return false;
        struct digest digest;
        hash_bytes(trial->bytes, &digest);
        trial->readable = !found->has_digest || digest_equal(&digest, &found->digest);
        return trial->readable;
}

static const struct entry_points *excuses_entry_points(struct python_excuses *excuses, uint32_t owner)
{
        if (excuses->entry_points[owner] == NULL) {
                struct entry_points *points = arena_new(excuses->arena, struct entry_points);
                struct bytes text;
                const char *path = arena_printf(excuses->arena, "%s/entry_points.txt",
                                                excuses->environment->distributions[owner].info);
                if (read_beneath(excuses, path, ENTRY_POINTS_BYTES_MAX, &text))
                        launcher_parse_entry_points(text, excuses->arena, points);
                excuses->entry_points[owner] = points;
        }
        return excuses->entry_points[owner];
}

static enum excuse_result restate(struct file_fact *fact, const char *rule, enum severity severity, const char *why)
{
        fact->rule = rule;
        fact->severity = severity;
        fact->why = why;
        return EXCUSE_RESTATED;
}

static bool wants_script(const struct excuse_case *trial)
{
        return bytes_equal(path_directory_name(trial->path), BYTES_LITERAL("bin"));
}

static enum excuse_result excuse_absent_launcher(struct excuse_case *trial)
{
        for (size_t i = 0; i < trial->fact->n_owners; i++)
                if (launcher_name_is_known(path_name(trial->path),
                                           excuses_entry_points(trial->excuses, trial->fact->owners[i])))
                        return EXCUSE_SILENT;
        return EXCUSE_NONE;
}

/* Whether the interpreter lies in the same directory as the script itself, under whatever name. */
static bool interpreter_is_beside(const struct excuse_case *trial, struct bytes interpreter)
{
        AUTO_CLOSE int theirs = -1, ours = -1;
        struct stat a, b;
        struct arena *arena = trial->excuses->arena;
        struct bytes name = path_name(interpreter);
        const char *directory = arena_strndup(arena, (const char *)interpreter.data, interpreter.size - name.size);
        const char *here = arena_strndup(arena, trial->fact->path, trial->path.size - path_name(trial->path).size);
        return root_open_directory(trial->excuses->root, directory, &theirs, NULL, NULL) == 0 &&
               fs_open_beneath(trial->excuses->prefix_fd, here, O_RDONLY | O_DIRECTORY, &ours, NULL) == 0 &&
               fstat(theirs, &a) == 0 && fstat(ours, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static enum excuse_result excuse_launcher(struct excuse_case *trial)
{
        struct bytes interpreter, body;
        if (!case_read(trial) || !launcher_split(trial->bytes, &interpreter, &body))
                return EXCUSE_NONE;
        bool known = false;
        for (size_t i = 0; i < trial->fact->n_owners && !known; i++)
                known = launcher_body_is_known(body, excuses_entry_points(trial->excuses, trial->fact->owners[i]));
        if (!known)
                return EXCUSE_NONE;
        /* A hash was taken of this launcher when it was made, so its first line was changed since: into this
         * environment when that was moved, but a stranger's Python is worth a look. */
        if (trial->fact->state == FILE_MODIFIED && interpreter.size > 0 && !interpreter_is_beside(trial, interpreter))
                return restate(trial->fact, "file-modified", SEVERITY_WARNING,
                               arena_printf(trial->excuses->arena,
                                            "a launcher that was made to start another Python: %.*s",
                                            (int)interpreter.size, interpreter.data));
        return EXCUSE_SILENT;
}

/* pip before 23 writes the interpreter's path into a script and leaves RECORD's hash as the wheel had it. */
static enum excuse_result excuse_script(struct excuse_case *trial)
{
        static const char *const originals[] = {"#!python\n",   "#!pythonw\n",   "#!python3\n",
                                                "#!python\r\n", "#!pythonw\r\n", "#!python3\r\n"};
        struct bytes interpreter, body;
        if (!trial->fact->has_expected || !case_read(trial) || !launcher_split(trial->bytes, &interpreter, &body))
                return EXCUSE_NONE;
        for (size_t i = 0; i < sizeof originals / sizeof *originals; i++) {
                struct hash hash;
                struct digest digest;
                hash_begin(&hash);
                hash_add(&hash, originals[i], strlen(originals[i]));
                hash_add(&hash, body.data, body.size);
                hash_end(&hash, &digest);
                if (digest_equal(&digest, &trial->fact->expected))
                        return EXCUSE_SILENT;
        }
        return EXCUSE_NONE;
}

static bool wants_bundle(const struct excuse_case *trial)
{
        return trial->fact->has_expected &&
               (bytes_end_with(trial->path, ".pem") || bytes_end_with(trial->path, ".crt"));
}

static enum excuse_result excuse_bundle(struct excuse_case *trial)
{
        struct file_fact *fact = trial->fact;
        unsigned added = 0;
        if (!case_read(trial))
                return EXCUSE_NONE;
        if (bundle_was_extended(trial->bytes, &fact->expected, fact->expected_size, &added))
                return restate(fact, "file-modified", SEVERITY_NOTE,
                               arena_printf(trial->excuses->arena,
                                            "the installed certificates are intact; %u more certificate%s appended",
                                            added, added == 1 ? " was" : "s were"));
        if (bundle_is_certificates(trial->bytes))
                return restate(fact, "file-modified", SEVERITY_WARNING,
                               "still only certificates, but not those that were installed");
        return EXCUSE_NONE;
}

static bool wants_age(const struct excuse_case *trial)
{
        const struct distribution *owner = &trial->excuses->environment->distributions[trial->fact->owners[0]];
        return trial->fact->exists && S_ISREG(trial->fact->found.mode) && owner->record_mtime_ns != INT64_MIN &&
               trial->fact->found.mtime_ns <= owner->record_mtime_ns + RECORD_SLACK_NS;
}

static enum excuse_result excuse_age(struct excuse_case *trial)
{
        trial->fact->state = FILE_UPSTREAM_WRONG;
        return restate(trial->fact, "upstream-record-wrong", SEVERITY_WARNING,
                       "the file is no younger than RECORD, so its wheel may have been wrong from the start");
}

static bool wants_no_hash(const struct excuse_case *trial)
{
        const struct file_fact *fact = trial->fact;
        return !fact->has_row_hash && !fact->has_expected && (!fact->exists || python_row_needs_no_hash(trial->path));
}

/* Bytes that import as code. What else lies in a package is data. */
static bool path_is_code(struct bytes path)
{
        return bytes_end_with(path, ".py") || bytes_end_with(path, ".so") || bytes_end_with(path, ".pyc") ||
               bytes_end_with(path, ".pth");
}

static bool wants_pyc(const struct excuse_case *trial)
{
        return bytes_end_with(trial->path, ".pyc");
}

/* Python rewrites bytecode as it likes, so a hash of it in RECORD says nothing; what counts is whether it matches its
 * source (observe/python_bytecode). A .pyc without any source is all the code there is, and stays as it was judged. */
static enum excuse_result excuse_pyc(struct excuse_case *trial)
{
        AUTO_CLOSE int fd = -1;
        if (python_row_needs_no_hash(trial->path))
                return EXCUSE_SILENT;
        const char *source = arena_strndup(trial->excuses->arena, trial->fact->path, trial->path.size - 1);
        struct file_identity identity;
        bool has_source = fs_open_regular(trial->excuses->prefix_fd, source, &fd, &identity, NULL) == 0;
        return has_source ? EXCUSE_SILENT : EXCUSE_NONE;
}

static bool wants_directory(const struct excuse_case *trial)
{
        return trial->fact->exists && S_ISDIR(trial->fact->found.mode);
}

static bool wants_always(const struct excuse_case *trial)
{
        (void)trial;
        return true;
}

static enum excuse_result excuse_delegated(struct excuse_case *trial)
{
        (void)trial;
        return EXCUSE_DELEGATED;
}

static enum excuse_result excuse_silently(struct excuse_case *trial)
{
        (void)trial;
        return EXCUSE_SILENT;
}

/* uv adds files that a wheel forgot to list, with a size and no hash. No installer leaves code without both. */
static enum excuse_result excuse_unverifiable(struct excuse_case *trial)
{
        const struct file_fact *fact = trial->fact;
        const char *installer = trial->excuses->environment->distributions[fact->owners[0]].installer;
        bool healed = fact->expected_size >= 0 && installer != NULL && strcmp(installer, "uv") == 0;
        return restate(trial->fact, "file-unverifiable",
                       path_is_code(trial->path) && !healed ? SEVERITY_WARNING : SEVERITY_NOTE,
                       fact->expected_size >= 0 ? "RECORD gives its size, but no hash"
                                                : "RECORD lists it without a hash");
}

/* Top-level directories that many wheels ship by mistake and so overwrite each other's, harmlessly. */
static bool path_is_crowded(struct bytes path, const struct site *sites, size_t n_sites)
{
        static const char *const names[] = {"tests/", "test/", "docs/", "doc/", "examples/", "benchmarks/", "LICENSE"};
        for (size_t i = 0; i < n_sites; i++) {
                size_t length = strlen(sites[i].path);
                if (!bytes_start_with(path, sites[i].path) || path.size <= length || path.data[length] != '/')
                        continue;
                struct bytes below = {path.data + length + 1, path.size - length - 1};
                for (size_t j = 0; j < sizeof names / sizeof *names; j++)
                        if (bytes_start_with(below, names[j]))
                                return true;
        }
        return false;
}

/* The __init__.py by which old distributions share a namespace: whichever copy is left does the same. */
static bool is_namespace_stub(struct excuse_case *trial)
{
        static const char *const marks[] = {"extend_path(__path__, __name__)", "declare_namespace(__name__)"};
        if (!bytes_equal(path_name(trial->path), BYTES_LITERAL("__init__.py")) ||
            trial->fact->found.size > NAMESPACE_STUB_MAX || !case_read(trial))
                return false;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
                if (memmem(trial->bytes.data, trial->bytes.size, marks[i], strlen(marks[i])) != NULL)
                        return true;
        return false;
}

static enum excuse_result excuse_clobbered(struct excuse_case *trial)
{
        const struct environment *environment = trial->excuses->environment;
        bool harmless = !path_is_code(trial->path) ||
                        path_is_crowded(trial->path, environment->sites, environment->n_sites) ||
                        is_namespace_stub(trial);
        return restate(trial->fact, "file-clobbered", harmless ? SEVERITY_NOTE : SEVERITY_WARNING,
                       "it is another owner's copy of this path, unedited");
}

/* Every owner must be somebody else's to vouch for. */
static bool wants_delegate(const struct excuse_case *trial)
{
        const struct environment *environment = trial->excuses->environment;
        for (size_t i = 0; i < trial->fact->n_owners; i++)
                if (python_delegate(environment, &environment->distributions[trial->fact->owners[i]]) == NULL)
                        return false;
        return true;
}

#define STATE(state) (1U << (state))

/* In the order they are tried: what settles a case comes before what only restates it. */
static const struct excuse {
        unsigned states;
        bool (*wanted)(const struct excuse_case *trial); /* by what is known already: reads nothing */
        enum excuse_result (*judge)(struct excuse_case *trial);
} excuses_table[] = {
        {~STATE(FILE_OUTSIDE), wants_delegate, excuse_delegated},
        {STATE(FILE_MISSING) | STATE(FILE_UNVERIFIABLE), wants_no_hash, excuse_silently},
        {STATE(FILE_MODIFIED) | STATE(FILE_MISSING) | STATE(FILE_UNVERIFIABLE) | STATE(FILE_CLOBBERED), wants_pyc,
         excuse_pyc},
        {STATE(FILE_UNVERIFIABLE) | STATE(FILE_UNREADABLE), wants_directory, excuse_silently},
        {STATE(FILE_MISSING), wants_script, excuse_absent_launcher},
        {STATE(FILE_MODIFIED) | STATE(FILE_UNVERIFIABLE) | STATE(FILE_MALFORMED), wants_script, excuse_launcher},
        {STATE(FILE_MODIFIED), wants_script, excuse_script},
        {STATE(FILE_MODIFIED), wants_bundle, excuse_bundle},
        {STATE(FILE_MODIFIED), wants_age, excuse_age},
        {STATE(FILE_UNVERIFIABLE), wants_always, excuse_unverifiable},
        {STATE(FILE_CLOBBERED), wants_always, excuse_clobbered},
};

enum excuse_result python_excuse(struct python_excuses *excuses, struct file_fact *fact)
{
        struct excuse_case trial = {.excuses = excuses, .fact = fact, .path = bytes_of(fact->path)};
        if (fact->n_owners == 0)
                return EXCUSE_NONE;
        for (size_t i = 0; i < sizeof excuses_table / sizeof *excuses_table; i++) {
                const struct excuse *excuse = &excuses_table[i];
                if ((excuse->states & STATE(fact->state)) == 0 || !excuse->wanted(&trial))
                        continue;
                enum excuse_result result = excuse->judge(&trial);
                if (result != EXCUSE_NONE)
                        return result;
        }
        return EXCUSE_NONE;
}
