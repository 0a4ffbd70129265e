/* What analysis costs: twenty modified files of the sizes that the modules of a serving engine have (1 to 72 KB, 13.5
 * in the mean as in sglang 0.4.6), each carrying the same debugging edits; or the files named on the command line
 * as they are. Suggesting extents and describing hunks are counted, loading the rules as well; the oracle and the
 * diff are not. As in a check the files are shared among threads, the longest first, each thread with an analyzer of
 * its own; the time is that on the clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/analyze.h"
#include "base/cleanup.h"
#include "base/parallel.h"

enum { FILES = 20, RUNS = 7, SIZE_LIMIT = 1 << 20, EDIT_LINES = 5, EDITS = 3 };

static const size_t sizes_kb[FILES] = {72, 30, 24, 20, 17, 15, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 2, 1};

static const char edit[] = "        self._nomla_debug += 1\n"
                           "        if hidden_states.shape[0] == 5 and not self._nomla_saved:\n"
                           "            logger.warning('NOMLA_SAVE')\n"
                           "            torch.save(hidden_states.cpu(), '/tmp/nomla_debug_tp%d.pt' % rank)\n"
                           "            self._nomla_saved = True\n";

struct file {
        struct bytes current;
        struct hunk *hunks;
        size_t n_hunks;
};

static double seconds(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct bytes read_file(const char *path, struct arena *arena)
{
        AUTO_FCLOSE FILE *file = fopen(path, "re");
        if (file == NULL) {
                fprintf(stderr, "%s: cannot be opened\n", path);
                exit(2);
        }
        unsigned char *data = arena_alloc(arena, SIZE_LIMIT);
        return (struct bytes){data, fread(data, 1, SIZE_LIMIT, file)};
}

static void add_hunk(struct file *file, struct text *text, uint32_t line)
{
        file->hunks[file->n_hunks++] = (struct hunk){
                .change = HUNK_INSERT,
                .first_line = line + 1,
                .last_line = line + EDIT_LINES,
                .start = text->size,
                .end = text->size + sizeof edit - 1,
        };
        text_add(text, edit);
}

/* The sample's classes over and over, cut at a line, with the edit at the start of every third `forward`, three times
 * at most. */
static struct file make_file(struct bytes sample, size_t size, struct arena *arena)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        struct file file = {.hunks = arena_new_array(arena, struct hunk, EDITS)};
        uint32_t line = 0;
        unsigned forwards = 0;
        for (size_t at = 0; text.size < size;) {
                const unsigned char *newline = memchr(sample.data + at, '\n', sample.size - at);
                size_t end = newline != NULL ? (size_t)(newline - sample.data) + 1 : sample.size;
                struct bytes bytes = {sample.data + at, end - at};
                text_add_bytes(&text, bytes.data, bytes.size);
                line++;
                if (bytes_start_with(bytes, "    def forward(") && forwards++ % 3 == 0 && file.n_hunks < EDITS) {
                        add_hunk(&file, &text, line);
                        line += EDIT_LINES;
                }
                at = end < sample.size ? end : 0;
        }
        file.current = (struct bytes){arena_copy(arena, text.data, text.size), text.size};
        return file;
}

struct worker {
        struct arena arena;
        struct analyzer *analyzer;
        size_t extents, labels;
};

struct loop {
        const struct file *files;
        struct worker *workers;
};

static void analyze_one(void *context, unsigned number, size_t index)
{
        struct loop *loop = context;
        struct worker *worker = &loop->workers[number];
        const struct file *file = &loop->files[index];
        struct extents extents = {0};
        if (worker->analyzer == NULL && analyzer_new(&worker->analyzer, NULL) < 0)
                exit(2);
        analyzer_suggest(worker->analyzer, file->current, &worker->arena, &extents, NULL);
        struct hunks hunks = {file->hunks, file->n_hunks};
        analyzer_describe(worker->analyzer, file->current, (struct bytes){0}, &worker->arena, &hunks, NULL);
        worker->extents += extents.count;
        for (size_t i = 0; i < hunks.count; i++)
                worker->labels += hunks.items[i].labels.count;
}

static double run_once(const struct file *files, size_t count, size_t *ret_extents, size_t *ret_labels)
{
        unsigned n_workers = parallel_workers(0);
        AUTO_FREE struct worker *workers = heap_alloc(n_workers * sizeof *workers);
        struct loop loop = {files, workers};
        *ret_extents = *ret_labels = 0;
        double start = seconds();
        parallel_for(n_workers, count, analyze_one, &loop, NULL);
        for (unsigned i = 0; i < n_workers; i++) {
                analyzer_free(workers[i].analyzer);
                arena_clear(&workers[i].arena);
                *ret_extents += workers[i].extents;
                *ret_labels += workers[i].labels;
        }
        return seconds() - start;
}

static int compare_doubles(const void *a, const void *b)
{
        double left = *(const double *)a, right = *(const double *)b;
        return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        size_t count = argc > 1 ? (size_t)argc - 1 : FILES, bytes = 0, extents = 0, labels = 0;
        struct file *files = arena_new_array(&arena, struct file, count);
        struct bytes sample =
                argc > 1 ? (struct bytes){0} : read_file(SOURCE_ROOT "/tests/corpus/analyze/vendor.py", &arena);
        for (size_t i = 0; i < count; i++) {
                if (argc > 1)
                        files[i].current = read_file(argv[i + 1], &arena);
                else
                        files[i] = make_file(sample, sizes_kb[i] * 1024, &arena);
                bytes += files[i].current.size;
        }
        double times[RUNS];
        for (size_t i = 0; i < RUNS; i++)
                times[i] = run_once(files, count, &extents, &labels);
        qsort(times, RUNS, sizeof *times, compare_doubles);
        printf("analysis of %zu modified files, %zu KB: %.1f ms, must be < 50 (median of %d; fastest %.1f; %zu "
               "extents, "
               "%zu labels)\n",
               count, bytes / 1024, times[RUNS / 2] * 1e3, RUNS, times[0] * 1e3, extents, labels);
        return 0;
}
