/* The schema, as the list of its changes. An entry that was released is never edited: a new one follows it. The
 * database's user_version is the number of entries that were applied, each in a transaction of its own. */
#include "journal/store.h"

static const char first_schema[] =
        "CREATE TABLE plan ("
        " number INTEGER PRIMARY KEY, created_ns INTEGER NOT NULL, user INTEGER NOT NULL, root BLOB NOT NULL,"
        " state BLOB NOT NULL, recommended BLOB NOT NULL, chosen BLOB NOT NULL, token BLOB NOT NULL) STRICT;"
        "CREATE TABLE plan_text ("
        " plan INTEGER NOT NULL REFERENCES plan (number), kind BLOB NOT NULL, position INTEGER NOT NULL,"
        " text BLOB NOT NULL, PRIMARY KEY (plan, kind, position)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE plan_option ("
        " plan INTEGER NOT NULL REFERENCES plan (number), name BLOB NOT NULL, position INTEGER NOT NULL,"
        " possible INTEGER NOT NULL, why_not BLOB NOT NULL, files INTEGER NOT NULL, proof INTEGER NOT NULL,"
        " PRIMARY KEY (plan, name)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE step ("
        " plan INTEGER NOT NULL, option BLOB NOT NULL, number INTEGER NOT NULL, op BLOB NOT NULL, path BLOB NOT NULL,"
        " base BLOB NOT NULL, target BLOB NOT NULL, finding BLOB NOT NULL,"
        " device INTEGER NOT NULL, inode INTEGER NOT NULL, links INTEGER NOT NULL, size INTEGER NOT NULL,"
        " mode INTEGER NOT NULL, uid INTEGER NOT NULL, gid INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,"
        " before BLOB, after BLOB, reversible INTEGER NOT NULL, purged INTEGER NOT NULL, state BLOB NOT NULL,"
        " when_ns INTEGER NOT NULL, user INTEGER NOT NULL, message BLOB NOT NULL,"
        " PRIMARY KEY (plan, option, number), FOREIGN KEY (plan, option) REFERENCES plan_option (plan, name))"
        " STRICT, WITHOUT ROWID;"
        "CREATE TABLE step_xattr ("
        " plan INTEGER NOT NULL, option BLOB NOT NULL, step INTEGER NOT NULL, name BLOB NOT NULL, value BLOB NOT NULL,"
        " PRIMARY KEY (plan, option, step, name),"
        " FOREIGN KEY (plan, option, step) REFERENCES step (plan, option, number)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE step_event ("
        " plan INTEGER NOT NULL, option BLOB NOT NULL, step INTEGER NOT NULL, when_ns INTEGER NOT NULL,"
        " state BLOB NOT NULL, user INTEGER NOT NULL, message BLOB NOT NULL,"
        " PRIMARY KEY (plan, option, step, when_ns, state),"
        " FOREIGN KEY (plan, option, step) REFERENCES step (plan, option, number)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE directory_time ("
        " plan INTEGER NOT NULL REFERENCES plan (number), path BLOB NOT NULL, before_ns INTEGER NOT NULL,"
        " after_ns INTEGER NOT NULL, PRIMARY KEY (plan, path)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE remembered_glob ("
        " glob BLOB PRIMARY KEY, plan INTEGER NOT NULL REFERENCES plan (number)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE seen_target (target BLOB PRIMARY KEY, when_ns INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
        "CREATE TABLE acceptance ("
        " path BLOB NOT NULL, hunk BLOB NOT NULL, finding BLOB NOT NULL, rule BLOB NOT NULL, digest BLOB,"
        " reason BLOB NOT NULL, when_ns INTEGER NOT NULL, user INTEGER NOT NULL, PRIMARY KEY (path, hunk))"
        " STRICT, WITHOUT ROWID;";

const struct journal_migration journal_migrations[] = {
        {first_schema},
};
const int journal_n_migrations = sizeof journal_migrations / sizeof *journal_migrations;

int journal_version(struct journal *journal, int *ret_version, struct error *ret_error)
{
        AUTO_SQL sqlite3_stmt *query = NULL;
        int result = sql_prepare(journal, "PRAGMA user_version", &query, ret_error);
        if (result == 0)
                result = sql_next(journal, query, ret_error);
        if (result < 0)
                return result;
        int64_t version = sql_number(query, 0);
        if (version > journal_n_migrations)
                return error_set(ret_error, ERR_UNSUPPORTED, 0,
                                 "the journal in %s was written by a newer pristine (schema %lld, this one knows %d)",
                                 journal->directory, (long long)version, journal_n_migrations);
        *ret_version = (int)version;
        return 0;
}

static int migrate_one(struct journal *journal, int version, struct error *ret_error)
{
        char pragma[64];
        snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", version + 1);
        int result = journal_begin(journal, ret_error);
        if (result == 0)
                result = journal_execute(journal, journal_migrations[version].sql, ret_error);
        if (result == 0)
                result = journal_execute(journal, pragma, ret_error);
        if (result == 0)
                result = journal_commit(journal, ret_error);
        journal_rollback(journal);
        return result;
}

int journal_migrate(struct journal *journal, struct error *ret_error)
{
        int version = 0;
        int result = journal_version(journal, &version, ret_error);
        for (; result == 0 && version < journal_n_migrations; version++)
                result = migrate_one(journal, version, ret_error);
        if (result < 0)
                error_add(ret_error, "bringing the journal up to date");
        return result;
}
