/* Excuses: why a row of RECORD that does not match may be normal all the same, or may mean something other than an
 * edit (facts/environments.md: RECORD; each excuse is one line of a table).
 *
 *     python_row_needs_no_hash()  by name alone, before anything is opened: the row may lack a hash
 *     python_excuses_open()       once per environment, after its distributions are known
 *     python_excuse()             for each fact that is not FILE_OK, from one thread, when the comparison is done:
 *                                 EXCUSE_SILENT   drop the fact, count the file as silent
 *                                 EXCUSE_DELEGATED the same, counted as unverifiable: RECORD is not the word to go by
 *                                 EXCUSE_RESTATED state, rule, severity and why of the fact were changed
 *                                 EXCUSE_NONE     it is what it looks like; the fact is untouched
 *
 * The caller fills the whole fact first: state, path, owners, expected hash and size, exists and found (with its digest
 * where the file was hashed). What an excuse needs of the file it reads itself, bounded, beneath the prefix, and only
 * when the name makes it a candidate; bytes that are no longer those of found.digest excuse nothing.
 * Memory belongs to the arena. */
#ifndef PRISTINE_OBSERVE_PYTHON_EXCUSE_H
#define PRISTINE_OBSERVE_PYTHON_EXCUSE_H

#include "base/arena.h"
#include "base/text.h"
#include "fs/root.h"
#include "model/environment.h"

enum excuse_result {
        EXCUSE_NONE,
        EXCUSE_SILENT,
        EXCUSE_DELEGATED,
        EXCUSE_RESTATED,
};

struct entry_points; /* of one distribution, read when first asked for */

struct python_excuses {
        const struct root *root;
        int prefix_fd; /* of environment->path, borrowed */
        const struct environment *environment;
        struct arena *arena;
        const struct entry_points **entry_points; /* by distribution, NULL until read */
};

void python_excuses_open(const struct root *root, int prefix_fd, const struct environment *environment,
                         struct arena *arena, struct python_excuses *ret_excuses);

enum excuse_result python_excuse(struct python_excuses *excuses, struct file_fact *fact);

/* Rows that installers write without a hash on purpose, told by the path as RECORD spells it or as resolved: RECORD and
 * its signatures, INSTALLER, REQUESTED, direct_url.json, virtualenv's marks, bytecode in __pycache__ and the directory
 * itself. Silent whether the path exists or not. A row that has a hash is compared like any other, bytecode excepted:
 * its hash says nothing, since Python rewrites it. */
bool python_row_needs_no_hash(struct bytes path);

/* Whose word counts for this distribution: NULL where RECORD does, else the name of the package manager that keeps the
 * hashes ("dpkg", "rpm", "conda"): its INSTALLER says so, or it lies where Debian keeps its own modules. Nothing of
 * such a distribution is ever modified or missing by RECORD. */
const char *python_delegate(const struct environment *environment, const struct distribution *distribution);

/* The same for a whole site: its unowned files are the package manager's. */
const char *python_site_delegate(const struct site *site);

#endif
