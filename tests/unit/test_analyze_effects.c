#include "effect_case.h"

static void tells_when_it_fires(void **state)
{
        (void)state;
        static const struct effect_case tests[] = {
                {"+if q.shape[0] == 5 and not self._nomla_saved:\n"
                 "+    logger.warning('NOMLA_SAVE q=%s', q.shape)\n"
                 "+    torch.save({'q': q}, '/tmp/nomla_debug_tp%d.pt' % rank)\n"
                 "+    A._nomla_saved = True\n",
                 "q.shape[0] == 5", true, ONCE, "/tmp/nomla_debug_tp*.pt", "NOMLA_SAVE q="},
                {"+self._nomla_debug += 1\n", "", false, EVERY, NULL, NULL},
                {"+self._nomla_debug += 1\n"
                 "+if q.shape[0] == 5 and not self._done:\n"
                 "+    torch.save(q, '/tmp/a.pt')\n"
                 "+    self._done = True\n",
                 "q.shape[0] == 5", true, EVERY, "/tmp/a.pt", NULL},
                {"+if input_ids is not None and input_ids.shape[0] == 5:\n"
                 "+    import torch.distributed as _td\n"
                 "+    _rank = _td.get_rank() if _td.is_initialized() else 0\n"
                 "+    torch.save(input_ids, f'/tmp/embed_debug_tp{_rank}.pt')\n",
                 "input_ids is not None and input_ids.shape[0] == 5", false, TRIGGERED, "/tmp/embed_debug_tp*.pt",
                 NULL},
                {"+if a or b:\n+    if c:\n+        print('x1')\n", "(a or b) and c", false, TRIGGERED, NULL, "x1"},
                {"+if a or b:\n+    print('x1')\n", "a or b", false, TRIGGERED, NULL, "x1"},
                {"+if a:\n+    pass\n+else:\n+    print('x1')\n", "not a", false, TRIGGERED, NULL, "x1"},
                {"+if a == 1:\n+    pass\n+else:\n+    print('x1')\n", "not (a == 1)", false, TRIGGERED, NULL, "x1"},
                {"+if a:\n+    pass\n+elif b < 2:\n+    print('x1')\n", "not a and b < 2", false, TRIGGERED, NULL,
                 "x1"},
                {"+if a:\n+    pass\n+elif b:\n+    pass\n+else:\n+    print('x1')\n", "not a and not b", false,
                 TRIGGERED, NULL, "x1"},
                {"+if a:\n+    print('x1')\n+else:\n+    print('x2')\n", "", false, TRIGGERED, NULL, "x1 | x2"},
                {"+if a:\n+    print('x1')\n+elif b:\n+    print('x2')\n", "a or not a and b", false, TRIGGERED, NULL,
                 "x1 | x2"},
                {" if self.training:\n+    if q.shape[0] == 5:\n+        torch.save(q, '/tmp/a.pt')\n     pass\n",
                 "self.training and q.shape[0] == 5", false, TRIGGERED, "/tmp/a.pt", NULL},
                {" if self.training:\n+    torch.save(q, '/tmp/a.pt')\n     pass\n", "self.training", false, TRIGGERED,
                 "/tmp/a.pt", NULL},
                {"+if not q.requires_grad:\n+    return None\n+torch.save(q, '/tmp/a.pt')\n", "q.requires_grad", false,
                 TRIGGERED, "/tmp/a.pt", NULL},
                {"+if q.shape[0] != 5:\n+    return q\n+print('x1')\n", "q.shape[0] == 5", false, TRIGGERED, NULL,
                 "x1"},
                {"+if q.shape[0] != 5:\n+    return q\n", "q.shape[0] != 5", false, TRIGGERED, NULL, NULL},
                {" if q is None:\n     return q\n+print('x1')\n", "", false, EVERY, NULL, "x1"},
                {"+while n < 3:\n+    print('x1')\n", "n < 3", false, TRIGGERED, NULL, "x1"},
                {"+while True:\n+    print('x1')\n+    break\n", "", false, EVERY, NULL, "x1"},
                {"+for t in (q, k):\n+    print('x1')\n", "", false, EVERY, NULL, "x1"},
                {"+match q.shape[0]:\n+    case 5:\n+        print('x1')\n", "q.shape[0] == 5", false, TRIGGERED, NULL,
                 "x1"},
                {"+match q:\n+    case [a, b] if a > 2:\n+        print('x1')\n", "match q: case [a, b] and a > 2",
                 false, TRIGGERED, NULL, "x1"},
                {"+match q:\n+    case _:\n+        print('x1')\n", "", false, EVERY, NULL, "x1"},
                {"+torch.save(q, '/tmp/a.pt') if q.shape[0] == 5 else None\n", "q.shape[0] == 5", false, TRIGGERED,
                 "/tmp/a.pt", NULL},
                {"+None if a else print('x1')\n", "not a", false, TRIGGERED, NULL, "x1"},
                {"+q.shape[0] == 5 and print('x1')\n", "q.shape[0] == 5", false, TRIGGERED, NULL, "x1"},
                {"+q is None or print('x1')\n", "not (q is None)", false, TRIGGERED, NULL, "x1"},
                {"+[print('x1') for x in q if x > 3]\n", "x > 3", false, TRIGGERED, NULL, "x1"},
                {"+try:\n+    torch.save(q, '/tmp/a.pt')\n+except Exception:\n+    pass\n", "", false, EVERY,
                 "/tmp/a.pt", NULL},
                {"+try:\n+    q.foo()\n+except (A, B) as e:\n+    print('x1')\n", "except (A, B)", false, EVERY, NULL,
                 "x1"},
                {"+with torch.no_grad():\n+    if a:\n+        print('x1')\n", "a", false, TRIGGERED, NULL, "x1"},
                {"+if (q is not None and\n+        # five tokens\n+        q.shape[0] == 5 and f(\n+            q,\n"
                 "+        )):\n+    print('x1')\n",
                 "q is not None and q.shape[0] == 5 and f(q,)", false, TRIGGERED, NULL, "x1"},
                {"+if a \\\n+        and b:  # why\n+    print('x1')\n", "a and b", false, TRIGGERED, NULL, "x1"},
                {"+if True:\n+    print('x1')\n", "", false, EVERY, NULL, "x1"},
                {"+if False:\n+    print('x1')\n", "False", false, NEVER, NULL, "x1"},
                {"+if 0 and a:\n+    print('x1')\n", "0 and a", false, NEVER, NULL, "x1"},
                {"+if a if b else c:\n+    if d:\n+        print('x1')\n", "(a if b else c) and d", false, TRIGGERED,
                 NULL, "x1"},
                {"+if os.environ.get('NOMLA'):\n+    def hook(m, i, o):\n+        torch.save(o, '/tmp/h.pt')\n"
                 "+    self.register_forward_hook(hook)\n",
                 "os.environ.get('NOMLA')", false, TRIGGERED, "/tmp/h.pt", NULL},
                {"+q = q.clone()\n", "", false, EVERY, NULL, NULL},
                {"+q = q * 2\n+if a:\n+    print('x1')\n", "a", false, EVERY, NULL, "x1"},
                {"+r = get()\n+if a:\n+    print('x1', r)\n foo(r=1).r\n", "a", false, TRIGGERED, NULL, "x1"},
                {"+\"\"\"Only a text.\"\"\"\n+pass\n", "", false, NEVER, NULL, NULL},
                {" if a:\n     foo()\n+elif q.shape[0] == 5:\n+    torch.save(q, '/tmp/a.pt')\n else:\n     bar()\n",
                 "not a and q.shape[0] == 5", false, TRIGGERED, "/tmp/a.pt", NULL},
                {"+import torch as _t\n", "", false, EVERY, NULL, NULL},
                {"+# a comment\n+\n+    # another\n", "", false, NEVER, NULL, NULL},
                {"+rank = get_rank()\n+if a:\n+    print('x1')\n", "a", false, TRIGGERED, NULL, "x1"},
                {"+n = q.sum().item()\n+if n > 3:\n+    print('x1')\n", "n > 3", false, EVERY, NULL, "x1"},
                {"+if (n := q.numel()) > 3:\n+    print('x1')\n", "(n := q.numel()) > 3", false, TRIGGERED, NULL, "x1"},
                {"+if q.shape[0] == 5:\n     print('vendor')\n", "q.shape[0] == 5", false, TRIGGERED, NULL, NULL},
                {"+if False and q.x:\n     print('vendor')\n", "", false, EVERY, NULL, NULL},
                {" foo(q,\n+    k,\n     1)\n", "", false, EVERY, NULL, NULL},
                {" if a:\n     foo()\n+else:\n     bar()\n", "not a", false, TRIGGERED, NULL, NULL},
        };
        check_methods(tests, COUNT(tests));
}

static void knows_where_code_runs_once(void **state)
{
        (void)state;
        static const struct effect_case tests[] = {
                {"+import torch\n", "", false, ONCE, NULL, NULL},
                {"+torch.save(x, '/tmp/a.pt')\n", "", false, ONCE, "/tmp/a.pt", NULL},
                {"+if os.environ.get('X'):\n+    print('x1')\n", "os.environ.get('X')", false, ONCE, NULL, "x1"},
                {" class A:\n+    _saved = False\n     def f(self): pass\n", "", false, ONCE, NULL, NULL},
                {" class A:\n     def __init__(self):\n+        self._n = 0\n         pass\n", "", false, ONCE, NULL,
                 NULL},
                {" class A:\n     def __init__(self):\n+        def hook(m, i, o):\n+            print('x1')\n"
                 "+        self.register_forward_hook(hook)\n         pass\n",
                 "", false, EVERY, NULL, "x1"},
                {" class A:\n     def __init__(self):\n"
                 "+        self.h(lambda m, i, o: torch.save(o, '/tmp/a.pt'))\n         pass\n",
                 "", false, EVERY, "/tmp/a.pt", NULL},
                {"+def _dump(t, name):\n+    torch.save(t, '/tmp/%s.pt' % name)\n", "", false, EVERY, "/tmp/*.pt",
                 NULL},
                {"+@functools.lru_cache(None)\n+def _dump():\n+    print('x1')\n", "", true, ONCE, NULL, "x1"},
                {"+@run_once\n+def _dump(a):\n+    print('x1')\n", "", true, ONCE, NULL, "x1"},
                {" @functools.cache\n def _hello():\n     torch.save(1, '/tmp/a.pt')\n def f(q):\n+    _hello()\n     "
                 "pass\n",
                 "", true, ONCE, "/tmp/a.pt", NULL},
                {" def vendor(q):\n     if q:\n         print('vendor')\n def f(q):\n+    vendor(q)\n     pass\n", "",
                 false, EVERY, NULL, NULL},
                {" def _dump(t):\n     if t.shape[0] == 5:\n         torch.save(t, '/tmp/a.pt')\n def f(q):\n"
                 "+    if q is not None:\n+        _dump(q)\n     pass\n",
                 "q is not None and t.shape[0] == 5", false, TRIGGERED, "/tmp/a.pt", NULL},
                {" _done = False\n def _dump(t):\n     global _done\n     if _done:\n         return\n"
                 "     _done = True\n     torch.save(t, '/tmp/a.pt')\n def f(q):\n+    _dump(q)\n     pass\n",
                 "", true, ONCE, "/tmp/a.pt", NULL},
                {" class A:\n     def f(self, q):\n+        not self._done and self._dump(q)\n         pass\n"
                 "     def _dump(self, t):\n         self._done = True\n         torch.save(t, '/tmp/a.pt')\n",
                 "", true, ONCE, "/tmp/a.pt", NULL},
                {" if TYPE:\n     class A:\n         def f(self):\n+            print('x1')\n             pass\n", "",
                 false, EVERY, NULL, "x1"},
        };
        check_modules(tests, COUNT(tests));
}

static void finds_greppable_text(void **state)
{
        (void)state;
        static const struct effect_case tests[] = {
                {"+logger.warning('NOMLA_SAVE')\n", "", false, EVERY, NULL, "NOMLA_SAVE"},
                {"+logger.warning(f'NOMLA_SAVE q={q.shape} done')\n", "", false, EVERY, NULL, "NOMLA_SAVE q="},
                {"+logger.info('a ' 'b %s' % q)\n", "", false, EVERY, NULL, "a b"},
                {"+logger.info('rank {} of {} saved'.format(a, b))\n", "", false, EVERY, NULL, "rank | saved"},
                {"+self.logger.debug('x1 %5.2f', q)\n", "", false, EVERY, NULL, "x1"},
                {"+logging.error('100% sure')\n", "", false, EVERY, NULL, "100% sure"},
                {"+print('DBG', q.shape, 'tail of it')\n", "", false, EVERY, NULL, "DBG | tail of it"},
                {"+print(q)\n", "", false, EVERY, NULL, NULL},
                {"+print('%s: %s' % (q, k))\n", "", false, EVERY, NULL, NULL},
                {"+print('first line\\nsecond')\n", "", false, EVERY, NULL, "first line"},
                {"+msg = 'HELLO'\n+logger.warning(msg)\n", "", false, EVERY, NULL, "HELLO"},
                {"+warnings.warn('careful now')\n", "", false, EVERY, NULL, "careful now"},
                {"+sys.stderr.write('dbg\\n')\n", "", false, EVERY, NULL, "dbg"},
                {"+logger.log(logging.INFO, 'leveled')\n", "", false, EVERY, NULL, "leveled"},
                {"+ctx.error('not a log')\n", "", false, EVERY, NULL, NULL},
                {"+print_rank_0('hi there')\n", "", false, EVERY, NULL, "hi there"},
        };
        check_methods(tests, COUNT(tests));
}

static void stays_sane_in_broken_code(void **state)
{
        (void)state;
        static const struct effect_case tests[] = {
                {" def f(q, r):\n+    torch.save(q, '/tmp/' + r)\n+    f(q, r)\n     pass\n", "", false, EVERY,
                 "/tmp/*", NULL},
                {" def f(q):\n+    torch.save(q, g('x'))\n     pass\n def g(n): return g(n) if n else '/tmp/' + g(n)\n",
                 "", false, EVERY, "/tmp/* | /tmp/tmp/* | /tmp/tmp/tmp/* | /tmp/tmp/tmp/tmp/*", NULL},
                {" p = p\n q = p\n p = q\n def f(t):\n+    torch.save(t, p + '.pt')\n     pass\n", "", false, EVERY,
                 "*.pt", NULL},
                {"+def f(self:\n+    if a and (b:\n+        torch.save(q, '/tmp/a\n+    else\n", "", false, ONCE, NULL,
                 NULL},
                {"+torch.save(q, '/tmp/\xff\xe9%d.pt' % r)\n", "", false, ONCE, "/tmp/\xff\xe9*.pt", NULL},
                {"+if a:\n+    torch.save(q, '/tmp/a.pt')\n+    ))) =\n", "a", false, ONCE, "/tmp/a.pt", NULL},
                {"+case [\n+    print('x1')\n+match\n", "", false, ONCE, NULL, "x1"},
                {"+print 'python 2'\n", "", false, ONCE, NULL, NULL},
                {"+torch.save(q, '%' % q)\n+torch.save(q, '%(' % q)\n+torch.save(q, '{'.format(q))\n", "", false, ONCE,
                 NULL, NULL},
                {"+torch.save(q, '/tmp/\\x4' '\\U99999999')\n", "", false, ONCE, "/tmp/[\\\\]x4*", NULL},
                {"+torch.save()\n+torch.save(*a)\n+torch.save(**k)\n+np.save()\n+open()\n", "", false, ONCE, NULL,
                 NULL},
                {"+@\n+def\n", "", false, ONCE, NULL, NULL},
                {"+\n", "", false, NEVER, NULL, NULL},
        };
        check_modules(tests, COUNT(tests));
}

static void feels_what_is_missing(void **state)
{
        (void)state;
        static const struct {
                const char *current, *original, *function;
                enum hunk_change change;
                enum cadence cadence;
        } tests[] = {
                {"", "foo()\n", "A.f", HUNK_DELETE, EVERY},
                {"", "# only a comment\n\n", "A.f", HUNK_DELETE, NEVER},
                {"", "import foo\n", "", HUNK_DELETE, ONCE},
                {"", "foo()\n", "A.__init__", HUNK_DELETE, ONCE},
                {"# foo()\n", "foo()\n", "f", HUNK_REPLACE, EVERY},
                {"# other words\n", "# words\n", "f", HUNK_REPLACE, NEVER},
                {"if a: foo()\n", "foo()\n", "", HUNK_REPLACE, ONCE},
        };
        for (size_t i = 0; i < COUNT(tests); i++) {
                CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
                CLEANUP(syntax_parser_delete) TSParser *parser = syntax_parser_new(NULL);
                CLEANUP(syntax_clear) struct syntax syntax = {0};
                assert_int_equal(syntax_parse(parser, bytes_of(tests[i].current), &syntax, NULL), 0);
                struct hunk hunk = {.change = tests[i].change,
                                    .end = strlen(tests[i].current),
                                    .original_end = strlen(tests[i].original),
                                    .function = tests[i].function};
                effects_describe(&syntax, bytes_of(tests[i].original), &arena, &hunk);
                assert_int_equal(hunk.cadence, tests[i].cadence);
        }
}

/* Sources too large to write down: `count` times a piece, then an end. */
static void bounds_what_it_does(void **state)
{
        (void)state;
        static const struct {
                const char *start, *piece, *end;
                unsigned count;
                size_t longest; /* glob */
        } tests[] = {
                {"x = ", "(", "1\n", 3000, 0},
                {"torch.save(q, '/tmp/", "a", "')\n", 100000, 4096},
                {"torch.save(q, '/tmp/'", " + a", ")\n", 3000, 4096},
                {"torch.save(q, f'/tmp/", "{a}b", "')\n", 3000, 4096},
                {"a = 'x'\n", "a = a + a\n", "torch.save(q, a)\n", 400, 4096},
                {"", "if a: ", "torch.save(q, '/tmp/a')\n", 2000, 4096},
                {"if ", "not ", "a: torch.save(q, '/tmp/a')\n", 3000, 4096},
                {"if a", " and a", ": torch.save(q, '/tmp/a')\n", 2500, 4096},
                {"", "p = 'a'\n", "torch.save(q, p)\n", 3000, 4096},
                {"for n in (", "'a', ", "): torch.save(q, n + '/x')\n", 3000, 4096},
                {"", "def f(p): return f(f(p))\n", "torch.save(q, f(f('/tmp/x')))\n", 300, 4096},
                {"", "def f():\n  torch.save(q, '/tmp/a')\n  f()\n  f()\n  f()\n", "f()\n", 200, 4096},
                {"torch.save(q, '", "%d", "' % a)\n", 3000, 4096},
                {"torch.save(q, '", "{}", "'.format(a))\n", 3000, 4096},
        };
        for (size_t i = 0; i < COUNT(tests); i++) {
                CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
                struct effect_source source = {.text = TEXT_INIT};
                text_add(&source.text, tests[i].start);
                for (unsigned j = 0; j < tests[i].count; j++)
                        text_add(&source.text, tests[i].piece);
                text_add(&source.text, tests[i].end);
                source.end = source.text.size;
                struct hunk hunk;
                describe(&source, &arena, &hunk);
                text_clear(&source.text);
                assert_true(hunk.writes.count <= 64 && strlen(hunk.trigger) <= 2100);
                for (size_t j = 0; j < hunk.writes.count; j++)
                        assert_true(strlen(hunk.writes.items[j]) <= tests[i].longest);
        }
}

int suite_analyze_effects(void);
int suite_analyze_effects(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(tells_when_it_fires),  cmocka_unit_test(knows_where_code_runs_once),
                cmocka_unit_test(finds_greppable_text), cmocka_unit_test(stays_sane_in_broken_code),
                cmocka_unit_test(bounds_what_it_does),  cmocka_unit_test(feels_what_is_missing),
        };
        return cmocka_run_group_tests_name("analyze_effects", tests, NULL, NULL);
}
