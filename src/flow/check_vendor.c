/* Debug code that a distribution ships: real serving engines have dumpers and debug switches of their own, and nothing
 * is to be put back there. Whoever looks for the writer of a dump wants to know of them all the same, so they are
 * notes, and only with -v. */
#include "base/cleanup.h"
#include "flow/check_run.h"
#include "flow/identity.h"
#include "judge/judge.h"

enum { VENDOR_SOURCE_MAX = 4 << 20 };

bool check_is_vendor_fact(const struct file_fact *fact)
{
        return fact->state == FILE_OK;
}

static bool read_source(int prefix_fd, const char *path, struct bytes *ret_bytes)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        return fs_open_regular(prefix_fd, path, &fd, &identity, NULL) == 0 &&
               fs_read_whole(fd, VENDOR_SOURCE_MAX, ret_bytes, NULL) == 0;
}

static void scan(struct check_run *run, int prefix_fd, const struct environment *environment,
                 const struct file_fact *fact)
{
        struct finding finding;
        struct bytes bytes = {0};
        struct hunks suspects = {0};
        if (!read_source(prefix_fd, fact->path, &bytes))
                return;
        AUTO_FREE void *owned = (void *)bytes.data;
        if (analyzer_scan(run->analyzer, bytes, run->arena, &suspects, NULL) < 0 || suspects.count == 0)
                return;
        identity_name_hunks(&suspects, (struct bytes){0}, run->arena);
        judge_fact(environment, fact, run->arena, &finding);
        finding.suspects = suspects;
        check_run_add_finding(run, &finding);
}

void check_vendor(struct check_run *run, const struct environment *environment, const struct file_facts *facts)
{
        AUTO_CLOSE int prefix_fd = -1;
        if (!run->request->vendor_notes ||
            root_open_directory(&run->root, environment->path, &prefix_fd, NULL, NULL) < 0)
                return;
        for (size_t i = 0; i < facts->count && !check_run_stopped(run); i++) {
                if (!check_is_vendor_fact(&facts->items[i]))
                        continue;
                check_run_progress(run, "reading what was installed", i, facts->count);
                scan(run, prefix_fd, environment, &facts->items[i]);
        }
}
