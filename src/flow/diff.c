#include "flow/flow.h"
#include "flow/select.h"

#include <string.h>

static bool finding_has_text(const struct finding *finding)
{
        return finding->hunks.count > 0 || finding->suspects.count > 0 || strcmp(finding->rule, "file-modified") == 0;
}

int flow_diff(const struct flow_context *context, const struct check_request *request, const char *subject,
              struct arena *arena, struct check *ret_check, struct error *ret_error)
{
        struct check check;
        int result = flow_check(context, request, arena, &check, ret_error);
        if (result < 0)
                return result;
        size_t kept = 0;
        for (size_t i = 0; i < check.findings.count; i++) {
                const struct finding *finding = &check.findings.items[i];
                if (*subject != '\0' ? finding_is_meant(finding, subject) : finding_has_text(finding))
                        check.findings.items[kept++] = *finding;
        }
        if (kept == 0 && *subject != '\0')
                return error_set(
                        ret_error, ERR_NOT_FOUND, 0,
                        "%s: no finding of that id or path; `pristine check` lists them, and a file it does not "
                        "name is as installed",
                        subject);
        check.findings.count = kept;
        *ret_check = check;
        return 0;
}
