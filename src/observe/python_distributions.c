/* Distributions as wholes: what an interrupted installation leaves (a "~name", metadata without RECORD, metadata whose
 * files are gone) and two records for one name. A single finding each, in the place of one per file. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "observe/python_excuse.h"
#include "observe/python_furniture.h"
#include "observe/python_module.h"

/* So many missing files, and at least half of all, are no accident to a file but half a distribution. */
enum { GONE_MIN = 20 };

struct tally {
        size_t payload; /* rows outside the metadata and bin/ that have a hash */
        size_t gone;    /* of these: not there */
        size_t matched; /* of these: there, with RECORD's hash */
        bool folded;    /* told as partial: its missing files are not told one by one */
        uint32_t twin;  /* the distribution of the same name that fits better, or OWNERSHIP_NONE */
};

struct tallies {
        struct furniture *furniture;
        struct tally *items; /* by distribution */
};

static bool is_payload(const struct distribution *distribution, const struct owned_directory *directory)
{
        size_t length = strlen(distribution->info);
        bool metadata = bytes_start_with(directory->path, distribution->info) &&
                        (directory->path.size == length || directory->path.data[length] == '/');
        struct bytes name = path_name(directory->path);
        return !metadata && !bytes_equal(name, BYTES_LITERAL("bin"));
}

static void tally_all(struct survey *survey, struct tally *tallies)
{
        const struct ownership *ownership = &survey->ownership;
        for (size_t i = 0; i < ownership->n_files; i++) {
                const struct owned_file *file = &ownership->files[i];
                for (uint32_t c = file->first_claim; c != OWNERSHIP_NONE; c = ownership->claims[c].next) {
                        const struct claim *claim = &ownership->claims[c];
                        const struct distribution *owner = &survey->environment->distributions[claim->owner];
                        if (claim->hash.kind == RECORD_HASH_NONE ||
                            !is_payload(owner, &ownership->directories[file->directory]))
                                continue;
                        struct tally *tally = &tallies[claim->owner];
                        tally->payload++;
                        tally->gone += ownership_is_gone(ownership, file);
                        tally->matched += file->look == LOOK_HASHED && claim->hash.kind == RECORD_HASH_SHA256 &&
                                          digest_equal(&file->found.digest, &claim->hash.digest);
                }
        }
}

/* A fact about the metadata directory of a distribution. */
static void add_about(struct survey *survey, uint32_t index, const char *rule, enum severity severity, const char *why)
{
        uint32_t *owner = arena_new(survey->arena, uint32_t);
        *owner = index;
        struct file_fact fact = {
                .state = FILE_MISSING,
                .rule = rule,
                .severity = severity,
                .path = survey->environment->distributions[index].info,
                .owners = owner,
                .n_owners = 1,
                .expected_size = -1,
                .exists = true,
                .why = why,
        };
        struct stat st;
        if (fstatat(survey->prefix_fd, fact.path, &st, AT_SYMLINK_NOFOLLOW) == 0)
                fs_identity_from_stat(&st, &fact.found);
        else
                fact.exists = false;
        survey_add_fact(survey, &fact);
}

static void tell_gone(struct survey *survey, struct tally *tallies)
{
        for (uint32_t i = 0; i < survey->environment->n_distributions; i++) {
                struct tally *tally = &tallies[i];
                bool all = tally->gone == tally->payload && tally->gone > 1;
                bool half = tally->gone >= GONE_MIN && tally->gone * 2 >= tally->payload;
                if (tally->twin != OWNERSHIP_NONE ||
                    python_delegate(survey->environment, &survey->environment->distributions[i]) != NULL ||
                    (!all && !half))
                        continue;
                tally->folded = true;
                add_about(survey, i, "distribution-partial", SEVERITY_ERROR,
                          arena_printf(survey->arena, "%zu of its %zu files are gone", tally->gone, tally->payload));
        }
}

/* A dist-info without RECORD, unless a package manager keeps the hashes. */
static void tell_without_record(struct survey *survey)
{
        for (uint32_t i = 0; i < survey->environment->n_distributions; i++) {
                const struct distribution *distribution = &survey->environment->distributions[i];
                if (!distribution->has_record && !distribution->debris &&
                    python_delegate(survey->environment, distribution) == NULL &&
                    bytes_end_with(bytes_of(distribution->info), ".dist-info"))
                        add_about(survey, i, "distribution-partial", SEVERITY_WARNING,
                                  "it has no RECORD, so that nothing tells which files it should have");
        }
}

static bool is_debris(struct bytes name)
{
        return bytes_start_with(name, "~") || bytes_start_with(name, ".tmp") ||
               bytes_equal(name, BYTES_LITERAL(".conda_trash"));
}

static void tell_debris(struct furniture *furniture)
{
        const struct survey *survey = furniture->survey;
        size_t n_unowned = survey->n_unowned;
        for (size_t i = 0; i < n_unowned; i++) {
                const struct unowned_entry *entry = &survey->unowned[i];
                if (survey->environment->sites[entry->site].importable && furniture_is_top_level(furniture, entry) &&
                    entry->type == DT_DIR && is_debris(path_name(bytes_of(entry->path))))
                        furniture_add(furniture, entry, "distribution-partial", SEVERITY_WARNING,
                                      "an installer moved it out of the way and was interrupted before it was done");
        }
}

/* PEP 503: case and the kind of separator say nothing. */
static bool same_name(const char *a, const char *b)
{
        for (;;) {
                bool separator_a = *a != '\0' && strchr("-_.", *a) != NULL;
                bool separator_b = *b != '\0' && strchr("-_.", *b) != NULL;
                if (separator_a != separator_b ||
                    (!separator_a && tolower((unsigned char)*a) != tolower((unsigned char)*b)))
                        return false;
                if (*a == '\0')
                        return true;
                do
                        a++;
                while (separator_a && *a != '\0' && strchr("-_.", *a) != NULL);
                do
                        b++;
                while (separator_b && *b != '\0' && strchr("-_.", *b) != NULL);
        }
}

static bool are_twins(const struct distribution *a, const struct distribution *b)
{
        return a->site == b->site && !a->debris && !b->debris && same_name(a->name, b->name);
}

/* Whether a fits the disk better than b; the younger RECORD decides where the files do not. */
static bool fits_better(const struct survey *survey, const struct tally *tallies, uint32_t a, uint32_t b)
{
        double share_a = tallies[a].payload > 0 ? (double)tallies[a].matched / (double)tallies[a].payload : 0;
        double share_b = tallies[b].payload > 0 ? (double)tallies[b].matched / (double)tallies[b].payload : 0;
        if (share_a > share_b || share_a < share_b)
                return share_a > share_b;
        const struct distribution *distributions = survey->environment->distributions;
        if (distributions[a].record_mtime_ns != distributions[b].record_mtime_ns)
                return distributions[a].record_mtime_ns > distributions[b].record_mtime_ns;
        return a < b;
}

static void tell_twin(struct survey *survey, const struct tally *tallies, uint32_t loser)
{
        const struct distribution *distributions = survey->environment->distributions;
        const struct tally *mine = &tallies[loser], *theirs = &tallies[mine->twin];
        add_about(survey, loser, "distribution-duplicate", SEVERITY_ERROR,
                  arena_printf(survey->arena,
                               "version %s is recorded as well and %zu of its %zu files are as installed, "
                               "of version %s %zu of %zu",
                               distributions[mine->twin].version, theirs->matched, theirs->payload,
                               distributions[loser].version, mine->matched, mine->payload));
}

static void find_twins(struct survey *survey, struct tally *tallies)
{
        const struct distribution *distributions = survey->environment->distributions;
        uint32_t n = (uint32_t)survey->environment->n_distributions;
        for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < n; j++)
                        if (i != j && are_twins(&distributions[i], &distributions[j]) &&
                            fits_better(survey, tallies, j, i) &&
                            (tallies[i].twin == OWNERSHIP_NONE || fits_better(survey, tallies, j, tallies[i].twin)))
                                tallies[i].twin = j;
        for (uint32_t i = 0; i < n; i++)
                if (tallies[i].twin != OWNERSHIP_NONE)
                        tell_twin(survey, tallies, i);
}

/* A missing file of a distribution that was told as a whole, and what its own other version did to a file. */
static bool fact_is_folded(void *context, const struct file_fact *fact)
{
        const struct tallies *tallies = context;
        if ((fact->state != FILE_MISSING && fact->state != FILE_CLOBBERED) || fact->n_owners == 0 ||
            (strcmp(fact->rule, "file-missing") != 0 && strcmp(fact->rule, "file-clobbered") != 0))
                return false;
        const struct distribution *distributions = tallies->furniture->survey->environment->distributions;
        for (size_t i = 0; i < fact->n_owners; i++) {
                const struct tally *tally = &tallies->items[fact->owners[i]];
                if (fact->state == FILE_MISSING && !tally->folded && tally->twin == OWNERSHIP_NONE)
                        return false;
                if (fact->state == FILE_CLOBBERED &&
                    !are_twins(&distributions[fact->owners[0]], &distributions[fact->owners[i]]))
                        return false;
        }
        return true;
}

void furniture_distributions(struct furniture *furniture)
{
        struct survey *survey = furniture->survey;
        struct tallies tallies = {
                .furniture = furniture,
                .items = arena_new_array(survey->arena, struct tally, survey->environment->n_distributions + 1),
        };
        for (size_t i = 0; i < survey->environment->n_distributions; i++)
                tallies.items[i].twin = OWNERSHIP_NONE;
        tally_all(survey, tallies.items);
        tell_debris(furniture);
        tell_without_record(survey);
        find_twins(survey, tallies.items);
        tell_gone(survey, tallies.items);
        furniture_drop_facts(survey, fact_is_folded, &tallies);
}
