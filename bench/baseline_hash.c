/* The physical limit that `check` is measured against: open, read and hash every regular file beneath the directories
 * given, with nothing known and nothing decided. The names are gathered first, on one thread, as any such loop must.
 *
 *     baseline_hash JOBS DIRECTORY… */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/parallel.h"
#include "fs/hash.h"

enum { BUFFER_SIZE = 256 << 10 };

struct loop {
        struct arena arena;
        const char **paths;
        size_t count, capacity;
        unsigned char **buffers; /* by worker */
        atomic_uint_least64_t bytes;
};

static void gather(struct loop *loop, const char *path)
{
        AUTO_CLOSEDIR DIR *directory = opendir(path);
        if (directory == NULL)
                return;
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                        continue;
                char below[PATH_MAX];
                snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
                if (entry->d_type == DT_DIR)
                        gather(loop, below);
                if (entry->d_type != DT_REG)
                        continue;
                heap_reserve(loop->paths, loop->count, loop->capacity);
                loop->paths[loop->count++] = arena_strdup(&loop->arena, below);
        }
}

static void hash_one(void *context, unsigned worker, size_t index)
{
        struct loop *loop = context;
        struct digest digest;
        struct hash hash;
        AUTO_CLOSE int fd = open(loop->paths[index], O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return;
        uint64_t size = 0;
        hash_begin(&hash);
        for (ssize_t got; (got = read(fd, loop->buffers[worker], BUFFER_SIZE)) > 0; size += (uint64_t)got)
                hash_add(&hash, loop->buffers[worker], (size_t)got);
        hash_end(&hash, &digest);
        atomic_fetch_add(&loop->bytes, size);
}

int main(int argc, char **argv)
{
        if (argc < 3) {
                fprintf(stderr, "usage: baseline_hash JOBS DIRECTORY…\n");
                return 2;
        }
        struct loop loop = {.arena = ARENA_INIT};
        unsigned workers = parallel_workers((unsigned)strtoul(argv[1], NULL, 10));
        for (int i = 2; i < argc; i++)
                gather(&loop, argv[i]);
        loop.buffers = heap_alloc(workers * sizeof *loop.buffers);
        for (unsigned i = 0; i < workers; i++)
                loop.buffers[i] = heap_alloc(BUFFER_SIZE);
        parallel_for(workers, loop.count, hash_one, &loop, NULL);
        printf("%zu files, %llu bytes\n", loop.count, (unsigned long long)atomic_load(&loop.bytes));
        return 0;
}
