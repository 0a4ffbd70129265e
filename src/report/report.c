#include "report/report.h"

#include <string.h>

#include "report/json.h"
#include "report/paint.h"

static const struct reporter reporters[] = {
        {"terminal", terminal_report_check, terminal_report_diff, terminal_report_plan, terminal_report_acceptances},
        {"json", json_report_check, json_report_check, json_report_plan, json_report_acceptances},
};

const struct reporter *reporter_find(const char *name)
{
        for (size_t i = 0; i < sizeof reporters / sizeof *reporters; i++)
                if (strcmp(reporters[i].name, name) == 0)
                        return &reporters[i];
        return NULL;
}
