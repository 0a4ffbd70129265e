/* What a name means at a place. Bindings are found by looking at the occurrences of the name in the text, which needs
 * no table of the whole file: a hunk asks about a handful of names.
 *
 * Only what the source says is followed: assignments, imports, loop variables, `with … as`, definitions, parameters.
 * Bindings through exec, globals() or another module stay unknown. */
#ifndef PRISTINE_ANALYZE_NAMES_H
#define PRISTINE_ANALYZE_NAMES_H

#include "analyze/code.h"

enum binding_kind {
        BINDING_OTHER,     /* bound to something that is not followed */
        BINDING_VALUE,     /* name = value, with value as name, (name := value) */
        BINDING_ELEMENT,   /* for name in value */
        BINDING_AUGMENTED, /* name += value */
        BINDING_PARAMETER, /* value is the default, or null */
        BINDING_FUNCTION,  /* value is the function_definition */
        BINDING_CLASS,
        BINDING_IMPORT, /* value is the import's dotted_name or aliased_import */
        BINDING_GLOBAL, /* `global name`: the module's name is meant */
};

struct binding {
        enum binding_kind kind;
        TSNode value;
        TSNode name;     /* the identifier that is bound */
        TSNode scope;    /* module, class, def, lambda or comprehension it belongs to */
        uint32_t since;  /* the byte from which on it is in force */
        int32_t element; /* a, b = value: which of value's elements; ELEMENT_WHOLE for value itself */
        bool dominates;  /* whatever ran before it, this one is in force */
};

enum { BINDINGS_LIMIT = 8, ELEMENT_WHOLE = -1, ELEMENT_NESTED = -2 };

struct bindings {
        struct binding items[BINDINGS_LIMIT]; /* in the order of the text */
        size_t count;
        bool cut; /* there are more */
};

/* The bindings of a name that may be in force at a byte: in the innermost function that binds it, else in the module;
 * there those before the byte back to the one that is always executed. */
void names_reaching(struct code *code, struct bytes name, uint32_t at, struct bindings *ret_bindings);

/* Assignments to an attribute of an instance or its class, and what the class's body binds it to: of the class around
 * for self.x, cls.x, type(self).x and the class's own name, of the class of that name for Class.x; else in its bases,
 * as far as they are in this file. */
void names_attribute(struct code *code, TSNode attribute, struct bindings *ret_bindings);
bool names_is_self(struct code *code, TSNode node); /* self, cls, type(self), self.__class__, the class's own name */

/* The identifiers of one name that start in bytes [start, end), in order. */
struct occurrences {
        uint32_t next, end;
};

struct occurrences names_occurrences(struct code *code, struct bytes name, uint32_t start, uint32_t end);
bool names_next(struct code *code, struct occurrences *occurrences, struct place *ret_place); /* false at the end */
/* What the identifier at the place binds; false when it only reads, or binds nothing. */
bool names_binding_at(const struct place *place, struct binding *ret_binding);

/* The full dotted name of what a call calls, imports and aliases resolved: "torch.save", "open"; a leading "." and the
 * last part only where the object is a value (".tofile"); "" where nothing is known. In the arena. */
const char *names_qualified(struct code *code, TSNode function);

/* One of the decorators, by qualified name, is on the definition; the list ends with NULL. */
bool names_is_decorated(struct code *code, TSNode definition, const char *const *decorators);

/* The definition in this file that a call reaches: f(…) or self.f(…). Null when it is not defined here. */
TSNode names_definition(struct code *code, TSNode function);

/* The innermost def, lambda, class or the module among the first `depth` nodes of a place. */
TSNode names_scope(const struct place *place, size_t depth);
/* The class around the byte, or null. */
TSNode names_class(struct code *code, uint32_t at);

#endif
