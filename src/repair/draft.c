#include <stdlib.h>

#include "base/cleanup.h"
#include "repair/draft.h"
#include "repair/ground.h"

void string_list_add(struct string_list *list, const char *string)
{
        for (size_t i = 0; i < list->count; i++)
                if (strcmp(list->items[i], string) == 0)
                        return;
        heap_reserve(list->items, list->count, list->capacity);
        list->items[list->count++] = string;
}

struct strings string_list_take(const struct string_list *list, struct arena *arena)
{
        return (struct strings){arena_copy(arena, list->items, list->count * sizeof *list->items), list->count};
}

static void draft_clear(struct draft *draft)
{
        free(draft->steps);
        free(draft->contents);
        free(draft->risks.items);
        free(draft->left.items);
        free(draft->globs.items);
}

struct step *draft_add_step(struct draft *draft, enum step_op op, const char *path, const char *base,
                            const struct finding *finding, const struct file_identity *before)
{
        heap_reserve(draft->steps, draft->n_steps, draft->steps_capacity);
        struct step *step = &draft->steps[draft->n_steps++];
        *step = (struct step){
                .number = (uint32_t)draft->n_steps,
                .op = op,
                .path = path,
                .base = base,
                .target = "",
                .finding = finding != NULL ? finding->id : "",
                .before = before != NULL ? *before : (struct file_identity){0},
                .when_ns = INT64_MIN,
                .message = "",
        };
        return step;
}

void draft_leave(struct draft *draft, const struct finding *finding, const char *why)
{
        string_list_add(&draft->left,
                        arena_printf(draft->arena, "%s (%s): %s",
                                     finding->path[0] != '\0' ? finding->path : finding->subject, finding->rule, why));
}

bool draft_has_path(const struct draft *draft, const char *path)
{
        for (size_t i = 0; i < draft->n_steps; i++)
                if (strcmp(draft->steps[i].path, path) == 0)
                        return true;
        return false;
}

int draft_identify(struct draft *draft, const char *path, struct file_identity *ret_identity, struct error *ret_error)
{
        CLEANUP(ground_close) struct ground ground = GROUND_INIT;
        bool exists = false;
        int result = ground_open(draft->input->root, path, &ground, ret_error);
        if (result == ERR_REFUSED)
                return error_set(ret_error, ERR_REFUSED, 0,
                                 "its directory is reached through a symbolic link; name the real path");
        if (result == 0)
                result = ground_look(&ground, ground.name, &exists, ret_identity, ret_error);
        return result == 0 && !exists ? error_set(ret_error, ERR_CHANGED, 0, "it is gone since the check") : result;
}

/* Whether steps were added for the code of a finding. */
static bool draft_code(struct draft *draft, const struct finding *finding)
{
        bool family = finding->pattern != NULL && finding->pattern[0] != '\0';
        if (finding->severity == SEVERITY_NOTE || (family && !finding->accepted))
                return false;
        if (!finding->accepted)
                return draft_file(draft, finding);
        draft_leave(draft, finding,
                    arena_printf(draft->arena, "accepted: %s",
                                 finding->accepted_reason != NULL ? finding->accepted_reason : ""));
        return false;
}

/* Everything that one option can do. */
static void draft_make(struct draft *draft)
{
        const struct findings *findings = &draft->input->check->findings;
        AUTO_FREE bool *repaired = heap_alloc(findings->count + 1);
        /* Code first: artifacts leave when nothing on disk makes new ones. */
        for (size_t i = 0; i < findings->count; i++)
                repaired[i] = draft_code(draft, &findings->items[i]);
        for (size_t i = 0; i < findings->count; i++)
                if (!findings->items[i].accepted)
                        draft_artifacts(draft, &findings->items[i], repaired[i]);
        if (draft->n_steps == 0)
                return;
        draft_add_step(draft, STEP_VERIFY, "", "", NULL, NULL)->reversible = true;
        string_list_add(&draft->risks, "processes that run already keep the code they have loaded until they are "
                                       "restarted; this plan restarts nothing");
}

static struct plan_option draft_option(const struct draft *draft, const char *name, bool possible, const char *why_not)
{
        if (!possible)
                return (struct plan_option){.name = name, .why_not = why_not};
        return (struct plan_option){
                .name = name,
                .possible = true,
                .why_not = "",
                .files = draft->files,
                .proof = draft->files > 0 ? draft->proof : PROOF_NONE,
                .risks = string_list_take(&draft->risks, draft->arena),
                .steps = arena_copy(draft->arena, draft->steps, draft->n_steps * sizeof *draft->steps),
                .n_steps = draft->n_steps,
        };
}

/* Both drafts hold the same bytes for the files they share; kept is what the larger of them needs. */
static void draft_finish(const struct draft *surgical, const struct draft *restore, struct repair_draft *ret_draft)
{
        enum { N_OPTIONS = 3 };
        struct arena *arena = surgical->arena;
        bool can_cut = surgical->n_steps > 0, can_restore = restore->files > surgical->files;
        const struct draft *best = can_restore ? restore : surgical;
        struct plan_option *options = arena_new_array(arena, struct plan_option, N_OPTIONS);
        options[0] = draft_option(surgical, "surgical", can_cut, "there is nothing it could do");
        options[1] = draft_option(restore, "restore", can_restore,
                                  surgical->files > 0 ? "not needed: surgical gives back all that can be given back"
                                                      : "no wheel or cache that was looked into holds the bytes");
        options[2] = (struct plan_option){.name = "reinstall",
                                          .why_not = "not in this version: it neither downloads nor runs an installer"};
        *ret_draft = (struct repair_draft){
                .options = options,
                .n_options = N_OPTIONS,
                .recommended = can_restore ? "restore"
                               : can_cut   ? "surgical"
                                           : "",
                .searched = surgical->input->check->searched,
                .left = string_list_take(&best->left, arena),
                .globs = string_list_take(&best->globs, arena),
                .contents = arena_copy(arena, best->contents, best->n_contents * sizeof *best->contents),
                .n_contents = best->n_contents,
        };
}

void repair_draft(const struct repair_input *input, struct arena *arena, struct repair_draft *ret_draft)
{
        CLEANUP(draft_clear) struct draft surgical = {.input = input, .arena = arena, .proof = PROOF_RECORD};
        CLEANUP(draft_clear)
        struct draft restore = {.input = input, .arena = arena, .proof = PROOF_RECORD, .restores = true};
        draft_make(&surgical);
        draft_make(&restore);
        draft_finish(&surgical, &restore, ret_draft);
}
