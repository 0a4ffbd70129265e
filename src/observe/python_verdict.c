/* From looks and claims to states: what stands at a path against what its owners say. Nothing here reads a file but for
 * hashes longer than SHA-256, which next to no installer writes. No state is ever rounded up to ok. */
#include <errno.h>
#include <limits.h>
#include <openssl/sha.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "observe/python_internal.h"
#include "observe/python_module.h"

enum {
        LONG_HASH_BYTES_MAX = 256 << 20,
        STRAYS_TOLD_MAX = 16, /* per distribution, of each kind */
};

/* What one owner's rows say of a file, the most favourable first. */
enum word {
        WORD_MATCHES,
        WORD_DIFFERS,
        WORD_NO_HASH,
        WORD_WEAK, /* a hash of a kind that proves nothing */
        WORD_LOST,
};

struct opinion {
        uint32_t owner;
        enum word word;
        const struct claim *claim; /* that gave the word */
};

/* One file on trial. */
struct trial {
        struct survey *survey;
        const struct owned_file *file;
        struct opinion *opinions; /* one per owner; heap, used again for the next file */
        size_t n_opinions, opinions_capacity;
};

void survey_count(struct survey *survey, enum file_state state)
{
        survey->environment->counts.by_state[state]++;
}

void survey_count_silent(struct survey *survey)
{
        survey->environment->counts.silent++;
}

const char *survey_path(struct survey *survey, const struct owned_file *file)
{
        struct bytes directory = survey->ownership.directories[file->directory].path;
        return arena_printf(survey->arena, "%.*s%s%.*s", (int)directory.size, directory.data,
                            directory.size > 0 ? "/" : "", (int)file->name.size, file->name.data);
}

/* SHA-384 and SHA-512 are as good as SHA-256, only rare: the file is read again, and must still be the same. */
static bool long_hash_matches(const struct trial *trial, const struct record_hash *hash)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct bytes bytes;
        struct digest digest;
        uint8_t wanted[SHA512_DIGEST_LENGTH], got[SHA512_DIGEST_LENGTH];
        bool is_384 = hash->kind == RECORD_HASH_SHA384;
        size_t size = is_384 ? SHA384_DIGEST_LENGTH : SHA512_DIGEST_LENGTH;
        if (!record_decode_digest(hash->text, size, wanted) ||
            fs_open_regular(trial->survey->prefix_fd, survey_path(trial->survey, trial->file), &fd, &identity, NULL) <
                    0 ||
            fs_read_whole(fd, LONG_HASH_BYTES_MAX, &bytes, NULL) < 0)
                return false;
        hash_bytes(bytes, &digest);
        if (is_384)
                SHA384(bytes.data, bytes.size, got);
        else
                SHA512(bytes.data, bytes.size, got);
        free((void *)bytes.data);
        return digest_equal(&digest, &trial->file->found.digest) && memcmp(wanted, got, size) == 0;
}

static enum word claim_word(const struct trial *trial, const struct claim *claim)
{
        switch (claim->hash.kind) {
        case RECORD_HASH_SHA256:
                return digest_equal(&claim->hash.digest, &trial->file->found.digest) ? WORD_MATCHES : WORD_DIFFERS;
        case RECORD_HASH_SHA384:
        case RECORD_HASH_SHA512:
                return long_hash_matches(trial, &claim->hash) ? WORD_MATCHES : WORD_DIFFERS;
        case RECORD_HASH_OTHER:
                return WORD_WEAK;
        case RECORD_HASH_LOST:
                return WORD_LOST;
        case RECORD_HASH_NONE:
                break;
        }
        return WORD_NO_HASH;
}

static enum word claim_word_unread(const struct claim *claim)
{
        return claim->hash.kind == RECORD_HASH_NONE   ? WORD_NO_HASH
               : claim->hash.kind == RECORD_HASH_LOST ? WORD_LOST
                                                      : WORD_DIFFERS;
}

/* Several rows of one owner speak with one voice: the best of them. Claims come sorted by owner. */
static void trial_hear(struct trial *trial)
{
        const struct ownership *ownership = &trial->survey->ownership;
        trial->n_opinions = 0;
        for (uint32_t i = trial->file->first_claim; i != OWNERSHIP_NONE; i = ownership->claims[i].next) {
                const struct claim *claim = &ownership->claims[i];
                enum word word = trial->file->look == LOOK_HASHED ? claim_word(trial, claim) : claim_word_unread(claim);
                struct opinion *last = trial->n_opinions > 0 ? &trial->opinions[trial->n_opinions - 1] : NULL;
                if (last != NULL && last->owner == claim->owner) {
                        if (word < last->word)
                                *last = (struct opinion){claim->owner, word, claim};
                        continue;
                }
                heap_reserve(trial->opinions, trial->n_opinions, trial->opinions_capacity);
                trial->opinions[trial->n_opinions++] = (struct opinion){claim->owner, word, claim};
        }
}

static size_t trial_count(const struct trial *trial, enum word word)
{
        size_t count = 0;
        for (size_t i = 0; i < trial->n_opinions; i++)
                count += trial->opinions[i].word == word;
        return count;
}

static const char *describe_kind(uint32_t mode)
{
        return S_ISLNK(mode)    ? "a symbolic link stands where the file was installed"
               : S_ISDIR(mode)  ? "a directory stands where the file was installed"
               : S_ISFIFO(mode) ? "a FIFO stands where the file was installed"
               : S_ISSOCK(mode) ? "a socket stands where the file was installed"
               : S_ISREG(mode)  ? "" /* it became one meanwhile */
                                : "a device stands where the file was installed";
}

struct judgement {
        enum file_state state;
        const char *rule;
        enum severity severity;
        const char *why;
};

static struct judgement judge_hashed(const struct trial *trial)
{
        bool matches = trial_count(trial, WORD_MATCHES) > 0, differs = trial_count(trial, WORD_DIFFERS) > 0;
        if (matches && differs)
                return (struct judgement){FILE_CLOBBERED, "file-clobbered", SEVERITY_WARNING, NULL};
        if (matches)
                return (struct judgement){.state = FILE_OK};
        if (differs)
                return (struct judgement){FILE_MODIFIED, "file-modified", SEVERITY_ERROR, NULL};
        if (trial_count(trial, WORD_LOST) > 0)
                return (struct judgement){FILE_MALFORMED, "record-malformed", SEVERITY_WARNING, NULL};
        if (trial_count(trial, WORD_WEAK) > 0)
                return (struct judgement){FILE_UNVERIFIABLE, "file-unverifiable", SEVERITY_WARNING,
                                          "RECORD's hash is of a kind that proves nothing"};
        return (struct judgement){FILE_UNVERIFIABLE, "file-unverifiable", SEVERITY_NOTE, NULL};
}

/* What could not be read keeps the verdict from being clean as an unknown; what stands in a file's place is a
 * difference. */
static struct judgement judge_look(const struct trial *trial)
{
        const struct owned_file *file = trial->file;
        bool hash = trial_count(trial, WORD_DIFFERS) > 0;
        switch (file->look) {
        case LOOK_ABSENT:
                return (struct judgement){FILE_MISSING, "file-missing", SEVERITY_ERROR, NULL};
        case LOOK_HASHED:
                return judge_hashed(trial);
        case LOOK_OTHER_KIND:
                if (!hash && S_ISDIR(file->found.mode))
                        break;
                return (struct judgement){hash ? FILE_MODIFIED : FILE_UNREADABLE,
                                          hash ? "file-modified" : "file-unreadable",
                                          hash ? SEVERITY_ERROR : SEVERITY_WARNING, describe_kind(file->found.mode)};
        case LOOK_UNREADABLE:
                return (struct judgement){FILE_UNREADABLE, "file-unreadable", SEVERITY_NOTE,
                                          file->errnum == 0
                                                  ? "it was being written to all the while"
                                                  : arena_strdup(trial->survey->arena, strerrordesc_np(file->errnum))};
        case LOOK_PENDING:
        case LOOK_NOT_HASHED:
                break;
        }
        return (struct judgement){FILE_UNVERIFIABLE, "file-unverifiable", SEVERITY_NOTE, NULL};
}

/* The owners whose word the state rests on come first: those that lost the file to another, or who have a hash. */
static void order_owners(const struct trial *trial, struct file_fact *fact)
{
        static const enum word order[] = {WORD_DIFFERS, WORD_LOST, WORD_WEAK, WORD_NO_HASH, WORD_MATCHES};
        uint32_t *owners = arena_new_array(trial->survey->arena, uint32_t, trial->n_opinions + 1);
        for (size_t o = 0; o < sizeof order / sizeof *order; o++)
                for (size_t i = 0; i < trial->n_opinions; i++) {
                        const struct opinion *opinion = &trial->opinions[i];
                        if (opinion->word != order[o])
                                continue;
                        if (fact->n_owners == 0) {
                                fact->expected_size = opinion->claim->size;
                                fact->has_row_hash = opinion->claim->hash.kind != RECORD_HASH_NONE;
                                fact->has_expected = opinion->claim->hash.kind == RECORD_HASH_SHA256;
                                if (fact->has_expected)
                                        fact->expected = opinion->claim->hash.digest;
                        }
                        owners[fact->n_owners++] = opinion->owner;
                }
        fact->owners = owners;
}

static bool name_is_text(struct bytes name)
{
        static const char *const suffixes[] = {".py",  ".pyi",  ".pyx",  ".pxd",  ".pth", ".txt", ".json",
                                               ".cfg", ".toml", ".yaml", ".yml",  ".sh",  ".ini", ".md",
                                               ".rst", ".c",    ".h",    ".cu",   ".cuh", ".cpp", ".hpp",
                                               ".js",  ".html", ".css",  ".jinja"};
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
                if (bytes_end_with(name, suffixes[i]))
                        return true;
        return false;
}

static void add_file_fact(const struct trial *trial, const struct judgement *judgement)
{
        struct file_fact fact = {
                .state = judgement->state,
                .rule = judgement->rule,
                .severity = judgement->severity,
                .path = survey_path(trial->survey, trial->file),
                .expected_size = -1,
                .exists = trial->file->has_identity,
                .found = trial->file->found,
                .is_text_source = name_is_text(trial->file->name),
                .why = judgement->why,
        };
        order_owners(trial, &fact);
        survey_add_fact(trial->survey, &fact);
        if (judgement->state == FILE_UNREADABLE && judgement->severity == SEVERITY_NOTE)
                survey_add_unknown(trial->survey, fact.path, judgement->why, true);
}

/* A module that is as installed, in case debug code is part of it: whoever reads it decides. */
static void add_vendor_note(const struct trial *trial)
{
        if (bytes_end_with(trial->file->name, ".py"))
                add_file_fact(trial, &(struct judgement){FILE_OK, "vendor-debug-code", SEVERITY_NOTE, NULL});
}

/* The topmost directory that could not be entered, of those that hold this one; OWNERSHIP_NONE where all could. */
static uint32_t blocked_directory(const struct ownership *ownership, uint32_t index)
{
        uint32_t blocked = OWNERSHIP_NONE;
        for (; index != OWNERSHIP_NONE; index = ownership->directories[index].parent)
                if (ownership->directories[index].visit == VISIT_LINK ||
                    ownership->directories[index].visit == VISIT_FAILED)
                        blocked = index;
        return blocked;
}

/* People put the modules of a venv on another disk; that is no edit, but it is not looked at either. */
static bool is_site(const struct survey *survey, const struct owned_directory *directory)
{
        return directory->site != OWNERSHIP_NONE &&
               bytes_equal(directory->path, bytes_of(survey->environment->sites[directory->site].path));
}

static const char *why_blocked(struct survey *survey, const struct owned_directory *directory, uint64_t hidden)
{
        const char *files = arena_printf(survey->arena, "%llu installed file%s beneath it", (unsigned long long)hidden,
                                         hidden == 1 ? "" : "s");
        if (directory->visit != VISIT_LINK)
                return arena_printf(survey->arena, "%s; %s could not be looked at", strerrordesc_np(directory->errnum),
                                    files);
        if (is_site(survey, directory))
                return "a symbolic link stands in the place of this directory, and is not followed; name the directory "
                       "it leads to, to have that looked at";
        return arena_printf(survey->arena,
                            "a symbolic link stands in the place of this directory: not followed, so %s could not be "
                            "looked at",
                            files);
}

/* A directory of which nothing is known is told once, not file by file. */
static void add_blocked(struct survey *survey, const uint64_t *hidden)
{
        for (uint32_t i = 0; i < survey->ownership.n_directories; i++) {
                const struct owned_directory *directory = &survey->ownership.directories[i];
                if (blocked_directory(&survey->ownership, i) != i)
                        continue;
                bool link = directory->visit == VISIT_LINK && !is_site(survey, directory);
                struct file_fact fact = {
                        .state = FILE_UNREADABLE,
                        .rule = "file-unreadable",
                        .severity = link ? SEVERITY_ERROR : SEVERITY_NOTE,
                        .path = arena_strndup(survey->arena, (const char *)directory->path.data, directory->path.size),
                        .expected_size = -1,
                        .exists = true,
                        .why = why_blocked(survey, directory, hidden[i]),
                };
                survey_add_fact(survey, &fact);
                if (!link)
                        survey_add_unknown(survey, fact.path, fact.why, true);
        }
}

static void judge_files(struct survey *survey)
{
        struct trial trial = {.survey = survey};
        AUTO_FREE uint64_t *hidden = heap_alloc((survey->ownership.n_directories + 1) * sizeof *hidden);
        uint64_t not_reached = 0;
        for (size_t i = 0; i < survey->ownership.n_files; i++) {
                trial.file = &survey->ownership.files[i];
                uint32_t blocked = blocked_directory(&survey->ownership, trial.file->directory);
                if (blocked != OWNERSHIP_NONE && trial.file->look == LOOK_ABSENT) {
                        hidden[blocked]++;
                        survey_count(survey, FILE_UNREADABLE);
                        continue;
                }
                if (trial.file->look == LOOK_PENDING ||
                    (trial.file->look == LOOK_ABSENT && !ownership_is_gone(&survey->ownership, trial.file))) {
                        not_reached++;
                        continue;
                }
                trial_hear(&trial);
                struct judgement judgement = judge_look(&trial);
                survey_count(survey, judgement.state);
                if (judgement.state != FILE_OK)
                        add_file_fact(&trial, &judgement);
                else if (survey->options->vendor_notes)
                        add_vendor_note(&trial);
        }
        free(trial.opinions);
        add_blocked(survey, hidden);
        if (not_reached > 0)
                survey_add_unknown(survey, survey->environment->path,
                                   arena_printf(survey->arena, "%llu installed files were not looked at",
                                                (unsigned long long)not_reached),
                                   true);
}

/* Rows that lead outside, each; rows of which no path can be made, in one fact per RECORD. */
static void add_stray(struct survey *survey, const struct stray_row *stray, uint64_t more)
{
        uint32_t *owner = arena_new(survey->arena, uint32_t);
        *owner = stray->owner;
        const char *text = arena_strndup(survey->arena, (const char *)stray->text.data, stray->text.size);
        const char *record =
                arena_printf(survey->arena, "%s/RECORD", survey->environment->distributions[stray->owner].info);
        const char *others =
                more > 0 ? arena_printf(survey->arena, " (and %llu more such rows)", (unsigned long long)more) : "";
        struct file_fact fact = {
                .state = stray->outside ? FILE_OUTSIDE : FILE_MALFORMED,
                .rule = stray->outside ? "record-outside-prefix" : "record-malformed",
                .severity = SEVERITY_WARNING,
                .path = stray->outside ? text : record,
                .owners = owner,
                .n_owners = 1,
                .expected_size = -1,
                .why = stray->outside ? (more > 0 ? others + 1 : NULL)
                                      : arena_printf(survey->arena, "a row of it is no row: %s%s", stray->why, others),
        };
        survey_add_fact(survey, &fact);
}

static void judge_strays(struct survey *survey)
{
        const struct ownership *ownership = &survey->ownership;
        for (size_t i = 0; i < ownership->n_strays;) {
                /* Rows of one owner stand together. */
                const struct stray_row *malformed = NULL, *last_outside = NULL;
                uint64_t n_malformed = 0, n_outside = 0;
                size_t end = i;
                for (; end < ownership->n_strays && ownership->strays[end].owner == ownership->strays[i].owner; end++) {
                        const struct stray_row *stray = &ownership->strays[end];
                        survey_count(survey, stray->outside ? FILE_OUTSIDE : FILE_MALFORMED);
                        if (!stray->outside) {
                                malformed = malformed == NULL ? stray : malformed;
                                n_malformed++;
                        } else if (++n_outside < STRAYS_TOLD_MAX)
                                add_stray(survey, stray, 0);
                        else
                                last_outside = stray;
                }
                if (last_outside != NULL)
                        add_stray(survey, last_outside, n_outside - STRAYS_TOLD_MAX);
                if (malformed != NULL)
                        add_stray(survey, malformed, n_malformed - 1);
                i = end;
        }
}

void survey_judge(struct survey *survey)
{
        judge_files(survey);
        judge_strays(survey);
}
