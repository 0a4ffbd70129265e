/* Steps for the files that debug code wrote: those tied to an edit that this plan takes back, and those the person
 * named with --artifacts. Never a link, a file with a second name, or one that somebody holds open. */
#include <fnmatch.h>
#include <sys/stat.h>

#include "fs/identify.h"
#include "repair/draft.h"

/* A relative pattern was tried beneath several directories: it matches the end of the path, at a directory's border. */
static bool glob_covers(const char *glob, const char *path)
{
        if (glob[0] == '/')
                return fnmatch(glob, path, FNM_PATHNAME) == 0;
        for (const char *at = path; (at = strchr(at, '/')) != NULL;)
                if (fnmatch(glob, ++at, FNM_PATHNAME) == 0)
                        return true;
        return false;
}

static bool is_named(const struct draft *draft, const char *path)
{
        const struct strings *globs = &draft->input->artifacts;
        for (size_t i = 0; i < globs->count; i++)
                if (glob_covers(globs->items[i], path))
                        return true;
        return false;
}

/* What a wanted hunk writes is wanted too. */
static bool hunk_that_stays_writes(const struct finding *finding, const char *path)
{
        for (size_t i = 0; i < finding->hunks.count; i++) {
                const struct hunk *hunk = &finding->hunks.items[i];
                for (size_t j = 0; j < hunk->writes.count && hunk_stays(hunk); j++)
                        if (glob_covers(hunk->writes.items[j], path))
                                return true;
        }
        return false;
}

static void leave_artifact(struct draft *draft, const char *path, const char *why)
{
        string_list_add(&draft->left, arena_printf(draft->arena, "%s: %s", path, why));
}

static void quarantine(struct draft *draft, const struct finding *finding, const struct artifact *artifact)
{
        struct file_identity identity;
        struct error error = {0};
        if (draft_has_path(draft, artifact->path))
                return;
        if (draft_identify(draft, artifact->path, &identity, &error) < 0) {
                leave_artifact(draft, artifact->path, arena_strdup(draft->arena, error.text));
                return;
        }
        if (identity.links > 1) {
                leave_artifact(draft, artifact->path, "it has a second name (hard link) elsewhere");
                return;
        }
        if (!identity_untouched(&identity, &artifact->found)) {
                leave_artifact(draft, artifact->path, "it changed since the check: plan again");
                return;
        }
        const char *slash = strrchr(artifact->path, '/');
        const char *base = slash == artifact->path
                                   ? "/"
                                   : arena_strndup(draft->arena, artifact->path, (size_t)(slash - artifact->path));
        if (artifact->open_unknown)
                string_list_add(&draft->risks,
                                "not every process could be looked into: one of another user may hold an "
                                "artifact open");
        draft_add_step(draft, STEP_QUARANTINE, artifact->path, base, finding, &identity)->reversible = true;
}

void draft_artifacts(struct draft *draft, const struct finding *finding, bool repaired)
{
        size_t untied = 0;
        for (size_t i = 0; i < finding->artifacts.count; i++) {
                const struct artifact *artifact = &finding->artifacts.items[i];
                bool named = finding->named || is_named(draft, artifact->path);
                bool tied = repaired && !hunk_that_stays_writes(finding, artifact->path);
                if (artifact->not_ours != NULL)
                        leave_artifact(draft, artifact->path, artifact->not_ours);
                else if (named || tied)
                        quarantine(draft, finding, artifact);
                else
                        untied++;
        }
        if (untied > 0)
                draft_leave(
                        draft, finding,
                        arena_printf(draft->arena,
                                     "%zu file%s stay%s where %s: not tied to an edit that this plan takes back; name "
                                     "what you want gone with --artifacts",
                                     untied, untied == 1 ? "" : "s", untied == 1 ? "s" : "",
                                     untied == 1 ? "it is" : "they are"));
}
