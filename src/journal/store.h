/* Inside the journal: the open database, statements on it, its objects. Used by the files of this module only.
 *
 *     AUTO_SQL sqlite3_stmt *query = NULL;
 *     sql_prepare(journal, "SELECT … WHERE id = ?", &query, error)
 *     sql_bind_…(query, 1, …)                   NULL strings bind as ""
 *     while ((result = sql_next(journal, query, error)) > 0)   … sql_text(query, 0, arena) …
 *     sql_run(journal, query, error)            for statements without rows; they may be bound and run again */
#ifndef PRISTINE_JOURNAL_STORE_H
#define PRISTINE_JOURNAL_STORE_H

#include <sqlite3.h>

#include "journal/journal.h"

struct journal {
        sqlite3 *database;
        char *directory; /* resolved */
        int directory_fd, objects_fd, lock_fd;
        bool writable, in_transaction;
};

/* Names and hashes are bytes, not text: paths need not be UTF-8. */
struct journal_migration {
        const char *sql;
};
extern const struct journal_migration journal_migrations[];
extern const int journal_n_migrations;

int journal_migrate(struct journal *journal, struct error *ret_error);
int journal_version(struct journal *journal, int *ret_version, struct error *ret_error);

int journal_error(struct journal *journal, struct error *ret_error);
int journal_execute(struct journal *journal, const char *sql, struct error *ret_error);

int sql_prepare(struct journal *journal, const char *sql, sqlite3_stmt **ret_query, struct error *ret_error);
void sql_finalize(sqlite3_stmt **query);
#define AUTO_SQL __attribute__((cleanup(sql_finalize)))

void sql_bind_text(sqlite3_stmt *query, int index, const char *text);
void sql_bind_bytes(sqlite3_stmt *query, int index, struct bytes bytes);
void sql_bind_number(sqlite3_stmt *query, int index, int64_t number);
void sql_bind_digest(sqlite3_stmt *query, int index, const struct digest *digest); /* NULL binds NULL */

int sql_next(struct journal *journal, sqlite3_stmt *query, struct error *ret_error); /* 1: a row, 0: none, < 0 */
int sql_run(struct journal *journal, sqlite3_stmt *query, struct error *ret_error);

const char *sql_text(sqlite3_stmt *query, int column, struct arena *arena); /* never NULL */
struct bytes sql_bytes(sqlite3_stmt *query, int column, struct arena *arena);
int64_t sql_number(sqlite3_stmt *query, int column);
bool sql_digest(sqlite3_stmt *query, int column, struct digest *ret_digest);

/* "P0007" <-> 7; 0 for what is no plan id. */
int64_t plan_number(const char *id);

#endif
