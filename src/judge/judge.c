#include "judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "judge/words.h"

void judge_fact(const struct environment *environment, const struct file_fact *fact, struct arena *arena,
                struct finding *ret_finding)
{
        *ret_finding = (struct finding){
                .rule = fact->rule,
                .severity = fact->severity,
                .path = fact->state == FILE_OUTSIDE ? fact->path
                                                    : arena_printf(arena, "%s/%s", environment->path, fact->path),
                .subject = fact->path,
                .environment = environment,
                .distribution = fact->n_owners > 0 ? &environment->distributions[fact->owners[0]] : NULL,
                .found = fact->found,
                .exists = fact->exists,
                .has_expected = fact->has_expected,
                .expected = fact->expected,
                .expected_size = fact->expected_size,
                .origin = {.note = ""},
                .pattern = "",
                .accepted_reason = "",
                .why = fact->why != NULL ? fact->why : "",
                .summary = "",
                .next = "",
        };
}

/* Whether a hunk does anything at run time: comments and blank lines carry no cadence. */
static bool hunks_can_fire(const struct hunks *hunks)
{
        for (size_t i = 0; i < hunks->count; i++)
                if (hunks->items[i].cadence != CADENCE_UNKNOWN)
                        return true;
        return false;
}

static bool hunks_write(const struct hunks *hunks)
{
        for (size_t i = 0; i < hunks->count; i++)
                if (hunks->items[i].writes.count > 0)
                        return true;
        return false;
}

/* Without a look at processes (a later observer) nothing is known of what is live. A dump proves that the code ran, not
 * in which boot of the service, so `fired` stays unknown with the artifact as its basis. */
static void judge_status(struct finding *finding, struct arena *arena)
{
        const struct hunks *hunks = finding->hunks.count > 0 ? &finding->hunks : &finding->suspects;
        if (hunks->count == 0)
                return;
        finding->status = (struct status){.known = true, .live = TRI_UNKNOWN, .fired = FIRED_UNKNOWN};
        finding->status.can_fire = hunks_can_fire(hunks);
        bool evidence = false;
        for (size_t i = 0; i < finding->artifacts.count; i++)
                evidence |= finding->artifacts.items[i].not_ours == NULL;
        if (evidence) {
                finding->status.basis.items = arena_new_array(arena, const char *, 1);
                finding->status.basis.items[finding->status.basis.count++] = "artifact";
        } else if (hunks_write(hunks)) {
                finding->status.fired = FIRED_NO_EVIDENCE;
        }
}

void judge_finding(struct finding *finding, struct arena *arena)
{
        judge_status(finding, arena);
        finding->summary = words_summary(finding, arena);
        finding->next = words_next(finding, arena);
}

static int finding_compare(const void *left, const void *right)
{
        const struct finding *a = left, *b = right;
        if (a->severity != b->severity)
                return a->severity > b->severity ? -1 : 1;
        int order = strcmp(a->path, b->path);
        return order != 0 ? order : strcmp(a->rule, b->rule);
}

void judge_check(struct check *check)
{
        if (check->findings.count > 0)
                qsort(check->findings.items, check->findings.count, sizeof *check->findings.items, finding_compare);
        check->verdict = VERDICT_CLEAN;
        for (size_t i = 0; i < check->unknowns.count; i++)
                if (check->unknowns.items[i].in_scope)
                        check->verdict = VERDICT_UNKNOWN;
        for (size_t i = 0; i < check->findings.count; i++) {
                const struct finding *finding = &check->findings.items[i];
                if (!finding->accepted && finding->severity > SEVERITY_NOTE)
                        check->verdict = VERDICT_DIRTY;
        }
}
