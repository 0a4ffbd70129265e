/* How Python finds a module by the name of a file: which names are importable at all, and which of several wins. Pure.
 */
#ifndef PRISTINE_OBSERVE_PYTHON_MODULE_H
#define PRISTINE_OBSERVE_PYTHON_MODULE_H

#include "base/text.h"

/* In the order in which Python tries them within one directory. */
enum module_kind {
        MODULE_PACKAGE,          /* a directory with an __init__ */
        MODULE_EXTENSION_TAGGED, /* x.cpython-312-x86_64-linux-gnu.so */
        MODULE_EXTENSION_ABI3,
        MODULE_EXTENSION,
        MODULE_SOURCE,
        MODULE_BYTECODE, /* x.pyc beside where x.py would be */
        MODULE_NONE,
};

struct module_name {
        enum module_kind kind;
        struct bytes stem; /* what `import` calls it */
};

/* The file name of a module of Python 3.minor (0: of any). MODULE_NONE for what no import statement can name. */
struct module_name module_parse_file(struct bytes name, int minor);

bool module_is_identifier(struct bytes name);

/* The last part of a path, and what lies before it without the slash. */
struct bytes path_name(struct bytes path);
struct bytes path_directory(struct bytes path);

#endif
