#include "observe/python_launcher.h"

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cursor.h"

enum { ENTRY_POINTS_MAX = 4096 };

/* "{m}" is the module, "{f}" the function with its dots, "{i}" the first part of it. */
static const char *const launcher_bodies[] = {
        /* pip 19.3 to 25.1 */
        "# -*- coding: utf-8 -*-\nimport re\nimport sys\nfrom {m} import {i}\nif __name__ == '__main__':\n"
        "    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n    sys.exit({f}())\n",
        /* pip 25.2 and newer */
        "# -*- coding: utf-8 -*-\nimport re\nimport sys\nif __name__ == '__main__':\n    from {m} import {i}\n"
        "    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n    sys.exit({f}())\n",
        /* distlib with removesuffix, import inside and outside */
        "# -*- coding: utf-8 -*-\nimport sys\nfrom {m} import {i}\nif __name__ == '__main__':\n"
        "    sys.argv[0] = sys.argv[0].removesuffix('.exe')\n    sys.exit({f}())\n",
        "# -*- coding: utf-8 -*-\nimport sys\nif __name__ == '__main__':\n    from {m} import {i}\n"
        "    sys.argv[0] = sys.argv[0].removesuffix('.exe')\n    sys.exit({f}())\n",
        /* pip 9 to 18, and conda */
        "# -*- coding: utf-8 -*-\nimport re\nimport sys\n\nfrom {m} import {i}\n\nif __name__ == '__main__':\n"
        "    sys.argv[0] = re.sub(r'(-script\\.pyw?|\\.exe)?$', '', sys.argv[0])\n    sys.exit({f}())\n",
        /* uv */
        "# -*- coding: utf-8 -*-\nimport sys\nfrom {m} import {i}\nif __name__ == \"__main__\":\n"
        "    if sys.argv[0].endswith(\"-script.pyw\"):\n        sys.argv[0] = sys.argv[0][:-11]\n"
        "    elif sys.argv[0].endswith(\".exe\"):\n        sys.argv[0] = sys.argv[0][:-4]\n    sys.exit({f}())\n",
        /* uv until 0.5, and `installer` (poetry, build back ends) */
        "# -*- coding: utf-8 -*-\nimport re\nimport sys\nfrom {m} import {i}\nif __name__ == \"__main__\":\n"
        "    sys.argv[0] = re.sub(r\"(-script\\.pyw|\\.exe)?$\", \"\", sys.argv[0])\n    sys.exit({f}())\n",
        /* distlib before 0.2.9 */
        "# -*- coding: utf-8 -*-\nif __name__ == '__main__':\n    import sys, re\n\n    def _resolve(module, func):\n"
        "        __import__(module)\n        mod = sys.modules[module]\n        parts = func.split('.')\n"
        "        result = getattr(mod, parts.pop(0))\n        for p in parts:\n            result = getattr(result, "
        "p)\n"
        "        return result\n\n    try:\n"
        "        sys.argv[0] = re.sub(r'(-script\\.pyw?|\\.exe)?$', '', sys.argv[0])\n\n"
        "        func = _resolve('{m}', '{f}')\n        rc = func() # None interpreted as 0\n"
        "    except Exception as e:  # only supporting Python >= 2.6\n        sys.stderr.write('%s\\n' % e)\n"
        "        rc = 1\n    sys.exit(rc)\n",
};

static struct bytes bytes_slice(struct bytes bytes, size_t start, size_t end)
{
        return (struct bytes){bytes.data + start, end - start};
}

static struct bytes bytes_trim(struct bytes bytes)
{
        size_t start = 0, end = bytes.size;
        while (start < end && isspace(bytes.data[start]))
                start++;
        while (end > start && isspace(bytes.data[end - 1]))
                end--;
        return bytes_slice(bytes, start, end);
}

static size_t bytes_find(struct bytes bytes, char c)
{
        const unsigned char *at = bytes.size > 0 ? memchr(bytes.data, c, bytes.size) : NULL;
        return at != NULL ? (size_t)(at - bytes.data) : bytes.size;
}

/* A dotted name of Python: what may stand in a template without changing its meaning. */
static bool bytes_are_dotted_name(struct bytes bytes)
{
        if (bytes.size == 0)
                return false;
        for (size_t i = 0; i < bytes.size; i++)
                if (!isalnum(bytes.data[i]) && bytes.data[i] != '_' && bytes.data[i] != '.' && bytes.data[i] < 0x80)
                        return false;
        return true;
}

/* "name = module:attribute [extras]" */
static bool entry_point_parse(struct bytes line, struct entry_point *ret_point)
{
        size_t equals = bytes_find(line, '=');
        if (equals == line.size)
                return false;
        struct bytes value = bytes_slice(line, equals + 1, line.size);
        value = bytes_trim(bytes_slice(value, 0, bytes_find(value, '[')));
        size_t colon = bytes_find(value, ':');
        if (colon == value.size)
                return false;
        struct entry_point point = {
                .name = bytes_trim(bytes_slice(line, 0, equals)),
                .module = bytes_trim(bytes_slice(value, 0, colon)),
                .attribute = bytes_trim(bytes_slice(value, colon + 1, value.size)),
        };
        if (point.name.size == 0 || !bytes_are_dotted_name(point.module) || !bytes_are_dotted_name(point.attribute))
                return false;
        *ret_point = point;
        return true;
}

void launcher_parse_entry_points(struct bytes text, struct arena *arena, struct entry_points *ret_points)
{
        struct cursor cursor = cursor_over(text);
        struct entry_points points = {0};
        size_t capacity = 0;
        bool wanted = false;
        for (struct bytes line; points.count < ENTRY_POINTS_MAX && cursor_line(&cursor, &line);) {
                struct entry_point point;
                line = bytes_trim(line);
                if (bytes_start_with(line, "[")) {
                        wanted = bytes_equal(line, BYTES_LITERAL("[console_scripts]")) ||
                                 bytes_equal(line, BYTES_LITERAL("[gui_scripts]"));
                        continue;
                }
                if (!wanted || bytes_start_with(line, "#") || bytes_start_with(line, ";") ||
                    !entry_point_parse(line, &point))
                        continue;
                if (points.count == capacity) {
                        struct entry_point *more = arena_new_array(arena, struct entry_point, capacity * 2 + 8);
                        if (points.count > 0)
                                memcpy(more, points.items, points.count * sizeof *more);
                        points.items = more;
                        capacity = capacity * 2 + 8;
                }
                points.items[points.count++] = point;
        }
        *ret_points = points;
}

/* An absolute path whose last part is named like a Python interpreter; options of plain letters may follow in a "#!"
 * line. */
static bool interpreter_is_plausible(struct bytes path)
{
        size_t name = path.size;
        while (name > 0 && path.data[name - 1] != '/')
                name--;
        if (name == 0 || path.data[0] != '/' || memchr(path.data, '\0', path.size) != NULL)
                return false;
        struct bytes base = bytes_slice(path, name, path.size);
        if (!bytes_start_with(base, "python") && !bytes_start_with(base, "pypy"))
                return false;
        for (size_t i = 0; i < base.size; i++)
                if (!isalnum(base.data[i]) && base.data[i] != '.')
                        return false;
        return true;
}

/* What sh reads as one word and nothing more: in double quotes, in single quotes, or bare. */
static bool shell_word_parse(struct bytes line, struct bytes *ret_word, struct bytes *ret_rest)
{
        const char *unsafe = " \t\r\n\"'`$\\;&|<>()*?[]#~{}!";
        size_t start = 0, end;
        if (line.size > 0 && (line.data[0] == '"' || line.data[0] == '\'')) {
                struct bytes quoted = bytes_slice(line, 1, line.size);
                end = bytes_find(quoted, (char)line.data[0]);
                if (end == quoted.size)
                        return false;
                unsafe = line.data[0] == '"' ? "`$\\\r\n" : "\r\n";
                start = 1;
                end += 1;
        } else {
                end = bytes_find(line, ' ');
        }
        for (size_t i = start; i < end; i++)
                if (line.data[i] == '\0' || strchr(unsafe, line.data[i]) != NULL)
                        return false;
        *ret_word = bytes_slice(line, start, end);
        *ret_rest = bytes_slice(line, end + start, line.size);
        return true;
}

/* uv's relocatable form: the interpreter is looked for beside the script itself. */
static bool relocatable_parse(struct bytes line, struct bytes *ret_rest)
{
        static const char *const forms[] = {
                "\"$(dirname -- \"$(realpath -- \"$0\")\")\"/'",
                "\"$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && echo \"$PWD\")\"/'",
        };
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
                if (!bytes_start_with(line, forms[i]))
                        continue;
                struct bytes name = bytes_slice(line, strlen(forms[i]), line.size);
                size_t end = bytes_find(name, '\'');
                if (end == name.size || !bytes_start_with(name, "python"))
                        return false;
                for (size_t j = 0; j < end; j++)
                        if (!isalnum(name.data[j]) && name.data[j] != '.')
                                return false;
                *ret_rest = bytes_slice(name, end + 1, name.size);
                return true;
        }
        return false;
}

static bool trampoline_split(struct bytes script, struct bytes *ret_interpreter, struct bytes *ret_body)
{
        struct cursor cursor = cursor_over(script);
        struct bytes shell, exec, close, word = {0}, rest;
        if (!cursor_line(&cursor, &shell) || !cursor_line(&cursor, &exec) || !cursor_line(&cursor, &close) ||
            !bytes_equal(shell, BYTES_LITERAL("#!/bin/sh\n")) || !bytes_equal(close, BYTES_LITERAL("' '''\n")) ||
            !bytes_start_with(exec, "'''exec' "))
                return false;
        exec = bytes_slice(exec, strlen("'''exec' "), exec.size);
        bool beside = relocatable_parse(exec, &rest);
        if (!beside && (!shell_word_parse(exec, &word, &rest) || !interpreter_is_plausible(word)))
                return false;
        if (!bytes_equal(rest, BYTES_LITERAL(" \"$0\" \"$@\"\n")))
                return false;
        *ret_interpreter = word;
        *ret_body = bytes_slice(script, cursor.position, script.size);
        return true;
}

bool launcher_split(struct bytes script, struct bytes *ret_interpreter, struct bytes *ret_body)
{
        if (bytes_start_with(script, "#!/bin/sh\n"))
                return trampoline_split(script, ret_interpreter, ret_body);
        struct cursor cursor = cursor_over(script);
        struct bytes line;
        if (!bytes_start_with(script, "#!") || !cursor_line(&cursor, &line))
                return false;
        struct bytes path = bytes_trim(bytes_slice(line, 2, line.size));
        /* A path may hold spaces only in quotes, which old pips wrote. */
        if (path.size >= 2 && path.data[0] == '"' && path.data[path.size - 1] == '"')
                path = bytes_slice(path, 1, path.size - 1);
        else if (bytes_find(path, ' ') != path.size)
                return false;
        if (!interpreter_is_plausible(path))
                return false;
        *ret_interpreter = path;
        *ret_body = bytes_slice(script, cursor.position, script.size);
        return true;
}

static void body_fill(struct text *text, const char *template, const struct entry_point *point)
{
        for (const char *at = template; *at != '\0';) {
                if (at[0] != '{' || at[1] == '\0' || at[2] != '}') {
                        text_add_char(text, *at++);
                        continue;
                }
                struct bytes value = at[1] == 'm' ? point->module : point->attribute;
                if (at[1] == 'i')
                        value.size = bytes_find(value, '.');
                text_add_bytes(text, value.data, value.size);
                at += 3;
        }
}

bool launcher_body_is_known(struct bytes body, const struct entry_points *points)
{
        /* The old body with a blank line in front: distlib once ended its stanza with one. */
        if (bytes_start_with(body, "\n"))
                body = bytes_slice(body, 1, body.size);
        for (size_t i = 0; i < points->count; i++)
                for (size_t j = 0; j < sizeof launcher_bodies / sizeof *launcher_bodies; j++) {
                        CLEANUP(text_clear) struct text text = TEXT_INIT;
                        body_fill(&text, launcher_bodies[j], &points->items[i]);
                        if (bytes_equal(body, (struct bytes){(unsigned char *)text.data, text.size}))
                                return true;
                }
        return false;
}

/* "3", "3.11", "-3.11" behind a name that has no digits of its own at the end. */
static bool suffix_is_version(struct bytes suffix)
{
        size_t start = bytes_start_with(suffix, "-") ? 1 : 0;
        if (start == suffix.size)
                return false;
        for (size_t i = start; i < suffix.size; i++)
                if (!isdigit(suffix.data[i]) && suffix.data[i] != '.')
                        return false;
        return isdigit(suffix.data[start]) != 0;
}

bool launcher_name_is_known(struct bytes name, const struct entry_points *points)
{
        for (size_t i = 0; i < points->count; i++) {
                struct bytes known = points->items[i].name;
                if (bytes_equal(name, known))
                        return true;
                /* pip 20's list names pip3.9 even where Python is 3.8: the version is the installer's to choose. */
                while (known.size > 0 && (isdigit(known.data[known.size - 1]) || known.data[known.size - 1] == '.'))
                        known.size--;
                if (known.size > 0 && name.size > known.size && memcmp(name.data, known.data, known.size) == 0 &&
                    suffix_is_version(bytes_slice(name, known.size, name.size)))
                        return true;
        }
        return false;
}
