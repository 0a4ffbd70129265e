/* What the parts of the observer `python` share while one environment is observed. Nothing outside observe/ includes
 * this.
 *
 *     survey_open()              prefix descriptor, RECORDs read, ownership built
 *     survey_walk()              every site listed once; files that rows name are looked at on the way
 *     survey_judge()             looks and claims -> states, facts, counts
 *     then the furniture's part  python_excuse() for each fact; unowned entries; bytecode; distributions
 *
 * The walk fills `unowned` and `bytecode`; both are sorted by path when it has ended. From then on one thread works. */
#ifndef PRISTINE_OBSERVE_PYTHON_INTERNAL_H
#define PRISTINE_OBSERVE_PYTHON_INTERNAL_H

#include "base/arena.h"
#include "fs/root.h"
#include "model/environment.h"
#include "model/finding.h"
#include "observe/python.h"
#include "observe/python_ownership.h"

/* Something beneath a site that no row names. Directories are listed when no row lies beneath them, `__pycache__`
 * never; bytecode in a `__pycache__` is listed under `bytecode` or, without a source, not at all. */
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
};

/* Copies the fact itself; strings and owners must already lie in the arena. */
void survey_add_fact(struct survey *survey, const struct file_fact *fact);
void survey_add_unknown(struct survey *survey, const char *what, const char *why, bool in_scope);
void survey_count(struct survey *survey, enum file_state state);
void survey_count_silent(struct survey *survey);

/* The prefix-relative path of an owned file, in the arena. */
const char *survey_path(struct survey *survey, const struct owned_file *file);

#endif
