#include <time.h>

#include "base/cleanup.h"
#include "flow/journal_flow.h"

static struct acceptance acceptance_of(const struct hunk_choice *choice, const char *reason)
{
        const struct finding *finding = choice->finding;
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        struct acceptance acceptance = {
                .finding = finding->id,
                .rule = finding->rule,
                .path = finding->path,
                .hunk = choice->hunk != NULL ? choice->hunk->id : "",
                .reason = reason,
                .when_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
                .user = getuid(),
        };
        /* A hunk's id is a digest of its text; a whole file is bound by its own. */
        if (choice->hunk == NULL && finding->exists && finding->found.has_digest) {
                acceptance.has_digest = true;
                acceptance.digest = finding->found.digest;
        }
        return acceptance;
}

/* The finding meant, in a check of these targets. */
static int find_in(const struct flow_context *context, const struct check_request *request, const char *subject,
                   struct arena *arena, struct hunk_choice *ret_choice, struct error *ret_error)
{
        struct check check;
        int result = flow_check(context, request, arena, &check, ret_error);
        return result == 0 ? flow_choose_hunk(&check.findings, subject, arena, ret_choice, ret_error) : result;
}

/* Without a target: wherever something was found before, one after the other, newest first. */
static int find_anywhere(const struct flow_context *context, const struct check_request *request, const char *subject,
                         struct arena *arena, struct hunk_choice *ret_choice, struct error *ret_error)
{
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct strings targets = {0};
        if (journal_open(context->state_dir, JOURNAL_READ, &journal, NULL) == 0)
                journal_load_targets(journal, arena, &targets, NULL);
        journal = journal_close(journal);
        for (size_t i = 0; i < targets.count; i++) {
                struct check_request one = *request;
                one.targets = (struct strings){targets.items + i, 1};
                one.read_only_journal = true;
                if (find_in(context, &one, subject, arena, ret_choice, NULL) == 0)
                        return 0;
        }
        return error_set(ret_error, ERR_USAGE, 0,
                         "%s: no finding of this id or path in what was checked before; name the environment as well: "
                         "pristine accept %s TARGET --reason TEXT",
                         subject, subject);
}

int flow_accept(const struct flow_context *context, const struct check_request *request, const char *subject,
                const char *reason, struct arena *arena, struct acceptance *ret_acceptance, struct error *ret_error)
{
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct hunk_choice choice;
        if (reason == NULL || reason[0] == '\0')
                return error_set(ret_error, ERR_USAGE, 0, "accepting needs a reason: --reason TEXT");
        int result = request->targets.count > 0 ? find_in(context, request, subject, arena, &choice, ret_error)
                                                : find_anywhere(context, request, subject, arena, &choice, ret_error);
        if (result == 0)
                result = journal_open(context->state_dir, JOURNAL_WRITE, &journal, ret_error);
        if (result < 0)
                return result;
        struct acceptance acceptance = acceptance_of(&choice, reason);
        result = journal_add_acceptance(journal, &acceptance, ret_error);
        if (result == 0)
                *ret_acceptance = acceptance;
        return result;
}

int flow_accept_list(const struct flow_context *context, struct arena *arena, struct acceptance **ret_items,
                     size_t *ret_count, struct error *ret_error)
{
        struct journal_memory memory;
        int result = journal_recall(context->state_dir, arena, &memory, ret_error);
        if (result < 0)
                return result;
        *ret_items = memory.acceptances;
        *ret_count = memory.n_acceptances;
        return 0;
}

/* "FINDING" (or its beginning), "PATH", "PATH#HUNK" (or the hunk's beginning), as accepted. */
static bool is_meant(const struct acceptance *acceptance, const char *subject)
{
        enum { ID_DIGITS_MIN = 4 };
        size_t length = strlen(subject), path = strlen(acceptance->path);
        if (length >= ID_DIGITS_MIN && acceptance->hunk[0] == '\0' &&
            strncmp(acceptance->finding, subject, length) == 0)
                return true;
        if (strcmp(acceptance->path, subject) == 0)
                return true;
        return length > path + 1 && strncmp(acceptance->path, subject, path) == 0 && subject[path] == '#' &&
               strncmp(acceptance->hunk, subject + path + 1, length - path - 1) == 0;
}

int flow_accept_remove(const struct flow_context *context, const char *subject, struct error *ret_error)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(journal_cleanup) struct journal *journal = NULL;
        struct acceptance *items = NULL;
        size_t count = 0, removed = 0;
        const char *absolute = strchr(subject, '/') != NULL ? flow_absolute(context, subject, &arena) : subject;
        int result = flow_open_journal(context, JOURNAL_WRITE, &journal, ret_error);
        if (result == 0)
                result = journal_load_acceptances(journal, &arena, &items, &count, ret_error);
        for (size_t i = 0; i < count && result == 0; i++)
                if (is_meant(&items[i], subject) || is_meant(&items[i], absolute)) {
                        result = journal_remove_acceptance(journal, &items[i], ret_error);
                        removed++;
                }
        if (result == 0 && removed == 0)
                return error_set(ret_error, ERR_NOT_FOUND, 0,
                                 "%s: nothing is accepted under this name; `accept --list`", subject);
        return result;
}
