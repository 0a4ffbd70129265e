#include "unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "observe/python_bundle.h"
#include "observe/python_excuse.h"
#include "observe/python_launcher.h"

#define ENTRY_POINTS                                                                                                   \
        "# comment\n[console_scripts]\nflask = flask.cli:main\npip3.9=pip._internal.cli:main [x]\n[other]\nno = a:b\n"
#define PIP_BODY                                                                                                       \
        "# -*- coding: utf-8 -*-\nimport re\nimport sys\nfrom flask.cli import main\nif __name__ == '__main__':\n"     \
        "    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n    sys.exit(main())\n"
#define CERTIFICATE "# Issuer: CN=x\n-----BEGIN CERTIFICATE-----\nMIIB+/=\n-----END CERTIFICATE-----\n"

static void test_entry_points(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct entry_points points;
        launcher_parse_entry_points(BYTES_LITERAL(ENTRY_POINTS), &arena, &points);
        assert_int_equal(points.count, 2);
        assert_true(bytes_equal(points.items[1].attribute, BYTES_LITERAL("main")));
        assert_true(launcher_name_is_known(BYTES_LITERAL("flask"), &points));
        assert_true(launcher_name_is_known(BYTES_LITERAL("pip"), &points) == false);
        assert_true(launcher_name_is_known(BYTES_LITERAL("pip3.13"), &points));
        assert_true(launcher_name_is_known(BYTES_LITERAL("pip-3.13"), &points));
        assert_false(launcher_name_is_known(BYTES_LITERAL("flasker"), &points));
        assert_true(launcher_body_is_known(BYTES_LITERAL(PIP_BODY), &points));
        assert_true(launcher_body_is_known(BYTES_LITERAL("\n" PIP_BODY), &points));
        assert_false(launcher_body_is_known(BYTES_LITERAL(PIP_BODY "\n"), &points));
}

static void test_split(void **state)
{
        (void)state;
        static const struct {
                const char *stanza, *interpreter; /* NULL: refused */
        } cases[] = {
                {"#!/env/bin/python3.11\n", "/env/bin/python3.11"},
                {"#!\"/env dir/bin/python\"\n", "/env dir/bin/python"},
                {"#!/bin/sh\n'''exec' \"/a b/bin/python\" \"$0\" \"$@\"\n' '''\n", "/a b/bin/python"},
                {"#!/bin/sh\n'''exec' '/a b/bin/python' \"$0\" \"$@\"\n' '''\n", "/a b/bin/python"},
                {"#!/bin/sh\n'''exec' /long/bin/python3 \"$0\" \"$@\"\n' '''\n", "/long/bin/python3"},
                {"#!/bin/sh\n'''exec' \"$(dirname -- \"$(realpath -- \"$0\")\")\"/'python' \"$0\" \"$@\"\n' '''\n", ""},
                {"#!/tmp/evil\n", NULL},
                {"#!python\n", NULL},
                {"#!/env/bin/python -c x\n", NULL},
                {"#!/bin/sh\n'''exec' /long/bin/python3;evil \"$0\" \"$@\"\n' '''\n", NULL},
                {"#!/bin/sh\n'''exec' \"/$(evil)/bin/python\" \"$0\" \"$@\"\n' '''\n", NULL},
                {"#!/bin/sh\n'''exec' /bin/python3 \"$0\" \"$@\"; evil\n' '''\n", NULL},
                {"#!/bin/sh\nevil\n' '''\n", NULL},
                {"#!/bin/sh\n", NULL},
                {"", NULL},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                struct bytes interpreter, body;
                char script[512];
                snprintf(script, sizeof script, "%sBODY", cases[i].stanza);
                bool split = launcher_split(bytes_of(script), &interpreter, &body);
                assert_int_equal(split, cases[i].interpreter != NULL);
                if (split) {
                        assert_true(bytes_equal(interpreter, bytes_of(cases[i].interpreter)));
                        assert_true(bytes_equal(body, BYTES_LITERAL("BODY")));
                }
        }
}

static void test_bundle(void **state)
{
        (void)state;
        struct digest digest;
        unsigned added = 0;
        hash_bytes(BYTES_LITERAL(CERTIFICATE), &digest);
        int64_t size = sizeof CERTIFICATE - 1;
        assert_true(
                bundle_was_extended(BYTES_LITERAL(CERTIFICATE "\n" CERTIFICATE CERTIFICATE), &digest, size, &added));
        assert_int_equal(added, 2);
        assert_true(bundle_was_extended(BYTES_LITERAL(CERTIFICATE CERTIFICATE), &digest, -1, &added));
        assert_false(bundle_was_extended(BYTES_LITERAL(CERTIFICATE "import os\n"), &digest, size, &added));
        assert_false(bundle_was_extended(BYTES_LITERAL("#\n" CERTIFICATE), &digest, -1, &added));
        assert_false(bundle_was_extended(BYTES_LITERAL(CERTIFICATE "-----BEGIN CERTIFICATE-----\nA\n"), &digest, size,
                                         &added));
        assert_true(bundle_is_certificates(BYTES_LITERAL(CERTIFICATE)));
        assert_false(bundle_is_certificates(BYTES_LITERAL("# nothing\n")));
}

/* A prefix in the working directory's build area with one distribution, and the question put to it. */
struct ground {
        char path[64];
        int fd;
        struct root root;
        struct arena arena;
        struct distribution distribution;
        struct environment environment;
        struct site site;
        struct python_excuses excuses;
};

static void write_file(int directory, const char *path, const char *content)
{
        AUTO_CLOSE int fd = openat(directory, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, content, strlen(content)), strlen(content));
}

static int ground_setup(void **state)
{
        struct ground *ground = heap_alloc(sizeof *ground);
        snprintf(ground->path, sizeof ground->path, "/tmp/pristine-excuse-XXXXXX");
        assert_non_null(mkdtemp(ground->path));
        ground->fd = open(ground->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_int_equal(mkdirat(ground->fd, "bin", 0755), 0);
        assert_int_equal(mkdirat(ground->fd, "flask.dist-info", 0755), 0);
        write_file(ground->fd, "flask.dist-info/entry_points.txt", ENTRY_POINTS);
        assert_int_equal(root_open("/", &ground->root, NULL), 0);
        ground->distribution = (struct distribution){.name = "flask",
                                                     .info = "flask.dist-info",
                                                     .installer = "pip",
                                                     .has_record = true,
                                                     .record_mtime_ns = 1000000000000};
        ground->site = (struct site){"lib/python3.11/site-packages", true};
        ground->environment = (struct environment){.path = ground->path,
                                                   .distributions = &ground->distribution,
                                                   .n_distributions = 1,
                                                   .sites = &ground->site,
                                                   .n_sites = 1};
        python_excuses_open(&ground->root, ground->fd, &ground->environment, &ground->arena, &ground->excuses);
        *state = ground;
        return 0;
}

static int ground_teardown(void **state)
{
        struct ground *ground = *state;
        static const char *const files[] = {
                "bin/flask", "bin/x.sh", "x.pem", "a.py", "a.pyc", "__init__.py", "flask.dist-info/entry_points.txt"};
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
                unlinkat(ground->fd, files[i], 0);
        unlinkat(ground->fd, "bin", AT_REMOVEDIR);
        unlinkat(ground->fd, "flask.dist-info", AT_REMOVEDIR);
        rmdir(ground->path);
        close(ground->fd);
        root_close(&ground->root);
        arena_clear(&ground->arena);
        free(ground);
        return 0;
}

static struct file_fact fact_of(struct ground *ground, const char *path, enum file_state state, const char *content)
{
        static const uint32_t owners[] = {0};
        struct file_fact fact = {.state = state,
                                 .rule = "file-modified",
                                 .severity = SEVERITY_ERROR,
                                 .path = path,
                                 .owners = owners,
                                 .n_owners = 1,
                                 .expected_size = -1};
        if (content != NULL) {
                AUTO_CLOSE int fd = -1;
                write_file(ground->fd, path, content);
                assert_int_equal(fs_open_regular(ground->fd, path, &fd, &fact.found, NULL), 0);
                fact.exists = true;
                fact.found.has_digest = true;
                hash_bytes(bytes_of(content), &fact.found.digest);
        }
        return fact;
}

static void expect(struct file_fact *fact, const char *original)
{
        fact->has_expected = true;
        fact->expected_size = (int64_t)strlen(original);
        hash_bytes(bytes_of(original), &fact->expected);
}

static void test_launcher_excuse(void **state)
{
        struct ground *ground = *state;
        char script[1024];
        snprintf(script, sizeof script, "#!%s/bin/python\n" PIP_BODY, ground->path);
        struct file_fact fact = fact_of(ground, "bin/flask", FILE_MODIFIED, script);
        expect(&fact, "something else");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_SILENT);

        fact = fact_of(ground, "bin/flask", FILE_MODIFIED, "#!/usr/bin/python3\n" PIP_BODY);
        expect(&fact, "something else");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.severity, SEVERITY_WARNING);

        fact = fact_of(ground, "bin/flask", FILE_UNVERIFIABLE, "#!/usr/bin/python3\n" PIP_BODY);
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_SILENT);

        fact = fact_of(ground, "bin/flask", FILE_MODIFIED, "#!/usr/bin/python3\nimport evil\n" PIP_BODY);
        expect(&fact, "something else");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_NONE);

        unlinkat(ground->fd, "bin/flask", 0);
        fact = fact_of(ground, "bin/flask", FILE_MISSING, NULL);
        expect(&fact, "something else");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_SILENT);
        fact.path = "bin/flasker";
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_NONE);
}

static void test_script_excuse(void **state)
{
        struct ground *ground = *state;
        struct file_fact fact = fact_of(ground, "bin/x.sh", FILE_MODIFIED, "#!/env/bin/python3.8\nprint(1)\n");
        expect(&fact, "#!python\nprint(1)\n");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_SILENT);
        expect(&fact, "#!pythonw\nprint(1)\n");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_SILENT);
        expect(&fact, "#!python\nprint(2)\n");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_NONE);
        expect(&fact, "#!python\nprint(1)\n");
        fact.found.digest.bytes[0] ^= 1; /* no longer the file that was compared */
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_NONE);
}

static void test_bundle_excuse(void **state)
{
        struct ground *ground = *state;
        struct file_fact fact = fact_of(ground, "x.pem", FILE_MODIFIED, CERTIFICATE CERTIFICATE);
        expect(&fact, CERTIFICATE);
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.severity, SEVERITY_NOTE);
        assert_int_equal(fact.state, FILE_MODIFIED);
        expect(&fact, "else");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.severity, SEVERITY_WARNING);
}

static void test_age_excuse(void **state)
{
        struct ground *ground = *state;
        struct file_fact fact = fact_of(ground, "a.py", FILE_MODIFIED, "x = 1\n");
        expect(&fact, "x = 2\n");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_NONE);
        fact.found.mtime_ns = ground->distribution.record_mtime_ns + 2000000000;
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.state, FILE_UPSTREAM_WRONG);
        assert_string_equal(fact.rule, "upstream-record-wrong");
}

static void test_hashless_rows(void **state)
{
        struct ground *ground = *state;
        assert_true(python_row_needs_no_hash(BYTES_LITERAL("a/__pycache__/x.cpython-311.opt-1.pyc")));
        assert_true(python_row_needs_no_hash(BYTES_LITERAL("pip-1.dist-info/RECORD.jws")));
        assert_true(python_row_needs_no_hash(BYTES_LITERAL("pip-26.3.virtualenv")));
        assert_false(python_row_needs_no_hash(BYTES_LITERAL("a/x.pyc")));
        assert_false(python_row_needs_no_hash(BYTES_LITERAL("a/x.py")));

        struct file_fact fact = fact_of(ground, "a.py", FILE_UNVERIFIABLE, "x = 1\n");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.severity, SEVERITY_WARNING);
        ground->distribution.installer = "uv";
        fact.expected_size = 6;
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.severity, SEVERITY_NOTE);

        fact = fact_of(ground, "a.pyc", FILE_MODIFIED, "whatever");
        expect(&fact, "else");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_SILENT);
        unlinkat(ground->fd, "a.py", 0);
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_NONE);
        fact = fact_of(ground, "gone.py", FILE_MISSING, NULL);
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_SILENT);
        expect(&fact, "x");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_NONE);
        ground->distribution.installer = "debian";
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_DELEGATED);
        ground->distribution.installer = "";
        ground->site.path = "lib/python3/dist-packages";
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_DELEGATED);
}

static void test_clobbered(void **state)
{
        struct ground *ground = *state;
        struct file_fact fact = fact_of(ground, "lib/python3.11/site-packages/tests/__init__.py", FILE_CLOBBERED, NULL);
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.severity, SEVERITY_NOTE);
        fact.path = "lib/python3.11/site-packages/cv2/__init__.py";
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.severity, SEVERITY_WARNING);
        fact = fact_of(ground, "__init__.py", FILE_CLOBBERED,
                       "__path__ = __import__('pkgutil').extend_path(__path__, __name__)\n");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.severity, SEVERITY_NOTE);
        fact = fact_of(ground, "__init__.py", FILE_CLOBBERED, "import os\n");
        assert_int_equal(python_excuse(&ground->excuses, &fact), EXCUSE_RESTATED);
        assert_int_equal(fact.severity, SEVERITY_WARNING);
}

#define WITH_GROUND(test) cmocka_unit_test_setup_teardown(test, ground_setup, ground_teardown)

int suite_observe_excuse(void);
int suite_observe_excuse(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_entry_points), cmocka_unit_test(test_split),    cmocka_unit_test(test_bundle),
                WITH_GROUND(test_launcher_excuse),   WITH_GROUND(test_script_excuse), WITH_GROUND(test_bundle_excuse),
                WITH_GROUND(test_age_excuse),        WITH_GROUND(test_hashless_rows), WITH_GROUND(test_clobbered),
        };
        return cmocka_run_group_tests_name("observe_excuse", tests, NULL, NULL);
}
