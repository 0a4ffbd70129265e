/* The state of one check while it runs, shared by the parts of flow_check() and by nobody else: what was asked, what is
 * open, what was found so far. Results live in the arena; the lists grow on the heap until check_run_close() hands them
 * over.
 *
 *     struct check_run run;
 *     check_run_open(&run, context, request, arena, error)
 *     check_run_add_finding() / check_run_add_unknown()      any number of times
 *     check_run_close(&run)                                   always; fit for CLEANUP() */
#ifndef PRISTINE_FLOW_CHECK_RUN_H
#define PRISTINE_FLOW_CHECK_RUN_H

#include "analyze/analyze.h"
#include "flow/flow.h"
#include "fs/root.h"
#include "origin/archives.h"

struct check_run {
        const struct flow_context *context;
        const struct check_request *request;
        struct arena *arena;
        struct root root;
        struct analyzer *analyzer;
        struct archives *archives; /* NULL until a file needs them */
        struct strings workdirs;   /* absolute, /tmp and its like first */
        struct finding *findings;
        size_t n_findings, findings_capacity;
        struct unknown *unknowns;
        size_t n_unknowns, unknowns_capacity;
};

int check_run_open(struct check_run *run, const struct flow_context *context, const struct check_request *request,
                   struct arena *arena, struct error *ret_error);
void check_run_close(struct check_run *run);

/* The pointer is good until the next addition. */
struct finding *check_run_add_finding(struct check_run *run, const struct finding *finding);
void check_run_add_unknown(struct check_run *run, const char *what, const char *why, bool in_scope);
void check_run_add_unknowns(struct check_run *run, const struct unknowns *unknowns);

bool check_run_stopped(const struct check_run *run);
void check_run_progress(const struct check_run *run, const char *stage, uint64_t done, uint64_t total);
double clock_seconds(void); /* monotonic */

/* The parts of a check, in their order (each in a file of its own). */

/* check_source.c: original bytes, hunks, what they do. */
void check_sources(struct check_run *run);

/* check_archives.c: whether a wheel or a cache still holds the bytes that RECORD names; fills finding->origin. */
bool check_archives_find(struct check_run *run, struct finding *finding);
void check_archives_searched(const struct check_run *run, struct strings *ret_sentences);

/* find_links.c: directories of wheels that the settings of pip and uv name. */
void check_find_links(struct check_run *run, const struct environment *environment, const struct strings *homes,
                      struct strings *ret_links);

/* check_evidence.c: the files that the findings' code has written, and families that nothing explains. */
int check_evidence(struct check_run *run, const struct strings *remembered, struct error *ret_error);
bool check_glob_is_specific(const char *glob); /* a match says something about who wrote the file */

/* check_accept.c: names every finding (its id) and marks what somebody wanted, as long as it is still the same bytes.
 */
void check_acceptances(struct check_run *run, const struct acceptance *acceptances, size_t count);

/* check_vendor.c: whether a file that is as installed has debug code in it; one note per file, only with -v. */
bool check_is_vendor_fact(const struct file_fact *fact);
void check_vendor(struct check_run *run, const struct environment *environment, const struct file_facts *facts);

/* check_preview.c: says how the code stands while large binaries are still being hashed. */
void check_announce_code(struct check_run *run, const struct environment *environment, const struct file_facts *facts,
                         uint64_t bytes_left);

#endif
