/* Plans on their way into the journal. */
#include "base/cleanup.h"
#include "journal/store.h"

static int add_texts(struct journal *journal, int64_t plan, const char *kind, const struct strings *texts,
                     struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal, "INSERT INTO plan_text (plan, kind, position, text) VALUES (?, ?, ?, ?)",
                                 &query, ret_error);
        for (size_t i = 0; i < texts->count && result == 0; i++) {
                sql_bind_number(query, 1, plan);
                sql_bind_text(query, 2, kind);
                sql_bind_number(query, 3, (int64_t)i);
                sql_bind_text(query, 4, texts->items[i]);
                result = sql_run(journal, query, ret_error);
        }
        return result;
}

static void bind_identity(sqlite3_stmt *query, int first, const struct file_identity *identity)
{
        const int64_t numbers[] = {(int64_t)identity->device,
                                   (int64_t)identity->inode,
                                   (int64_t)identity->links,
                                   (int64_t)identity->size,
                                   identity->mode,
                                   identity->uid,
                                   identity->gid,
                                   identity->mtime_ns};
        for (int i = 0; i < 8; i++)
                sql_bind_number(query, first + i, numbers[i]);
        sql_bind_digest(query, first + 8, identity->has_digest ? &identity->digest : NULL);
}

static int add_step(struct journal *journal, sqlite3_stmt *query, int64_t plan, const char *option,
                    const struct step *step, struct error *ret_error)
{
        sql_bind_number(query, 1, plan);
        sql_bind_text(query, 2, option);
        sql_bind_number(query, 3, step->number);
        sql_bind_text(query, 4, step_op_name(step->op));
        sql_bind_text(query, 5, step->path);
        sql_bind_text(query, 6, step->base);
        sql_bind_text(query, 7, step->target);
        sql_bind_text(query, 8, step->finding);
        bind_identity(query, 9, &step->before);
        sql_bind_digest(query, 18, step->has_after ? &step->after : NULL);
        sql_bind_number(query, 19, step->reversible);
        sql_bind_number(query, 20, step->purged);
        sql_bind_text(query, 21, step_state_name(step->state));
        sql_bind_number(query, 22, step->when_ns);
        sql_bind_number(query, 23, step->user);
        sql_bind_text(query, 24, step->message);
        return sql_run(journal, query, ret_error);
}

static int add_steps(struct journal *journal, int64_t plan, const struct plan_option *option, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal, "INSERT INTO step VALUES (?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?)",
                                 &query, ret_error);
        for (size_t i = 0; i < option->n_steps && result == 0; i++)
                result = add_step(journal, query, plan, option->name, &option->steps[i], ret_error);
        return result;
}

/* Risks are texts of the kind "risk NAME". */
static int add_option(struct journal *journal, int64_t plan, const struct plan_option *option, size_t position,
                      struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        char kind[64];
        int result = sql_prepare(journal, "INSERT INTO plan_option VALUES (?, ?, ?, ?, ?, ?, ?)", &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, plan);
        sql_bind_text(query, 2, option->name);
        sql_bind_number(query, 3, (int64_t)position);
        sql_bind_number(query, 4, option->possible);
        sql_bind_text(query, 5, option->why_not);
        sql_bind_number(query, 6, option->files);
        sql_bind_number(query, 7, option->proof);
        snprintf(kind, sizeof kind, "risk %s", option->name);
        result = sql_run(journal, query, ret_error);
        if (result == 0)
                result = add_texts(journal, plan, kind, &option->risks, ret_error);
        return result == 0 ? add_steps(journal, plan, option, ret_error) : result;
}

static int remember_globs(struct journal *journal, int64_t plan, const struct strings *globs, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal, "INSERT OR IGNORE INTO remembered_glob (glob, plan) VALUES (?, ?)", &query,
                                 ret_error);
        for (size_t i = 0; i < globs->count && result == 0; i++) {
                sql_bind_text(query, 1, globs->items[i]);
                sql_bind_number(query, 2, plan);
                result = sql_run(journal, query, ret_error);
        }
        return result;
}

static int add_plan_row(struct journal *journal, const struct plan *plan, int64_t *ret_number, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal,
                                 "INSERT INTO plan (created_ns, user, root, state, recommended, chosen, token)"
                                 " VALUES (?, ?, ?, ?, ?, ?, ?)",
                                 &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, plan->created_ns);
        sql_bind_number(query, 2, getuid());
        sql_bind_text(query, 3, plan->root);
        sql_bind_text(query, 4, plan->state);
        sql_bind_text(query, 5, plan->recommended);
        sql_bind_text(query, 6, plan->chosen);
        sql_bind_text(query, 7, plan->token);
        result = sql_run(journal, query, ret_error);
        if (result == 0)
                *ret_number = sqlite3_last_insert_rowid(journal->database);
        return result;
}

static int add_all_texts(struct journal *journal, int64_t number, const struct plan *plan, struct error *ret_error)
{
        const struct {
                const char *kind;
                const struct strings *texts;
        } lists[] = {{"target", &plan->targets},
                     {"artifacts", &plan->artifacts},
                     {"workdir", &plan->workdirs},
                     {"searched", &plan->searched},
                     {"left", &plan->left}};
        int result = 0;
        for (size_t i = 0; i < sizeof lists / sizeof *lists && result == 0; i++)
                result = add_texts(journal, number, lists[i].kind, lists[i].texts, ret_error);
        return result;
}

int journal_add_plan(struct journal *journal, const struct strings *globs, struct arena *arena, struct plan *plan,
                     struct error *ret_error)
{
        int64_t number = 0;
        int result = journal_begin(journal, ret_error);
        if (result == 0)
                result = add_plan_row(journal, plan, &number, ret_error);
        if (result == 0)
                result = add_all_texts(journal, number, plan, ret_error);
        for (size_t i = 0; i < plan->n_options && result == 0; i++)
                result = add_option(journal, number, &plan->options[i], i, ret_error);
        if (result == 0)
                result = remember_globs(journal, number, globs, ret_error);
        if (result == 0)
                result = journal_commit(journal, ret_error);
        journal_rollback(journal);
        if (result == 0)
                plan->id = arena_printf(arena, "P%04lld", (long long)number);
        else
                error_add(ret_error, "storing the plan");
        return result;
}

static int record_plan(struct journal *journal, const struct plan *plan, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal, "UPDATE plan SET state = ?, chosen = ?, token = ? WHERE number = ?", &query,
                                 ret_error);
        if (result < 0)
                return result;
        sql_bind_text(query, 1, plan->state);
        sql_bind_text(query, 2, plan->chosen);
        sql_bind_text(query, 3, plan->token);
        sql_bind_number(query, 4, plan_number(plan->id));
        return sql_run(journal, query, ret_error);
}

static int record_step(struct journal *journal, sqlite3_stmt *query, const struct plan *plan, const struct step *step,
                       struct error *ret_error)
{
        sql_bind_text(query, 1, step_op_name(step->op));
        sql_bind_text(query, 2, step->target);
        bind_identity(query, 3, &step->before);
        sql_bind_number(query, 12, step->reversible);
        sql_bind_number(query, 13, step->purged);
        sql_bind_text(query, 14, step_state_name(step->state));
        sql_bind_number(query, 15, step->when_ns);
        sql_bind_number(query, 16, step->user);
        sql_bind_text(query, 17, step->message);
        sql_bind_number(query, 18, plan_number(plan->id));
        sql_bind_text(query, 19, plan->chosen);
        sql_bind_number(query, 20, step->number);
        return sql_run(journal, query, ret_error);
}

/* What happened to the step, for good; the intent is no event. */
static int record_event(struct journal *journal, const struct plan *plan, const struct step *step,
                        struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        if (step->state == STATE_TODO || step->state == STATE_DOING)
                return 0;
        int result = sql_prepare(journal, "INSERT OR IGNORE INTO step_event VALUES (?, ?, ?, ?, ?, ?, ?)", &query,
                                 ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, plan_number(plan->id));
        sql_bind_text(query, 2, plan->chosen);
        sql_bind_number(query, 3, step->number);
        sql_bind_number(query, 4, step->when_ns);
        sql_bind_text(query, 5, step_state_name(step->state));
        sql_bind_number(query, 6, step->user);
        sql_bind_text(query, 7, step->message);
        return sql_run(journal, query, ret_error);
}

static int record_all(struct journal *journal, const struct plan *plan, struct step *const *steps, size_t n_steps,
                      struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal,
                                 "UPDATE step SET op = ?, target = ?, device = ?, inode = ?, links = ?, size = ?,"
                                 " mode = ?, uid = ?, gid = ?, mtime_ns = ?, before = ?, reversible = ?, purged = ?,"
                                 " state = ?, when_ns = ?, user = ?, message = ?"
                                 " WHERE plan = ? AND option = ? AND number = ?",
                                 &query, ret_error);
        if (result == 0)
                result = record_plan(journal, plan, ret_error);
        for (size_t i = 0; i < n_steps && result == 0; i++)
                if ((result = record_step(journal, query, plan, steps[i], ret_error)) == 0)
                        result = record_event(journal, plan, steps[i], ret_error);
        return result;
}

int journal_record(struct journal *journal, const struct plan *plan, struct step *const *steps, size_t n_steps,
                   struct error *ret_error)
{
        bool nested = journal->in_transaction;
        int result = nested ? 0 : journal_begin(journal, ret_error);
        if (result == 0)
                result = record_all(journal, plan, steps, n_steps, ret_error);
        if (result == 0 && !nested)
                result = journal_commit(journal, ret_error);
        if (!nested)
                journal_rollback(journal);
        return result;
}

int journal_save_xattrs(struct journal *journal, const struct plan *plan, uint32_t step, const struct xattrs *xattrs,
                        struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *forget = NULL, *add = NULL;
        int result = sql_prepare(journal, "DELETE FROM step_xattr WHERE plan = ? AND option = ? AND step = ?", &forget,
                                 ret_error);
        if (result == 0)
                result = sql_prepare(journal, "INSERT INTO step_xattr VALUES (?, ?, ?, ?, ?)", &add, ret_error);
        if (result < 0)
                return result;
        for (int i = 0; i < 2; i++) {
                sqlite3_stmt *query = i == 0 ? forget : add;
                sql_bind_number(query, 1, plan_number(plan->id));
                sql_bind_text(query, 2, plan->chosen);
                sql_bind_number(query, 3, step);
        }
        result = sql_run(journal, forget, ret_error);
        for (size_t i = 0; i < xattrs->count && result == 0; i++) {
                sql_bind_text(add, 4, xattrs->items[i].name);
                sql_bind_bytes(add, 5, xattrs->items[i].value);
                result = sql_run(journal, add, ret_error);
        }
        return result;
}
