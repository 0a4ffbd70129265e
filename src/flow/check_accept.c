/* The part of a check that honours acceptances. One holds for exactly the bytes that were accepted: a hunk by its id,
 * which is a digest of its text; a whole file by its digest; what has no bytes (a directory, a family) by the finding's
 * id. */
#include "flow/check_run.h"
#include "flow/identity.h"

static bool acceptance_covers_whole(const struct acceptance *acceptance, const struct finding *finding)
{
        if (acceptance->hunk[0] != '\0' || strcmp(acceptance->path, finding->path) != 0)
                return false;
        if (acceptance->has_digest)
                return finding->found.has_digest && digest_equal(&acceptance->digest, &finding->found.digest);
        return strcmp(acceptance->finding, finding->id) == 0;
}

static void accept_hunks(struct finding *finding, const struct acceptance *acceptance)
{
        if (acceptance->hunk[0] == '\0' || strcmp(acceptance->path, finding->path) != 0)
                return;
        for (size_t i = 0; i < finding->hunks.count; i++)
                if (strcmp(finding->hunks.items[i].id, acceptance->hunk) == 0) {
                        finding->hunks.items[i].accepted = true;
                        finding->accepted_reason = acceptance->reason;
                }
}

static bool hunks_are_accepted(const struct hunks *hunks)
{
        for (size_t i = 0; i < hunks->count; i++)
                if (!hunks->items[i].accepted)
                        return false;
        return hunks->count > 0;
}

void check_acceptances(struct check_run *run, const struct acceptance *acceptances, size_t count)
{
        for (size_t i = 0; i < run->n_findings; i++) {
                struct finding *finding = &run->findings[i];
                finding->id = identity_of_finding(finding, run->arena);
                for (size_t j = 0; j < count; j++) {
                        accept_hunks(finding, &acceptances[j]);
                        if (acceptance_covers_whole(&acceptances[j], finding)) {
                                finding->accepted = true;
                                finding->accepted_reason = acceptances[j].reason;
                        }
                }
                finding->accepted |= hunks_are_accepted(&finding->hunks);
        }
}
