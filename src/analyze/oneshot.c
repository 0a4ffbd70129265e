#include "analyze/oneshot.h"

#include <string.h>

#include "analyze/guard.h"
#include "analyze/names.h"
#include "analyze/writes.h"
#include "base/cleanup.h"

enum { SEARCH_DEPTH = 24 };

struct search {
        struct code *code;
        const struct guard *guard;
        uint32_t at;       /* the place that the guard protects */
        unsigned entering; /* how many more definitions may be followed */
};

static bool block_sets(const struct search *search, TSNode block, uint32_t from, unsigned depth);

/* `self._dump_once(q)`: the definition that it reaches sets the guard. */
static bool callee_sets(const struct search *search, TSNode statement, unsigned depth)
{
        TSNode call = node_at(statement, 0);
        while (syntax_is(call, "boolean_operator")) /* `not self._done and self._dump(q)` */
                call = node_field(call, "right");
        struct frame frame;
        if (search->entering == 0 || !syntax_is(statement, "expression_statement") || !syntax_is(call, "call") ||
            !dump_path_enter(search->code, call, NULL, &frame))
                return false;
        struct search inner = *search;
        inner.entering--;
        inner.at = UINT32_MAX;
        return block_sets(&inner, node_field(frame.function, "body"), 0, depth - 1);
}

/* Goes into the parts of a statement that run whenever it does, and into those that hold the place. */
static bool parts_set(const struct search *search, TSNode statement, unsigned depth)
{
        static const char *const always[] = {"with_statement", "try_statement", "finally_clause", NULL};
        bool runs = node_is_any(statement, always);
        uint32_t count = node_count(statement);
        for (uint32_t i = 0; i < count && depth > 0; i++) {
                TSNode child = node_at(statement, i);
                bool holds = node_contains(child, search->at);
                bool block = syntax_is(child, "block");
                if (block && (runs || holds) && block_sets(search, child, 0, depth - 1))
                        return true;
                if (!block && (holds || syntax_is(child, "finally_clause")) && parts_set(search, child, depth - 1))
                        return true;
        }
        return false;
}

static bool block_sets(const struct search *search, TSNode block, uint32_t from, unsigned depth)
{
        if (ts_node_is_null(block) || depth == 0)
                return false;
        CLEANUP(children_end) struct children children = children_begin(block, from);
        for (TSNode statement; !ts_node_is_null(statement = children_next(&children)) && code_spend(search->code);) {
                if (ts_node_start_byte(statement) < from)
                        continue;
                if (guard_is_set_by(search->code, search->guard, statement) || callee_sets(search, statement, depth) ||
                    (!syntax_is(statement, "expression_statement") && parts_set(search, statement, depth)))
                        return true;
        }
        return false;
}

static TSNode innermost_block(struct code *code, uint32_t at)
{
        struct place place;
        code_locate(code, at, &place);
        for (size_t i = place.depth; i > 0; i--)
                if (syntax_is(place.nodes[i - 1], "block") || syntax_is(place.nodes[i - 1], "module"))
                        return place.nodes[i - 1];
        return NODE_NULL;
}

/* A file that the guarded code itself writes. */
struct file_search {
        struct code *code;
        TSNode path;
        struct values wanted;
        bool found;
};

static void find_file(void *context, TSNode call, const struct frame *frame, bool deferred)
{
        struct file_search *search = context;
        (void)deferred;
        struct values paths = VALUES_NONE;
        if (!writes_match(search->code, call, frame, &paths)) {
                const char *name = names_qualified(search->code, node_field(call, "function"));
                TSNode made = strcmp(name, ".mkdir") == 0 || strcmp(name, ".touch") == 0
                                      ? node_field(node_field(call, "function"), "object")
                                      : code_argument(search->code, call, 0, NULL);
                bool makes = strcmp(name, "os.makedirs") == 0 || strcmp(name, "os.mkdir") == 0 ||
                             strcmp(name, ".mkdir") == 0 || strcmp(name, ".touch") == 0;
                if (!makes || ts_node_is_null(made))
                        return;
                search->found |= bytes_equal(code_text(search->code, made), code_text(search->code, search->path));
                return;
        }
        for (size_t i = 0; i < paths.count; i++)
                for (size_t j = 0; j < search->wanted.count && !values_is_unknown(paths); j++)
                        search->found |= bytes_equal(paths.items[i], search->wanted.items[j]);
}

static bool writes_file(struct code *code, const struct guard *guard, TSNode body, uint32_t from)
{
        struct file_search search = {code, guard->whole, dump_path_evaluate(code, guard->whole, NULL), false};
        calls_visit(code, body, from, ts_node_end_byte(body), find_file, &search);
        return search.found;
}

/* The code under the condition, or right behind it, sets the guard on the way to or from the place. */
static bool condition_sets(struct code *code, const struct guard *guard, const struct condition *condition)
{
        TSNode body = condition->body;
        uint32_t from = condition->from;
        if (ts_node_is_null(body)) {
                body = innermost_block(code, condition->at);
                from = 0;
        }
        if (guard->kind == GUARD_FILE)
                return writes_file(code, guard, body, from);
        struct search search = {code, guard, condition->at, 1};
        if (block_sets(&search, body, from, SEARCH_DEPTH))
                return true;
        return !ts_node_is_null(condition->around) &&
               block_sets(&search, condition->around, ts_node_end_byte(body), SEARCH_DEPTH);
}

/* try: self._done / except AttributeError: self._done = True */
static bool except_sets(struct code *code, const struct condition *condition)
{
        TSNode value = node_field(condition->node, "value");
        TSNode attempt = node_child_of(node_parent(condition->node), "block");
        uint32_t count = node_count(condition->body);
        bool missing = ts_node_is_null(value) || code_mentions(code, value, BYTES_LITERAL("AttributeError")) ||
                       code_mentions(code, value, BYTES_LITERAL("NameError"));
        TSNode read = node_at(node_at(attempt, 0), 0);
        for (uint32_t i = 0; i < count && missing; i++) {
                struct part part = {.node = read, .negated = true};
                struct guard guard = guard_read(code, &part);
                guard.done = TRUTH_ANY;
                if (guard.kind == GUARD_FLAG && guard_is_set_by(code, &guard, node_at(condition->body, i)))
                        return true;
        }
        return false;
}

bool oneshot_mark(struct code *code, const struct conditions *conditions, struct parts *parts)
{
        bool once = false;
        for (size_t i = 0; i < parts->count; i++) {
                struct part *part = &parts->items[i];
                const struct condition *condition = &conditions->items[part->condition];
                struct guard guard = guard_read(code, part);
                if (guard.kind == GUARD_NONE || !guard_persists(code, &guard))
                        continue;
                bool counts =
                        guard.kind == GUARD_TICKET || (guard.kind == GUARD_COUNTER && guard_is_counted(code, &guard));
                part->guard = !counts && guard.kind != GUARD_COUNTER && condition_sets(code, &guard, condition);
                if ((part->guard || counts) && !guard_is_taken_back(code, &guard))
                        once = true;
                else
                        part->guard = false;
        }
        for (size_t i = 0; i < conditions->count; i++)
                once |= conditions->items[i].kind == CONDITION_EXCEPT && except_sets(code, &conditions->items[i]);
        return once;
}

bool oneshot_decorated(struct code *code, TSNode definition)
{
        static const char *const caches[] = {"functools.lru_cache", "functools.cache", "lru_cache", "cache", NULL};
        if (!node_is_function(definition))
                return false;
        if (node_count(node_field(definition, "parameters")) == 0 && names_is_decorated(code, definition, caches))
                return true;
        TSNode decorated = node_parent(definition);
        uint32_t count = syntax_is(decorated, "decorated_definition") ? node_count(decorated) : 0;
        for (uint32_t i = 0; i < count; i++) {
                TSNode decorator = node_at(decorated, i);
                if (syntax_is(decorator, "decorator") && code_mentions(code, decorator, BYTES_LITERAL("once")))
                        return true;
        }
        return false;
}
