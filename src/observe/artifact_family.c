/* Families: dump files that belong together though no code names them any more. Evidence is counted, not guessed:
 *
 *     siblings   files of one directory, owner and format whose names differ in the rank or counter alone
 *     words      a part of the name says debugging ("debug", "dump", …)
 *     company    the same owner left a family in the same directory within the same minutes
 *
 * Siblings with ranks are a family; siblings with another number need a word. What has a word and no siblings is a
 * stray: two strays, or one in the company of a family, make a family of strays. A name that says model, checkpoint or
 * weights without a word of debugging is somebody's work and never appears. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "observe/artifact.h"
#include "observe/artifact_probe.h"

enum { CANDIDATES_MAX = 20000 };

static const int64_t COMPANY_NS = 15LL * 60 * 1000000000; /* how far apart in time files still keep company */

static const char *const debug_words[] = {"debug",    "dbg",          "dump",       "dumps",   "dumped",
                                          "trace",    "repro",        "nan",        "inspect", "captured",
                                          "snapshot", "intermediate", "activations"};
static const char *const work_words[] = {"model",     "checkpoint", "ckpt",         "weights", "weight",
                                         "optimizer", "optim",      "consolidated", "pytorch", "adapter",
                                         "lora",      "tokenizer",  "scheduler",    "distcp",  "dataset",
                                         "train",     "best",       "epoch",        "of"};
/* vLLM's own crash dumps */
static const char *const foreign_globs[] = {"err_execute_model_input_*.pkl", "core", "core.*", "tmp????????"};

struct candidate {
        struct artifact artifact;
        const char *directory, *name;
        const char *pattern; /* the name with its varying number as "*"; NULL when it has none */
        bool debug, ranked, taken;
};

struct sweep {
        const struct root *root;
        const struct artifacts *known;
        struct arena *arena;
        struct candidate *candidates; /* heap */
        size_t count, capacity;
        struct artifact_family *families; /* heap */
        size_t n_families, families_capacity;
};

static void sweep_clear(struct sweep *sweep)
{
        free(sweep->candidates);
        free(sweep->families);
}

/* Whether one of the words is a part of the name: letters between anything that is no letter. */
static bool name_has_word(const char *name, const char *const *words, size_t n_words)
{
        while (*name != '\0') {
                size_t length = 0;
                while (isalpha((unsigned char)name[length]))
                        length++;
                for (size_t i = 0; i < n_words && length > 0; i++)
                        if (strlen(words[i]) == length && strncasecmp(words[i], name, length) == 0)
                                return true;
                name += length > 0 ? length : 1;
        }
        return false;
}

#define HAS_WORD(name, words) name_has_word((name), (words), sizeof(words) / sizeof *(words))

static void add_glob_literal(struct text *text, const char *from, size_t size)
{
        for (size_t i = 0; i < size; i++) {
                if (strchr("*?[\\", from[i]) != NULL)
                        text_addf(text, "[%c]", from[i]);
                else
                        text_add_char(text, from[i]);
        }
}

/* The digits that tell siblings apart: those of the rank, else the last number before the extension. */
static const char *name_varying(const char *name, const struct rank *rank, size_t *ret_length)
{
        const char *extension = strrchr(name, '.'), *found = NULL;
        for (const char *at = name; *at != '\0';) {
                size_t length = strspn(at, "0123456789");
                bool before = extension == NULL || at < extension;
                if (length == 0) {
                        at++;
                        continue;
                }
                bool of_rank = rank->kind[0] != '\0' && at > name && strtoul(at, NULL, 10) == rank->number &&
                               artifact_rank(name).kind == rank->kind;
                if (before && (of_rank || rank->kind[0] == '\0' || found == NULL)) {
                        found = at;
                        *ret_length = length;
                }
                at += length;
        }
        return found;
}

static const char *name_pattern(struct arena *arena, const char *name, const struct rank *rank)
{
        size_t length = 0;
        const char *varying = name_varying(name, rank, &length);
        if (varying == NULL)
                return NULL;
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        add_glob_literal(&text, name, (size_t)(varying - name));
        text_add_char(&text, '*');
        add_glob_literal(&text, varying + length, strlen(varying + length));
        return arena_strndup(arena, text.data, text.size);
}

static bool is_known(const struct sweep *sweep, const char *path)
{
        for (size_t i = 0; i < sweep->known->count; i++)
                if (strcmp(sweep->known->items[i].path, path) == 0)
                        return true;
        return false;
}

static bool is_foreign(const char *name)
{
        for (size_t i = 0; i < sizeof foreign_globs / sizeof *foreign_globs; i++)
                if (glob_matches(foreign_globs[i], name))
                        return true;
        return false;
}

static void consider(struct sweep *sweep, int directory_fd, const char *directory, const char *name)
{
        struct candidate candidate = {.directory = directory};
        const char *path = arena_printf(sweep->arena, "%s/%s", directory, name);
        if (is_foreign(name) || is_known(sweep, path) ||
            !artifact_probe(directory_fd, name, path, sweep->arena, &candidate.artifact))
                return;
        if (candidate.artifact.format[0] == '\0')
                return;
        candidate.name = arena_strdup(sweep->arena, name);
        candidate.debug = HAS_WORD(name, debug_words);
        candidate.ranked = candidate.artifact.rank.kind[0] != '\0';
        if (!candidate.debug && HAS_WORD(name, work_words))
                return;
        candidate.pattern = name_pattern(sweep->arena, name, &candidate.artifact.rank);
        heap_reserve(sweep->candidates, sweep->count, sweep->capacity);
        sweep->candidates[sweep->count++] = candidate;
}

/* Directories that are links are left alone; a directory that is not there is no matter. */
static void sweep_directory(struct sweep *sweep, const char *directory)
{
        AUTO_CLOSE int root_fd = -1, fd = -1;
        struct error error;
        if (root_open_directory(sweep->root, "/", &root_fd, NULL, &error) < 0 ||
            fs_open_beneath(root_fd, directory + strspn(directory, "/"), O_RDONLY | O_DIRECTORY, &fd, &error) < 0)
                return;
        AUTO_CLOSE int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        AUTO_CLOSEDIR DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
        if (dir == NULL)
                return;
        steal_fd(&copy);
        for (struct dirent *entry = readdir(dir); entry != NULL && sweep->count < CANDIDATES_MAX; entry = readdir(dir))
                if (entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN)
                        consider(sweep, fd, directory, entry->d_name);
}

static bool same_place(const struct candidate *a, const struct candidate *b)
{
        return strcmp(a->directory, b->directory) == 0 && a->artifact.found.uid == b->artifact.found.uid;
}

static bool are_siblings(const struct candidate *a, const struct candidate *b)
{
        return same_place(a, b) && strcmp(a->artifact.format, b->artifact.format) == 0 && a->pattern != NULL &&
               b->pattern != NULL && strcmp(a->pattern, b->pattern) == 0 && a->ranked == b->ranked;
}

static void add_family(struct sweep *sweep, const char *pattern, const struct artifacts *members, const char *basis)
{
        heap_reserve(sweep->families, sweep->n_families, sweep->families_capacity);
        sweep->families[sweep->n_families++] = (struct artifact_family){pattern, *members, basis};
}

static void collect_siblings(struct sweep *sweep, struct candidate *first)
{
        struct artifacts members = {.items = arena_new_array(sweep->arena, struct artifact, sweep->count)};
        for (struct candidate *other = first; other < sweep->candidates + sweep->count; other++)
                if (!other->taken && are_siblings(first, other))
                        members.items[members.count++] = other->artifact;
        if (members.count < 2 || (!first->ranked && !first->debug))
                return;
        for (struct candidate *other = sweep->candidates + sweep->count - 1; other >= first; other--)
                other->taken |= are_siblings(first, other);
        add_family(sweep, arena_printf(sweep->arena, "%s/%s", first->directory, first->pattern), &members,
                   first->ranked ? "one format, one owner, one name but for the rank"
                                 : "one format, one owner, one name but for a number, and the name says debugging");
}

/* Whether the same owner left a family in the same directory within the same minutes. */
static bool has_company(const struct sweep *sweep, const struct candidate *stray)
{
        for (size_t i = 0; i < sweep->count; i++) {
                const struct candidate *other = &sweep->candidates[i];
                int64_t apart = other->artifact.found.mtime_ns - stray->artifact.found.mtime_ns;
                if (other->taken && same_place(other, stray) && apart < COMPANY_NS && apart > -COMPANY_NS)
                        return true;
        }
        return false;
}

/* A stray shares a part of its name (three letters or more) with a family of the same owner and place. */
static bool name_shares_word(const struct sweep *sweep, const struct candidate *stray)
{
        for (size_t i = 0; i < sweep->count; i++) {
                const struct candidate *other = &sweep->candidates[i];
                char word[64];
                if (!other->taken || !same_place(other, stray))
                        continue;
                const char *extension = strrchr(other->name, '.');
                for (const char *at = other->name; *at != '\0' && at != extension;) {
                        size_t length = 0;
                        while (isalpha((unsigned char)at[length]))
                                length++;
                        snprintf(word, sizeof word, "%.*s", (int)length, at);
                        const char *words[] = {word};
                        if (length >= 3 && length < sizeof word && HAS_WORD(stray->name, words))
                                return true;
                        at += length > 0 ? length : 1;
                }
        }
        return false;
}

static bool is_stray(const struct sweep *sweep, const struct candidate *candidate)
{
        if (candidate->taken)
                return false;
        return candidate->debug || (has_company(sweep, candidate) && name_shares_word(sweep, candidate));
}

static void collect_strays(struct sweep *sweep, struct candidate *first)
{
        CLEANUP(text_clear) struct text pattern = TEXT_INIT;
        struct artifacts members = {.items = arena_new_array(sweep->arena, struct artifact, sweep->count)};
        bool evidence = first->ranked || has_company(sweep, first);
        for (struct candidate *other = first; other < sweep->candidates + sweep->count; other++) {
                int64_t apart = other->artifact.found.mtime_ns - first->artifact.found.mtime_ns;
                bool joins = is_stray(sweep, other) && same_place(first, other) &&
                             ((apart < COMPANY_NS && apart > -COMPANY_NS) || has_company(sweep, other));
                if (!joins)
                        continue;
                text_add(&pattern, members.count > 0 ? "|" : "");
                add_glob_literal(&pattern, other->name, strlen(other->name));
                members.items[members.count++] = other->artifact;
        }
        if (members.count < 2 && !evidence)
                return;
        for (size_t i = 0; i < members.count; i++)
                for (size_t j = 0; j < sweep->count; j++)
                        sweep->candidates[j].taken |=
                                strcmp(sweep->candidates[j].artifact.path, members.items[i].path) == 0;
        add_family(sweep,
                   arena_printf(sweep->arena, members.count > 1 ? "%s/@(%s)" : "%s/%s", first->directory, pattern.data),
                   &members, "strays: one owner, dump format, a name that says debugging, written in the same minutes");
}

static int candidate_compare(const void *left, const void *right)
{
        const struct candidate *a = left, *b = right;
        return strcmp(a->artifact.path, b->artifact.path);
}

static int family_compare(const void *left, const void *right)
{
        return strcmp(((const struct artifact_family *)left)->pattern,
                      ((const struct artifact_family *)right)->pattern);
}

static int member_compare(const void *left, const void *right)
{
        const struct artifact *a = left, *b = right;
        if (a->rank.number != b->rank.number)
                return a->rank.number < b->rank.number ? -1 : 1;
        return strcmp(a->path, b->path);
}

static void sweep_finish(struct sweep *sweep, struct artifact_families *ret_families)
{
        struct artifact_families families = {
                arena_copy(sweep->arena, sweep->families, sweep->n_families * sizeof *sweep->families),
                sweep->n_families};
        size_t total = 0;
        AUTO_FREE struct artifact **pointers = heap_alloc((sweep->count + 1) * sizeof(struct artifact *));
        for (size_t i = 0; i < families.count; i++) {
                struct artifacts *members = &families.items[i].members;
                qsort(members->items, members->count, sizeof *members->items, member_compare);
                for (size_t j = 0; j < members->count; j++)
                        pointers[total++] = &members->items[j];
        }
        if (families.count > 0)
                qsort(families.items, families.count, sizeof *families.items, family_compare);
        if (strcmp(sweep->root->path, "/") == 0)
                artifact_holders(sweep->arena, pointers, total);
        *ret_families = families;
}

int artifact_sweep(const struct root *root, const struct strings *directories, const struct artifacts *known,
                   struct arena *arena, struct artifact_families *ret_families, struct unknowns *ret_unknowns,
                   struct error *ret_error)
{
        CLEANUP(sweep_clear) struct sweep sweep = {.root = root, .known = known, .arena = arena};
        (void)ret_unknowns;
        (void)ret_error;
        for (size_t i = 0; i < directories->count; i++)
                sweep_directory(&sweep, directories->items[i]);
        if (sweep.count > 0)
                qsort(sweep.candidates, sweep.count, sizeof *sweep.candidates, candidate_compare);
        for (size_t i = 0; i < sweep.count; i++)
                if (!sweep.candidates[i].taken)
                        collect_siblings(&sweep, &sweep.candidates[i]);
        for (size_t i = 0; i < sweep.count; i++)
                if (is_stray(&sweep, &sweep.candidates[i]))
                        collect_strays(&sweep, &sweep.candidates[i]);
        sweep_finish(&sweep, ret_families);
        return 0;
}
