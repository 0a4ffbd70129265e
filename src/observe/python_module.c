#include "observe/python_module.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct bytes path_name(struct bytes path)
{
        size_t start = path.size;
        while (start > 0 && path.data[start - 1] != '/')
                start--;
        return (struct bytes){path.data + start, path.size - start};
}

struct bytes path_directory(struct bytes path)
{
        struct bytes name = path_name(path);
        return (struct bytes){path.data, name.size < path.size ? path.size - name.size - 1 : 0};
}

/* Letters beyond ASCII are taken on trust: most of them may stand in a name. */
bool module_is_identifier(struct bytes name)
{
        if (name.size == 0 || isdigit(name.data[0]))
                return false;
        for (size_t i = 0; i < name.size; i++)
                if (name.data[i] < 0x80 && !isalnum(name.data[i]) && name.data[i] != '_')
                        return false;
        return true;
}

static bool cut_suffix(struct bytes *name, const char *suffix)
{
        if (!bytes_end_with(*name, suffix))
                return false;
        name->size -= strlen(suffix);
        return true;
}

/* "cpython-312-x86_64-linux-gnu" is an extension of Python 3.12 only, its free-threaded build ("312t") included. */
static bool tag_is_of(struct bytes tag, int minor)
{
        char prefix[24];
        if (!bytes_start_with(tag, "cpython-3"))
                return false;
        if (minor == 0)
                return true;
        snprintf(prefix, sizeof prefix, "cpython-3%d", minor);
        size_t length = strlen(prefix);
        return bytes_start_with(tag, prefix) && (tag.size == length || !isdigit(tag.data[length]));
}

static struct module_name parse_extension(struct bytes stem, int minor)
{
        const unsigned char *dot = stem.size > 0 ? memchr(stem.data, '.', stem.size) : NULL;
        if (dot == NULL)
                return (struct module_name){MODULE_EXTENSION, stem};
        struct bytes tag = {dot + 1, stem.size - (size_t)(dot + 1 - stem.data)};
        stem.size = (size_t)(dot - stem.data);
        if (bytes_equal(tag, BYTES_LITERAL("abi3")))
                return (struct module_name){MODULE_EXTENSION_ABI3, stem};
        return (struct module_name){tag_is_of(tag, minor) ? MODULE_EXTENSION_TAGGED : MODULE_NONE, stem};
}

struct module_name module_parse_file(struct bytes name, int minor)
{
        struct module_name module = {MODULE_NONE, name};
        if (cut_suffix(&module.stem, ".py"))
                module.kind = MODULE_SOURCE;
        else if (cut_suffix(&module.stem, ".pyc"))
                module.kind = MODULE_BYTECODE;
        else if (cut_suffix(&module.stem, ".so"))
                module = parse_extension(module.stem, minor);
        if (!module_is_identifier(module.stem))
                module.kind = MODULE_NONE;
        return module;
}
