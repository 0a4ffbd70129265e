/* What a dotted expression means once import aliases are followed: after `import torch as _t`, `_t.save` is
 * "torch.save"; after `from torch import save as s`, `s` is. Calls and subscripts on the way become "()" and "[]":
 * "pathlib.Path().write_text". Scopes are not told apart: an alias counts in the whole file, which labels more, never
 * less. Memory belongs to the arena given. */
#ifndef PRISTINE_ANALYZE_ALIASES_H
#define PRISTINE_ANALYZE_ALIASES_H

#include "analyze/syntax.h"

/* Numbers of the node types and fields looked at: by name each look would be a search. */
struct alias_grammar {
        TSSymbol identifier, dotted_name, aliased_import, assignment, attribute, call, subscript, parenthesized, await,
                string;
        TSFieldId field_alias, field_name, field_module_name, field_left, field_right, field_object, field_attribute,
                field_function, field_arguments, field_value;
};

struct aliases {
        struct alias {
                struct bytes name;
                const char *target;
        } * items; /* sorted by name, distinct */
        size_t count;
        struct alias_grammar grammar;
};

/* Reads every import of the file, and assignments that rename what was imported (`save = torch.save`). */
void aliases_build(const struct syntax *syntax, struct arena *arena, struct aliases *ret_aliases);

const char *aliases_target(const struct aliases *aliases, struct bytes name); /* NULL when it is no alias */

/* Appends the meaning of an expression, a node of the syntax. False, with nothing useful appended, for what is no chain
 * of names. */
bool aliases_resolve(const struct aliases *aliases, const struct syntax *syntax, uint32_t node, struct text *out);

#endif
