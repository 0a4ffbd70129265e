#include "analyze/guard.h"

#include <string.h>

#include "analyze/names.h"

bool scope_name_runs_once(struct bytes name)
{
        static const char *const makers[] = {"__init__",          "__new__",      "__post_init__",
                                             "__init_subclass__", "__set_name__", "__setstate__"};
        for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
                if (bytes_equal(name, bytes_of(makers[i])))
                        return true;
        return false;
}

bool scope_runs_once(struct code *code, TSNode scope)
{
        return !node_is_function(scope) || scope_name_runs_once(code_text(code, node_field(scope, "name")));
}

static bool guard_target(struct code *code, TSNode node, struct guard *guard)
{
        node = node_unwrap(node);
        guard->object = NODE_NULL;
        guard->whole = node;
        if (syntax_is(node, "identifier")) {
                guard->name = code_text(code, node);
        } else if (syntax_is(node, "attribute")) {
                guard->name = code_text(code, node_field(node, "attribute"));
                guard->object = node_field(node, "object");
        } else if (syntax_is(node, "subscript")) {
                guard->name = code_text(code, node_field(node, "value"));
        } else {
                return false;
        }
        guard->kind = GUARD_FLAG;
        return true;
}

/* hasattr(object, "name") and getattr(object, "name", default) */
static bool guard_attribute_call(struct code *code, TSNode call, struct guard *guard)
{
        struct bytes name = code_quoted(code, code_argument(code, call, 1, NULL));
        if (name.size == 0)
                return false;
        guard->kind = GUARD_FLAG;
        guard->name = name;
        guard->object = code_argument(code, call, 0, NULL);
        guard->whole = NODE_NULL;
        return true;
}

/* A call that is false as long as it is not done: the negated part. */
static void read_negated_call(struct code *code, TSNode call, struct guard *guard)
{
        TSNode function = node_field(call, "function"), object = node_field(function, "object");
        const char *name = names_qualified(code, function);
        if (strcmp(name, "hasattr") == 0 || strcmp(name, "getattr") == 0) {
                guard_attribute_call(code, call, guard);
                guard->done = strcmp(name, "hasattr") == 0 ? TRUTH_ANY : TRUTH_TRUE;
                return;
        }
        static const struct {
                const char *name;
                enum guard_kind kind;
        } calls[] = {
                {"os.path.exists", GUARD_FILE},   {"os.path.isfile", GUARD_FILE}, {"os.path.lexists", GUARD_FILE},
                {"os.path.isdir", GUARD_FILE},    {".exists", GUARD_FILE},        {".is_file", GUARD_FILE},
                {".is_dir", GUARD_FILE},          {".is_set", GUARD_EVENT},       {".get", GUARD_MEMBER},
                {"os.environ.get", GUARD_MEMBER},
        };
        TSNode attribute = node_field(function, "attribute");
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
                bool method = calls[i].name[0] == '.';
                bool same =
                        method ? code_text_is(code, attribute, calls[i].name + 1) : strcmp(name, calls[i].name) == 0;
                if (!same)
                        continue;
                bool by_object = method || calls[i].kind == GUARD_MEMBER;
                guard->kind = calls[i].kind;
                guard->key = code_argument(code, call, 0, NULL);
                guard->whole = by_object ? object : code_argument(code, call, 0, "path");
                return;
        }
}

/* key not in collection; "name" not in object.__dict__ is hasattr. */
static void read_membership(struct code *code, TSNode key, TSNode collection, struct guard *guard)
{
        struct bytes name = code_quoted(code, key);
        if (syntax_is(collection, "attribute") && name.size > 0 &&
            code_text_is(code, node_field(collection, "attribute"), "__dict__")) {
                *guard = (struct guard){.kind = GUARD_FLAG,
                                        .name = name,
                                        .object = node_field(collection, "object"),
                                        .whole = NODE_NULL,
                                        .key = NODE_NULL,
                                        .done = TRUTH_ANY,
                                        .own = true};
                return;
        }
        guard->kind = GUARD_MEMBER;
        guard->whole = collection;
        guard->key = key;
}

/* Which values of a flag make `flag OPERATOR value` false. */
static unsigned ends_comparison(struct code *code, const char *operator, TSNode value, bool negated)
{
        unsigned equal = syntax_is(value, "none")                                       ? TRUTH_NONE
                         : syntax_is(value, "false") || code_text_is(code, value, "0")  ? TRUTH_FALSE
                         : syntax_is(value, "true")                                     ? TRUTH_TRUE
                         : strcmp(operator, "<") == 0 && code_text_is(code, value, "1") ? TRUTH_FALSE
                                                                                        : 0;
        bool same = strcmp(operator, "==") == 0 || strcmp(operator, "is") == 0 || strcmp(operator, "<=") == 0 ||
                    strcmp(operator, "<") == 0;
        bool other = strcmp(operator, "!=") == 0 || strcmp(operator, "is not") == 0;
        if (equal == 0 || (!same && !other))
                return 0;
        return same != negated ? TRUTH_ANY & ~equal : equal;
}

static void read_comparison(struct code *code, const struct part *part, struct guard *guard)
{
        if (node_count(part->node) != 2)
                return;
        TSNode left = node_unwrap(node_at(part->node, 0)), right = node_at(part->node, 1);
        const char *operator= code_line(code, node_field(part->node, "operators"));
        if (strcmp(operator, part->negated ? "in" : "not in") == 0) {
                read_membership(code, left, right, guard);
                return;
        }
        bool call = syntax_is(left, "call"), equals = strcmp(operator, part->negated ? "!=" : "==") == 0;
        if (call && equals && code_text_is(code, node_field(left, "function"), "next")) {
                guard->kind = GUARD_TICKET;
                return;
        }
        guard->done = ends_comparison(code, operator, right, part->negated);
        const char *name = call ? names_qualified(code, node_field(left, "function")) : "";
        if (strcmp(name, "getattr") == 0 && guard->done != 0)
                guard_attribute_call(code, left, guard);
        else if (call && guard->done == (TRUTH_ANY & ~(unsigned)TRUTH_NONE))
                read_negated_call(code, left, guard);
        else if (!call && (guard->done != 0 || (equals && syntax_is(right, "integer"))) &&
                 guard_target(code, left, guard) && guard->done == 0)
                guard->kind = GUARD_COUNTER;
}

struct guard guard_read(struct code *code, const struct part *part)
{
        struct guard guard = {.kind = GUARD_NONE, .object = NODE_NULL, .whole = NODE_NULL, .key = NODE_NULL};
        if (syntax_is(part->node, "comparison_operator")) {
                read_comparison(code, part, &guard);
        } else if (syntax_is(part->node, "call")) {
                if (part->negated)
                        read_negated_call(code, part->node, &guard);
                else if (code_text_is(code, node_field(part->node, "function"), "getattr") &&
                         guard_attribute_call(code, part->node, &guard))
                        guard.done = TRUTH_FALSE | TRUTH_NONE;
        } else if (guard_target(code, part->node, &guard)) {
                guard.done = part->negated ? TRUTH_TRUE : TRUTH_FALSE | TRUTH_NONE;
        }
        return guard;
}
