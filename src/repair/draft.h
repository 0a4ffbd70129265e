/* Inside repair_draft(): one option while it grows. */
#ifndef PRISTINE_REPAIR_DRAFT_H
#define PRISTINE_REPAIR_DRAFT_H

#include "repair/repair.h"

struct string_list {
        const char **items; /* heap; the strings are the arena's */
        size_t count, capacity;
};

struct draft {
        const struct repair_input *input;
        struct arena *arena;
        struct step *steps; /* heap */
        size_t n_steps, steps_capacity;
        struct bytes *contents; /* heap; bytes in the arena */
        size_t n_contents, contents_capacity;
        struct string_list risks, left, globs;
        bool restores; /* members of archives count as well, not only what removing lines gives back */
        uint32_t files;
        enum proof proof; /* the weakest of all files */
};

void string_list_add(struct string_list *list, const char *string); /* once */
struct strings string_list_take(const struct string_list *list, struct arena *arena);

struct step *draft_add_step(struct draft *draft, enum step_op op, const char *path, const char *base,
                            const struct finding *finding, const struct file_identity *before);
void draft_leave(struct draft *draft, const struct finding *finding, const char *why);
bool draft_has_path(const struct draft *draft, const char *path);
/* Identity and digest of a file that a step will touch. */
int draft_identify(struct draft *draft, const char *path, struct file_identity *ret_identity, struct error *ret_error);

/* draft_files.c: a modified file, or stale bytecode. True when steps were added. */
bool draft_file(struct draft *draft, const struct finding *finding);
/* draft_artifacts.c. `repaired`: the code that wrote them goes with this plan. */
void draft_artifacts(struct draft *draft, const struct finding *finding, bool repaired);
/* compose.c: the original with the hunks that stay, and whether any goes or stays. */
bool hunk_stays(const struct hunk *hunk);
struct bytes compose_partial(const struct finding *finding, struct bytes current, struct arena *arena);

#endif
