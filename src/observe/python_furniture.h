/* What the comparison with RECORD leaves open: the last stage of observing an environment, on one thread.
 *
 * Comes in with survey->facts (each counted under its state by survey_count()), the sorted `unowned` and `bytecode`
 * lists and the ownership with every look taken; goes out with the facts that are worth telling and the counts moved
 * accordingly. Its stages, each in its file, in this order:
 *
 *     furniture_excuse()         facts that are normal are dropped, others restated   python_furniture.c
 *     furniture_distributions()  partial and doubled distributions                    python_distributions.c
 *     furniture_bytecode()       stale bytecode                                       python_bytecode.c
 *     furniture_hooks()          what runs at every start of this Python              python_hooks.c
 *     furniture_unowned()        modules nobody owns                                  python_unowned.c */
#ifndef PRISTINE_OBSERVE_PYTHON_FURNITURE_H
#define PRISTINE_OBSERVE_PYTHON_FURNITURE_H

#include "observe/python_internal.h"

void furniture_arrange(struct survey *survey);

/* Whether the walk must keep a .pyc for furniture_bytecode(), from its name, the first bytes of the file and the size
 * and times of its source: true where Python might run it though the source says otherwise. Any thread, reads nothing.
 * `found` need hold nothing but mtime_ns; ask bytecode_header_is_open() first to be spared that fstat. */
bool bytecode_header_is_open(const struct environment *environment, struct bytes name,
                             const unsigned char header[BYTECODE_HEADER_SIZE],
                             const struct file_identity *source_found);
bool bytecode_is_open(const struct environment *environment, struct bytes name,
                      const unsigned char header[BYTECODE_HEADER_SIZE], const struct file_identity *found,
                      const struct file_identity *source_found);

/* Below: what the stages share. */
struct furniture {
        struct survey *survey;
        unsigned makers;       /* enum venv_maker */
        bool *delegated;       /* by site: a package manager keeps its files, RECORDs do not tell what belongs there */
        struct strings claims; /* prefix-relative paths that egg-infos and RECORD-less dist-infos name, sorted */
};

void furniture_distributions(struct furniture *furniture);
void furniture_bytecode(struct furniture *furniture);
void furniture_hooks(struct furniture *furniture);
void furniture_unowned(struct furniture *furniture);

/* Fills furniture->claims (python_claims.c). */
void furniture_read_claims(struct furniture *furniture);
/* Whether a claim names the path or something beneath it. */
bool furniture_is_claimed(const struct furniture *furniture, const char *path);

/* Whether furniture_hooks() judges this entry, so that furniture_unowned() need not. */
bool furniture_is_hook(const struct furniture *furniture, const struct unowned_entry *entry);

/* Whether the entry lies directly in its site. */
bool furniture_is_top_level(const struct furniture *furniture, const struct unowned_entry *entry);

/* One fact about an entry nobody owns. why lies in the arena or is a literal. */
void furniture_add(struct furniture *furniture, const struct unowned_entry *entry, const char *rule,
                   enum severity severity, const char *why);

/* Removes the facts for which drop() is true; their counts stay: what was missing is missing. */
void furniture_drop_facts(struct survey *survey, bool (*drop)(void *context, const struct file_fact *fact),
                          void *context);

/* At most `limit` bytes of a regular file beneath the prefix, in the arena; false where there is none. */
bool furniture_read(struct survey *survey, const char *path, size_t limit, struct bytes *ret_bytes);

#endif
