/* "Did you mean …?": the nearest of several names to a mistyped word.
 *
 *     struct suggestion suggestion = suggestion_for(word, length);
 *     suggestion_weigh(&suggestion, name);      once for every name there is
 *     suggestion.best                            NULL when none is near */
#ifndef PRISTINE_CLI_SUGGEST_H
#define PRISTINE_CLI_SUGGEST_H

#include <stddef.h>

struct suggestion {
        const char *word; /* borrowed, as is `best` */
        size_t length, distance;
        const char *best;
};

struct suggestion suggestion_for(const char *word, size_t length);
void suggestion_weigh(struct suggestion *suggestion, const char *name);

#endif
