/* Errors: a small negative enum for the caller to act on, and a text for a person to read.
 *
 * Every function that can fail returns 0 or one of enum error_code and takes a `struct error *ret_error` last (which
 * may be NULL). The one that notices the fault calls error_set(); each caller on the way up adds what it was doing with
 * error_add(), so that the finished text reads "checking /srv/env: reading RECORD of vllm: line 812: field too long".
 * Outputs named ret_… are untouched on failure. Nothing below cli/ prints or exits.
 *
 * Out of memory is no error of this kind: the allocators of base/arena.h abort, which the journal survives like any
 * crash. */
#ifndef PRISTINE_BASE_ERROR_H
#define PRISTINE_BASE_ERROR_H

enum error_code {
        ERR_SYSTEM = -1,      /* a system call failed; errnum says why */
        ERR_MALFORMED = -2,   /* input that breaks its format */
        ERR_LIMIT = -3,       /* input larger than a stated bound */
        ERR_NOT_FOUND = -4,   /* the thing named does not exist */
        ERR_REFUSED = -5,     /* unsafe, or not asked for clearly enough; nothing was changed */
        ERR_CHANGED = -6,     /* the ground moved: what was seen earlier is not there any more */
        ERR_UNSUPPORTED = -7, /* this build or kernel cannot do it */
        ERR_INTERRUPTED = -8, /* a signal or deadline ended the work in good order */
        ERR_USAGE = -9,       /* the words of the command line are off */
        ERR_PARTWAY = -10,    /* stopped after a change was made: resume or undo */
};

struct error {
        int code;        /* enum error_code, 0 while unset */
        int errnum;      /* errno at the time, 0 where there is none */
        char text[1000]; /* NUL-terminated, cut rather than overrun; may hold raw bytes of names: escape when printing
                          */
};

/* Sets the error and returns code. errnum's text is appended after ": " when errnum is not 0. */
int error_set(struct error *ret_error, int code, int errnum, const char *format, ...)
        __attribute__((format(printf, 4, 5), nonnull(4)));

/* Prefixes "CONTEXT: " to a text that is already set and returns its code. */
int error_add(struct error *ret_error, const char *format, ...) __attribute__((format(printf, 2, 3), nonnull(2)));

#endif
