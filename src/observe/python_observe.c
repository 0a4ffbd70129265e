#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/parallel.h"
#include "fs/hash.h"
#include "observe/python.h"
#include "observe/python_furniture.h"
#include "observe/python_internal.h"

/* Below this much to hash, the whole verdict comes as fast as that on the code. */
enum { WORTH_A_PREVIEW = 256 << 20 };

void survey_add_fact(struct survey *survey, const struct file_fact *fact)
{
        heap_reserve(survey->facts, survey->n_facts, survey->facts_capacity);
        survey->facts[survey->n_facts++] = *fact;
}

void survey_add_unknown(struct survey *survey, const char *what, const char *why, bool in_scope)
{
        heap_reserve(survey->unknowns, survey->n_unknowns, survey->unknowns_capacity);
        survey->unknowns[survey->n_unknowns++] = (struct unknown){what, why, in_scope};
}

bool survey_is_stopped(const struct survey *survey)
{
        return survey->options->stop != NULL && atomic_load_explicit(survey->options->stop, memory_order_relaxed);
}

void survey_report_progress(struct survey_progress *progress)
{
        if (progress->options->progress != NULL)
                progress->options->progress(progress->options->progress_context, atomic_load(&progress->files_done),
                                            progress->files, atomic_load(&progress->bytes_done), progress->bytes,
                                            atomic_load(&progress->code_done));
}

static double now_seconds(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One RECORD between being read, in parallel, and being added, in order. */
struct reading {
        struct bytes bytes; /* heap */
        struct error error;
        bool tried;
};

struct reading_loop {
        struct survey *survey;
        struct reading *items; /* by distribution */
};

static void read_record(void *context, unsigned worker, size_t index)
{
        (void)worker;
        struct reading_loop *loop = context;
        struct distribution *distribution = &loop->survey->environment->distributions[index];
        struct reading *reading = &loop->items[index];
        struct file_identity identity;
        char path[PATH_MAX];
        AUTO_CLOSE int fd = -1;
        if (!distribution->has_record)
                return;
        reading->tried = true;
        snprintf(path, sizeof path, "%s/RECORD", distribution->info);
        if (fs_open_regular(loop->survey->prefix_fd, path, &fd, &identity, &reading->error) < 0)
                return;
        distribution->record_mtime_ns = identity.mtime_ns;
        fs_read_whole(fd, RECORD_BYTES_MAX, &reading->bytes, &reading->error);
}

/* Without its RECORD nothing is known of a distribution's files; a link or a FIFO in its place was put there. */
static void add_unread(struct survey *survey, uint32_t index, const struct error *error)
{
        uint32_t *owner = arena_new(survey->arena, uint32_t);
        *owner = index;
        bool planted = error->code == ERR_REFUSED;
        struct file_fact fact = {
                .state = FILE_UNREADABLE,
                .rule = "file-unreadable",
                .severity = planted ? SEVERITY_ERROR : SEVERITY_NOTE,
                .path = arena_printf(survey->arena, "%s/RECORD", survey->environment->distributions[index].info),
                .owners = owner,
                .n_owners = 1,
                .expected_size = -1,
                .exists = true,
                .why = arena_printf(survey->arena, "without it nothing is known of this distribution's files (%s)",
                                    error->text),
        };
        survey_add_fact(survey, &fact);
        survey_count(survey, FILE_UNREADABLE);
        survey_add_unknown(survey, fact.path, fact.why, true);
}

static void add_record(struct survey *survey, uint32_t index, struct reading *reading)
{
        struct distribution *distribution = &survey->environment->distributions[index];
        if (!reading->tried)
                return;
        if (reading->error.code == ERR_NOT_FOUND) {
                distribution->has_record = false;
                return;
        }
        if (reading->error.code != 0) {
                add_unread(survey, index, &reading->error);
                return;
        }
        if (!ownership_add_record(&survey->ownership, index, distribution->site, reading->bytes, &distribution->n_rows))
                survey_add_unknown(survey, arena_printf(survey->arena, "%s/RECORD", distribution->info),
                                   "it has more rows than are read; the rest was left out", true);
}

void survey_read_records(struct survey *survey)
{
        struct environment *environment = survey->environment;
        AUTO_FREE struct reading *items = heap_alloc((environment->n_distributions + 1) * sizeof *items);
        struct reading_loop loop = {survey, items};
        parallel_for(parallel_workers(survey->options->jobs), environment->n_distributions, read_record, &loop,
                     survey->options->stop);
        uint64_t not_reached = 0;
        for (uint32_t i = 0; i < environment->n_distributions; i++) {
                add_record(survey, i, &items[i]);
                not_reached += environment->distributions[i].has_record && !items[i].tried;
        }
        if (not_reached > 0)
                survey_add_unknown(
                        survey, environment->path,
                        arena_printf(survey->arena, "stopped before %" PRIu64 " RECORDs were read", not_reached), true);
}

static int compare_facts(const void *left, const void *right)
{
        const struct file_fact *a = left, *b = right;
        int order = strcmp(a->path, b->path);
        return order != 0 ? order : strcmp(a->rule, b->rule);
}

static void survey_sort_facts(struct survey *survey)
{
        if (survey->n_facts > 0)
                qsort(survey->facts, survey->n_facts, sizeof *survey->facts, compare_facts);
}

static void survey_clear(struct survey *survey)
{
        if (survey->prefix_fd >= 0)
                close(survey->prefix_fd);
        ownership_clear(&survey->ownership);
        free(survey->facts);
        free(survey->unknowns);
        free(survey->learned);
}

/* The verdict on the code, on a copy of everything that a judgement changes: the binaries are judged with the rest
 * again when they are known. */
static void survey_preview(const struct survey *survey, uint64_t bytes_left)
{
        struct environment environment = *survey->environment;
        struct survey preview = *survey;
        preview.environment = &environment;
        preview.facts = heap_alloc((survey->n_facts + 1) * sizeof *preview.facts);
        for (size_t i = 0; i < survey->n_facts; i++)
                preview.facts[i] = survey->facts[i];
        preview.facts_capacity = survey->n_facts + 1;
        preview.unknowns = NULL;
        preview.n_unknowns = preview.unknowns_capacity = 0;
        survey_judge(&preview);
        furniture_arrange(&preview);
        survey_sort_facts(&preview);
        const struct file_facts facts = {preview.facts, preview.n_facts};
        survey->options->code_judged(survey->options->progress_context, &environment, &facts, bytes_left);
        free(preview.facts);
        free(preview.unknowns);
}

static void survey_look(struct survey *survey, double start)
{
        survey_walk(survey);
        uint64_t left = survey_pending_bytes(survey);
        survey->environment->code_seconds = now_seconds() - start;
        atomic_store(&survey->progress->code_done, true);
        atomic_store(&survey->progress->bytes_done, 0);
        survey->progress->bytes = left;
        if (left >= WORTH_A_PREVIEW && survey->options->code_judged != NULL && !survey_is_stopped(survey))
                survey_preview(survey, left);
        survey_hash_pending(survey);
}

/* A cache per environment, named by its path. */
static char *cache_path(const struct survey *survey)
{
        struct digest digest;
        char hex[DIGEST_HEX_SIZE];
        hash_bytes(bytes_of(survey->environment->path), &digest);
        digest_to_hex(&digest, hex);
        return arena_printf(survey->arena, "%s/%.32s", survey->options->stat_cache, hex);
}

static int64_t wall_clock_ns(void)
{
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Only times that were already old when the check began are kept: a change within the same tick cannot hide. A cache
 * that cannot be written costs the next check its speed, and nothing else. */
static void save_cache(struct survey *survey, const char *path, int64_t started_ns)
{
        size_t kept = 0;
        struct error error = {0};
        if (survey_is_stopped(survey))
                return;
        for (size_t i = 0; i < survey->n_learned; i++)
                if (stat_cache_is_settled(&survey->learned[i].key, started_ns))
                        survey->learned[kept++] = survey->learned[i];
        if (!survey->cache_is_stale && kept == survey->cache->count)
                return;
        if (stat_cache_save(path, survey->learned, kept, &error) < 0)
                survey_add_unknown(
                        survey, path,
                        arena_printf(survey->arena, "what was read is not remembered for --trust-stat: %s", error.text),
                        false);
}

static void survey_run(struct survey *survey)
{
        CLEANUP(stat_cache_clear) struct stat_cache cache = {0};
        double start = now_seconds();
        int64_t started_ns = wall_clock_ns();
        char *path = NULL;
        if (survey->options->stat_cache != NULL) {
                path = cache_path(survey);
                stat_cache_load(path, &cache);
                survey->cache = &cache;
        }
        ownership_open(survey->prefix_fd, survey->environment, &survey->ownership);
        survey_read_records(survey);
        survey->progress->files = survey->ownership.n_files;
        survey_look(survey, start);
        survey_judge(survey);
        if (path != NULL)
                save_cache(survey, path, started_ns);
        survey->cache = NULL;
        furniture_arrange(survey);
        survey_sort_facts(survey);
}

int python_observe(const struct root *root, struct environment *environment, const struct observe_options *options,
                   struct arena *arena, struct file_facts *ret_facts, struct unknowns *ret_unknowns,
                   struct error *ret_error)
{
        struct survey_progress progress = {.options = options};
        CLEANUP(survey_clear)
        struct survey survey = {
                .root = root,
                .prefix_fd = -1,
                .environment = environment,
                .options = options,
                .arena = arena,
                .progress = &progress,
        };
        int result = root_open_directory(root, environment->path, &survey.prefix_fd, NULL, ret_error);
        if (result < 0)
                return result;
        survey_run(&survey);
        ret_facts->items = arena_copy(arena, survey.facts, survey.n_facts * sizeof *survey.facts);
        ret_facts->count = survey.n_facts;
        ret_unknowns->items = arena_copy(arena, survey.unknowns, survey.n_unknowns * sizeof *survey.unknowns);
        ret_unknowns->count = survey.n_unknowns;
        return 0;
}
