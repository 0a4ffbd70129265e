#include "observe/python_furniture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "observe/python_excuse.h"
#include "observe/python_module.h"
#include "observe/python_pth.h"

enum { PYVENV_CFG_MAX = 64 << 10 };

bool furniture_read(struct survey *survey, const char *path, size_t limit, struct bytes *ret_bytes)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct bytes bytes;
        if (fs_open_regular(survey->prefix_fd, path, &fd, &identity, NULL) < 0 ||
            fs_read_whole(fd, limit, &bytes, NULL) < 0)
                return false;
        ret_bytes->data = arena_copy(survey->arena, bytes.data, bytes.size);
        ret_bytes->size = bytes.size;
        free((void *)bytes.data);
        return true;
}

bool furniture_is_top_level(const struct furniture *furniture, const struct unowned_entry *entry)
{
        const char *site = furniture->survey->environment->sites[entry->site].path;
        return bytes_equal(path_directory(bytes_of(entry->path)), bytes_of(site));
}

void furniture_add(struct furniture *furniture, const struct unowned_entry *entry, const char *rule,
                   enum severity severity, const char *why)
{
        struct survey *survey = furniture->survey;
        struct file_fact fact = {
                .state = FILE_UNOWNED,
                .rule = rule,
                .severity = severity,
                .path = entry->path,
                .expected_size = -1,
                .is_text_source =
                        bytes_end_with(bytes_of(entry->path), ".py") || bytes_end_with(bytes_of(entry->path), ".pth"),
                .why = why,
        };
        struct stat st;
        if (fstatat(survey->prefix_fd, entry->path, &st, AT_SYMLINK_NOFOLLOW) == 0) {
                fs_identity_from_stat(&st, &fact.found);
                fact.exists = true;
        }
        survey_add_fact(survey, &fact);
        survey_count(survey, FILE_UNOWNED);
}

void furniture_drop_facts(struct survey *survey, bool (*drop)(void *context, const struct file_fact *fact),
                          void *context)
{
        size_t kept = 0;
        for (size_t i = 0; i < survey->n_facts; i++)
                if (!drop(context, &survey->facts[i]))
                        survey->facts[kept++] = survey->facts[i];
        survey->n_facts = kept;
}

struct excuse_context {
        struct survey *survey;
        struct python_excuses excuses;
};

/* Judges one fact and moves its count; a silent one goes. */
static bool fact_is_excused(void *context, const struct file_fact *fact)
{
        struct excuse_context *excuse = context;
        struct file_counts *counts = &excuse->survey->environment->counts;
        struct file_fact *changed = &excuse->survey->facts[fact - excuse->survey->facts];
        enum file_state before = fact->state;
        enum excuse_result result = python_excuse(&excuse->excuses, changed);
        if (result == EXCUSE_NONE)
                return false;
        counts->by_state[before]--;
        if (result == EXCUSE_SILENT)
                counts->silent++;
        else
                counts->by_state[result == EXCUSE_DELEGATED ? FILE_UNVERIFIABLE : changed->state]++;
        return result != EXCUSE_RESTATED;
}

static void furniture_excuse(struct furniture *furniture)
{
        struct survey *survey = furniture->survey;
        struct excuse_context context = {.survey = survey};
        python_excuses_open(survey->root, survey->prefix_fd, survey->environment, survey->arena, &context.excuses);
        furniture_drop_facts(survey, fact_is_excused, &context);
}

static const char *site_keeper(const struct environment *environment, uint32_t site)
{
        const char *keeper = python_site_delegate(&environment->sites[site]);
        for (size_t i = 0; i < environment->n_distributions && keeper == NULL; i++)
                if (environment->distributions[i].site == site)
                        keeper = python_delegate(environment, &environment->distributions[i]);
        return keeper;
}

/* What a package manager keeps is neither right nor wrong by RECORD: that is said once per site. */
static void find_delegates(struct furniture *furniture)
{
        struct survey *survey = furniture->survey;
        const struct environment *environment = survey->environment;
        furniture->delegated = arena_new_array(survey->arena, bool, environment->n_sites + 1);
        for (uint32_t i = 0; i < environment->n_sites; i++) {
                const char *keeper = site_keeper(environment, i);
                furniture->delegated[i] = keeper != NULL;
                if (keeper != NULL)
                        survey_add_unknown(survey, environment->sites[i].path,
                                           arena_printf(survey->arena,
                                                        "%s keeps files here and has their hashes, which this version "
                                                        "does not read: ask its own checker",
                                                        keeper),
                                           true);
        }
}

void furniture_arrange(struct survey *survey)
{
        struct furniture furniture = {.survey = survey};
        struct bytes cfg;
        if (furniture_read(survey, "pyvenv.cfg", PYVENV_CFG_MAX, &cfg))
                furniture.makers = pth_parse_makers(cfg);
        find_delegates(&furniture);
        furniture_read_claims(&furniture);
        furniture_excuse(&furniture);
        furniture_distributions(&furniture);
        furniture_bytecode(&furniture);
        furniture_hooks(&furniture);
        furniture_unowned(&furniture);
}
