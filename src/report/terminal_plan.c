#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/paint.h"

enum { INDENT = 2, HANG = 12, STEPS_SHOWN = 24 };

static bool is_command(const struct painter *painter, const char *name)
{
        return strcmp(painter->style->command, name) == 0;
}

static void paint_option(const struct painter *painter, const struct plan *plan, const struct plan_option *option)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        bool recommended = strcmp(plan->recommended, option->name) == 0;
        if (!option->possible)
                text_addf(&text, "not possible: %s", option->why_not);
        else
                text_addf(&text, "%s%" PRIu32 " file%s, %zu steps; proof: %s", recommended ? "recommended; " : "",
                          option->files, option->files == 1 ? "" : "s", option->n_steps, proof_name(option->proof));
        paint_block(painter, INDENT, HANG + 2, recommended ? INK_GREEN : INK_PLAIN, option->name, "%s", text.data);
        for (size_t i = 0; i < option->risks.count; i++)
                paint_block(painter, HANG + 2, HANG + 8, INK_YELLOW, "risk", "%s", option->risks.items[i]);
}

static void paint_step(const struct painter *painter, const struct step *step, bool log)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT, number = TEXT_INIT;
        text_addf(&number, "%3" PRIu32, step->number);
        text_addf(&text, "%s %s", step_op_name(step->op), step->path);
        if (step->target != NULL && step->target[0] != '\0')
                text_addf(&text, " to %s", step->target);
        if (!step->reversible)
                text_add(&text, " (cannot be undone)");
        if (log) {
                text_addf(&text, ": %s", step_state_name(step->state));
                if (step->when_ns != INT64_MIN && step->state != STATE_TODO) {
                        text_add_char(&text, ' ');
                        text_add_time(&text, step->when_ns);
                        text_addf(&text, " by uid %" PRIu32, step->user);
                }
                if (step->message != NULL && step->message[0] != '\0')
                        text_addf(&text, ": %s", step->message);
        }
        paint_block(painter, 0, 5, INK_DIM, number.data, "%s", text.data);
}

static const struct plan_option *option_in_use(const struct plan *plan)
{
        const char *name = plan->chosen != NULL && plan->chosen[0] != '\0' ? plan->chosen : plan->recommended;
        for (size_t i = 0; i < plan->n_options; i++)
                if (strcmp(plan->options[i].name, name) == 0)
                        return &plan->options[i];
        return NULL;
}

static void paint_steps(const struct painter *painter, const struct plan *plan, bool log)
{
        const struct plan_option *option = option_in_use(plan);
        if (option == NULL || option->n_steps == 0)
                return;
        size_t shown =
                painter->style->verbosity > 0 || log || option->n_steps <= STEPS_SHOWN ? option->n_steps : STEPS_SHOWN;
        paint_newline(painter);
        for (size_t i = 0; i < shown; i++)
                paint_step(painter, &option->steps[i], log);
        if (shown < option->n_steps)
                paint_block(painter, INDENT, 5, INK_DIM, "", "and %zu more: -v", option->n_steps - shown);
}

static void paint_strings(const struct painter *painter, const char *label, const struct strings *strings)
{
        for (size_t i = 0; i < strings->count; i++)
                paint_block(painter, INDENT, HANG, INK_YELLOW, i == 0 ? label : "", "%s", strings->items[i]);
}

static void paint_plan(const struct painter *painter, const struct plan *plan)
{
        bool planning = is_command(painter, "plan"), log = is_command(painter, "log");
        CLEANUP(text_clear) struct text when = TEXT_INIT;
        if (plan->id == NULL || plan->id[0] == '\0')
                return;
        text_add_time(&when, plan->created_ns);
        paint_format(painter, INK_BOLD, "plan %s", plan->id);
        paint_format(painter, INK_PLAIN, "  %s  %s", plan->state, when.data != NULL ? when.data : "");
        for (size_t i = 0; i < plan->targets.count; i++)
                paint_format(painter, INK_PLAIN, "  %s", plan->targets.items[i]);
        paint_newline(painter);
        for (size_t i = 0; planning && i < plan->n_options; i++)
                paint_option(painter, plan, &plan->options[i]);
        if (planning || log || painter->style->verbosity > 0)
                paint_steps(painter, plan, !planning);
        if (planning) {
                paint_strings(painter, "searched", &plan->searched);
                paint_strings(painter, "left", &plan->left);
        }
}

static void paint_verdict(const struct painter *painter, enum verdict verdict)
{
        static const enum ink inks[] = {INK_GREEN, INK_RED, INK_YELLOW};
        paint_format(painter, inks[verdict], "%s", verdict_name(verdict));
        paint_newline(painter);
}

void terminal_report_plan(const struct plan_report *report, const struct report_style *style, struct text *out)
{
        struct painter painter = {style, out};
        for (size_t i = 0; i < report->n_plans; i++)
                paint_plan(&painter, &report->plans[i]);
        if (report->n_plans == 0)
                paint_block(&painter, 0, 0, INK_PLAIN, "",
                            "no plan has been made yet: `pristine plan TARGET` makes one");
        if (report->check != NULL && is_command(&painter, "verify") && report->verdict != VERDICT_CLEAN)
                terminal_report_check(report->check, style, out);
        else if (report->has_verdict && is_command(&painter, "verify"))
                paint_verdict(&painter, report->verdict);
        if (report->note[0] != '\0')
                paint_block(&painter, 0, 6, INK_BOLD, "next", "%s", report->note);
}

void terminal_report_acceptances(const struct acceptance *items, size_t count, const struct report_style *style,
                                 struct text *out)
{
        struct painter painter = {style, out};
        for (size_t i = 0; i < count; i++) {
                CLEANUP(text_clear) struct text text = TEXT_INIT;
                text_addf(&text, "%s%s%s: %s (", items[i].path, items[i].hunk[0] != '\0' ? "#" : "", items[i].hunk,
                          items[i].reason);
                text_add_time(&text, items[i].when_ns);
                text_addf(&text, ", uid %" PRIu32 ")", items[i].user);
                paint_block(&painter, 0, INDENT, INK_PLAIN, items[i].rule, "%s", text.data);
        }
        if (count == 0)
                paint_block(&painter, 0, 0, INK_PLAIN, "", "nothing has been accepted");
}
