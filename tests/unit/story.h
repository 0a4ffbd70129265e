/* A check as the story's gives it, made by hand: what the reports are tested on. */
#ifndef PRISTINE_TESTS_UNIT_STORY_H
#define PRISTINE_TESTS_UNIT_STORY_H

#include "model/finding.h"

enum { STORY_RANKS = 12 };

struct story {
        struct check check;
        struct environment environment;
        struct distribution distribution;
        const char *installers[1];
        struct finding findings[3];
        struct hunk hunks[3];
        struct artifact artifacts[STORY_RANKS], strays[2];
        struct unknown unknowns[1];
        char paths[STORY_RANKS][64];
};

/* Fills in place: the parts point at each other. */
void story_tell(struct story *story);

#endif
