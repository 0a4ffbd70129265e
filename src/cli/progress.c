#include "cli/progress.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "cli/terminal.h"

enum { AFTER_MS = 500, EVERY_MS = 100 };

static struct {
        atomic_flag busy; /* one thread writes; another that comes meanwhile has nothing newer to say */
        int64_t begin_ms, last_ms;
        bool shown;
} progress = {.busy = ATOMIC_FLAG_INIT};

static int64_t now_ms(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_begin(void)
{
        progress.begin_ms = now_ms();
}

void progress_show(void *context, const char *stage, uint64_t done, uint64_t total)
{
        (void)context;
        if (atomic_flag_test_and_set(&progress.busy))
                return;
        int64_t now = now_ms();
        if (now - progress.begin_ms >= AFTER_MS && now - progress.last_ms >= EVERY_MS) {
                char line[128];
                snprintf(line, sizeof line, total > 0 ? "%s %" PRIu64 "/%" PRIu64 : "%s", stage, done, total);
                fprintf(stderr, "\r\033[K%.*s", (int)terminal_columns(fileno(stderr)) - 1, line);
                fflush(stderr);
                progress.last_ms = now;
                progress.shown = true;
        }
        atomic_flag_clear(&progress.busy);
}

void progress_erase(void)
{
        if (progress.shown) {
                fputs("\r\033[K", stderr);
                fflush(stderr);
        }
        progress.shown = false;
}
