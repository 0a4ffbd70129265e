#include "observe/python_pth.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/cursor.h"

/* In `line`, ANY stands for bytes that cannot leave the string literal or argument they stand in. */
#define ANY "\1"
#define NSPKG_HEAD                                                                                                     \
        "import sys, types, os;has_mfs = sys.version_info > (3, 5);p = os.path.join(sys._getframe(1)."                 \
        "f_locals['sitedir'], *(" ANY "));importlib = has_mfs and __import__('importlib.util');has_mfs and "           \
        "__import__('importlib.machinery');m = has_mfs and sys.modules.setdefault('" ANY                               \
        "', importlib.util.module_from_spec(importlib.machinery.PathFinder.find_spec('" ANY                            \
        "', [os.path.dirname(p)])));m = m or sys.modules.setdefault('" ANY "', types.ModuleType('" ANY                 \
        "'));mp = (m or []) and m.__dict__.setdefault('__path__',[]);(p not in mp) and mp.append(p)"

/* Lines that run code and are normal. They must match whole. */
static const struct known_line {
        const char *name, *line;
        unsigned makers; /* one of these must have made the environment; 0: whoever */
        bool claimed;    /* only when an egg-info lists the file */
} known_lines[] = {
        {"_virtualenv.pth", "import _virtualenv", VENV_BY_VIRTUALENV | VENV_BY_UV, false},
        {"_uv_ephemeral_overlay.pth", "import site; site.addsitedir(\"" ANY "\")", VENV_IS_OVERLAY, false},
        {"easy-install.pth", "import sys; sys.__plen = len(sys.path)", 0, false},
        {"easy-install.pth",
         "import sys; new=sys.path[sys.__plen:]; del sys.path[sys.__plen:]; p=getattr(sys,'__egginsert',0); "
         "sys.path[p:p]=new; sys.__egginsert = p+len(new)",
         0, false},
        {"distutils-precedence.pth",
         "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, 'local') == 'local'; enabled and "
         "__import__('_distutils_hack').add_shim();",
         0, true},
        {"distutils-precedence.pth",
         "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, 'stdlib') == 'local'; enabled and "
         "__import__('_distutils_hack').add_shim();",
         0, true},
        {"-nspkg.pth", NSPKG_HEAD, 0, true},
        {"-nspkg.pth", NSPKG_HEAD ";m and setattr(sys.modules['" ANY "'], '" ANY "', m)", 0, true},
};

bool pth_next_line(struct bytes *content, struct bytes *ret_line)
{
        if (content->size == 0)
                return false;
        size_t end = 0;
        while (end < content->size && content->data[end] != '\n' && content->data[end] != '\r')
                end++;
        *ret_line = (struct bytes){content->data, end};
        end += end < content->size;
        content->data += end;
        content->size -= end;
        return true;
}

static struct bytes line_trim(struct bytes line)
{
        while (line.size > 0 && isspace(line.data[line.size - 1]))
                line.size--;
        return line;
}

static bool line_is_import(struct bytes line)
{
        return bytes_start_with(line, "import ") || bytes_start_with(line, "import\t");
}

bool pth_line_is_path(struct bytes line)
{
        return line_trim(line).size > 0 && line.data[0] != '#' && !line_is_import(line);
}

static bool line_matches(struct bytes line, const char *pattern)
{
        size_t at = 0;
        for (; *pattern != '\0'; pattern++) {
                if (*pattern == ANY[0]) {
                        while (at < line.size && line.data[at] != (unsigned char)pattern[1] &&
                               strchr("\"();\\", line.data[at]) == NULL)
                                at++;
                } else if (at == line.size || line.data[at++] != (unsigned char)*pattern) {
                        return false;
                }
        }
        return at == line.size;
}

static bool line_is_known(struct bytes name, struct bytes line, unsigned makers, bool claimed)
{
        for (size_t i = 0; i < sizeof known_lines / sizeof *known_lines; i++) {
                const struct known_line *known = &known_lines[i];
                bool named = known->name[0] == '-' ? bytes_end_with(name, known->name)
                                                   : bytes_equal(name, bytes_of(known->name));
                if (named && (known->makers == 0 || (known->makers & makers) != 0) && (!known->claimed || claimed) &&
                    line_matches(line, known->line))
                        return true;
        }
        return false;
}

void pth_summarize(struct bytes name, struct bytes content, unsigned makers, bool claimed,
                   struct pth_summary *ret_summary)
{
        *ret_summary = (struct pth_summary){0};
        if (bytes_start_with(content, "\xef\xbb\xbf"))
                content = (struct bytes){content.data + 3, content.size - 3};
        for (struct bytes line; pth_next_line(&content, &line);) {
                if (line_is_import(line)) {
                        bool known = line_is_known(name, line_trim(line), makers, claimed);
                        ret_summary->imports++;
                        ret_summary->known += known;
                        if (!known && ret_summary->import.size == 0)
                                ret_summary->import = line_trim(line);
                } else if (pth_line_is_path(line)) {
                        if (ret_summary->paths++ == 0)
                                ret_summary->path = line_trim(line);
                }
        }
}

unsigned pth_parse_makers(struct bytes pyvenv_cfg)
{
        static const struct {
                const char *key;
                unsigned maker;
        } keys[] = {{"virtualenv", VENV_BY_VIRTUALENV}, {"uv", VENV_BY_UV}, {"extends-environment", VENV_IS_OVERLAY}};
        unsigned makers = 0;
        for (struct bytes line; pth_next_line(&pyvenv_cfg, &line);) {
                const unsigned char *equals = line.size > 0 ? memchr(line.data, '=', line.size) : NULL;
                if (equals == NULL)
                        continue;
                struct bytes key = line_trim((struct bytes){line.data, (size_t)(equals - line.data)});
                for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
                        if (key.size == strlen(keys[i].key) &&
                            strncasecmp((const char *)key.data, keys[i].key, key.size) == 0)
                                makers |= keys[i].maker;
        }
        return makers;
}
