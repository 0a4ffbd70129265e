/* One look at one file that a row names: what stands there, and what its bytes hash to. Only what a listing or a stat
 * calls a regular file is opened, so that no device is touched and no FIFO waits; the descriptor is then judged again.
 * Large files that are not code are left for later: the code is what is waited for. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parallel.h"
#include "fs/hash.h"
#include "fs/identify.h"
#include "observe/python_internal.h"

enum {
        LATER_MIN = 1 << 20, /* bytes: from here on a binary waits until the code is judged */
        READ_TRIES = 3,
};

bool look_wants_hash(const struct ownership *ownership, const struct owned_file *file)
{
        for (uint32_t i = file->first_claim; i != OWNERSHIP_NONE; i = ownership->claims[i].next)
                if (ownership->claims[i].hash.kind != RECORD_HASH_NONE)
                        return true;
        return false;
}

static bool name_is_code(const char *name)
{
        static const char *const suffixes[] = {".py", ".pyi", ".pth", ".pyx", ".pxd", ".sh"};
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
                if (bytes_end_with(bytes_of(name), suffixes[i]))
                        return true;
        return false;
}

static void set_unreadable(struct owned_file *file, int errnum)
{
        file->look = errnum == ENOENT || errnum == ENOTDIR || errnum == ENAMETOOLONG ? LOOK_ABSENT : LOOK_UNREADABLE;
        file->errnum = errnum;
}

static void set_identity(struct owned_file *file, const struct stat *st)
{
        fs_identity_from_stat(st, &file->found);
        file->has_identity = true;
}

void look_learn(struct look_worker *worker, const struct stat_key *key, const void *value, size_t size)
{
        heap_reserve(worker->learned, worker->n_learned, worker->learned_capacity);
        struct stat_entry *entry = &worker->learned[worker->n_learned++];
        *entry = (struct stat_entry){.key = *key};
        memcpy(entry->value, value, size);
}

/* True when the cache still knows the file; it is then as good as hashed. */
static bool look_recalls(struct look_worker *worker, const struct stat *st, struct owned_file *file)
{
        struct stat_key key;
        if (worker->survey->cache == NULL)
                return false;
        stat_key_from_stat(st, &key);
        const uint8_t *value = stat_cache_find(worker->survey->cache, &key);
        if (value == NULL) {
                worker->cache_is_stale = true;
                return false;
        }
        memcpy(file->found.digest.bytes, value, DIGEST_SIZE);
        file->found.has_digest = true;
        file->look = LOOK_HASHED;
        look_learn(worker, &key, value, DIGEST_SIZE);
        return true;
}

/* Reads to the end that fstat gave. Negative: an errno; else the bytes read. */
static int64_t hash_stream(struct look_worker *worker, int fd, uint64_t size, struct digest *ret_digest)
{
        struct hash hash;
        uint64_t done = 0;
        hash_begin(&hash);
        while (done < size && !survey_is_stopped(worker->survey)) {
                uint64_t left = size - done;
                ssize_t got = read(fd, worker->buffer, left < LOOK_BUFFER_SIZE ? (size_t)left : LOOK_BUFFER_SIZE);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return -errno;
                if (got == 0)
                        break;
                hash_add(&hash, worker->buffer, (size_t)got);
                done += (uint64_t)got;
                if (size >= LATER_MIN) {
                        atomic_fetch_add_explicit(&worker->survey->progress->bytes_done, (uint64_t)got,
                                                  memory_order_relaxed);
                        if (worker->reports)
                                survey_report_progress(worker->survey->progress);
                }
        }
        hash_end(&hash, ret_digest);
        return (int64_t)done;
}

static bool claims_digest(const struct ownership *ownership, const struct owned_file *file)
{
        for (uint32_t i = file->first_claim; i != OWNERSHIP_NONE; i = ownership->claims[i].next)
                if (ownership->claims[i].hash.kind == RECORD_HASH_SHA256 &&
                    digest_equal(&ownership->claims[i].hash.digest, &file->found.digest))
                        return true;
        return false;
}

/* Bytes that hash to what RECORD says were whole, whatever happened meanwhile. Others are believed only when nothing
 * moved while they were read. */
static bool read_was_whole(struct look_worker *worker, int fd, int64_t got, struct owned_file *file)
{
        struct stat st;
        struct file_identity now;
        if (got != (int64_t)file->found.size)
                return false;
        if (claims_digest(&worker->survey->ownership, file))
                return true;
        if (fstat(fd, &st) < 0)
                return false;
        fs_identity_from_stat(&st, &now);
        return identity_untouched(&now, &file->found);
}

/* From an open descriptor at its start. */
static void look_hash(struct look_worker *worker, int fd, struct stat *st, struct owned_file *file)
{
        for (int i = 0; i < READ_TRIES; i++) {
                if (i > 0 && (lseek(fd, 0, SEEK_SET) < 0 || fstat(fd, st) < 0))
                        break;
                set_identity(file, st);
                int64_t got = hash_stream(worker, fd, file->found.size, &file->found.digest);
                if (got < 0) {
                        set_unreadable(file, (int)-got);
                        return;
                }
                if (survey_is_stopped(worker->survey) && got != (int64_t)file->found.size)
                        return; /* still pending: nothing is known of it */
                if (!read_was_whole(worker, fd, got, file))
                        continue;
                file->found.has_digest = true;
                file->look = LOOK_HASHED;
                if (worker->survey->cache != NULL) {
                        struct stat_key key;
                        stat_key_from_stat(st, &key);
                        look_learn(worker, &key, &file->found.digest, DIGEST_SIZE);
                }
                return;
        }
        set_unreadable(file, 0);
}

static bool is_uvs(const struct survey *survey, const struct owned_file *file)
{
        const struct ownership *ownership = &survey->ownership;
        for (uint32_t i = file->first_claim; i != OWNERSHIP_NONE; i = ownership->claims[i].next) {
                const char *installer = survey->environment->distributions[ownership->claims[i].owner].installer;
                if (installer == NULL || strcmp(installer, "uv") != 0)
                        return false;
        }
        return true;
}

/* The last name of a path into an unpacked wheel of uv's cache (".../archive-v0/ID/..."), NULL for any other path. */
static char *split_cache_path(char *target)
{
        char *archive = strstr(target, "/archive-v"), *last = strrchr(target, '/');
        if (target[0] != '/' || archive == NULL || last == NULL || last < archive + strlen("/archive-v0/") ||
            strstr(target, "/../") != NULL)
                return NULL;
        *last = '\0';
        return last + 1;
}

/* uv can install by links into its cache: such a link is followed to be hashed, and counts only when the bytes are
 * those that RECORD names. Every other link is a difference, wherever it leads. */
static void look_through_link(struct look_worker *worker, int directory_fd, const char *name, struct owned_file *file)
{
        char target[PATH_MAX];
        AUTO_CLOSE int cache_fd = -1, fd = -1;
        struct survey *survey = worker->survey;
        struct file_identity link = file->found, identity;
        struct stat st;
        ssize_t length = is_uvs(survey, file) ? readlinkat(directory_fd, name, target, sizeof target - 1) : -1;
        if (length <= 0)
                return;
        target[length] = '\0';
        const char *last = split_cache_path(target);
        if (last == NULL || root_open_directory(survey->root, target, &cache_fd, NULL, NULL) < 0 ||
            fs_open_regular(cache_fd, last, &fd, &identity, NULL) < 0 || fstat(fd, &st) < 0)
                return;
        look_hash(worker, fd, &st, file);
        if (file->look == LOOK_HASHED && claims_digest(&survey->ownership, file))
                return;
        file->found = link;
        file->look = LOOK_OTHER_KIND;
}

/* Judges what stat data alone can settle; true when the file should be opened. */
static bool look_by_stat(struct look_worker *worker, const struct stat *st, bool wants_hash, struct owned_file *file)
{
        set_identity(file, st);
        if (!S_ISREG(st->st_mode))
                file->look = LOOK_OTHER_KIND;
        else if (!wants_hash)
                file->look = LOOK_NOT_HASHED;
        else
                return !look_recalls(worker, st, file);
        return false;
}

static bool look_is_for_later(const char *name, const struct stat *st)
{
        return st->st_size >= LATER_MIN && !name_is_code(name);
}

void look_at_file(struct look_worker *worker, int directory_fd, const char *name, unsigned char type,
                  struct owned_file *file)
{
        struct stat st;
        bool wants_hash = look_wants_hash(&worker->survey->ownership, file);
        bool stat_first = !wants_hash || type != DT_REG || worker->survey->cache != NULL;
        atomic_fetch_add_explicit(&worker->survey->progress->files_done, 1, memory_order_relaxed);
        if (stat_first) {
                if (fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
                        set_unreadable(file, errno);
                        return;
                }
                if (!look_by_stat(worker, &st, wants_hash, file)) {
                        if (S_ISLNK(st.st_mode) && wants_hash)
                                look_through_link(worker, directory_fd, name, file);
                        return;
                }
        }
        AUTO_CLOSE int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (fd < 0 || fstat(fd, &st) < 0) {
                set_unreadable(file, errno == ELOOP ? 0 : errno);
                return;
        }
        if (!look_by_stat(worker, &st, wants_hash, file))
                return;
        file->look = LOOK_PENDING;
        if (!look_is_for_later(name, &st))
                look_hash(worker, fd, &st, file);
}

static void look_hash_pending(struct look_worker *worker, struct owned_file *file)
{
        struct survey *survey = worker->survey;
        AUTO_CLOSE int fd = -1;
        struct error error = {0};
        struct file_identity identity;
        struct stat st;
        char path[PATH_MAX];
        struct bytes directory = survey->ownership.directories[file->directory].path;
        snprintf(path, sizeof path, "%.*s/%.*s", (int)directory.size, directory.data, (int)file->name.size,
                 file->name.data);
        if (fs_open_regular(survey->prefix_fd, path + (directory.size == 0), &fd, &identity, &error) < 0)
                set_unreadable(file, error.errnum);
        else if (fstat(fd, &st) < 0)
                set_unreadable(file, errno);
        else
                look_hash(worker, fd, &st, file);
}

struct look_worker *look_workers_open(struct survey *survey, unsigned n_workers)
{
        struct look_worker *workers = heap_alloc(n_workers * sizeof *workers);
        for (unsigned i = 0; i < n_workers; i++)
                workers[i] = (struct look_worker){
                        .survey = survey,
                        .reports = i == 0,
                        .buffer = heap_resize(NULL, LOOK_BUFFER_SIZE, 1),
                        .names = heap_resize(NULL, LOOK_NAMES_SIZE, 1),
                        .arena = ARENA_INIT,
                };
        return workers;
}

static void take_learned(struct survey *survey, const struct look_worker *worker)
{
        survey->cache_is_stale |= worker->cache_is_stale;
        for (size_t i = 0; i < worker->n_learned; i++) {
                heap_reserve(survey->learned, survey->n_learned, survey->learned_capacity);
                survey->learned[survey->n_learned++] = worker->learned[i];
        }
}

void look_workers_close(struct look_worker *workers, unsigned n_workers)
{
        for (unsigned i = 0; i < n_workers; i++) {
                take_learned(workers[i].survey, &workers[i]);
                free(workers[i].buffer);
                free(workers[i].names);
                free(workers[i].unowned);
                free(workers[i].bytecode);
                free(workers[i].learned);
                arena_clear(&workers[i].arena);
        }
        free(workers);
}

/* The largest first, so that no thread is left with one at the end. */
struct pending {
        uint64_t size;
        uint32_t file;
};

static int compare_pending(const void *left, const void *right)
{
        const struct pending *a = left, *b = right;
        return a->size < b->size ? 1 : a->size > b->size ? -1 : (a->file > b->file) - (a->file < b->file);
}

struct pending_loop {
        struct look_worker *workers;
        struct pending *items;
};

static void hash_one(void *context, unsigned number, size_t index)
{
        struct pending_loop *loop = context;
        struct look_worker *worker = &loop->workers[number];
        look_hash_pending(worker, &worker->survey->ownership.files[loop->items[index].file]);
}

void survey_hash_pending(struct survey *survey)
{
        size_t count = 0;
        AUTO_FREE struct pending *items = heap_resize(NULL, survey->ownership.n_files, sizeof *items);
        for (uint32_t i = 0; i < survey->ownership.n_files; i++)
                if (survey->ownership.files[i].look == LOOK_PENDING)
                        items[count++] = (struct pending){survey->ownership.files[i].found.size, i};
        if (count == 0)
                return;
        qsort(items, count, sizeof *items, compare_pending);
        unsigned n_workers = parallel_workers(survey->options->jobs);
        struct pending_loop loop = {look_workers_open(survey, n_workers), items};
        parallel_for(n_workers, count, hash_one, &loop, survey->options->stop);
        look_workers_close(loop.workers, n_workers);
}

uint64_t survey_pending_bytes(const struct survey *survey)
{
        uint64_t bytes = 0;
        for (size_t i = 0; i < survey->ownership.n_files; i++)
                if (survey->ownership.files[i].look == LOOK_PENDING)
                        bytes += survey->ownership.files[i].found.size;
        return bytes;
}
