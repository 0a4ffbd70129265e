#include "flow/journal_flow.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "flow/select.h"

int flow_open_journal(const struct flow_context *context, enum journal_mode mode, struct journal **ret_journal,
                      struct error *ret_error)
{
        CLEANUP(journal_cleanup) struct journal *probe = NULL;
        int result = journal_open(context->state_dir, JOURNAL_READ, &probe, ret_error);
        if (result == ERR_NOT_FOUND)
                return error_set(ret_error, ERR_REFUSED, 0, "no plan was made yet (looked in %s)", context->state_dir);
        if (mode == JOURNAL_READ && result == 0) {
                *ret_journal = steal_pointer(probe);
                return 0;
        }
        /* An older journal cannot be read as it is, but a writer brings it up to date. */
        if (result < 0 && result != ERR_UNSUPPORTED)
                return result;
        probe = journal_close(probe);
        return journal_open(context->state_dir, JOURNAL_WRITE, ret_journal, ret_error);
}

int plan_session_open(const struct flow_context *context, const char *id, struct arena *arena,
                      struct plan_session *session, struct error *ret_error)
{
        int result = journal_load_plan(session->journal, id, arena, &session->plan, ret_error);
        if (result < 0)
                return result == ERR_NOT_FOUND ? flow_refuse(result, ret_error) : result;
        const char *asked = context->root != NULL ? context->root : "/";
        if (strcmp(asked, "/") != 0 && strcmp(asked, session->plan.root) != 0)
                return error_set(ret_error, ERR_USAGE, 0, "plan %s was made with --root=%s", id, session->plan.root);
        result = root_open(session->plan.root, &session->root, ret_error);
        if (result < 0)
                return result;
        session->run = (struct repair_run){
                .root = &session->root,
                .journal = session->journal,
                .arena = arena,
                .plan = &session->plan,
                .quarantine = "",
                .stop = context->stop,
        };
        return 0;
}

void plan_session_close(struct plan_session *session)
{
        repair_run_close(&session->run);
        root_close(&session->root);
        session->journal = journal_close(session->journal);
}

int plan_pick(struct journal *journal, const char *id, const char *const *states, const char *nothing,
              struct arena *arena, const char **ret_id, struct error *ret_error)
{
        const char *found = id;
        if (id == NULL || id[0] == '\0') {
                int result = journal_find_plan(journal, states, arena, &found, ret_error);
                if (result < 0)
                        return result;
                if (found == NULL)
                        return error_set(ret_error, ERR_REFUSED, 0, "%s", nothing);
        }
        *ret_id = found;
        return 0;
}

int flow_agree(const struct flow_context *context, bool yes, const char *question, struct error *ret_error)
{
        if (yes)
                return 0;
        if (!context->terminal || context->confirm == NULL)
                return error_set(ret_error, ERR_REFUSED, 0, "nobody can be asked here: say --yes (%s)", question);
        if (!context->confirm(context->confirm_context, question))
                return error_set(ret_error, ERR_REFUSED, 0, "not agreed to; nothing was changed");
        return 0;
}

bool plan_state_is(const struct plan *plan, const char *state)
{
        return strcmp(plan->state, state) == 0;
}

int flow_refuse(int result, struct error *ret_error)
{
        if (result == ERR_CHANGED || result == ERR_PARTWAY || result == ERR_USAGE || result == 0)
                return result;
        if (ret_error != NULL)
                ret_error->code = ERR_REFUSED;
        return ERR_REFUSED;
}

const char *flow_absolute(const struct flow_context *context, const char *path, struct arena *arena)
{
        AUTO_FREE char *here = NULL;
        if (path[0] == '/' || (context->root != NULL && strcmp(context->root, "/") != 0))
                return path;
        here = getcwd(NULL, 0);
        return here != NULL ? arena_printf(arena, "%s/%s", here, path) : path;
}

static struct finding *find_meant(struct findings *findings, const char *subject, size_t *ret_count)
{
        struct finding *found = NULL;
        *ret_count = 0;
        for (size_t i = 0; i < findings->count; i++)
                if (finding_is_meant(&findings->items[i], subject)) {
                        found = found == NULL ? &findings->items[i] : found;
                        ++*ret_count;
                }
        return found;
}

static struct hunk *find_hunk(struct finding *finding, const char *id, size_t *ret_count)
{
        struct hunk *found = NULL;
        *ret_count = 0;
        for (size_t i = 0; i < finding->hunks.count; i++)
                if (id[0] != '\0' && strncmp(finding->hunks.items[i].id, id, strlen(id)) == 0) {
                        found = &finding->hunks.items[i];
                        ++*ret_count;
                }
        return found;
}

/* The whole may be a path with a "#" in it; only then is the last "#" the border of a hunk. */
int flow_choose_hunk(struct findings *findings, const char *subject, struct arena *arena,
                     struct hunk_choice *ret_choice, struct error *ret_error)
{
        size_t count = 0;
        struct hunk *hunk = NULL;
        struct finding *finding = find_meant(findings, subject, &count);
        const char *hash = strrchr(subject, '#');
        if (finding == NULL && hash != NULL) {
                size_t hunks = 0;
                finding = find_meant(findings, arena_strndup(arena, subject, (size_t)(hash - subject)), &count);
                if (finding != NULL)
                        hunk = find_hunk(finding, hash + 1, &hunks);
                if (finding != NULL && hunks != 1)
                        return error_set(ret_error, ERR_USAGE, 0, "%s: %s; `pristine diff` shows their names", subject,
                                         hunks == 0 ? "that file has no hunk of this name" : "several hunks begin so");
        }
        if (finding == NULL)
                return error_set(ret_error, ERR_USAGE, 0,
                                 "%s: no finding has this id or path; `pristine check` shows them", subject);
        if (count > 1)
                return error_set(ret_error, ERR_USAGE, 0, "%s: %zu findings fit; name one by its id or whole path",
                                 subject, count);
        *ret_choice = (struct hunk_choice){.finding = finding, .hunk = hunk};
        return 0;
}

const char *flow_interrupted_plan(const struct flow_context *context, struct arena *arena)
{
        struct journal_memory memory = {0};
        journal_recall(context->state_dir, arena, &memory, NULL);
        const char *id = memory.interrupted_plan;
        if (id == NULL)
                return NULL;
        if (memory.undo_interrupted)
                return arena_printf(arena, "the undo of plan %s stopped part-way: `pristine undo %s` ends it", id, id);
        return arena_printf(arena,
                            "plan %s stopped part-way: `pristine apply %s` goes on, `pristine undo %s` takes it back",
                            id, id, id);
}
