/* Launchers: the small programs that installers make in bin/ from entry_points.txt. They come in no wheel, so RECORD
 * can vouch for them at best by a hash taken after the fact; what they should hold is known from their templates. */
#ifndef PRISTINE_OBSERVE_PYTHON_LAUNCHER_H
#define PRISTINE_OBSERVE_PYTHON_LAUNCHER_H

#include "base/arena.h"
#include "base/text.h"

struct entry_point {
        struct bytes name, module, attribute; /* name = module:attribute */
};

struct entry_points {
        struct entry_point *items;
        size_t count;
};

/* The console and gui scripts of an entry_points.txt. Views into text; lines that are none are passed over. */
void launcher_parse_entry_points(struct bytes text, struct arena *arena, struct entry_points *ret_points);

/* Takes the stanza that starts Python off a script: "#!INTERPRETER", or the three lines with which /bin/sh starts an
 * interpreter whose path is too long or has spaces in it. Strict: nothing but an interpreter named like Python, with
 * plain options at most, is taken for one. ret_interpreter is the path as written ("" where it is made from $0: it lies
 * beside the script), ret_body what follows. */
bool launcher_split(struct bytes script, struct bytes *ret_interpreter, struct bytes *ret_body);

/* Whether body is what some installer makes of one of the entry points. */
bool launcher_body_is_known(struct bytes body, const struct entry_points *points);

/* Whether an entry point asks for a launcher of this name: its own, or with a version behind it ("pip3", "pip-3.11").
 */
bool launcher_name_is_known(struct bytes name, const struct entry_points *points);

#endif
