/* The part of a check that looks for what debug code has written: files that the findings' own path expressions name,
 * files that the person or an earlier plan named, and families that nothing on disk explains any more. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "flow/check_run.h"
#include "observe/artifact.h"

enum {
        ARTIFACTS_MAX = 10000,   /* files taken in by all globs together */
        SPECIFIC_LETTERS_MIN = 4 /* literal characters that a file name pattern needs to count as evidence */
};

struct globs {
        const char **items; /* heap */
        size_t count, capacity;
};

static void globs_clear(struct globs *globs)
{
        free(globs->items);
}

static void globs_add(struct globs *globs, const char *glob)
{
        for (size_t i = 0; i < globs->count; i++)
                if (strcmp(globs->items[i], glob) == 0)
                        return;
        heap_reserve(globs->items, globs->count, globs->capacity);
        globs->items[globs->count++] = glob;
}

/* A relative pattern depends on the working directory of a process nobody may be left of: it is tried beneath each. */
static void globs_add_absolute(struct globs *globs, const struct check_run *run, const char *glob)
{
        if (glob[0] == '/') {
                globs_add(globs, glob);
                return;
        }
        for (size_t i = 0; i < run->workdirs.count; i++)
                globs_add(globs, arena_printf(run->arena, "%s/%s", run->workdirs.items[i], glob));
}

static void globs_add_hunks(struct globs *globs, const struct check_run *run, const struct hunks *hunks)
{
        for (size_t i = 0; i < hunks->count; i++)
                for (size_t j = 0; j < hunks->items[i].writes.count; j++)
                        globs_add_absolute(globs, run, hunks->items[i].writes.items[j]);
}

/* What the vendor's own code may write explains nothing here: a verdict must not depend on -v. */
static void globs_of_finding(const struct check_run *run, const struct finding *finding, struct globs *ret_globs)
{
        if (strcmp(finding->rule, "vendor-debug-code") == 0)
                return;
        globs_add_hunks(ret_globs, run, &finding->hunks);
        globs_add_hunks(ret_globs, run, &finding->suspects);
}

static bool globs_match(const struct globs *globs, const char *path)
{
        for (size_t i = 0; i < globs->count; i++)
                if (glob_matches(globs->items[i], path))
                        return true;
        return false;
}

/* Whether a match of this pattern says anything about who wrote the file: the directory must be literal, and the name
 * must hold some literal text besides its extension. "/tmp/ *.pt" matches everybody's files. */
bool check_glob_is_specific(const char *glob)
{
        const char *name = strrchr(glob, '/');
        name = name != NULL ? name + 1 : glob;
        if (strcspn(glob, "*?[") < (size_t)(name - glob))
                return false;
        const char *extension = strrchr(name, '.');
        const char *end = extension != NULL && extension > name ? extension : name + strlen(name);
        size_t letters = 0;
        for (const char *at = name; at < end; at++)
                letters += *at != '*' && *at != '?';
        return letters >= SPECIFIC_LETTERS_MIN || strcspn(name, "*?[") == strlen(name);
}

/* The owner most of the matched files have: a stray file of somebody else that happens to fit is not taken. */
static uint32_t artifacts_main_owner(const struct artifacts *artifacts)
{
        uint32_t owner = 0;
        size_t best = 0;
        for (size_t i = 0; i < artifacts->count; i++) {
                size_t same = 0;
                for (size_t j = 0; j < artifacts->count; j++)
                        same += artifacts->items[j].found.uid == artifacts->items[i].found.uid;
                if (same > best) {
                        best = same;
                        owner = artifacts->items[i].found.uid;
                }
        }
        return owner;
}

static void artifact_weigh(struct artifact *artifact, const struct finding *finding, const struct globs *globs,
                           uint32_t main_owner)
{
        bool specific = false;
        for (size_t i = 0; i < globs->count && !specific; i++)
                specific = check_glob_is_specific(globs->items[i]) && glob_matches(globs->items[i], artifact->path);
        artifact->younger = artifact->found.mtime_ns >= finding->found.mtime_ns ? TRI_YES : TRI_NO;
        int64_t installed_ns = finding->distribution != NULL ? finding->distribution->record_mtime_ns : INT64_MIN;
        if (artifact->not_ours != NULL)
                return;
        if (artifact->found.mtime_ns < installed_ns)
                artifact->not_ours = "older than the installation of the code that would have written it";
        else if (!specific)
                artifact->not_ours =
                        "only a pattern that fits anything matches it; name it with --artifacts if it is debris";
        else if (artifact->found.uid != main_owner)
                artifact->not_ours = "another owner than the other files of this pattern";
        else if (finding->hunks.count == 0 && strcmp(finding->rule, "unowned-module") != 0 &&
                 strcmp(finding->rule, "startup-hook") != 0)
                artifact->not_ours = "the code that writes it is not proven to be an edit";
}

/* Gives the finding its share of all matched files. */
static void finding_take_artifacts(struct check_run *run, struct finding *finding, const struct artifacts *all)
{
        CLEANUP(globs_clear) struct globs globs = {0};
        globs_of_finding(run, finding, &globs);
        if (globs.count == 0)
                return;
        finding->artifacts.items = arena_new_array(run->arena, struct artifact, all->count);
        for (size_t i = 0; i < all->count; i++)
                if (globs_match(&globs, all->items[i].path))
                        finding->artifacts.items[finding->artifacts.count++] = all->items[i];
        uint32_t owner = artifacts_main_owner(&finding->artifacts);
        for (size_t i = 0; i < finding->artifacts.count; i++)
                artifact_weigh(&finding->artifacts.items[i], finding, &globs, owner);
}

static void add_family(struct check_run *run, const char *pattern, const struct artifacts *members, bool named,
                       const char *why)
{
        check_run_add_finding(run, &(struct finding){
                                           .rule = "orphan-artifact",
                                           .severity = SEVERITY_WARNING,
                                           .path = pattern,
                                           .subject = pattern,
                                           .pattern = pattern,
                                           .named = named,
                                           .artifacts = *members,
                                           .origin = {.note = ""},
                                           .accepted_reason = "",
                                           .why = why,
                                           .summary = "",
                                           .next = "",
                                   });
}

/* Files some finding's code explains already are not offered a second time. */
static bool artifact_is_explained(const struct check_run *run, const char *path)
{
        for (size_t i = 0; i < run->n_findings; i++)
                for (size_t j = 0; j < run->findings[i].artifacts.count; j++) {
                        const struct artifact *artifact = &run->findings[i].artifacts.items[j];
                        if (artifact->not_ours == NULL && strcmp(artifact->path, path) == 0)
                                return true;
                }
        return false;
}

static void families_of_globs(struct check_run *run, const struct strings *patterns, bool named,
                              const struct artifacts *all)
{
        for (size_t i = 0; i < patterns->count; i++) {
                CLEANUP(globs_clear) struct globs globs = {0};
                globs_add_absolute(&globs, run, patterns->items[i]);
                struct artifacts members = {.items = arena_new_array(run->arena, struct artifact, all->count + 1)};
                bool matched = false;
                for (size_t j = 0; j < all->count; j++) {
                        if (!globs_match(&globs, all->items[j].path))
                                continue;
                        matched = true;
                        if (!artifact_is_explained(run, all->items[j].path))
                                members.items[members.count++] = all->items[j];
                }
                if (members.count > 0)
                        add_family(run, patterns->items[i], &members, named,
                                   named ? "named by --artifacts"
                                         : "an edit that was put back earlier wrote to this pattern");
                else if (named && !matched)
                        check_run_add_unknown(run, patterns->items[i], "--artifacts: no file matches this pattern",
                                              false);
        }
}

static int expand_all(struct check_run *run, const struct strings *remembered, struct artifacts *ret_all,
                      struct error *ret_error)
{
        CLEANUP(globs_clear) struct globs globs = {0};
        for (size_t i = 0; i < run->n_findings; i++)
                globs_of_finding(run, &run->findings[i], &globs);
        for (size_t i = 0; i < run->request->artifacts.count; i++)
                globs_add_absolute(&globs, run, run->request->artifacts.items[i]);
        for (size_t i = 0; i < remembered->count; i++)
                globs_add_absolute(&globs, run, remembered->items[i]);
        bool cut = false;
        struct unknowns unknowns = {0};
        struct strings patterns = {globs.items, globs.count};
        if (globs.count == 0)
                return 0;
        int result = artifact_expand(&run->root, &patterns, &run->workdirs, ARTIFACTS_MAX, run->arena, ret_all, &cut,
                                     &unknowns, ret_error);
        check_run_add_unknowns(run, &unknowns);
        if (cut)
                check_run_add_unknown(run, "artifacts", "more files match the dump patterns than are listed", false);
        return result;
}

int check_evidence(struct check_run *run, const struct strings *remembered, struct error *ret_error)
{
        struct artifacts all = {0};
        int result = expand_all(run, remembered, &all, ret_error);
        if (result < 0)
                return result;
        for (size_t i = 0; i < run->n_findings; i++)
                finding_take_artifacts(run, &run->findings[i], &all);
        families_of_globs(run, &run->request->artifacts, true, &all);
        families_of_globs(run, remembered, false, &all);

        struct artifact_families families = {0};
        struct unknowns unknowns = {0};
        result = artifact_sweep(&run->root, &run->workdirs, &all, run->arena, &families, &unknowns, ret_error);
        if (result < 0)
                return result;
        check_run_add_unknowns(run, &unknowns);
        for (size_t i = 0; i < families.count; i++)
                add_family(run, families.items[i].pattern, &families.items[i].members, false, families.items[i].basis);
        return 0;
}
