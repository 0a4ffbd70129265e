/* One function per command: connects the modules in the order the architecture page draws. A flow prints nothing; it
 * gives a result of the model, which a report puts into words. Results live in the arena given. */
#ifndef PRISTINE_FLOW_FLOW_H
#define PRISTINE_FLOW_FLOW_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/acceptance.h"
#include "model/finding.h"
#include "model/plan.h"

/* What the global options say; the same for every command. */
struct flow_context {
        const char *root;        /* --root, "/" by default */
        const char *state_dir;   /* the journal's directory */
        unsigned jobs;           /* 0: all processors */
        double deadline;         /* seconds for the whole command, 0: none */
        const atomic_bool *stop; /* set by the first Ctrl-C or by the deadline */
        void (*progress)(void *context, const char *stage, uint64_t done, uint64_t total); /* may be NULL */
        void *progress_context;
        /* Something a person should know before the result is there; lines of text. May be NULL. */
        void (*notice)(const char *text);
        int verbosity;
        bool terminal; /* somebody can be asked */
        /* Asks a yes-or-no question; NULL when nobody can be asked. */
        bool (*confirm)(void *context, const char *question);
        void *confirm_context;
};

struct check_request {
        struct strings targets;   /* as typed; none: refused with what to name (until discovery exists) */
        struct strings artifacts; /* --artifacts */
        struct strings workdirs;  /* --workdir: where relative dump paths and leftovers are looked for as well */
        struct strings wheels, find_links; /* --wheel, --find-links: where original bytes are looked for first */
        double oracle_seconds;             /* --oracle-seconds; flow default when negative */
        bool trust_stat;
        bool vendor_notes;      /* -v: vendor-debug-code and other notes */
        bool read_only_journal; /* do not create the state directory */
};

struct plan_request {
        struct check_request check;
        const char *option;  /* --option, "" = recommend */
        struct strings keep; /* PATH or PATH#HUNK */
        bool offline, with_deps;
};

struct apply_request {
        const char *plan;   /* id, "" = the newest that is not applied (resumes an interrupted one) */
        const char *option; /* "" = the recommended */
        bool yes, restart, delete_artifacts;
        const char *quarantine; /* directory, "" = beside the artifact on its own file system */
        bool undo_on_failure;
};

/* A plan as it stands afterwards, and for verify and plan the check behind it. */
struct plan_outcome {
        struct plan plan;
        bool has_check;
        struct check check;
        enum verdict verdict; /* of the check; without one, of what the plan was made for */
        const char *note;
};

int flow_check(const struct flow_context *context, const struct check_request *request, struct arena *arena,
               struct check *ret_check, struct error *ret_error);

/* Like check, narrowed to one PATH or finding id ("" = all) and with the proven original in each finding. */
int flow_diff(const struct flow_context *context, const struct check_request *request, const char *subject,
              struct arena *arena, struct check *ret_check, struct error *ret_error);

int flow_plan(const struct flow_context *context, const struct plan_request *request, struct arena *arena,
              struct plan_outcome *ret_outcome, struct error *ret_error);
int flow_apply(const struct flow_context *context, const struct apply_request *request, struct arena *arena,
               struct plan_outcome *ret_outcome, struct error *ret_error);
/* plan "" = the newest applied one, in each of these. */
int flow_verify(const struct flow_context *context, const char *plan, struct arena *arena,
                struct plan_outcome *ret_outcome, struct error *ret_error);
int flow_undo(const struct flow_context *context, const char *plan, bool yes, struct arena *arena,
              struct plan_outcome *ret_outcome, struct error *ret_error);
int flow_purge(const struct flow_context *context, const char *plan, bool yes, struct arena *arena,
               struct plan_outcome *ret_outcome, struct error *ret_error);
int flow_log(const struct flow_context *context, const char *plan, struct arena *arena, struct plan **ret_plans,
             size_t *ret_count, struct error *ret_error);

/* subject: finding id (or a unique beginning of it), PATH or PATH#HUNK; runs a check of the request's targets to find
 * it, or without any of those in which something was found before. */
int flow_accept(const struct flow_context *context, const struct check_request *request, const char *subject,
                const char *reason, struct arena *arena, struct acceptance *ret_acceptance, struct error *ret_error);
int flow_accept_list(const struct flow_context *context, struct arena *arena, struct acceptance **ret_items,
                     size_t *ret_count, struct error *ret_error);
int flow_accept_remove(const struct flow_context *context, const char *subject, struct error *ret_error);

/* What to say of a plan that stopped part-way, NULL if there is none: every command announces it. */
const char *flow_interrupted_plan(const struct flow_context *context, struct arena *arena);

/* The page of a rule, from rules/ and the finding rules' own texts (rules/findings/); NULL when there is none of that
 * name. Its form is that of struct rule_page. */
const char *flow_explain(const char *rule, struct arena *arena);
void flow_explain_names(struct arena *arena, struct strings *ret_names); /* finding rules, then labels, sorted each */

#endif
