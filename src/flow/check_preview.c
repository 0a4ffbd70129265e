/* The code of an environment is judged in a moment; gigabytes of binaries are not. Who waits for the second is told the
 * first at once: no hunks yet, only which files differ. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "flow/check_run.h"

enum { TOLD_MAX = 8 };

void check_announce_code(struct check_run *run, const struct environment *environment, const struct file_facts *facts,
                         uint64_t bytes_left)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        size_t wrong = 0;
        for (size_t i = 0; i < facts->count; i++)
                wrong += facts->items[i].severity > SEVERITY_NOTE;
        text_addf(&text, "%s: the code is judged after %.2f s: ", environment->path, environment->code_seconds);
        text_addf(&text, wrong == 0 ? "nothing wrong" : "%zu finding%s", wrong, wrong == 1 ? "" : "s");
        size_t told = 0;
        for (size_t i = 0; i < facts->count && told < TOLD_MAX; i++)
                if (facts->items[i].severity > SEVERITY_NOTE) {
                        text_addf(&text, "\n    %s  %s", facts->items[i].rule, facts->items[i].path);
                        told++;
                }
        if (wrong > told)
                text_addf(&text, "\n    and %zu more", wrong - told);
        text_addf(&text, "\n  still to be hashed: %.1f GiB of binaries", (double)bytes_left / (double)(1 << 30));
        run->context->notice(text.data);
}
