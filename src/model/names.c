/* The public spellings of the model's enums. */
#include "model/finding.h"
#include "model/hunk.h"
#include "model/plan.h"
#include "model/severity.h"

#define NAME(table, value) ((size_t)(value) < sizeof(table) / sizeof *(table) ? (table)[value] : "")

const char *severity_name(enum severity severity)
{
        static const char *const names[] = {"note", "warning", "error"};
        return NAME(names, severity);
}

const char *hunk_change_name(enum hunk_change change)
{
        static const char *const names[] = {"insert", "delete", "replace"};
        return NAME(names, change);
}

const char *cadence_name(enum cadence cadence)
{
        static const char *const names[] = {"", "every-call", "on-trigger", "once"};
        return NAME(names, cadence);
}

const char *origin_source_name(enum origin_source source)
{
        static const char *const names[] = {"none",  "record-oracle", "uv-cache", "pip-cache",
                                            "wheel", "index",         "dpkg",     "git"};
        return NAME(names, source);
}

const char *anchor_name(enum anchor anchor)
{
        static const char *const names[] = {"none", "record", "archive", "index"};
        return NAME(names, anchor);
}

const char *verdict_name(enum verdict verdict)
{
        static const char *const names[] = {"clean", "dirty", "unknown"};
        return NAME(names, verdict);
}

const char *tristate_name(enum tristate value)
{
        static const char *const names[] = {"unknown", "no", "yes"};
        return NAME(names, value);
}

const char *fired_name(enum fired fired)
{
        static const char *const names[] = {"unknown", "no-evidence", "earlier-boot", "this-boot"};
        return NAME(names, fired);
}

const char *step_op_name(enum step_op op)
{
        static const char *const names[] = {"replace-file", "create-file",     "remove-bytecode",
                                            "quarantine",   "delete-artifact", "verify"};
        return NAME(names, op);
}

const char *step_state_name(enum step_state state)
{
        static const char *const names[] = {"todo", "doing", "done", "undone", "failed"};
        return NAME(names, state);
}

const char *proof_name(enum proof proof)
{
        static const char *const names[] = {"none", "syntax only", "wheel member", "sha256 equals RECORD"};
        return NAME(names, proof);
}
