#include "cli/commands.h"
#include "cli/session.h"
#include "cli/suggest.h"

#include <string.h>

static int refuse_rule(const char *rule, const struct strings *names, struct error *ret_error)
{
        struct suggestion suggestion = suggestion_for(rule, strlen(rule));
        for (size_t i = 0; i < names->count; i++)
                suggestion_weigh(&suggestion, names->items[i]);
        if (suggestion.best != NULL)
                return error_set(ret_error, ERR_USAGE, 0, "there is no rule '%s'; did you mean '%s'?", rule,
                                 suggestion.best);
        return error_set(ret_error, ERR_USAGE, 0, "there is no rule '%s'; `pristine explain` lists them", rule);
}

int run_explain(struct command_call *call, struct error *ret_error)
{
        const struct strings *arguments = &call->options->arguments;
        struct strings names;
        flow_explain_names(call->arena, &names);
        struct strings asked = arguments->count > 0 ? *arguments : names;
        struct rule_page *pages = arena_new_array(call->arena, struct rule_page, asked.count);
        for (size_t i = 0; i < asked.count; i++) {
                const char *text = flow_explain(asked.items[i], call->arena);
                if (text == NULL)
                        return refuse_rule(asked.items[i], &names, ret_error);
                pages[i] = (struct rule_page){asked.items[i], text};
        }
        struct report_style style = session_style(call->options, call->command->name);
        call->reporter->pages(pages, asked.count, arguments->count == 0, &style, call->out);
        return EXIT_CLEAN;
}
