#include "report/report.h"

#include <string.h>

#include "report/json.h"
#include "report/terminal.h"

static const struct reporter reporters[] = {
        {
                .name = "terminal",
                .check = terminal_report_check,
                .diff = terminal_report_diff,
                .plan = terminal_report_plan,
                .acceptances = terminal_report_acceptances,
                .pages = terminal_report_pages,
        },
        {
                .name = "json",
                .check = json_report_check,
                .diff = json_report_check, /* hunks carry their text there */
                .plan = json_report_plan,
                .acceptances = json_report_acceptances,
                .pages = json_report_pages,
        },
};

const struct reporter *reporter_find(const char *name)
{
        for (size_t i = 0; i < sizeof reporters / sizeof *reporters; i++)
                if (strcmp(reporters[i].name, name) == 0)
                        return &reporters[i];
        return NULL;
}
