#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/terminal.h"

enum { INDENT = 2, STEP_OP = 7, STEP_HANG = 25, RUN_SHORTEST = 4 };

static bool is_command(const struct painter *painter, const char *name)
{
        return strcmp(painter->style->command, name) == 0;
}

static bool is_set(const char *string)
{
        return string != NULL && string[0] != '\0';
}

/* One row per option: name, what it touches, how sure it is, or why it is not possible. */
static void paint_option(const struct painter *painter, const struct plan *plan, const struct plan_option *option)
{
        CLEANUP(text_clear) struct text label = TEXT_INIT, size = TEXT_INIT;
        bool recommended = strcmp(plan->recommended, option->name) == 0;
        text_addf(&label, "%c %-10s", recommended ? '*' : ' ', option->name);
        if (!option->possible) {
                paint_block(painter, INDENT, INDENT + 14, INK_DIM, label.data, "not possible: %s", option->why_not);
                return;
        }
        text_add_counted(&size, option->files, "file", "files");
        text_add(&size, ", ");
        text_add_counted(&size, option->n_steps, "step", "steps");
        paint_block(painter, INDENT, INDENT + 14, recommended ? INK_GREEN : INK_PLAIN, label.data, "%s; proof: %s%s",
                    size.data, proof_name(option->proof), recommended ? "; recommended" : "");
        for (size_t i = 0; i < option->risks.count; i++)
                paint_block(painter, INDENT + 14, INDENT + 20, INK_YELLOW, "risk:", "%s", option->risks.items[i]);
}

static size_t directory_length(const char *path)
{
        const char *slash = strrchr(path, '/');
        return slash != NULL ? (size_t)(slash - path) : 0;
}

static bool steps_are_alike(const struct step *a, const struct step *b)
{
        size_t length = directory_length(a->path);
        return a->op == b->op && a->state == b->state && a->reversible == b->reversible && !is_set(b->message) &&
               length == directory_length(b->path) && strncmp(a->path, b->path, length) == 0;
}

static void add_step_words(struct text *text, const struct painter *painter, const struct step *step)
{
        if (!step->reversible)
                text_add(text, " (cannot be undone)");
        if (step->purged)
                text_add(text, " (purged)");
        if (is_command(painter, "plan"))
                return;
        text_addf(text, ": %s", step_state_name(step->state));
        if (step->state != STATE_TODO && step->when_ns != INT64_MIN) {
                text_add_char(text, ' ');
                text_add_time(text, step->when_ns);
                text_addf(text, " by uid %" PRIu32, step->user);
        }
        if (is_set(step->message))
                text_addf(text, ": %s", step->message);
}

/* Steps [first, first + count) that are alike, on one line. */
static void paint_steps_alike(const struct painter *painter, const struct step *first, size_t count)
{
        CLEANUP(text_clear) struct text number = TEXT_INIT, words = TEXT_INIT;
        text_addf(&number, "%3" PRIu32, first->number);
        if (count > 1)
                text_addf(&number, "%s%" PRIu32, glyph_dash(painter), first[count - 1].number);
        add_step_words(&words, painter, first);
        paint_text(painter, INK_DIM, number.data);
        text_addf(painter->out, "%*s", count > 1 ? 1 : STEP_OP - 3, "");
        if (count > 1)
                paint_block(painter, 0, STEP_HANG - STEP_OP, INK_PLAIN, step_op_name(first->op), "%zu files in %.*s%s",
                            count, (int)directory_length(first->path), first->path,
                            words.data != NULL ? words.data : "");
        else
                paint_block(painter, 0, STEP_HANG - STEP_OP, INK_PLAIN, step_op_name(first->op), "%s%s", first->path,
                            words.data != NULL ? words.data : "");
        if (count == 1 && is_set(first->target))
                paint_block(painter, STEP_OP, STEP_HANG, INK_DIM, "to", "%s", first->target);
}

static void paint_steps(const struct painter *painter, const struct plan_option *option)
{
        for (size_t i = 0, count; i < option->n_steps; i += count) {
                count = 1;
                while (i + count < option->n_steps && steps_are_alike(&option->steps[i], &option->steps[i + count]))
                        count++;
                if (count < RUN_SHORTEST || painter->style->verbosity > 0)
                        count = 1;
                paint_steps_alike(painter, &option->steps[i], count);
        }
}

static const struct plan_option *option_in_use(const struct plan *plan)
{
        const char *name = is_set(plan->chosen) ? plan->chosen : plan->recommended;
        for (size_t i = 0; i < plan->n_options; i++)
                if (strcmp(plan->options[i].name, name) == 0)
                        return &plan->options[i];
        return NULL;
}

static void paint_sentences(const struct painter *painter, const char *heading, const struct strings *strings)
{
        if (strings->count == 0)
                return;
        paint_newline(painter);
        paint_text(painter, INK_BOLD, heading);
        paint_newline(painter);
        for (size_t i = 0; i < strings->count; i++)
                paint_block(painter, INDENT, INDENT + 2, INK_PLAIN, "", "%s", strings->items[i]);
}

static void paint_plan_heading(const struct painter *painter, const struct plan *plan)
{
        CLEANUP(text_clear) struct text when = TEXT_INIT;
        text_add_time(&when, plan->created_ns);
        paint_format(painter, INK_BOLD, "Plan %s", plan->id);
        paint_format(painter, INK_PLAIN, "  %s, made %s", plan->state, when.data != NULL ? when.data : "");
        if (is_set(plan->chosen))
                paint_format(painter, INK_PLAIN, ", option %s", plan->chosen);
        paint_newline(painter);
        for (size_t i = 0; i < plan->targets.count; i++)
                paint_block(painter, INDENT, INDENT, INK_PLAIN, "", "%s", plan->targets.items[i]);
}

static void paint_proposal(const struct painter *painter, const struct plan *plan)
{
        const struct plan_option *option = option_in_use(plan);
        paint_plan_heading(painter, plan);
        paint_newline(painter);
        for (size_t i = 0; i < plan->n_options; i++)
                paint_option(painter, plan, &plan->options[i]);
        if (option != NULL && option->n_steps > 0) {
                paint_newline(painter);
                paint_format(painter, INK_BOLD, "Steps of %s", option->name);
                paint_newline(painter);
                paint_steps(painter, option);
        }
        paint_sentences(painter, "Where original bytes were looked for", &plan->searched);
        paint_sentences(painter, "Left as it is", &plan->left);
}

/* `log` of one plan and what apply and undo did: every step with its state. Of several plans: one line each. */
static void paint_history(const struct painter *painter, const struct plan_report *report)
{
        for (size_t i = 0; i < report->n_plans; i++) {
                const struct plan *plan = &report->plans[i];
                const struct plan_option *option = option_in_use(plan);
                paint_plan_heading(painter, plan);
                if (option != NULL && (report->n_plans == 1 || painter->style->verbosity > 0))
                        paint_steps(painter, option);
        }
}

static void paint_nothing(const struct painter *painter)
{
        if (is_command(painter, "log"))
                paint_block(painter, 0, 0, INK_PLAIN, "", "no plan has been made yet: pristine plan TARGET makes one");
        else
                paint_block(painter, 0, 0, INK_GREEN, "", "nothing to put back: no plan was made");
}

void terminal_report_plan(const struct plan_report *report, const struct report_style *style, struct text *out)
{
        static const enum ink inks[] = {INK_GREEN, INK_RED, INK_YELLOW};
        struct painter painter = {style, out};
        bool quiet = style->verbosity < 0;
        if (report->n_plans == 0)
                paint_nothing(&painter);
        else if (is_command(&painter, "plan") && !quiet)
                paint_proposal(&painter, &report->plans[0]);
        else if (!is_command(&painter, "verify") && !quiet)
                paint_history(&painter, report);
        else if (!report->has_verdict)
                paint_plan_heading(&painter, &report->plans[0]);
        if (report->has_verdict && is_command(&painter, "verify") && !quiet)
                terminal_report_check(report->check, style, out);
        else if (report->has_verdict && quiet)
                paint_block(&painter, 0, 0, inks[report->verdict], verdict_name(report->verdict), "%s",
                            report->n_plans > 0 ? report->plans[0].id : "");
        if (is_set(report->note) && !quiet) {
                paint_newline(&painter);
                paint_block(&painter, 0, 6, INK_BOLD, "", "%s", report->note);
        }
}
