#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/terminal.h"

enum { INDENT = 2, PLAN_HANG = 24, HISTORY_HANG = 33, STEP_DETAIL = 8, RUN_SHORTEST = 4 };

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

static bool strings_equal(const char *a, const char *b)
{
        return strcmp(is_set(a) ? a : "", is_set(b) ? b : "") == 0;
}

static bool steps_are_alike(const struct step *a, const struct step *b)
{
        size_t length = directory_length(a->path);
        return a->op == b->op && a->state == b->state && a->purged == b->purged && a->reversible == b->reversible &&
               strings_equal(a->message, b->message) && length == directory_length(b->path) &&
               strncmp(a->path, b->path, length) == 0;
}

static const char *beneath_target(const struct plan *plan, const char *path)
{
        size_t length = plan->targets.count == 1 ? strlen(plan->targets.items[0]) : 0;
        return length > 0 && strncmp(path, plan->targets.items[0], length) == 0 && path[length] == '/'
                       ? path + length + 1
                       : path;
}

static const char *step_state_word(const struct step *step)
{
        return step->purged ? "purged" : step_state_name(step->state);
}

/* "  3–18  done     quarantine" */
static void add_step_label(struct text *text, const struct painter *painter, const struct step *first, size_t count)
{
        text_addf(text, "%3" PRIu32, first->number);
        if (count > 1)
                text_addf(text, "%s%-3" PRIu32, glyph_dash(painter), first[count - 1].number);
        else
                text_add(text, "    ");
        if (!is_command(painter, "plan"))
                text_addf(text, " %-8s", step_state_word(first));
        text_addf(text, " %s", step_op_name(first->op));
}

static void add_step_object(struct text *text, const struct plan *plan, const struct step *first, size_t count)
{
        if (first->op == STEP_VERIFY)
                text_add(text, "check everything once more");
        else if (count > 1)
                text_addf(text, "%zu files in %.*s", count, (int)directory_length(first->path), first->path);
        else
                text_add(text, beneath_target(plan, first->path));
        if (!first->reversible)
                text_add(text, " (cannot be undone)");
}

/* Where things went and why a step failed; in the log also when, and by whom. */
static void paint_step_details(const struct painter *painter, const struct step *step, bool several)
{
        CLEANUP(text_clear) struct text when = TEXT_INIT;
        bool log = is_command(painter, "log");
        text_add_time(&when, step->when_ns);
        if (log && step->state != STATE_TODO && when.size > 0)
                paint_block(painter, STEP_DETAIL, STEP_DETAIL, INK_DIM, "", "%s by uid %" PRIu32, when.data,
                            step->user);
        if (is_set(step->target) && !step->purged && step->state == STATE_DONE)
                paint_block(painter, STEP_DETAIL, STEP_DETAIL, INK_DIM, "", "moved to %.*s",
                            (int)(several ? directory_length(step->target) : strlen(step->target)), step->target);
        if (is_set(step->message) && !strings_equal(step->message, step_state_word(step)))
                paint_block(painter, STEP_DETAIL, STEP_DETAIL, step->state == STATE_FAILED ? INK_RED : INK_PLAIN, "",
                            "%s", step->message);
}

/* Steps [first, first + count), which are alike, on one line; a long path gets a line of its own. */
static void paint_steps_alike(const struct painter *painter, const struct plan *plan, const struct step *first,
                              size_t count)
{
        CLEANUP(text_clear) struct text label = TEXT_INIT, object = TEXT_INIT;
        enum ink ink = first->state == STATE_FAILED ? INK_RED : INK_DIM;
        unsigned hang = is_command(painter, "plan") ? PLAN_HANG : HISTORY_HANG;
        add_step_label(&label, painter, first, count);
        add_step_object(&object, plan, first, count);
        if (hang + object.size <= painter->style->columns) {
                paint_block(painter, 0, hang, ink, label.data, "%s", object.data);
        } else {
                paint_text(painter, ink, label.data);
                paint_newline(painter);
                paint_block(painter, STEP_DETAIL, STEP_DETAIL, INK_PLAIN, "", "%s", object.data);
        }
        paint_step_details(painter, first, count > 1);
}

static void paint_steps(const struct painter *painter, const struct plan *plan, const struct plan_option *option)
{
        for (size_t i = 0, count; i < option->n_steps; i += count) {
                count = 1;
                while (i + count < option->n_steps && steps_are_alike(&option->steps[i], &option->steps[i + count]))
                        count++;
                if (count < RUN_SHORTEST || painter->style->verbosity > 0 || is_command(painter, "log"))
                        count = 1;
                paint_steps_alike(painter, plan, &option->steps[i], count);
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
                paint_steps(painter, plan, option);
        }
        paint_sentences(painter, "Where original bytes were looked for", &plan->searched);
        paint_sentences(painter, "Left as it is", &plan->left);
}

/* What apply and undo did and `log PLAN`: every step with its state. `log`: the plans alone. */
static void paint_history(const struct painter *painter, const struct plan_report *report)
{
        for (size_t i = 0; i < report->n_plans; i++) {
                const struct plan *plan = &report->plans[i];
                const struct plan_option *option = option_in_use(plan);
                paint_plan_heading(painter, plan);
                if (option != NULL && (report->with_steps || painter->style->verbosity > 0))
                        paint_steps(painter, plan, option);
        }
}

static void paint_nothing(const struct painter *painter)
{
        if (is_command(painter, "log"))
                paint_block(painter, 0, 0, INK_PLAIN, "", "no plan has been made yet: pristine plan TARGET makes one");
        else
                paint_block(painter, 0, 0, INK_GREEN, "", "nothing to put back: no plan was made");
}

static void paint_body(const struct painter *painter, const struct plan_report *report)
{
        if (report->n_plans == 0)
                paint_nothing(painter);
        else if (is_command(painter, "plan"))
                paint_proposal(painter, &report->plans[0]);
        else if (is_command(painter, "verify") && report->check != NULL)
                terminal_report_check(report->check, painter->style, painter->out);
        else
                paint_history(painter, report);
}

/* "clean: P0001 applied" */
static void paint_quiet(const struct painter *painter, const struct plan_report *report)
{
        static const enum ink inks[] = {INK_GREEN, INK_RED, INK_YELLOW};
        CLEANUP(text_clear) struct text label = TEXT_INIT;
        if (report->check != NULL)
                text_addf(&label, "%s:", verdict_name(report->verdict));
        for (size_t i = 0; i < report->n_plans; i++)
                paint_block(painter, 0, 0, inks[report->verdict], label.size > 0 ? label.data : "", "%s %s",
                            report->plans[i].id, report->plans[i].state);
        if (report->n_plans == 0)
                paint_nothing(painter);
}

void terminal_report_plan(const struct plan_report *report, const struct report_style *style, struct text *out)
{
        struct painter painter = {style, out};
        if (style->verbosity < 0) {
                paint_quiet(&painter, report);
                return;
        }
        paint_body(&painter, report);
        if (!is_set(report->note))
                return;
        bool command = strncmp(report->note, "pristine ", strlen("pristine ")) == 0;
        paint_newline(&painter);
        paint_block(&painter, 0, command ? 6 : 0, INK_BOLD, command ? "Next:" : "", "%s", report->note);
}
