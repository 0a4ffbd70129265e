/* The part of a check that looks into changed files: find the original bytes, cut the change into hunks, and say what
 * each does. Without a proven original the whole file is scanned instead, and what rules point at are suspects, not
 * hunks. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "analyze/diff.h"
#include "base/cleanup.h"
#include "base/parallel.h"
#include "flow/check_run.h"
#include "flow/identity.h"
#include "fs/hash.h"
#include "origin/oracle.h"

enum {
        SOURCE_MAX = 16 << 20, /* bytes; the largest module seen in the wild is under 4 MiB */
        BINARY_PROBE = 8192,
};

static const double ORACLE_SECONDS_DEFAULT = 10.0;
static const double ORACLE_FIRST_PASS =
        0.5; /* per file: every easy one is solved before any hard one eats the budget */

/* One changed file between the passes. */
struct source {
        struct finding *finding;
        struct bytes current; /* in the arena */
        struct extents extents;
        const char *trouble; /* why it could not be described, or NULL */
        bool python, unsolved, described;
};

/* One thread's tools; files are looked into side by side. */
struct reader {
        struct check_run *run;
        struct analyzer *analyzer; /* NULL until the thread has its first file */
        struct arena arena;        /* the run's in the end */
        unsigned jobs;             /* threads that the oracle may use for one file */
        bool borrowed;             /* the analyzer is the run's */
};

static void reader_close(struct reader *reader)
{
        arena_adopt(reader->run->arena, &reader->arena);
        if (!reader->borrowed)
                reader->analyzer = analyzer_free(reader->analyzer);
}

/* False where there can be none, which the run's own being there makes next to impossible. */
static bool reader_is_ready(struct reader *reader)
{
        return reader->analyzer != NULL || analyzer_new(&reader->analyzer, NULL) == 0;
}

/* What check_vendor() has looked into already is as installed, and there is nothing to find. */
static bool source_is_wanted(const struct finding *finding)
{
        return finding->environment != NULL && finding->exists && S_ISREG(finding->found.mode) &&
               finding->suspects.count == 0;
}

static bool source_is_python(const struct finding *finding)
{
        return bytes_end_with(bytes_of(finding->subject), ".py");
}

static bool source_is_binary(struct bytes bytes)
{
        return bytes.size > 0 && memchr(bytes.data, 0, bytes.size < BINARY_PROBE ? bytes.size : BINARY_PROBE) != NULL;
}

/* Reads the file again and makes sure it is still the one that was judged. */
static int source_read(struct check_run *run, struct finding *finding, struct bytes *ret_bytes, struct error *ret_error)
{
        AUTO_CLOSE int prefix_fd = -1, fd = -1;
        int result = root_open_directory(&run->root, finding->environment->path, &prefix_fd, NULL, ret_error);
        if (result < 0)
                return result;
        struct file_identity identity;
        result = fs_open_regular(prefix_fd, finding->subject, &fd, &identity, ret_error);
        if (result < 0)
                return result;
        struct bytes bytes;
        result = fs_read_whole(fd, SOURCE_MAX, &bytes, ret_error);
        if (result < 0)
                return result;
        ret_bytes->data = arena_copy(run->arena, bytes.data, bytes.size);
        ret_bytes->size = bytes.size;
        free((void *)bytes.data);
        hash_bytes(*ret_bytes, &identity.digest);
        identity.has_digest = true;
        if (finding->found.has_digest && !digest_equal(&finding->found.digest, &identity.digest))
                return error_set(ret_error, ERR_CHANGED, 0, "it changed during the check: run it again");
        finding->found = identity;
        return 0;
}

static const char *oracle_note(const struct oracle_result *result, struct arena *arena)
{
        if (result->cut)
                return arena_printf(
                        arena,
                        "the search was cut after %.1f s at \"%s\" (%llu hypotheses): --oracle-seconds gives it more",
                        result->seconds, result->stage, (unsigned long long)result->hypotheses);
        return "not by line removal: lines were replaced or deleted, or several unmarked blocks were added";
}

struct suggestion {
        struct reader *reader;
        struct source *source;
};

/* The analysis is asked once per file, however often the oracle is. */
static void source_suggest(void *context, struct extents *ret_extents)
{
        const struct suggestion *suggestion = context;
        struct source *source = suggestion->source;
        struct error error = {0};
        if (source->python && source->extents.count == 0)
                analyzer_suggest(suggestion->reader->analyzer, source->current, &suggestion->reader->arena,
                                 &source->extents, &error);
        *ret_extents = source->extents;
}

static void source_ask_oracle(struct reader *reader, struct source *source, double seconds)
{
        struct finding *finding = source->finding;
        struct suggestion suggestion = {reader, source};
        struct oracle_request request = {
                .current = source->current,
                .digest = finding->expected,
                .size = finding->expected_size,
                .suggest = source_suggest,
                .suggest_context = &suggestion,
                .jobs = reader->jobs,
                .seconds = seconds,
                .stop = reader->run->context->stop,
        };
        struct oracle_result result = {0};
        oracle_search(&request, &reader->arena, &result);
        source->unsolved = !result.found && result.cut;
        if (!result.found) {
                finding->origin.note = oracle_note(&result, &reader->arena);
                return;
        }
        finding->origin = (struct origin){
                .source = ORIGIN_RECORD_ORACLE,
                .proven = true,
                .anchor = ANCHOR_RECORD,
                .original = result.original,
                .note = "",
        };
}

/* A hash that only removing lines could satisfy settles what age alone left open: it was edited after all. */
static void finding_settle_rule(struct finding *finding)
{
        if (finding->origin.proven && strcmp(finding->rule, "upstream-record-wrong") == 0) {
                finding->rule = "file-modified";
                finding->severity = SEVERITY_ERROR;
                finding->why = "its time stamps are older than RECORD";
        }
}

static void source_describe(struct reader *reader, struct source *source)
{
        struct finding *finding = source->finding;
        struct arena *arena = &reader->arena;
        struct error error = {0};
        int result = 0;
        if (finding->origin.proven) {
                diff_lines(finding->origin.original, source->current, arena, &finding->hunks);
                identity_name_hunks(&finding->hunks, finding->origin.original, arena);
                if (source->python)
                        result = analyzer_describe(reader->analyzer, source->current, finding->origin.original, arena,
                                                   &finding->hunks, &error);
                finding_settle_rule(finding);
        } else if (source->python) {
                result = analyzer_scan(reader->analyzer, source->current, arena, &finding->suspects, &error);
                identity_name_hunks(&finding->suspects, (struct bytes){0}, arena);
        }
        if (result < 0)
                source->trouble = arena_strdup(arena, error.text);
        source->described = true;
}

static bool source_prepare(struct check_run *run, struct finding *finding, struct source *source)
{
        struct error error = {0};
        *source = (struct source){.finding = finding, .python = source_is_python(finding)};
        if (finding->found.size > SOURCE_MAX) {
                finding->origin.note = "too large to look for its original by line removal";
                return false;
        }
        if (source_read(run, finding, &source->current, &error) < 0) {
                check_run_add_unknown(run, finding->path, error.text, true);
                return false;
        }
        if (source_is_binary(source->current)) {
                finding->origin.note = "binary: its original cannot be found by line removal";
                return false;
        }
        return true;
}

struct first_pass {
        struct reader *readers;
        struct source *sources;
        size_t count;
        double end;
};

static double left_until(double end)
{
        double left = end - clock_seconds();
        return left > 0 ? left : 0;
}

/* Each file gets little, so that every easy one is solved before any hard one eats the budget. It is described now,
 * while the analyzer still holds what it has parsed for the suggestions. */
static void source_try(void *context, unsigned worker, size_t index)
{
        const struct first_pass *pass = context;
        struct reader *reader = &pass->readers[worker];
        struct source *source = &pass->sources[index];
        if (worker == 0)
                check_run_progress(reader->run, "looking for the original bytes", index, pass->count);
        if (!reader_is_ready(reader))
                return;
        if (source->finding->has_expected) {
                double left = left_until(pass->end);
                source_ask_oracle(reader, source, left < ORACLE_FIRST_PASS ? left : ORACLE_FIRST_PASS);
        }
        if (!source->unsolved)
                source_describe(reader, source);
}

/* What is left of the time is shared among those that the first pass has cut. */
static void sources_try_harder(struct reader *reader, struct source *sources, size_t count, double end)
{
        size_t unsolved = 0;
        for (size_t i = 0; i < count; i++)
                unsolved += sources[i].unsolved;
        for (size_t i = 0; i < count && unsolved > 0; i++) {
                double left = left_until(end);
                if (!sources[i].unsolved)
                        continue;
                if (left > 0)
                        source_ask_oracle(reader, &sources[i], left / (double)unsolved);
                unsolved--;
        }
}

static void sources_solve(struct check_run *run, struct source *sources, size_t count)
{
        double budget = run->request->oracle_seconds >= 0 ? run->request->oracle_seconds : ORACLE_SECONDS_DEFAULT;
        unsigned jobs = parallel_workers(run->context->jobs), workers = count < jobs ? (unsigned)count : jobs;
        AUTO_FREE struct reader *readers = heap_alloc((workers + 1) * sizeof *readers);
        for (unsigned i = 0; i < workers; i++)
                readers[i] = (struct reader){.run = run, .arena = ARENA_INIT, .jobs = workers > 1 ? 1 : jobs};
        struct first_pass pass = {readers, sources, count, clock_seconds() + budget};
        if (workers > 0) {
                readers[0].analyzer = run->analyzer;
                readers[0].borrowed = true;
        }
        parallel_for(workers, count, source_try, &pass, run->context->stop);
        for (unsigned i = 0; i < workers; i++)
                readers[i].jobs = jobs;
        if (workers > 0)
                sources_try_harder(&readers[0], sources, count, pass.end);
        for (size_t i = 0; i < count && !check_run_stopped(run); i++)
                if (!sources[i].described)
                        source_describe(&readers[0], &sources[i]);
        for (unsigned i = 0; i < workers; i++)
                reader_close(&readers[i]);
}

/* The longest first, so that no thread is left with one at the end. */
static int compare_sources(const void *left, const void *right)
{
        const struct source *a = left, *b = right;
        if (a->current.size != b->current.size)
                return a->current.size > b->current.size ? -1 : 1;
        return (a->finding > b->finding) - (a->finding < b->finding);
}

/* What no removal of lines gives back may lie in a wheel or a cache: then the change can be shown after all. */
static void sources_ask_archives(struct check_run *run, struct source *sources, size_t count)
{
        struct reader reader = {.run = run, .analyzer = run->analyzer, .arena = ARENA_INIT, .borrowed = true};
        for (size_t i = 0; i < count && !check_run_stopped(run); i++) {
                check_run_progress(run, "looking into wheels and caches", i, count);
                if (!sources[i].finding->origin.proven && check_archives_find(run, sources[i].finding)) {
                        sources[i].finding->suspects = (struct hunks){0};
                        source_describe(&reader, &sources[i]);
                }
        }
        reader_close(&reader);
}

/* Files that are gone, and those whose lines say nothing. */
static void others_ask_archives(struct check_run *run)
{
        for (size_t i = 0; i < run->n_findings && !check_run_stopped(run); i++) {
                struct finding *finding = &run->findings[i];
                bool gone = strcmp(finding->rule, "file-missing") == 0,
                     changed = strcmp(finding->rule, "file-modified") == 0;
                if ((gone || changed) && !finding->origin.proven)
                        check_archives_find(run, finding);
        }
}

void check_sources(struct check_run *run)
{
        AUTO_FREE struct source *sources = heap_alloc((run->n_findings + 1) * sizeof *sources);
        size_t count = 0;
        for (size_t i = 0; i < run->n_findings && !check_run_stopped(run); i++) {
                struct finding *finding = &run->findings[i];
                bool changed = finding->has_expected || source_is_python(finding);
                if (source_is_wanted(finding) && changed && source_prepare(run, finding, &sources[count]))
                        count++;
        }
        if (count > 0)
                qsort(sources, count, sizeof *sources, compare_sources);
        sources_solve(run, sources, count);
        sources_ask_archives(run, sources, count);
        others_ask_archives(run);
        for (size_t i = 0; i < count; i++)
                if (sources[i].trouble != NULL)
                        check_run_add_unknown(run, sources[i].finding->path, sources[i].trouble, false);
}
