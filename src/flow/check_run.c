#include "flow/check_run.h"

#include <stdlib.h>
#include <time.h>

static void check_run_workdirs(struct check_run *run)
{
        static const char *const usual[] = {"/tmp", "/var/tmp", "/dev/shm"};
        enum { N_USUAL = sizeof usual / sizeof *usual };
        const struct strings *asked = &run->request->workdirs;
        run->workdirs.items = arena_new_array(run->arena, const char *, N_USUAL + asked->count);
        for (size_t i = 0; i < N_USUAL; i++)
                run->workdirs.items[run->workdirs.count++] = usual[i];
        for (size_t i = 0; i < asked->count; i++)
                run->workdirs.items[run->workdirs.count++] = asked->items[i];
}

int check_run_open(struct check_run *run, const struct flow_context *context, const struct check_request *request,
                   struct arena *arena, struct error *ret_error)
{
        *run = (struct check_run){.context = context, .request = request, .arena = arena, .root = ROOT_INIT};
        check_run_workdirs(run);
        int result = root_open(context->root != NULL ? context->root : "/", &run->root, ret_error);
        if (result < 0) {
                error_add(ret_error, "opening the root that names are resolved in");
                return result;
        }
        return analyzer_new(&run->analyzer, ret_error);
}

void check_run_close(struct check_run *run)
{
        root_close(&run->root);
        run->analyzer = analyzer_free(run->analyzer);
        run->archives = archives_free(run->archives);
        free(run->findings);
        free(run->unknowns);
        run->findings = NULL;
        run->unknowns = NULL;
}

struct finding *check_run_add_finding(struct check_run *run, const struct finding *finding)
{
        heap_reserve(run->findings, run->n_findings, run->findings_capacity);
        run->findings[run->n_findings] = *finding;
        return &run->findings[run->n_findings++];
}

void check_run_add_unknown(struct check_run *run, const char *what, const char *why, bool in_scope)
{
        heap_reserve(run->unknowns, run->n_unknowns, run->unknowns_capacity);
        run->unknowns[run->n_unknowns++] = (struct unknown){
                .what = arena_strdup(run->arena, what), .why = arena_strdup(run->arena, why), .in_scope = in_scope};
}

void check_run_add_unknowns(struct check_run *run, const struct unknowns *unknowns)
{
        for (size_t i = 0; i < unknowns->count; i++)
                check_run_add_unknown(run, unknowns->items[i].what, unknowns->items[i].why,
                                      unknowns->items[i].in_scope);
}

bool check_run_stopped(const struct check_run *run)
{
        return run->context->stop != NULL && atomic_load(run->context->stop);
}

void check_run_progress(const struct check_run *run, const char *stage, uint64_t done, uint64_t total)
{
        if (run->context->progress != NULL)
                run->context->progress(run->context->progress_context, stage, done, total);
}

double clock_seconds(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
