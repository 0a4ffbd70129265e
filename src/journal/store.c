/* The state directory and the database in it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/root.h"
#include "journal/store.h"

enum { BUSY_MILLISECONDS = 5000 };

static const char DATABASE[] = "journal.sqlite", LOCK[] = "lock", OBJECTS[] = "objects";

/* What lies here decides what `undo` writes as root: it must be ours alone. */
static int directory_judge(int fd, const char *path, struct error *ret_error)
{
        struct stat st;
        if (fstat(fd, &st) < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "%s", path);
        if (st.st_uid != geteuid())
                return error_set(
                        ret_error, ERR_REFUSED, 0,
                        "the state directory %s belongs to user %u, not to user %u who runs this; name another "
                        "with --state-dir",
                        path, st.st_uid, geteuid());
        if ((st.st_mode & 022) != 0)
                return error_set(ret_error, ERR_REFUSED, 0,
                                 "others can write to the state directory %s; chmod 700 it, or name another with "
                                 "--state-dir",
                                 path);
        return 0;
}

static int directory_open(struct journal *journal, const char *path, struct error *ret_error)
{
        if (journal->writable) {
                AUTO_FREE char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
                char absolute[4096];
                snprintf(absolute, sizeof absolute, "%s/%s", here != NULL ? here : "", path);
                int result = write_make_path(absolute, ret_error);
                if (result < 0) {
                        error_add(ret_error, "creating the state directory");
                        return result;
                }
        }
        journal->directory = realpath(path, NULL);
        if (journal->directory == NULL)
                return error_set(ret_error, errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM, errno,
                                 "the state directory %s", path);
        journal->directory_fd = open(journal->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (journal->directory_fd < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "the state directory %s", path);
        return directory_judge(journal->directory_fd, journal->directory, ret_error);
}

static int objects_open(struct journal *journal, struct error *ret_error)
{
        int result = write_open_own_directory(journal->directory_fd, OBJECTS, &journal->objects_fd, ret_error);
        if (result == ERR_NOT_FOUND && journal->writable)
                result = write_make_directory(journal->directory_fd, OBJECTS, &journal->objects_fd, ret_error);
        if (result < 0)
                error_add(ret_error, "%s", journal->directory);
        return result;
}

static int lock_take(struct journal *journal, struct error *ret_error)
{
        int result = write_lock_file(journal->directory_fd, LOCK, true, &journal->lock_fd, ret_error);
        if (result == ERR_REFUSED)
                return error_set(ret_error, ERR_REFUSED, 0, "another pristine is writing to %s; wait until it is done",
                                 journal->directory);
        if (result < 0)
                error_add(ret_error, "the state directory %s", journal->directory);
        return result;
}

/* Readers open for writing as well, though they write nothing: what a crash left half-written can only be rolled back
 * by one who may. */
static int database_open(struct journal *journal, struct error *ret_error)
{
        char path[4200];
        int flags = SQLITE_OPEN_READWRITE | (journal->writable ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOFOLLOW |
                    SQLITE_OPEN_NOMUTEX;
        snprintf(path, sizeof path, "%s/%s", journal->directory, DATABASE);
        if (sqlite3_open_v2(path, &journal->database, flags, NULL) != SQLITE_OK)
                return journal_error(journal, ret_error);
        sqlite3_busy_timeout(journal->database, BUSY_MILLISECONDS);
        return journal_execute(journal,
                               journal->writable ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                                   "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"
                                                 : "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF;",
                               ret_error);
}

/* On a file system that is mounted read-only nobody else writes either: the database is taken as it lies. */
static int database_open_frozen(struct journal *journal, struct error *ret_error)
{
        CLEANUP(text_clear) struct text uri = TEXT_INIT;
        sqlite3_close(journal->database);
        journal->database = NULL;
        text_add(&uri, "file:");
        for (const unsigned char *at = (const unsigned char *)journal->directory; *at != '\0'; at++)
                text_addf(&uri, "%%%02x", *at);
        text_addf(&uri, "/%s?immutable=1", DATABASE);
        int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX;
        if (sqlite3_open_v2(uri.data, &journal->database, flags, NULL) != SQLITE_OK)
                return journal_error(journal, ret_error);
        return 0;
}

static int open_for_writing(struct journal *journal, struct error *ret_error)
{
        int result = lock_take(journal, ret_error);
        if (result == 0)
                result = objects_open(journal, ret_error);
        if (result == 0)
                result = database_open(journal, ret_error);
        if (result == 0)
                result = journal_migrate(journal, ret_error);
        return result == 0 ? write_sync_directory(journal->directory_fd, ret_error) : result;
}

static int open_for_reading(struct journal *journal, struct error *ret_error)
{
        int version;
        if (faccessat(journal->directory_fd, DATABASE, F_OK, AT_EACCESS) < 0 && errno == ENOENT)
                return error_set(ret_error, ERR_NOT_FOUND, 0, "there is no journal in %s yet", journal->directory);
        int result = database_open(journal, ret_error);
        if (result == 0)
                result = journal_version(journal, &version, ret_error);
        if (result < 0 && faccessat(journal->directory_fd, ".", W_OK, AT_EACCESS) < 0 && errno == EROFS) {
                result = database_open_frozen(journal, ret_error);
                if (result == 0)
                        result = journal_version(journal, &version, ret_error);
        }
        if (result < 0)
                return result;
        /* Version 0 is a database whose making was cut short: nothing was written to it yet. */
        if (version == 0)
                return error_set(ret_error, ERR_NOT_FOUND, 0, "the journal in %s is still empty", journal->directory);
        if (version < journal_n_migrations)
                return error_set(ret_error, ERR_UNSUPPORTED, 0,
                                 "the journal in %s is of an older pristine; any command that writes to it, such as "
                                 "plan, brings it up to date",
                                 journal->directory);
        result = objects_open(journal, ret_error);
        return result == ERR_NOT_FOUND ? 0 : result;
}

int journal_open(const char *state_dir, enum journal_mode mode, struct journal **ret_journal, struct error *ret_error)
{
        CLEANUP(journal_cleanup) struct journal *journal = heap_alloc(sizeof *journal);
        *journal = (struct journal){
                .directory_fd = -1, .objects_fd = -1, .lock_fd = -1, .writable = mode == JOURNAL_WRITE};
        int result = directory_open(journal, state_dir, ret_error);
        if (result == 0)
                result =
                        journal->writable ? open_for_writing(journal, ret_error) : open_for_reading(journal, ret_error);
        if (result == 0)
                *ret_journal = steal_pointer(journal);
        return result;
}

struct journal *journal_close(struct journal *journal)
{
        if (journal == NULL)
                return NULL;
        journal_rollback(journal);
        sqlite3_close(journal->database);
        cleanup_close(&journal->objects_fd);
        cleanup_close(&journal->lock_fd);
        cleanup_close(&journal->directory_fd);
        free(journal->directory);
        free(journal);
        return NULL;
}

void journal_cleanup(struct journal **journal)
{
        *journal = journal_close(*journal);
}

int journal_begin(struct journal *journal, struct error *ret_error)
{
        int result = journal_execute(journal, "BEGIN IMMEDIATE", ret_error);
        journal->in_transaction = result == 0;
        return result;
}

int journal_commit(struct journal *journal, struct error *ret_error)
{
        int result = journal_execute(journal, "COMMIT", ret_error);
        if (result == 0)
                journal->in_transaction = false;
        return result;
}

void journal_rollback(struct journal *journal)
{
        if (!journal->in_transaction)
                return;
        sqlite3_exec(journal->database, "ROLLBACK", NULL, NULL, NULL);
        journal->in_transaction = false;
}
