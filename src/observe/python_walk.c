/* The walk: every directory that rows lie in, and every site, is listed once, each by one thread. Names that rows claim
 * are looked at on the spot, by the directory's descriptor; the others are noted. Nothing is descended into that no row
 * and no site leads to, and no symbolic link is followed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parallel.h"
#include "formats/pyc.h"
#include "observe/python_furniture.h"
#include "observe/python_internal.h"
#include "observe/python_module.h"

enum {
        UNOWNED_MAX = 1 << 20, /* entries noted; beyond it the walk says that it stopped noting */
};

/* One directory while it is listed. */
struct listing {
        struct look_worker *worker;
        struct ownership *ownership;
        uint32_t index;
        struct bytes path;
        int fd;
        struct listing *above; /* of a __pycache__: that of the modules */
        bool notes_unowned, is_cache, has_cache;
};

static const char *listing_path(struct listing *listing, const char *name)
{
        return listing->path.size == 0 ? arena_strdup(&listing->worker->arena, name)
                                       : arena_printf(&listing->worker->arena, "%.*s/%s", (int)listing->path.size,
                                                      listing->path.data, name);
}

static unsigned char type_of(int directory_fd, const char *name, unsigned char type)
{
        struct stat st;
        if (type != DT_UNKNOWN)
                return type;
        return fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? (unsigned char)IFTODT(st.st_mode)
                                                                          : DT_UNKNOWN;
}

static void note_unowned(struct listing *listing, const char *name, unsigned char type)
{
        struct look_worker *worker = listing->worker;
        if (!listing->notes_unowned || worker->n_unowned >= UNOWNED_MAX)
                return;
        heap_reserve(worker->unowned, worker->n_unowned, worker->unowned_capacity);
        worker->unowned[worker->n_unowned++] = (struct unowned_entry){
                .path = listing_path(listing, name),
                .site = listing->ownership->directories[listing->index].site,
                .type = type,
                .beside_owned = true,
        };
}

/* A name that no row claims: on the way to rows, a cache of bytecode, or somebody else's. A link in the place of a
 * directory of rows is told by that directory's own visit. */
static void list_other(struct listing *listing, const char *name, unsigned char type)
{
        char path[PATH_MAX];
        if (strcmp(name, "__pycache__") == 0 && type == DT_DIR) {
                listing->has_cache = true;
                return;
        }
        if (listing->is_cache && bytes_end_with(bytes_of(name), ".pyc"))
                return;
        if (type == DT_DIR || type == DT_LNK) {
                int length = snprintf(path, sizeof path, "%.*s%s%s", (int)listing->path.size, listing->path.data,
                                      listing->path.size > 0 ? "/" : "", name);
                struct bytes whole = {(const unsigned char *)path, (size_t)length};
                if (length > 0 && (size_t)length < sizeof path &&
                    ownership_directory(listing->ownership, whole) != OWNERSHIP_NONE)
                        return;
        }
        note_unowned(listing, name, type);
}

static void list_entry(struct listing *listing, const char *name, unsigned char type)
{
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                return;
        type = type_of(listing->fd, name, type);
        uint32_t file = ownership_file(listing->ownership, listing->index, bytes_of(name));
        if (file != OWNERSHIP_NONE && listing->ownership->files[file].look == LOOK_ABSENT)
                look_at_file(listing->worker, listing->fd, name, type, &listing->ownership->files[file]);
        /* A row that names a directory vouches for nothing in it. */
        if (file == OWNERSHIP_NONE || type == DT_DIR)
                list_other(listing, name, type);
}

/* False when the directory cannot be read to its end; errno tells. */
static bool list_names(int fd, char *names, void (*each)(struct listing *, const char *, unsigned char),
                       struct listing *listing)
{
        for (;;) {
                ssize_t size = getdents64(fd, names, LOOK_NAMES_SIZE);
                if (size <= 0)
                        return size == 0;
                for (ssize_t at = 0; at < size;) {
                        const struct dirent64 *entry = (const struct dirent64 *)(names + at);
                        at += entry->d_reclen;
                        if (survey_is_stopped(listing->worker->survey))
                                return true;
                        each(listing, entry->d_name, entry->d_type);
                }
        }
}

/* What the listing did not show is asked for by name: a directory may change while it is listed, and directories
 * outside the sites are not listed at all. */
static void look_at_the_rest(struct listing *listing)
{
        char name[NAME_MAX + 1];
        struct ownership *ownership = listing->ownership;
        for (uint32_t i = ownership->directories[listing->index].first_file; i != OWNERSHIP_NONE;
             i = ownership->files[i].next_in_directory) {
                struct owned_file *file = &ownership->files[i];
                if (file->look != LOOK_ABSENT || file->has_identity || survey_is_stopped(listing->worker->survey))
                        continue;
                memcpy(name, file->name.data, file->name.size); /* at most NAME_MAX: python_rows.c */
                name[file->name.size] = '\0';
                look_at_file(listing->worker, listing->fd, name, DT_UNKNOWN, file);
        }
}

/* Size and times of "STEM.py", from the look that was had at it or from one now. False where no source is. */
static bool source_of_bytecode(struct listing *listing, struct bytes stem, char *source, size_t room,
                               struct file_identity *ret_found)
{
        struct stat st;
        int length = snprintf(source, room, "%.*s.py", (int)stem.size, stem.data);
        if (length <= 0 || (size_t)length >= room)
                return false;
        uint32_t file = ownership_file(listing->ownership, listing->index, bytes_of(source));
        if (file != OWNERSHIP_NONE && listing->ownership->files[file].has_identity) {
                *ret_found = listing->ownership->files[file].found;
                return true;
        }
        if (fstatat(listing->fd, source, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return false;
        fs_identity_from_stat(&st, ret_found);
        return true;
}

/* The first bytes of a .pyc, and its stat data where they were needed to know it again. */
static bool read_header(struct listing *listing, int cache_fd, const char *name,
                        unsigned char header[BYTECODE_HEADER_SIZE], struct stat *ret_st, bool *ret_has_stat)
{
        struct look_worker *worker = listing->worker;
        struct stat_cache *cache = worker->survey->cache;
        struct stat_key key;
        *ret_has_stat = false;
        if (cache != NULL) {
                if (fstatat(cache_fd, name, ret_st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(ret_st->st_mode))
                        return false;
                *ret_has_stat = true;
                stat_key_from_stat(ret_st, &key);
                const uint8_t *value = stat_cache_find(cache, &key);
                if (value != NULL) {
                        memcpy(header, value, BYTECODE_HEADER_SIZE);
                        look_learn(worker, &key, header, BYTECODE_HEADER_SIZE);
                        return true;
                }
                worker->cache_is_stale = true;
        }
        AUTO_CLOSE int fd = openat(cache_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (fd < 0 || read(fd, header, BYTECODE_HEADER_SIZE) != BYTECODE_HEADER_SIZE)
                return false;
        if (cache != NULL)
                look_learn(worker, &key, header, BYTECODE_HEADER_SIZE);
        return true;
}

static void keep_bytecode(struct listing *listing, const char *name, const char *source,
                          const unsigned char header[BYTECODE_HEADER_SIZE], const struct file_identity *found,
                          const struct file_identity *source_found)
{
        struct look_worker *worker = listing->worker;
        heap_reserve(worker->bytecode, worker->n_bytecode, worker->bytecode_capacity);
        struct bytecode_entry *entry = &worker->bytecode[worker->n_bytecode++];
        *entry = (struct bytecode_entry){
                .path = listing_path(listing, arena_printf(&worker->arena, "__pycache__/%s", name)),
                .source = listing_path(listing, source),
                .found = *found,
                .source_found = *source_found,
        };
        memcpy(entry->header, header, BYTECODE_HEADER_SIZE);
}

static void look_at_bytecode(struct listing *listing, int cache_fd, const char *name, struct bytes stem)
{
        char source[NAME_MAX + 1];
        unsigned char header[BYTECODE_HEADER_SIZE];
        const struct environment *environment = listing->worker->survey->environment;
        struct file_identity source_found, found;
        struct stat st;
        bool has_stat;
        if (!source_of_bytecode(listing, stem, source, sizeof source, &source_found) ||
            !read_header(listing, cache_fd, name, header, &st, &has_stat) ||
            !bytecode_header_is_open(environment, bytes_of(name), header, &source_found) ||
            (!has_stat && fstatat(cache_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0))
                return;
        fs_identity_from_stat(&st, &found);
        if (bytecode_is_open(environment, bytes_of(name), header, &found, &source_found))
                keep_bytecode(listing, name, source, header, &found, &source_found);
}

static void list_bytecode(struct listing *cache, const char *name, unsigned char type)
{
        struct pyc_name parsed;
        struct look_worker *worker = cache->worker;
        type = type_of(cache->fd, name, type);
        if (!pyc_parse_name(bytes_of(name), &parsed) || (type != DT_REG && type != DT_LNK))
                return;
        bool runs = parsed.tag.size > 0 && pyc_tag_minor(parsed.tag) == worker->survey->environment->python_minor;
        if (type == DT_LNK && runs) /* Python follows it; we do not */
                note_unowned(cache->above, arena_printf(&worker->arena, "__pycache__/%s", name), type);
        else
                worker->silent++;
        if (type == DT_LNK || !runs)
                return;
        look_at_bytecode(cache->above, cache->fd, name, parsed.stem);
}

static void list_cache(struct listing *listing)
{
        AUTO_CLOSE int fd =
                openat(listing->fd, "__pycache__", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0) {
                note_unowned(listing, "__pycache__", DT_UNKNOWN);
                return;
        }
        struct listing cache = {.worker = listing->worker, .ownership = listing->ownership, .fd = fd, .above = listing};
        list_names(fd, listing->worker->names, list_bytecode, &cache);
}

static int open_directory(const struct survey *survey, struct bytes path, int *ret_fd, struct error *ret_error)
{
        char text[PATH_MAX];
        snprintf(text, sizeof text, "%.*s", (int)path.size, path.data);
        return fs_open_beneath(survey->prefix_fd, path.size > 0 ? text : ".", O_RDONLY | O_DIRECTORY, ret_fd,
                               ret_error);
}

/* The kernel says of a link in the last place only that it is no directory, as of anything else that stands there. */
static bool is_link(const struct survey *survey, struct bytes path)
{
        char text[PATH_MAX];
        struct stat st;
        snprintf(text, sizeof text, "%.*s", (int)path.size, path.data);
        return fstatat(survey->prefix_fd, text, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static void set_failed(const struct survey *survey, struct owned_directory *directory, const struct error *error)
{
        bool link = error->code == ERR_REFUSED || (error->errnum == ENOTDIR && is_link(survey, directory->path));
        directory->visit = link ? VISIT_LINK : error->code == ERR_NOT_FOUND ? VISIT_ABSENT : VISIT_FAILED;
        directory->errnum = error->errnum;
}

static void visit_directory(void *context, unsigned number, size_t index)
{
        struct look_worker *worker = (struct look_worker *)context + number;
        struct survey *survey = worker->survey;
        struct owned_directory *directory = &survey->ownership.directories[index];
        struct error error = {0};
        AUTO_CLOSE int fd = -1;
        bool listed = directory->site != OWNERSHIP_NONE;
        if (!listed && directory->first_file == OWNERSHIP_NONE) {
                directory->visit = VISIT_LISTED;
                return;
        }
        if (open_directory(survey, directory->path, &fd, &error) < 0) {
                set_failed(survey, directory, &error);
                return;
        }
        struct listing listing = {
                .worker = worker,
                .ownership = &survey->ownership,
                .index = (uint32_t)index,
                .path = directory->path,
                .fd = fd,
                .notes_unowned = listed,
                .is_cache = bytes_equal(path_name(directory->path), BYTES_LITERAL("__pycache__")),
        };
        directory->visit = VISIT_LISTED;
        if (listed && !list_names(fd, worker->names, list_entry, &listing)) {
                directory->visit = VISIT_FAILED;
                directory->errnum = errno;
        }
        look_at_the_rest(&listing);
        if (listing.has_cache)
                list_cache(&listing);
        if (worker->reports)
                survey_report_progress(survey->progress);
}

static int compare_unowned(const void *left, const void *right)
{
        return strcmp(((const struct unowned_entry *)left)->path, ((const struct unowned_entry *)right)->path);
}

static int compare_bytecode(const void *left, const void *right)
{
        return strcmp(((const struct bytecode_entry *)left)->path, ((const struct bytecode_entry *)right)->path);
}

/* Moves what one worker has noted into the survey; its strings into the run's arena. */
static void take_notes(struct survey *survey, struct look_worker *worker)
{
        for (size_t i = 0; i < worker->n_unowned; i++) {
                struct unowned_entry *entry = &survey->unowned[survey->n_unowned++];
                *entry = worker->unowned[i];
                entry->path = arena_strdup(survey->arena, entry->path);
        }
        for (size_t i = 0; i < worker->n_bytecode; i++) {
                struct bytecode_entry *entry = &survey->bytecode[survey->n_bytecode++];
                *entry = worker->bytecode[i];
                entry->path = arena_strdup(survey->arena, entry->path);
                entry->source = arena_strdup(survey->arena, entry->source);
        }
        survey->environment->counts.silent += worker->silent;
        if (worker->n_unowned >= UNOWNED_MAX)
                survey_add_unknown(survey, survey->environment->path, "more unowned files than are noted", true);
}

static void take_all_notes(struct survey *survey, struct look_worker *workers, unsigned n_workers)
{
        size_t n_unowned = 0, n_bytecode = 0;
        for (unsigned i = 0; i < n_workers; i++) {
                n_unowned += workers[i].n_unowned;
                n_bytecode += workers[i].n_bytecode;
        }
        survey->unowned = arena_new_array(survey->arena, struct unowned_entry, n_unowned + 1);
        survey->bytecode = arena_new_array(survey->arena, struct bytecode_entry, n_bytecode + 1);
        for (unsigned i = 0; i < n_workers; i++)
                take_notes(survey, &workers[i]);
        qsort(survey->unowned, survey->n_unowned, sizeof *survey->unowned, compare_unowned);
        qsort(survey->bytecode, survey->n_bytecode, sizeof *survey->bytecode, compare_bytecode);
}

void survey_walk(struct survey *survey)
{
        unsigned n_workers = parallel_workers(survey->options->jobs);
        struct look_worker *workers = look_workers_open(survey, n_workers);
        parallel_for(n_workers, survey->ownership.n_directories, visit_directory, workers, survey->options->stop);
        take_all_notes(survey, workers, n_workers);
        look_workers_close(workers, n_workers);
}
