/* What `plan` proposes and `apply` executes: options, each a list of steps that carry the digest before and after, so
 * that every step has a precondition and a stated inverse. Memory belongs to the run's arena. */
#ifndef PRISTINE_MODEL_PLAN_H
#define PRISTINE_MODEL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/environment.h"
#include "model/finding.h"

enum step_op {
        STEP_REPLACE_FILE,
        STEP_CREATE_FILE, /* a replace-file where nothing stands, in the public contract */
        STEP_REMOVE_BYTECODE,
        STEP_QUARANTINE,
        STEP_DELETE_ARTIFACT,
        STEP_VERIFY,
};

enum step_state {
        STATE_TODO,
        STATE_DOING, /* intent is durable, the act may or may not have happened */
        STATE_DONE,
        STATE_UNDONE,
        STATE_FAILED,
};

/* How sure it is that the result is what was installed, weakest first. */
enum proof {
        PROOF_NONE,
        PROOF_SYNTAX,
        PROOF_MEMBER,
        PROOF_RECORD,
};

/* One entry of a step's trail. */
struct step_event {
        enum step_state state; /* done, undone or failed */
        int64_t when_ns;
        uint32_t user;
        const char *message;
};

struct step {
        uint32_t number; /* from 1 */
        enum step_op op;
        const char *path;    /* absolute, beneath the root */
        const char *base;    /* the part of path that was resolved when planning: the environment's prefix, or an
                                artifact's directory. Below it no symbolic link is followed. */
        const char *target;  /* where a quarantined file goes, set when applying; "" else */
        const char *finding; /* id of the finding that asks for it */
        struct file_identity before; /* what must be there when the step starts; without a digest nothing may be */
        bool has_after;
        struct digest after; /* what is there when it is done; absent where the file is gone */
        bool reversible;
        bool purged; /* its quarantined file is removed for good */
        enum step_state state;
        int64_t when_ns;           /* last change of state, INT64_MIN if none */
        uint32_t user;             /* who changed it */
        const char *message;       /* why it failed, "" else */
        struct step_event *events; /* oldest first */
        size_t n_events;
};

struct plan_option {
        const char *name; /* "surgical", "restore", "reinstall" */
        bool possible;
        const char *why_not; /* "" when possible */
        uint32_t files;
        enum proof proof;
        struct strings risks;
        struct step *steps;
        size_t n_steps;
};

struct plan {
        const char *id;          /* "P0001" */
        const char *root;        /* --root of the check it was made from, "/" by default */
        const char *token;       /* random hexadecimal digits that name what an application of this plan puts beside
                                    files: two halves, one for temporary names, one for quarantines. "" before */
        const char *recommended; /* name of an option, "" when none is possible */
        int64_t created_ns;
        const char *state;                  /* "planned", "applying", "applied", "undoing", "undone", "purged" */
        const char *chosen;                 /* the option being or been applied, "" before */
        struct strings targets;             /* absolute, as they were asked for: what `verify` checks again */
        struct strings artifacts, workdirs; /* of the same check */
        struct plan_option *options;
        size_t n_options;
        struct strings searched; /* where original bytes were looked for, one sentence each */
        struct strings left;     /* findings that no step of this plan touches, and why, one sentence each */
};

const char *step_op_name(enum step_op op);
const char *step_state_name(enum step_state state);
const char *proof_name(enum proof proof);

#endif
