#include <time.h>

#include "analyze/syntax.h"
#include "base/cleanup.h"
#include "flow/check_run.h"
#include "flow/journal_flow.h"

static int mark_kept(struct findings *findings, const struct strings *keep, struct arena *arena,
                     struct error *ret_error)
{
        for (size_t i = 0; i < keep->count; i++) {
                struct hunk_choice choice;
                int result = flow_choose_hunk(findings, keep->items[i], arena, &choice, ret_error);
                if (result < 0) {
                        error_add(ret_error, "--keep");
                        return result;
                }
                for (size_t j = 0; j < choice.finding->hunks.count; j++) {
                        struct hunk *hunk = &choice.finding->hunks.items[j];
                        hunk->kept |= choice.hunk == NULL || choice.hunk == hunk;
                }
        }
        return 0;
}

static bool parses(void *context, struct bytes source)
{
        CLEANUP(syntax_clear) struct syntax syntax = {0};
        return syntax_parse(context, source, &syntax, NULL) == 0 && !syntax.has_errors;
}

static int draft_plan(const struct flow_context *context, const struct plan_request *request, const struct check *check,
                      struct arena *arena, struct repair_draft *ret_draft, struct error *ret_error)
{
        CLEANUP(root_close) struct root root = ROOT_INIT;
        CLEANUP(syntax_parser_delete) TSParser *parser = syntax_parser_new(ret_error);
        if (parser == NULL)
                return ERR_UNSUPPORTED;
        int result = root_open(context->root != NULL ? context->root : "/", &root, ret_error);
        if (result < 0)
                return result;
        struct repair_input input = {
                .root = &root,
                .check = check,
                .artifacts = request->check.artifacts,
                .parses = parses,
                .parses_context = parser,
        };
        repair_draft(&input, arena, ret_draft);
        return 0;
}

static struct strings absolute_all(const struct flow_context *context, const struct strings *paths, struct arena *arena)
{
        const char **items = arena_new_array(arena, const char *, paths->count);
        for (size_t i = 0; i < paths->count; i++)
                items[i] = flow_absolute(context, paths->items[i], arena);
        return (struct strings){items, paths->count};
}

static int64_t now_ns(void)
{
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The option asked for is the recommended one if it can be; that it cannot is said, not hidden. */
static int recommend(const struct plan_request *request, struct plan_outcome *outcome, struct arena *arena,
                     struct error *ret_error)
{
        struct plan *plan = &outcome->plan;
        if (request->option == NULL || request->option[0] == '\0')
                return 0;
        for (size_t i = 0; i < plan->n_options; i++) {
                const struct plan_option *option = &plan->options[i];
                if (strncmp(option->name, request->option, strlen(option->name)) != 0)
                        continue;
                if (option->possible)
                        plan->recommended = option->name;
                else
                        outcome->note =
                                arena_printf(arena, "option %s is not possible: %s", option->name, option->why_not);
                return 0;
        }
        return error_set(ret_error, ERR_USAGE, 0, "--option=%s: there are surgical, restore and reinstall",
                         request->option);
}

/* Remembered are only patterns whose matches mean something: "/tmp/ *.pt" would make everybody's files debris later. */
static struct strings specific_globs(const struct strings *globs, struct arena *arena)
{
        struct strings specific = {arena_new_array(arena, const char *, globs->count), 0};
        for (size_t i = 0; i < globs->count; i++)
                if (check_glob_is_specific(globs->items[i]))
                        specific.items[specific.count++] = globs->items[i];
        return specific;
}

static int store(const struct flow_context *context, const struct repair_draft *draft, struct arena *arena,
                 struct plan *plan, struct error *ret_error)
{
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct strings globs = specific_globs(&draft->globs, arena);
        struct digest digest;
        int result = journal_open(context->state_dir, JOURNAL_WRITE, &journal, ret_error);
        for (size_t i = 0; i < draft->n_contents && result == 0; i++)
                result = journal_store_bytes(journal, draft->contents[i], &digest, ret_error);
        if (result == 0)
                result = journal_sync_objects(journal, ret_error);
        return result == 0 ? journal_add_plan(journal, &globs, arena, plan, ret_error) : result;
}

static const char *plan_note(const struct plan_outcome *outcome, struct arena *arena)
{
        const struct plan *plan = &outcome->plan;
        if (plan->recommended[0] != '\0')
                return arena_printf(arena, "pristine apply %s", plan->id);
        return plan->left.count > 0 ? "nothing of this can be put back by a plan yet; see what is left and why"
                                    : "nothing to do: the check found nothing to put back";
}

int flow_plan(const struct flow_context *context, const struct plan_request *request, struct arena *arena,
              struct plan_outcome *ret_outcome, struct error *ret_error)
{
        struct plan_outcome outcome = {.has_check = true};
        struct repair_draft draft;
        int result = flow_check(context, &request->check, arena, &outcome.check, ret_error);
        if (result == 0)
                result = mark_kept(&outcome.check.findings, &request->keep, arena, ret_error);
        if (result == 0)
                result = draft_plan(context, request, &outcome.check, arena, &draft, ret_error);
        if (result < 0)
                return result;
        outcome.verdict = outcome.check.verdict;
        outcome.plan = (struct plan){
                .id = "",
                .root = context->root != NULL ? flow_absolute(&(struct flow_context){0}, context->root, arena) : "/",
                .token = "",
                .recommended = draft.recommended,
                .created_ns = now_ns(),
                .state = draft.recommended[0] != '\0' ? "planned" : "empty",
                .chosen = "",
                .targets = absolute_all(context, &request->check.targets, arena),
                .artifacts = request->check.artifacts,
                .workdirs = absolute_all(context, &request->check.workdirs, arena),
                .options = draft.options,
                .n_options = draft.n_options,
                .searched = draft.searched,
                .left = draft.left,
        };
        result = recommend(request, &outcome, arena, ret_error);
        if (result == 0)
                result = store(context, &draft, arena, &outcome.plan, ret_error);
        if (result < 0)
                return result;
        if (outcome.note == NULL)
                outcome.note = plan_note(&outcome, arena);
        *ret_outcome = outcome;
        return 0;
}
