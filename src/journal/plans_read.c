/* Plans on their way out of the journal. */
#include "base/cleanup.h"
#include "journal/store.h"

int64_t plan_number(const char *id)
{
        int64_t number = 0;
        if (id[0] != 'P' || id[1] == '\0' || strlen(id) > 12)
                return 0;
        for (const char *at = id + 1; *at != '\0'; at++) {
                if (*at < '0' || *at > '9')
                        return 0;
                number = number * 10 + (*at - '0');
        }
        return number;
}

static int load_texts(struct journal *journal, int64_t plan, const char *kind, struct arena *arena,
                      struct strings *ret_texts, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        AUTO_FREE const char **texts = NULL;
        size_t count = 0, capacity = 0;
        int result = sql_prepare(journal, "SELECT text FROM plan_text WHERE plan = ? AND kind = ? ORDER BY position",
                                 &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, plan);
        sql_bind_text(query, 2, kind);
        while ((result = sql_next(journal, query, ret_error)) > 0) {
                heap_reserve(texts, count, capacity);
                texts[count++] = sql_text(query, 0, arena);
        }
        if (result == 0)
                *ret_texts = (struct strings){arena_copy(arena, texts, count * sizeof *texts), count};
        return result;
}

static int find_name(const char *(*name_of)(unsigned value), unsigned count, const char *name)
{
        for (unsigned i = 0; i < count; i++)
                if (strcmp(name_of(i), name) == 0)
                        return (int)i;
        return -1;
}

static const char *op_name(unsigned value)
{
        return step_op_name((enum step_op)value);
}

static const char *state_name(unsigned value)
{
        return step_state_name((enum step_state)value);
}

static struct file_identity read_identity(sqlite3_stmt *query, int first)
{
        struct file_identity identity = {
                .device = (uint64_t)sql_number(query, first),
                .inode = (uint64_t)sql_number(query, first + 1),
                .links = (uint64_t)sql_number(query, first + 2),
                .size = (uint64_t)sql_number(query, first + 3),
                .mode = (uint32_t)sql_number(query, first + 4),
                .uid = (uint32_t)sql_number(query, first + 5),
                .gid = (uint32_t)sql_number(query, first + 6),
                .mtime_ns = sql_number(query, first + 7),
        };
        identity.has_digest = sql_digest(query, first + 8, &identity.digest);
        return identity;
}

static int read_step(struct journal *journal, sqlite3_stmt *query, struct arena *arena, struct step *ret_step,
                     struct error *ret_error)
{
        int op = find_name(op_name, STEP_VERIFY + 1, sql_text(query, 1, arena));
        int state = find_name(state_name, STATE_FAILED + 1, sql_text(query, 18, arena));
        if (op < 0 || state < 0)
                return error_set(ret_error, ERR_UNSUPPORTED, 0, "the journal in %s holds a step this version cannot do",
                                 journal->directory);
        *ret_step = (struct step){
                .number = (uint32_t)sql_number(query, 0),
                .op = (enum step_op)op,
                .path = sql_text(query, 2, arena),
                .base = sql_text(query, 3, arena),
                .target = sql_text(query, 4, arena),
                .finding = sql_text(query, 5, arena),
                .before = read_identity(query, 6),
                .reversible = sql_number(query, 16) != 0,
                .purged = sql_number(query, 17) != 0,
                .state = (enum step_state)state,
                .when_ns = sql_number(query, 19),
                .user = (uint32_t)sql_number(query, 20),
                .message = sql_text(query, 21, arena),
        };
        ret_step->has_after = sql_digest(query, 15, &ret_step->after);
        return 0;
}

static int load_events(struct journal *journal, int64_t plan, const char *option, struct arena *arena,
                       struct step *step, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        AUTO_FREE struct step_event *events = NULL;
        size_t count = 0, capacity = 0;
        int result = sql_prepare(journal,
                                 "SELECT state, when_ns, user, message FROM step_event"
                                 " WHERE plan = ? AND option = ? AND step = ? ORDER BY when_ns",
                                 &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, plan);
        sql_bind_text(query, 2, option);
        sql_bind_number(query, 3, step->number);
        while ((result = sql_next(journal, query, ret_error)) > 0) {
                int state = find_name(state_name, STATE_FAILED + 1, sql_text(query, 0, arena));
                heap_reserve(events, count, capacity);
                events[count++] = (struct step_event){
                        .state = state < 0 ? STATE_FAILED : (enum step_state)state,
                        .when_ns = sql_number(query, 1),
                        .user = (uint32_t)sql_number(query, 2),
                        .message = sql_text(query, 3, arena),
                };
        }
        step->events = arena_copy(arena, events, count * sizeof *events);
        step->n_events = count;
        return result;
}

static int load_steps(struct journal *journal, int64_t plan, struct arena *arena, struct plan_option *option,
                      struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        AUTO_FREE struct step *steps = NULL;
        size_t count = 0, capacity = 0;
        int result = sql_prepare(journal,
                                 "SELECT number, op, path, base, target, finding, device, inode, links, size, mode,"
                                 " uid, gid, mtime_ns, before, after, reversible, purged, state, when_ns, user, message"
                                 " FROM step WHERE plan = ? AND option = ? ORDER BY number",
                                 &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, plan);
        sql_bind_text(query, 2, option->name);
        while ((result = sql_next(journal, query, ret_error)) > 0) {
                heap_reserve(steps, count, capacity);
                result = read_step(journal, query, arena, &steps[count++], ret_error);
                if (result < 0)
                        return result;
        }
        option->steps = arena_copy(arena, steps, count * sizeof *steps);
        option->n_steps = count;
        for (size_t i = 0; i < count && result == 0; i++)
                result = load_events(journal, plan, option->name, arena, &option->steps[i], ret_error);
        return result;
}

static int load_options(struct journal *journal, int64_t number, struct arena *arena, struct plan *plan,
                        struct error *ret_error)
{
        enum { OPTIONS_MAX = 8 };
        AUTO_SQL sqlite3_stmt *query = NULL;
        plan->options = arena_new_array(arena, struct plan_option, OPTIONS_MAX);
        int result = sql_prepare(journal,
                                 "SELECT name, possible, why_not, files, proof FROM plan_option WHERE plan = ?"
                                 " ORDER BY position",
                                 &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, number);
        while ((result = sql_next(journal, query, ret_error)) > 0 && plan->n_options < OPTIONS_MAX) {
                struct plan_option *option = &plan->options[plan->n_options++];
                *option = (struct plan_option){
                        .name = sql_text(query, 0, arena),
                        .possible = sql_number(query, 1) != 0,
                        .why_not = sql_text(query, 2, arena),
                        .files = (uint32_t)sql_number(query, 3),
                        .proof = (enum proof)sql_number(query, 4),
                };
                result = load_texts(journal, number, arena_printf(arena, "risk %s", option->name), arena,
                                    &option->risks, ret_error);
                if (result == 0)
                        result = load_steps(journal, number, arena, option, ret_error);
                if (result < 0)
                        return result;
        }
        return result < 0 ? result : 0;
}

static int load_row(struct journal *journal, int64_t number, const char *id, struct arena *arena, struct plan *plan,
                    struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal,
                                 "SELECT created_ns, root, state, recommended, chosen, token FROM plan"
                                 " WHERE number = ?",
                                 &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, number);
        result = sql_next(journal, query, ret_error);
        if (result <= 0)
                return result < 0 ? result
                                  : error_set(ret_error, ERR_NOT_FOUND, 0, "there is no plan %s in %s", id,
                                              journal->directory);
        *plan = (struct plan){
                .id = arena_printf(arena, "P%04lld", (long long)number),
                .created_ns = sql_number(query, 0),
                .root = sql_text(query, 1, arena),
                .state = sql_text(query, 2, arena),
                .recommended = sql_text(query, 3, arena),
                .chosen = sql_text(query, 4, arena),
                .token = sql_text(query, 5, arena),
        };
        return 0;
}

int journal_load_plan(struct journal *journal, const char *id, struct arena *arena, struct plan *ret_plan,
                      struct error *ret_error)
{
        struct plan plan;
        int64_t number = plan_number(id);
        int result = load_row(journal, number, id, arena, &plan, ret_error);
        if (result < 0)
                return result;
        const struct {
                const char *kind;
                struct strings *texts;
        } lists[] = {{"target", &plan.targets},
                     {"artifacts", &plan.artifacts},
                     {"workdir", &plan.workdirs},
                     {"searched", &plan.searched},
                     {"left", &plan.left}};
        for (size_t i = 0; i < sizeof lists / sizeof *lists && result == 0; i++)
                result = load_texts(journal, number, lists[i].kind, arena, lists[i].texts, ret_error);
        if (result == 0)
                result = load_options(journal, number, arena, &plan, ret_error);
        if (result == 0)
                *ret_plan = plan;
        return result;
}

int journal_find_plan(struct journal *journal, const char *const *states, struct arena *arena, const char **ret_id,
                      struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal, "SELECT number, state FROM plan ORDER BY number DESC", &query, ret_error);
        if (result < 0)
                return result;
        while ((result = sql_next(journal, query, ret_error)) > 0)
                for (size_t i = 0; states[i] != NULL; i++)
                        if (strcmp(sql_text(query, 1, arena), states[i]) == 0) {
                                *ret_id = arena_printf(arena, "P%04lld", (long long)sql_number(query, 0));
                                return 0;
                        }
        if (result == 0)
                *ret_id = NULL;
        return result;
}

int journal_load_plans(struct journal *journal, struct arena *arena, struct plan **ret_plans, size_t *ret_count,
                       struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        AUTO_FREE struct plan *plans = NULL;
        size_t count = 0, capacity = 0;
        int result = sql_prepare(journal, "SELECT number FROM plan ORDER BY number", &query, ret_error);
        if (result < 0)
                return result;
        while ((result = sql_next(journal, query, ret_error)) > 0) {
                heap_reserve(plans, count, capacity);
                const char *id = arena_printf(arena, "P%04lld", (long long)sql_number(query, 0));
                result = journal_load_plan(journal, id, arena, &plans[count++], ret_error);
                if (result < 0)
                        return result;
        }
        if (result < 0)
                return result;
        *ret_plans = arena_copy(arena, plans, count * sizeof *plans);
        *ret_count = count;
        return 0;
}

int journal_load_xattrs(struct journal *journal, const struct plan *plan, uint32_t step, struct arena *arena,
                        struct xattrs *ret_xattrs, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        AUTO_FREE struct xattr *items = NULL;
        size_t count = 0, capacity = 0;
        int result = sql_prepare(journal,
                                 "SELECT name, value FROM step_xattr WHERE plan = ? AND option = ? AND step = ?"
                                 " ORDER BY name",
                                 &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, plan_number(plan->id));
        sql_bind_text(query, 2, plan->chosen);
        sql_bind_number(query, 3, step);
        while ((result = sql_next(journal, query, ret_error)) > 0) {
                heap_reserve(items, count, capacity);
                items[count++] = (struct xattr){.name = sql_text(query, 0, arena), .value = sql_bytes(query, 1, arena)};
        }
        if (result == 0)
                *ret_xattrs = (struct xattrs){arena_copy(arena, items, count * sizeof *items), count};
        return result;
}
