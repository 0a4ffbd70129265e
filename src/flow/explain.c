#include <string.h>

#include "analyze/rules.h"
#include "flow/finding_pages.h"
#include "flow/flow.h"

const char *flow_explain(const char *rule, struct arena *arena)
{
        size_t count;
        const struct finding_page *pages = finding_pages(&count);
        for (size_t i = 0; i < count; i++)
                if (strcmp(pages[i].rule, rule) == 0)
                        return pages[i].text;
        return rules_explain(rule, arena);
}

void flow_explain_names(struct arena *arena, struct strings *ret_names)
{
        size_t n_pages, n_labels;
        const struct finding_page *pages = finding_pages(&n_pages);
        const struct rule_source *labels = rules_embedded(&n_labels);
        struct strings names = {.items = arena_new_array(arena, const char *, n_pages + n_labels)};
        for (size_t i = 0; i < n_pages; i++)
                names.items[names.count++] = pages[i].rule;
        for (size_t i = 0; i < n_labels; i++)
                names.items[names.count++] = labels[i].folder;
        *ret_names = names;
}
