/* What to do with a step, given what the journal says and what stands on disk. Pure, so that every case is tested. */
#ifndef PRISTINE_REPAIR_RECOVER_H
#define PRISTINE_REPAIR_RECOVER_H

#include "model/plan.h"

enum place {
        PLACE_BEFORE, /* as the step found it when planned */
        PLACE_AFTER,  /* as the step leaves it */
        PLACE_OTHER,  /* neither: somebody else was here */
};

enum direction { DIRECTION_APPLY, DIRECTION_UNDO };

enum decision {
        DECISION_ACT,
        DECISION_MARK, /* done already, only the row is missing */
        DECISION_SKIP,
        DECISION_CONFLICT,
};

/* `cache`: the file may be made anew by others at any time and its contents matter to nobody (bytecode). */
enum decision recover_decide(enum direction direction, enum step_state state, enum place place, bool cache);

#endif
