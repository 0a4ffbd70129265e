/* Debug code that a distribution ships: real serving engines have dumpers and debug switches of their own, and nothing
 * is to be put back there. Whoever looks for the writer of a dump wants to know of them all the same, so they are
 * notes, and only with -v. */
#include "base/cleanup.h"
#include "base/parallel.h"
#include "flow/check_run.h"
#include "flow/identity.h"
#include "judge/judge.h"

enum { VENDOR_SOURCE_MAX = 4 << 20 };

/* Words without which a module is not even parsed: of the ways to write a file those that dump tensors and objects, and
 * every debugger. */
static bool is_worth_reading(struct bytes source)
{
        static const char *const words[] = {"torch.save", ".save(",      "savez",    "save_file",    "tofile(",
                                            ".dump(",     "set_trace",   "settrace", "pdb",          "breakpoint(",
                                            "debugpy",    "post_mortem", "pydevd",   "IPython.embed"};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                if (memmem(source.data, source.size, words[i], strlen(words[i])) != NULL)
                        return true;
        return false;
}

/* What whoever has found a dump or a hanging worker is looking for; of the rest every library is full. */
static bool is_telling(const struct hunk *hunk)
{
        for (size_t i = 0; i < hunk->labels.count; i++)
                if (strcmp(hunk->labels.items[i], "tensor-dump") == 0 || strcmp(hunk->labels.items[i], "debugger") == 0)
                        return true;
        return false;
}

static void keep_telling(struct hunks *hunks)
{
        size_t kept = 0;
        for (size_t i = 0; i < hunks->count; i++)
                if (is_telling(&hunks->items[i]))
                        hunks->items[kept++] = hunks->items[i];
        hunks->count = kept;
}

bool check_is_vendor_fact(const struct file_fact *fact)
{
        return fact->state == FILE_OK;
}

static bool read_source(int prefix_fd, const char *path, struct bytes *ret_bytes)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        return fs_open_regular(prefix_fd, path, &fd, &identity, NULL) == 0 &&
               fs_read_whole(fd, VENDOR_SOURCE_MAX, ret_bytes, NULL) == 0;
}

/* One thread's tools. */
struct vendor_worker {
        struct analyzer *analyzer;
        struct arena arena;
};

struct vendor_loop {
        struct check_run *run;
        const struct file_fact **facts;
        struct hunks *suspects; /* by fact */
        size_t count;
        struct vendor_worker *workers;
        int prefix_fd;
};

static void scan_one(void *context, unsigned number, size_t index)
{
        struct vendor_loop *loop = context;
        struct vendor_worker *worker = &loop->workers[number];
        struct bytes bytes = {0};
        if (number == 0)
                check_run_progress(loop->run, "reading what was installed", index, loop->count);
        if ((worker->analyzer == NULL && analyzer_new(&worker->analyzer, NULL) < 0) ||
            !read_source(loop->prefix_fd, loop->facts[index]->path, &bytes))
                return;
        AUTO_FREE void *owned = (void *)bytes.data;
        if (!is_worth_reading(bytes) ||
            analyzer_scan(worker->analyzer, bytes, &worker->arena, &loop->suspects[index], NULL) < 0)
                return;
        keep_telling(&loop->suspects[index]);
        identity_name_hunks(&loop->suspects[index], (struct bytes){0}, &worker->arena);
}

static void scan_all(struct vendor_loop *loop)
{
        struct check_run *run = loop->run;
        unsigned n_workers = parallel_workers(run->context->jobs);
        loop->workers = heap_alloc(n_workers * sizeof *loop->workers);
        parallel_for(n_workers, loop->count, scan_one, loop, run->context->stop);
        for (unsigned i = 0; i < n_workers; i++) {
                analyzer_free(loop->workers[i].analyzer);
                arena_adopt(run->arena, &loop->workers[i].arena);
        }
        free(loop->workers);
}

void check_vendor(struct check_run *run, const struct environment *environment, const struct file_facts *facts)
{
        AUTO_CLOSE int prefix_fd = -1;
        if (!run->request->vendor_notes ||
            root_open_directory(&run->root, environment->path, &prefix_fd, NULL, NULL) < 0)
                return;
        struct vendor_loop loop = {.run = run, .prefix_fd = prefix_fd};
        loop.facts = arena_new_array(run->arena, const struct file_fact *, facts->count + 1);
        for (size_t i = 0; i < facts->count; i++)
                if (check_is_vendor_fact(&facts->items[i]))
                        loop.facts[loop.count++] = &facts->items[i];
        loop.suspects = arena_new_array(run->arena, struct hunks, loop.count + 1);
        scan_all(&loop);
        for (size_t i = 0; i < loop.count; i++) {
                struct finding finding;
                if (loop.suspects[i].count == 0)
                        continue;
                judge_fact(environment, loop.facts[i], run->arena, &finding);
                finding.suspects = loop.suspects[i];
                check_run_add_finding(run, &finding);
        }
}
