/* What the parts of the observer `python` share while one environment is observed. Nothing outside observe/ includes
 * this.
 *
 *     survey_read_records()      RECORDs -> ownership                                          python_observe.c
 *     survey_walk()              every directory that rows or sites name is listed once; what rows name is looked at on
 *                                the way, large binaries excepted                             python_walk.c,
 * python_look.c survey_hash_pending()      those survey_judge()             looks and claims -> states, facts, counts
 * python_verdict.c furniture_arrange()        python_excuse() for each fact; unowned entries; bytecode; distributions
 *
 * The walk fills `unowned` and `bytecode`; both are sorted by path when it has ended. From then on one thread works,
 * but for the hashing of what is pending. */
#ifndef PRISTINE_OBSERVE_PYTHON_INTERNAL_H
#define PRISTINE_OBSERVE_PYTHON_INTERNAL_H

#include "base/arena.h"
#include "fs/root.h"
#include "fs/stat_cache.h"
#include "model/environment.h"
#include "model/finding.h"
#include "observe/python.h"
#include "observe/python_ownership.h"

/* Something beneath a site that no row names. Directories are listed when no row lies beneath them, `__pycache__` only
 * as a link or (DT_UNKNOWN) when it cannot be listed; bytecode in a `__pycache__` is listed under `bytecode` or,
 * without a source, not at all, and here when it is a link. */
struct unowned_entry {
        const char *path;   /* prefix-relative */
        uint32_t site;      /* index into environment.sites: the one it was found beneath */
        unsigned char type; /* DT_REG, DT_DIR, DT_LNK, … */
        bool beside_owned;  /* its directory is one that rows lie in or beneath */
};

enum { BYTECODE_HEADER_SIZE = 16 };

/* A .pyc in a `__pycache__` whose header leaves open whether Python would run it instead of its source. */
struct bytecode_entry {
        const char *path;   /* prefix-relative */
        const char *source; /* prefix-relative */
        struct file_identity found, source_found;
        unsigned char header[BYTECODE_HEADER_SIZE];
};

struct survey {
        const struct root *root;
        int prefix_fd;
        struct environment *environment;
        const struct observe_options *options;
        struct arena *arena; /* the run's: facts and all they point to */
        struct ownership ownership;
        struct unowned_entry *unowned;
        size_t n_unowned;
        struct bytecode_entry *bytecode;
        size_t n_bytecode;
        struct file_fact *facts; /* heap while it grows */
        size_t n_facts, facts_capacity;
        struct unknown *unknowns; /* heap while it grows */
        size_t n_unknowns, unknowns_capacity;
        struct survey_progress *progress;
        struct stat_cache *cache;   /* NULL without --trust-stat */
        struct stat_entry *learned; /* heap: what the cache should hold from now on */
        size_t n_learned, learned_capacity;
        bool cache_is_stale; /* something was looked at that the cache did not know */
};

/* What the observing threads count together. */
struct survey_progress {
        const struct observe_options *options;
        atomic_uint_least64_t files_done, bytes_done;
        uint64_t files, bytes;
        atomic_bool code_done;
};

void survey_read_records(struct survey *survey);
void survey_walk(struct survey *survey);
uint64_t survey_pending_bytes(const struct survey *survey);
void survey_hash_pending(struct survey *survey);
void survey_judge(struct survey *survey);

void survey_report_progress(struct survey_progress *progress);
bool survey_is_stopped(const struct survey *survey);

/* One thread's tools. */
struct look_worker {
        struct survey *survey;
        bool reports;          /* the one thread that calls options->progress */
        unsigned char *buffer; /* LOOK_BUFFER_SIZE */
        char *names;           /* LOOK_NAMES_SIZE, for directory listings */
        struct arena arena;
        struct unowned_entry *unowned;
        size_t n_unowned, unowned_capacity;
        struct bytecode_entry *bytecode;
        size_t n_bytecode, bytecode_capacity;
        struct stat_entry *learned;
        size_t n_learned, learned_capacity;
        uint64_t silent;
        bool cache_is_stale;
};

enum { LOOK_BUFFER_SIZE = 256 << 10, LOOK_NAMES_SIZE = 64 << 10 };

struct look_worker *look_workers_open(struct survey *survey, unsigned n_workers);
void look_workers_close(struct look_worker *workers, unsigned n_workers); /* what they learned goes to the survey */

/* Looks at one owned file by its name in an open directory: fills look, found, errnum. `type` is the entry's d_type. */
void look_at_file(struct look_worker *worker, int directory_fd, const char *name, unsigned char type,
                  struct owned_file *file);
bool look_wants_hash(const struct ownership *ownership, const struct owned_file *file);
void look_learn(struct look_worker *worker, const struct stat_key *key, const void *value, size_t size);

/* Copies the fact itself; strings and owners must already lie in the arena. */
void survey_add_fact(struct survey *survey, const struct file_fact *fact);
void survey_add_unknown(struct survey *survey, const char *what, const char *why, bool in_scope);
void survey_count(struct survey *survey, enum file_state state);
void survey_count_silent(struct survey *survey);

/* The prefix-relative path of an owned file, in the arena. */
const char *survey_path(struct survey *survey, const struct owned_file *file);

#endif
