#include "unit.h"

#include <string.h>

#include "observe/python_module.h"
#include "observe/python_pth.h"

static void test_file_names(void **state)
{
        (void)state;
        static const struct {
                const char *name;
                enum module_kind kind;
                const char *stem;
        } cases[] = {
                {"x.py", MODULE_SOURCE, "x"},
                {"x.pyc", MODULE_BYTECODE, "x"},
                {"x.so", MODULE_EXTENSION, "x"},
                {"x.abi3.so", MODULE_EXTENSION_ABI3, "x"},
                {"x.cpython-311-x86_64-linux-gnu.so", MODULE_EXTENSION_TAGGED, "x"},
                {"x.cpython-311.so", MODULE_EXTENSION_TAGGED, "x"},
                {"x.cpython-311t-x86_64-linux-gnu.so", MODULE_EXTENSION_TAGGED, "x"},
                {"x.cpython-310-x86_64-linux-gnu.so", MODULE_NONE, NULL},
                {"x.cpython-3110-x86_64-linux-gnu.so", MODULE_NONE, NULL},
                {"libx.so.1", MODULE_NONE, NULL},
                {"x-old.py", MODULE_NONE, NULL},
                {"x.2.py", MODULE_NONE, NULL},
                {"2x.py", MODULE_NONE, NULL},
                {"x.py.orig", MODULE_NONE, NULL},
                {".py", MODULE_NONE, NULL},
                {"x.pyi", MODULE_NONE, NULL},
                {"\xc3\xa9.py", MODULE_SOURCE, "\xc3\xa9"},
                {"", MODULE_NONE, NULL},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                struct module_name module = module_parse_file(bytes_of(cases[i].name), 11);
                assert_int_equal(module.kind, cases[i].kind);
                if (cases[i].stem != NULL)
                        assert_true(bytes_equal(module.stem, bytes_of(cases[i].stem)));
        }
        assert_int_equal(module_parse_file(BYTES_LITERAL("x.cpython-310-x86_64-linux-gnu.so"), 0).kind,
                         MODULE_EXTENSION_TAGGED);
}

static void test_paths(void **state)
{
        (void)state;
        assert_true(bytes_equal(path_name(BYTES_LITERAL("a/b/c")), BYTES_LITERAL("c")));
        assert_true(bytes_equal(path_directory(BYTES_LITERAL("a/b/c")), BYTES_LITERAL("a/b")));
        assert_true(bytes_equal(path_directory(BYTES_LITERAL("c")), BYTES_LITERAL("")));
        assert_true(bytes_equal(path_name(BYTES_LITERAL("")), BYTES_LITERAL("")));
}

#define ZOPE                                                                                                           \
        "import sys, types, os;has_mfs = sys.version_info > (3, 5);p = os.path.join(sys._getframe(1)."                 \
        "f_locals['sitedir'], *('zope',));importlib = has_mfs and __import__('importlib.util');has_mfs and "           \
        "__import__('importlib.machinery');m = has_mfs and sys.modules.setdefault('zope', importlib.util."             \
        "module_from_spec(importlib.machinery.PathFinder.find_spec('zope', [os.path.dirname(p)])));m = m or "          \
        "sys.modules.setdefault('zope', types.ModuleType('zope'));mp = (m or []) and m.__dict__.setdefault("           \
        "'__path__',[]);(p not in mp) and mp.append(p)"

/* name, content, makers, claimed -> lines that run code, of these known, paths */
static void test_pth(void **state)
{
        (void)state;
        static const struct {
                const char *name, *content;
                unsigned makers;
                bool claimed;
                unsigned imports, known, paths;
        } cases[] = {
                {"_virtualenv.pth", "import _virtualenv", VENV_BY_UV, false, 1, 1, 0},
                {"_virtualenv.pth", "import _virtualenv\n", VENV_BY_VIRTUALENV, false, 1, 1, 0},
                {"_virtualenv.pth", "import _virtualenv", 0, false, 1, 0, 0},
                {"_virtualenv.pth", "import _virtualenv; evil()", VENV_BY_UV, false, 1, 0, 0},
                {"x.pth", "import _virtualenv", VENV_BY_UV, false, 1, 0, 0},
                {"x.pth", "# import os\n\n/srv/a\r./b\r\nimport\tos", 0, false, 1, 0, 2},
                {"x.pth", " import os\nimportlib\n", 0, false, 0, 0, 2},
                {"x.pth", "\xef\xbb\xbfimport os\n", 0, false, 1, 0, 0},
                {"_uv_ephemeral_overlay.pth", "import site; site.addsitedir(\"/a/b c\")", VENV_IS_OVERLAY, false, 1, 1,
                 0},
                {"_uv_ephemeral_overlay.pth", "import site; site.addsitedir(\"/a\"); evil(\"\")", VENV_IS_OVERLAY,
                 false, 1, 0, 0},
                {"easy-install.pth", "import sys; sys.__plen = len(sys.path)\n./x.egg\n", 0, false, 1, 1, 1},
                {"zope.a-nspkg.pth", ZOPE "\n", 0, true, 1, 1, 0},
                {"zope.a-nspkg.pth", ZOPE ";m and setattr(sys.modules['zope'], 'a', m)\n", 0, true, 1, 1, 0},
                {"zope.a-nspkg.pth", ZOPE "\n", 0, false, 1, 0, 0},
                {"zope.a-nspkg.pth", ZOPE ";evil()\n", 0, true, 1, 0, 0},
                {"zope.a-nspkg.pth", "import evil\n", 0, true, 1, 0, 0},
                {"x.pth", "", 0, false, 0, 0, 0},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                struct pth_summary summary;
                pth_summarize(bytes_of(cases[i].name), bytes_of(cases[i].content), cases[i].makers, cases[i].claimed,
                              &summary);
                assert_int_equal(summary.imports, cases[i].imports);
                assert_int_equal(summary.known, cases[i].known);
                assert_int_equal(summary.paths, cases[i].paths);
        }
}

static void test_makers(void **state)
{
        (void)state;
        assert_int_equal(pth_parse_makers(BYTES_LITERAL("home = /usr/bin\nVersion = 3.11.7\n")), 0);
        assert_int_equal(pth_parse_makers(BYTES_LITERAL("Virtualenv = 20.1\r\nuv=0.1\n")),
                         VENV_BY_VIRTUALENV | VENV_BY_UV);
        assert_int_equal(pth_parse_makers(BYTES_LITERAL("extends-environment = /x\n")), VENV_IS_OVERLAY);
        assert_int_equal(pth_parse_makers(BYTES_LITERAL("uvx = 1\ncommand = virtualenv\n")), 0);
}

int suite_observe_module(void);
int suite_observe_module(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_file_names),
                cmocka_unit_test(test_paths),
                cmocka_unit_test(test_pth),
                cmocka_unit_test(test_makers),
        };
        return cmocka_run_group_tests_name("observe_module", tests, NULL, NULL);
}
