#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>

enum { WORKERS_MAX = 64 };

struct shared_loop {
        atomic_size_t next;
        size_t count;
        parallel_body *body;
        void *context;
        const atomic_bool *stop;
};

struct worker {
        struct shared_loop *loop;
        unsigned number;
};

unsigned parallel_workers(unsigned wanted)
{
        cpu_set_t set;
        if (wanted == 0 && sched_getaffinity(0, sizeof set, &set) == 0)
                wanted = (unsigned)CPU_COUNT(&set);
        return wanted == 0 ? 1 : wanted > WORKERS_MAX ? WORKERS_MAX : wanted;
}

static void *worker_run(void *argument)
{
        const struct worker *worker = argument;
        struct shared_loop *loop = worker->loop;
        while (loop->stop == NULL || !atomic_load_explicit(loop->stop, memory_order_relaxed)) {
                size_t index = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
                if (index >= loop->count)
                        break;
                loop->body(loop->context, worker->number, index);
        }
        return NULL;
}

void parallel_for(unsigned workers, size_t count, parallel_body *body, void *context, const atomic_bool *stop)
{
        struct shared_loop loop = {.count = count, .body = body, .context = context, .stop = stop};
        struct worker states[WORKERS_MAX];
        pthread_t threads[WORKERS_MAX];
        bool started[WORKERS_MAX] = {false};
        workers = workers < 1 ? 1 : workers > WORKERS_MAX ? WORKERS_MAX : workers;
        for (unsigned i = 0; i < workers; i++)
                states[i] = (struct worker){&loop, i};
        /* The caller is worker 0; a thread that cannot be had only means fewer hands. */
        for (unsigned i = 1; i < workers && i < count; i++)
                started[i] = pthread_create(&threads[i], NULL, worker_run, &states[i]) == 0;
        worker_run(&states[0]);
        for (unsigned i = 1; i < workers; i++)
                if (started[i])
                        pthread_join(threads[i], NULL);
}
