/* What plan, apply, verify, undo, log, purge and accept share. */
#ifndef PRISTINE_FLOW_JOURNAL_FLOW_H
#define PRISTINE_FLOW_JOURNAL_FLOW_H

#include "flow/flow.h"
#include "journal/journal.h"
#include "repair/repair.h"

/* Opens a journal that must exist; ERR_REFUSED with "no plan was made" when it does not. */
int flow_open_journal(const struct flow_context *context, enum journal_mode mode, struct journal **ret_journal,
                      struct error *ret_error);

/* A plan under way, with all that must be closed afterwards. */
struct plan_session {
        struct journal *journal;
        struct root root;
        struct plan plan;
        struct repair_run run;
};

#define PLAN_SESSION_INIT ((struct plan_session){.root = ROOT_INIT})

/* Loads the plan `id` from the session's journal and opens its root. */
int plan_session_open(const struct flow_context *context, const char *id, struct arena *arena,
                      struct plan_session *session, struct error *ret_error);
void plan_session_close(struct plan_session *session); /* fit for CLEANUP() */

/* The id given, or that of the newest plan in one of the states; ERR_REFUSED saying `nothing` when there is none. */
int plan_pick(struct journal *journal, const char *id, const char *const *states, const char *nothing,
              struct arena *arena, const char **ret_id, struct error *ret_error);

/* 0 when agreed: by --yes, or by the person at the terminal. */
int flow_agree(const struct flow_context *context, bool yes, const char *question, struct error *ret_error);

bool plan_state_is(const struct plan *plan, const char *state);

/* What nobody can have meant by an error of the system before anything was touched: exit status 4, not 2. */
int flow_refuse(int result, struct error *ret_error);

/* Targets must mean the same from another working directory. */
const char *flow_absolute(const struct flow_context *context, const char *path, struct arena *arena);

/* Which hunks a PATH or PATH#HUNK means. */
struct hunk_choice {
        struct finding *finding;
        struct hunk *hunk; /* NULL: the whole file */
};
int flow_choose_hunk(struct findings *findings, const char *subject, struct arena *arena,
                     struct hunk_choice *ret_choice, struct error *ret_error);

#endif
