#include "judge/words.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/* How a rule speaks when it has nothing more particular to say. NULL in `next`: composed below. */
static const struct rule_words {
        const char *rule, *summary, *next;
} rule_words[] = {
        {"file-missing", "an installed file is gone",
         "reinstall the distribution at this version, without dependencies"},
        {"file-clobbered", "another distribution's copy stands in its place",
         "decide which of the two distributions should own it"},
        {"file-unreadable", "could not be read, so nothing is known of it",
         "run as a user who may read it, or look at what stands there"},
        {"file-unverifiable", "nothing vouches for its bytes",
         "compare it with the wheel it came from, or reinstall the distribution"},
        {"distribution-partial", "not a whole distribution", "reinstall it, then remove what is left over"},
        {"distribution-duplicate", "two records claim one distribution",
         "reinstall the distribution so that one record is left"},
        {"record-malformed", "the hash of this row cannot be recovered from RECORD",
         "reinstall the distribution to get a sound RECORD"},
        {"record-outside-prefix", "RECORD names a path outside the environment; it was not opened",
         "find out which package wrote this row before trusting it"},
        {"upstream-record-wrong", "differs from RECORD, but is not newer than it: wrong from birth, unproven",
         "compare with the wheel it came from"},
        {"unowned-module", "no distribution owns it",
         "find out who put it there; remove it, or accept it with a reason"},
        {"startup-hook", "takes effect at every start of this Python",
         "read it; remove it, or accept it with a reason"},
        {"stale-bytecode", "Python runs compiled code that is not this source", NULL},
        {"vendor-debug-code", "debug code that its distribution ships",
         "nothing to put back: the file is as installed"},
};

static const struct rule_words *words_find(const char *rule)
{
        for (size_t i = 0; i < sizeof rule_words / sizeof *rule_words; i++)
                if (strcmp(rule_words[i].rule, rule) == 0)
                        return &rule_words[i];
        return NULL;
}

/* Every label of the hunks once, in the order met. */
static void add_labels(struct text *text, const struct hunks *hunks, const char *lead)
{
        const char *seen[32];
        size_t n_seen = 0;
        for (size_t i = 0; i < hunks->count; i++)
                for (size_t j = 0; j < hunks->items[i].labels.count; j++) {
                        const char *label = hunks->items[i].labels.items[j];
                        bool known = n_seen == sizeof seen / sizeof *seen;
                        for (size_t k = 0; k < n_seen && !known; k++)
                                known = strcmp(seen[k], label) == 0;
                        if (known)
                                continue;
                        text_addf(text, "%s%s", n_seen == 0 ? lead : ", ", label);
                        seen[n_seen++] = label;
                }
}

/* "2 blocks added (21 lines), 1 replaced: tensor-dump, print" */
static void add_hunk_counts(struct text *text, const struct hunks *hunks)
{
        static const char *const verbs[] = {"added", "deleted", "replaced"};
        size_t blocks[3] = {0}, lines[3] = {0};
        for (size_t i = 0; i < hunks->count; i++) {
                const struct hunk *hunk = &hunks->items[i];
                blocks[hunk->change]++;
                for (size_t at = 0; at < hunk->text.size; at++)
                        lines[hunk->change] += hunk->text.data[at] == '\n' || at + 1 == hunk->text.size;
        }
        const char *lead = "";
        for (int change = 0; change < 3; change++) {
                if (blocks[change] == 0)
                        continue;
                text_addf(text, "%s%zu block%s %s (%zu line%s)", lead, blocks[change], blocks[change] == 1 ? "" : "s",
                          verbs[change], lines[change], lines[change] == 1 ? "" : "s");
                lead = ", ";
        }
        if (*lead == '\0')
                text_add(text, "only its line endings or final newline differ");
}

static const char *summary_modified(const struct finding *finding, struct arena *arena)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        if (finding->origin.proven) {
                add_hunk_counts(&text, &finding->hunks);
                add_labels(&text, &finding->hunks, ": ");
        } else {
                text_add(&text, "not what was installed");
                add_labels(&text, &finding->suspects, "; in it: ");
        }
        if (finding->severity == SEVERITY_NOTE && finding->why[0] != '\0')
                text_addf(&text, " (%s)", finding->why);
        return arena_strndup(arena, text.data, text.size);
}

static const char *summary_family(const struct finding *finding, struct arena *arena)
{
        uint64_t total = 0;
        for (size_t i = 0; i < finding->artifacts.count; i++)
                total += finding->artifacts.items[i].found.size;
        return arena_printf(arena, "%zu dump file%s, %" PRIu64 " bytes, that no code on disk explains",
                            finding->artifacts.count, finding->artifacts.count == 1 ? "" : "s", total);
}

const char *words_summary(const struct finding *finding, struct arena *arena)
{
        if (strcmp(finding->rule, "file-modified") == 0)
                return summary_modified(finding, arena);
        if (strcmp(finding->rule, "orphan-artifact") == 0)
                return summary_family(finding, arena);
        const struct rule_words *words = words_find(finding->rule);
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        text_add(&text, words != NULL ? words->summary : finding->rule);
        if (finding->why[0] != '\0')
                text_addf(&text, ": %s", finding->why);
        add_labels(&text, &finding->suspects, "; in it: ");
        return arena_strndup(arena, text.data, text.size);
}

static const char *next_modified(const struct finding *finding, struct arena *arena)
{
        const char *target = finding->environment->path;
        if (finding->severity == SEVERITY_NOTE)
                return arena_printf(arena, "pristine accept %s --reason TEXT, if it is meant to be so", finding->path);
        if (finding->origin.proven)
                return arena_printf(arena, "pristine plan %s", target);
        if (finding->distribution == NULL)
                return arena_printf(arena, "read it: pristine diff %s", finding->path);
        return arena_printf(arena,
                            "read it (pristine diff %s); then reinstall %s==%s without its dependencies, or accept it "
                            "with a reason",
                            finding->path, finding->distribution->name, finding->distribution->version);
}

const char *words_next(const struct finding *finding, struct arena *arena)
{
        if (finding->accepted)
                return "nothing: accepted";
        if (strcmp(finding->rule, "file-modified") == 0)
                return next_modified(finding, arena);
        if (strcmp(finding->rule, "stale-bytecode") == 0 ||
            (strcmp(finding->rule, "file-missing") == 0 && finding->origin.proven))
                return arena_printf(arena, "pristine plan %s", finding->environment->path);
        if (strcmp(finding->rule, "orphan-artifact") == 0)
                return arena_printf(arena,
                                    "look at them; if they are debris: pristine plan --artifacts '%s' with this target",
                                    finding->pattern);
        const struct rule_words *words = words_find(finding->rule);
        return words != NULL && words->next != NULL ? words->next
                                                    : arena_printf(arena, "pristine explain %s", finding->rule);
}
