#include "analyze/reading.h"

void suggest_extents(const struct reading *reading, struct arena *arena, struct extents *ret_extents)
{
        (void)reading, (void)arena;
        *ret_extents = (struct extents){0};
}
