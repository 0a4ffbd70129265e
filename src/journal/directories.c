#include "base/cleanup.h"
#include "journal/store.h"

static int forget(struct journal *journal, const struct plan *plan, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal, "DELETE FROM directory_time WHERE plan = ?", &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, plan_number(plan->id));
        return sql_run(journal, query, ret_error);
}

int journal_save_directories(struct journal *journal, const struct plan *plan, const struct directory_time *items,
                             size_t count, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = forget(journal, plan, ret_error);
        if (result == 0)
                result = sql_prepare(journal, "INSERT OR IGNORE INTO directory_time VALUES (?, ?, ?, ?)", &query,
                                     ret_error);
        for (size_t i = 0; i < count && result == 0; i++) {
                sql_bind_number(query, 1, plan_number(plan->id));
                sql_bind_text(query, 2, items[i].path);
                sql_bind_number(query, 3, items[i].before_ns);
                sql_bind_number(query, 4, items[i].after_ns);
                result = sql_run(journal, query, ret_error);
        }
        return result;
}

int journal_load_directories(struct journal *journal, const struct plan *plan, struct arena *arena,
                             struct directory_time **ret_items, size_t *ret_count, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        AUTO_FREE struct directory_time *items = NULL;
        size_t count = 0, capacity = 0;
        int result = sql_prepare(journal,
                                 "SELECT path, before_ns, after_ns FROM directory_time WHERE plan = ? ORDER BY path",
                                 &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_number(query, 1, plan_number(plan->id));
        while ((result = sql_next(journal, query, ret_error)) > 0) {
                heap_reserve(items, count, capacity);
                items[count++] = (struct directory_time){.path = sql_text(query, 0, arena),
                                                         .before_ns = sql_number(query, 1),
                                                         .after_ns = sql_number(query, 2)};
        }
        if (result < 0)
                return result;
        *ret_items = arena_copy(arena, items, count * sizeof *items);
        *ret_count = count;
        return 0;
}
