#include "repair/recover.h"

/* [direction][state][place]. A step whose intent was never written (todo, undone), or whose act is known to have
 * changed nothing (failed), was not touched by us: applying it needs the planned ground, undoing it needs nothing. */
static const enum decision decisions[2][5][3] = {
        [DIRECTION_APPLY] =
                {
                        [STATE_TODO] = {DECISION_ACT, DECISION_CONFLICT, DECISION_CONFLICT},
                        [STATE_DOING] = {DECISION_ACT, DECISION_MARK, DECISION_CONFLICT},
                        [STATE_DONE] = {DECISION_SKIP, DECISION_SKIP, DECISION_SKIP},
                        [STATE_UNDONE] = {DECISION_ACT, DECISION_CONFLICT, DECISION_CONFLICT},
                        [STATE_FAILED] = {DECISION_ACT, DECISION_MARK, DECISION_CONFLICT},
                },
        [DIRECTION_UNDO] =
                {
                        [STATE_TODO] = {DECISION_SKIP, DECISION_SKIP, DECISION_SKIP},
                        [STATE_DOING] = {DECISION_MARK, DECISION_ACT, DECISION_CONFLICT},
                        [STATE_DONE] = {DECISION_MARK, DECISION_ACT, DECISION_CONFLICT},
                        [STATE_UNDONE] = {DECISION_SKIP, DECISION_SKIP, DECISION_SKIP},
                        [STATE_FAILED] = {DECISION_SKIP, DECISION_SKIP, DECISION_SKIP},
                },
};

enum decision recover_decide(enum direction direction, enum step_state state, enum place place, bool cache)
{
        enum decision decision = decisions[direction][state][place];
        if (decision != DECISION_CONFLICT || !cache)
                return decision;
        /* Python made the bytecode anew, or took it away: both are as good as what was there. */
        return direction == DIRECTION_APPLY && place == PLACE_AFTER ? DECISION_MARK : DECISION_ACT;
}
