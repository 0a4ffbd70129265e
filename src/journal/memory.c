/* What outlives a plan: patterns of dumps, acceptances; and the plan that waits for its end. */
#include <time.h>

#include "base/cleanup.h"
#include "journal/store.h"

/* The first column of every row. */
static int load_column(struct journal *journal, const char *sql, struct arena *arena, struct strings *ret_texts,
                       struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        AUTO_FREE const char **texts = NULL;
        size_t count = 0, capacity = 0;
        int result = sql_prepare(journal, sql, &query, ret_error);
        if (result < 0)
                return result;
        while ((result = sql_next(journal, query, ret_error)) > 0) {
                heap_reserve(texts, count, capacity);
                texts[count++] = sql_text(query, 0, arena);
        }
        if (result < 0)
                return result;
        *ret_texts = (struct strings){arena_copy(arena, texts, count * sizeof *texts), count};
        return 0;
}

int journal_load_remembered(struct journal *journal, struct arena *arena, struct strings *ret_globs,
                            struct error *ret_error)
{
        return load_column(journal, "SELECT glob FROM remembered_glob ORDER BY glob", arena, ret_globs, ret_error);
}

int journal_load_targets(struct journal *journal, struct arena *arena, struct strings *ret_targets,
                         struct error *ret_error)
{
        return load_column(journal, "SELECT target FROM seen_target ORDER BY when_ns DESC, target", arena, ret_targets,
                           ret_error);
}

static int add_target(struct journal *journal, const char *target, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        int result = sql_prepare(journal, "INSERT OR REPLACE INTO seen_target (target, when_ns) VALUES (?, ?)", &query,
                                 ret_error);
        if (result < 0)
                return result;
        sql_bind_text(query, 1, target);
        sql_bind_number(query, 2, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
        return sql_run(journal, query, ret_error);
}

int journal_note_target(const char *state_dir, const char *target, struct error *ret_error)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct strings known = {0};
        if (journal_open(state_dir, JOURNAL_READ, &journal, NULL) == 0 &&
            journal_load_targets(journal, &arena, &known, NULL) == 0)
                for (size_t i = 0; i < known.count; i++)
                        if (strcmp(known.items[i], target) == 0)
                                return 0;
        journal = journal_close(journal);
        int result = journal_open(state_dir, JOURNAL_WRITE, &journal, ret_error);
        return result == 0 ? add_target(journal, target, ret_error) : result;
}

int journal_load_acceptances(struct journal *journal, struct arena *arena, struct acceptance **ret_items,
                             size_t *ret_count, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        AUTO_FREE struct acceptance *items = NULL;
        size_t count = 0, capacity = 0;
        int result = sql_prepare(journal,
                                 "SELECT path, hunk, finding, rule, digest, reason, when_ns, user FROM acceptance"
                                 " ORDER BY path, hunk",
                                 &query, ret_error);
        if (result < 0)
                return result;
        while ((result = sql_next(journal, query, ret_error)) > 0) {
                heap_reserve(items, count, capacity);
                struct acceptance *item = &items[count++];
                *item = (struct acceptance){
                        .path = sql_text(query, 0, arena),
                        .hunk = sql_text(query, 1, arena),
                        .finding = sql_text(query, 2, arena),
                        .rule = sql_text(query, 3, arena),
                        .reason = sql_text(query, 5, arena),
                        .when_ns = sql_number(query, 6),
                        .user = (uint32_t)sql_number(query, 7),
                };
                item->has_digest = sql_digest(query, 4, &item->digest);
        }
        if (result < 0)
                return result;
        *ret_items = arena_copy(arena, items, count * sizeof *items);
        *ret_count = count;
        return 0;
}

int journal_add_acceptance(struct journal *journal, const struct acceptance *acceptance, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result =
                sql_prepare(journal,
                            "INSERT OR REPLACE INTO acceptance (path, hunk, finding, rule, digest, reason, when_ns,"
                            " user) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                            &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_text(query, 1, acceptance->path);
        sql_bind_text(query, 2, acceptance->hunk);
        sql_bind_text(query, 3, acceptance->finding);
        sql_bind_text(query, 4, acceptance->rule);
        sql_bind_digest(query, 5, acceptance->has_digest ? &acceptance->digest : NULL);
        sql_bind_text(query, 6, acceptance->reason);
        sql_bind_number(query, 7, acceptance->when_ns);
        sql_bind_number(query, 8, acceptance->user);
        return sql_run(journal, query, ret_error);
}

int journal_remove_acceptance(struct journal *journal, const struct acceptance *acceptance, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal, "DELETE FROM acceptance WHERE path = ? AND hunk = ?", &query, ret_error);
        if (result < 0)
                return result;
        sql_bind_text(query, 1, acceptance->path);
        sql_bind_text(query, 2, acceptance->hunk);
        return sql_run(journal, query, ret_error);
}

int journal_find_interrupted(struct journal *journal, struct arena *arena, const char **ret_plan,
                             struct error *ret_error)
{
        static const char *const states[] = {"applying", "undoing", NULL};
        return journal_find_plan(journal, states, arena, ret_plan, ret_error);
}

static int find_interrupted(struct journal *journal, struct arena *arena, struct journal_memory *memory,
                            struct error *ret_error)
{
        static const char *const undoing[] = {"undoing", NULL};
        const char *undo = NULL;
        int result = journal_find_interrupted(journal, arena, &memory->interrupted_plan, ret_error);
        if (result < 0 || memory->interrupted_plan == NULL)
                return result;
        result = journal_find_plan(journal, undoing, arena, &undo, ret_error);
        memory->undo_interrupted = undo != NULL && strcmp(undo, memory->interrupted_plan) == 0;
        return result;
}

int journal_recall(const char *state_dir, struct arena *arena, struct journal_memory *ret_memory,
                   struct error *ret_error)
{
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct journal_memory memory = {0};
        struct error error = {0};
        int result = journal_open(state_dir, JOURNAL_READ, &journal, &error);
        if (result == ERR_NOT_FOUND) {
                *ret_memory = memory;
                return 0;
        }
        if (result == 0)
                result = journal_load_remembered(journal, arena, &memory.globs, &error);
        if (result == 0)
                result = journal_load_acceptances(journal, arena, &memory.acceptances, &memory.n_acceptances, &error);
        if (result == 0)
                result = find_interrupted(journal, arena, &memory, &error);
        if (result < 0)
                return error_set(ret_error, result, 0, "reading what the journal remembers: %s", error.text);
        *ret_memory = memory;
        return 0;
}
