/* The texts of rules/findings/, one file RULE.md for each rule of a finding, compiled in by Meson. */
#ifndef PRISTINE_FLOW_FINDING_PAGES_H
#define PRISTINE_FLOW_FINDING_PAGES_H

#include <stddef.h>

struct finding_page {
        const char *rule, *text;
};

const struct finding_page *finding_pages(size_t *ret_count); /* sorted by rule */

#endif
