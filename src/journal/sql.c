#include <errno.h>

#include "journal/store.h"

/* SQLite's codes in our terms. A full disk or a failing one is told by errno, which SQLite keeps. */
int journal_error(struct journal *journal, struct error *ret_error)
{
        int code = sqlite3_errcode(journal->database) & 0xff;
        int errnum = sqlite3_system_errno(journal->database);
        if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
                return error_set(ret_error, ERR_REFUSED, 0, "the journal in %s is in use by another process; try again",
                                 journal->directory);
        if (code == SQLITE_FULL)
                errnum = ENOSPC;
        bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
        return error_set(ret_error, damaged ? ERR_MALFORMED : ERR_SYSTEM, damaged ? 0 : errnum, "the journal in %s: %s",
                         journal->directory, sqlite3_errmsg(journal->database));
}

int journal_execute(struct journal *journal, const char *sql, struct error *ret_error)
{
        return sqlite3_exec(journal->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                                   : journal_error(journal, ret_error);
}

int sql_prepare(struct journal *journal, const char *sql, sqlite3_stmt **ret_query, struct error *ret_error)
{
        return sqlite3_prepare_v2(journal->database, sql, -1, ret_query, NULL) == SQLITE_OK
                       ? 0
                       : journal_error(journal, ret_error);
}

void sql_finalize(sqlite3_stmt **query)
{
        sqlite3_finalize(*query);
}

void sql_bind_bytes(sqlite3_stmt *query, int index, struct bytes bytes)
{
        sqlite3_bind_blob64(query, index, bytes.size > 0 ? (const void *)bytes.data : "", bytes.size, SQLITE_TRANSIENT);
}

void sql_bind_text(sqlite3_stmt *query, int index, const char *text)
{
        sql_bind_bytes(query, index, bytes_of(text));
}

void sql_bind_number(sqlite3_stmt *query, int index, int64_t number)
{
        sqlite3_bind_int64(query, index, number);
}

void sql_bind_digest(sqlite3_stmt *query, int index, const struct digest *digest)
{
        if (digest != NULL)
                sql_bind_bytes(query, index, (struct bytes){digest->bytes, DIGEST_SIZE});
        else
                sqlite3_bind_null(query, index);
}

int sql_next(struct journal *journal, sqlite3_stmt *query, struct error *ret_error)
{
        int result = sqlite3_step(query);
        if (result == SQLITE_ROW)
                return 1;
        return result == SQLITE_DONE ? 0 : journal_error(journal, ret_error);
}

int sql_run(struct journal *journal, sqlite3_stmt *query, struct error *ret_error)
{
        int result = sql_next(journal, query, ret_error);
        sqlite3_reset(query);
        return result < 0 ? result : 0;
}

struct bytes sql_bytes(sqlite3_stmt *query, int column, struct arena *arena)
{
        const void *data = sqlite3_column_blob(query, column);
        size_t size = (size_t)sqlite3_column_bytes(query, column);
        return (struct bytes){size > 0 ? arena_copy(arena, data, size) : NULL, size};
}

const char *sql_text(sqlite3_stmt *query, int column, struct arena *arena)
{
        const char *data = sqlite3_column_blob(query, column);
        size_t size = (size_t)sqlite3_column_bytes(query, column);
        return size > 0 ? arena_strndup(arena, data, size) : "";
}

int64_t sql_number(sqlite3_stmt *query, int column)
{
        return sqlite3_column_int64(query, column);
}

bool sql_digest(sqlite3_stmt *query, int column, struct digest *ret_digest)
{
        if (sqlite3_column_bytes(query, column) != DIGEST_SIZE)
                return false;
        memcpy(ret_digest->bytes, sqlite3_column_blob(query, column), DIGEST_SIZE);
        return true;
}
