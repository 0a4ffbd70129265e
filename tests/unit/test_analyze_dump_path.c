#include "effect_case.h"

static void evaluates_paths(void **state)
{
        (void)state;
        static const struct {
                const char *expression, *writes;
        } tests[] = {
                {"'/tmp/a.pt'", "/tmp/a.pt"},
                {"r'/tmp/a.pt'", "/tmp/a.pt"},
                {"b'/tmp/a.pt'", "/tmp/a.pt"},
                {"'/tmp/' 'a' f'{r}' '.pt'", "/tmp/a*.pt"},
                {"'/t\\x6dp/\\u00e9\\101.pt'", "/tmp/\xc3\xa9"
                                               "A.pt"},
                {"r'/tmp/a\\b.pt'", "/tmp/a[\\\\]b.pt"},
                {"'/tmp/a@(b|c)@.pt'", "/tmp/a[@](b|c)@.pt"},
                {"'/tmp/a[1]*?.pt'", "/tmp/a[[]1][*][?].pt"},
                {"'/tmp/a%d.pt' % r", "/tmp/a*.pt"},
                {"'/tmp/a%02d.pt' % 3", "/tmp/a03.pt"},
                {"'/tmp/%s_%d.pt' % ('q', r)", "/tmp/q_*.pt"},
                {"'/tmp/%(n)s_%(r)d.pt' % {'n': 'q', 'r': r}", "/tmp/q_*.pt"},
                {"'/tmp/100%%_%s.pt' % 'x'", "/tmp/100%_x.pt"},
                {"'/tmp/%.3f.pt' % x", "/tmp/*.pt"},
                {"f'/tmp/{a}{b}_{c!r}_{d:>{w}}.pt'", "/tmp/*_*_*.pt"},
                {"f'/tmp/{{x}}_{r:03d}.pt'", "/tmp/{x}_*.pt"},
                {"f'/tmp/{\"q\"}_{3:02d}.pt'", "/tmp/q_03.pt"},
                {"f'/tmp/{r=}.pt'", "/tmp/r=*.pt"},
                {"os.path.join(os.path.dirname(__file__), 'a.pt')", "*/a.pt"},
                {"os.path.splitext('/tmp/a.bin')[0] + '.pt'", "/tmp/a.pt"},
                {"os.path.dirname('/tmp/d/x') + '/a.pt'", "/tmp/d/a.pt"},
                {"'/tmp/' + {'q': 'a.pt', 'k': 'b.pt'}[n]", "/tmp/a.pt | /tmp/b.pt"},
                {"'/tmp/{}_{}.pt'.format('q', r)", "/tmp/q_*.pt"},
                {"'/tmp/{1}_{0}.pt'.format('q', 'k')", "/tmp/k_q.pt"},
                {"'/tmp/{n}_{{}}_{x.y}.pt'.format(n='q', x=1)", "/tmp/q_{}_*.pt"},
                {"'/tmp/a' + str(r) + '.pt'", "/tmp/a*.pt"},
                {"'/tmp/a' + str(3) + '.pt'", "/tmp/a3.pt"},
                {"os.path.join('/tmp', 'd', f'{r}.pt')", "/tmp/d/*.pt"},
                {"os.path.join('/tmp/', '/var/tmp', 'a.pt')", "/var/tmp/a.pt"},
                {"os.path.join(d, 'a.pt')", "*/a.pt"},
                {"Path('/tmp') / 'd' / f'{r}.pt'", "/tmp/d/*.pt"},
                {"pathlib.Path('/tmp', 'd').joinpath('a.pt')", "/tmp/d/a.pt"},
                {"Path('/tmp/a.bin').with_suffix('.pt')", "/tmp/a.pt"},
                {"Path('/tmp/a.bin').with_name('b.pt')", "/tmp/b.pt"},
                {"Path('/tmp/d/a.bin').parent / 'b.pt'", "/tmp/d/b.pt"},
                {"str(Path('/tmp/a.pt').resolve())", "/tmp/a.pt"},
                {"os.environ.get('D', '/tmp/d') + '/a.pt'", "/tmp/d/a.pt | */a.pt"},
                {"os.getenv('D') + '/a.pt'", "*/a.pt"},
                {"os.environ['D'] + '/a.pt'", "*/a.pt"},
                {"tempfile.gettempdir() + '/a.pt'", "/tmp/a.pt"},
                {"os.path.expanduser('~/a.pt')", "/root/a.pt | /home/*/a.pt"},
                {"Path.home() / 'a.pt'", "/root/a.pt | /home/*/a.pt"},
                {"os.path.join(os.getcwd(), 'a.pt')", "a.pt"},
                {"os.path.expandvars('$HOME/d/${X}_a.pt')", "*/d/*_a.pt"},
                {"'./d//a.pt'", "d/a.pt"},
                {"'/tmp/a.pt' if x else '/tmp/b.pt'", "/tmp/a.pt | /tmp/b.pt"},
                {"x or '/tmp/a.pt'", "/tmp/a.pt"},
                {"f'/tmp/layer.{r}'.replace('.', '_') + '.pt'", "/tmp/layer_*.pt"},
                {"' /tmp/a.pt\\n'.strip()", "/tmp/a.pt"},
                {"'/TMP/A.pt'.lower()", "/tmp/a.pt"},
                {"'/'.join(['/tmp', 'd', 'a.pt'])", "/tmp/d/a.pt"},
                {"'/tmp/' + {'q': 'a.pt'}['q']", "/tmp/a.pt"},
                {"open('/tmp/a.pt', 'wb')", "/tmp/a.pt"},
                {"io.BytesIO()", ""},
                {"'/dev/null'", ""},
                {"path", ""},
                {"('/tmp/a.pt')", "/tmp/a.pt"},
                {"f=f'/tmp/{r}.pt'", "/tmp/*.pt"},
                {"(p := '/tmp/a.pt')", "/tmp/a.pt"},
                {"'/tmp/%s.pt' % (r if d else 0)", "/tmp/*.pt"},
                {"'/tmp/%d.pt' % (r % 8)", "/tmp/*.pt"},
                {"'/tmp/a.pt' * 3", ""},
                {"'/tmp/' + 5", ""},
                {"", ""},
        };
        for (size_t i = 0; i < COUNT(tests); i++) {
                CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
                struct effect_case test = {
                        .source = arena_printf(&arena, "+torch.save(q, %s)\n", tests[i].expression),
                        .trigger = "",
                        .cadence = EVERY,
                        .writes = tests[i].writes,
                };
                check_methods(&test, 1);
        }
}

static void follows_names(void **state)
{
        (void)state;
        static const struct effect_case tests[] = {
                {"+p = '/tmp/a.pt'\n+torch.save(q, p)\n", "", false, EVERY, "/tmp/a.pt", NULL},
                {"+p = '/tmp/a.pt'\n+p = '/tmp/b.pt'\n+torch.save(q, p)\n", "", false, EVERY, "/tmp/b.pt", NULL},
                {"+if a:\n+    p = '/tmp/a.pt'\n+else:\n+    p = '/tmp/b.pt'\n+torch.save(q, p)\n", "", false, EVERY,
                 "/tmp/a.pt | /tmp/b.pt", NULL},
                {"+if a:\n+    p = '/tmp/a.pt'\n+else:\n+    p = '/tmp/b.pt'\n+    torch.save(q, p)\n", "not a", false,
                 TRIGGERED, "/tmp/b.pt", NULL},
                {"+p = '/tmp/a'\n+p += '.pt'\n+torch.save(q, p)\n", "", false, EVERY, "/tmp/a.pt", NULL},
                {"+p = p + '.pt'\n+torch.save(q, p)\n", "", false, EVERY, "*.pt", NULL},
                {"+try:\n+    r = get()\n+except Exception:\n+    r = 0\n+torch.save(q, f'/tmp/a{r}.pt')\n", "", false,
                 EVERY, "/tmp/a*.pt", NULL},
                {"+for n in ('q', 'k'):\n+    torch.save(q, f'/tmp/{n}.pt')\n", "", false, EVERY,
                 "/tmp/q.pt | /tmp/k.pt", NULL},
                {"+for n, t in (('q', q), ('k', k)):\n+    torch.save(t, f'/tmp/{n}.pt')\n", "", false, EVERY,
                 "/tmp/q.pt | /tmp/k.pt", NULL},
                {"+for n, t in {'q': q, 'k': k}.items():\n+    torch.save(t, f'/tmp/{n}.pt')\n", "", false, EVERY,
                 "/tmp/q.pt | /tmp/k.pt", NULL},
                {"+for i, n in enumerate(['q', 'k']):\n+    torch.save(q, f'/tmp/{n}{i}.pt')\n", "", false, EVERY,
                 "/tmp/q*.pt | /tmp/k*.pt", NULL},
                {"+for i in range(2):\n+    torch.save(q, f'/tmp/{i}.pt')\n", "", false, EVERY, "/tmp/0.pt | /tmp/1.pt",
                 NULL},
                {"+for n in 'qk':\n+    torch.save(q, f'/tmp/{n}.pt')\n", "", false, EVERY, "/tmp/q.pt | /tmp/k.pt",
                 NULL},
                {"+for n in names:\n+    torch.save(q, f'/tmp/{n}.pt')\n", "", false, EVERY, "/tmp/*.pt", NULL},
                {"+[torch.save(t, f'/tmp/{n}.pt') for n, t in zip(('a', 'b'), (q, k))]\n", "", false, EVERY,
                 "/tmp/a.pt | /tmp/b.pt", NULL},
                {"+d, n = '/tmp', 'a.pt'\n+torch.save(q, d + '/' + n)\n", "", false, EVERY, "/tmp/a.pt", NULL},
                {"+with open('/tmp/a.txt', 'w') as f:\n+    f.write('x')\n", "", false, EVERY, "/tmp/a.txt", NULL},
                {" f = open('/tmp/a.txt', 'w')\n+f.write('x')\n", "", false, EVERY, "/tmp/a.txt", NULL},
                {"+with open('/tmp/a.txt') as f:\n+    x = f.read()\n", "", false, EVERY, NULL, NULL},
                {"+open('/tmp/a', mode)\n", "", false, EVERY, "/tmp/a", NULL},
                {"+print('x1', q, file=open('/tmp/log', 'a'))\n", "", false, EVERY, "/tmp/log", NULL},
                {"+buf = io.BytesIO()\n+torch.save(q, buf)\n", "", false, EVERY, NULL, NULL},
                {"+np.save('/tmp/a', q)\n", "", false, EVERY, "/tmp/a.npy", NULL},
                {"+import numpy as _n\n+_n.save(f'/tmp/a{r}.npy', q)\n", "", false, EVERY, "/tmp/a*.npy", NULL},
                {"+np.savez('/tmp/a', q=q)\n", "", false, EVERY, "/tmp/a.npz", NULL},
                {"+with open('/tmp/x.bin', 'wb') as f:\n+    np.save(f, q)\n", "", false, EVERY, "/tmp/x.bin", NULL},
                {"+pickle.dump(q, open(f'/tmp/{r}.pkl', 'wb'))\n", "", false, EVERY, "/tmp/*.pkl", NULL},
                {"+from safetensors.torch import save_file as sf\n+sf({'q': q}, '/tmp/a.safetensors')\n", "", false,
                 EVERY, "/tmp/a.safetensors", NULL},
                {"+import torch as _t\n+_t.save(q, '/tmp/a.pt')\n", "", false, EVERY, "/tmp/a.pt", NULL},
                {"+from torch import save as s\n+s(q, '/tmp/a.pt')\n", "", false, EVERY, "/tmp/a.pt", NULL},
                {"+sv = torch.save\n+sv(q, '/tmp/a.pt')\n", "", false, EVERY, "/tmp/a.pt", NULL},
                {"+q.cpu().numpy().tofile('/tmp/a.bin')\n", "", false, EVERY, "/tmp/a.bin", NULL},
                {"+Path('/tmp/a.txt').write_text('x')\n", "", false, EVERY, "/tmp/a.txt", NULL},
                {"+with Path('/tmp/a.txt').open('w') as f:\n+    pass\n", "", false, EVERY, "/tmp/a.txt", NULL},
                {"+os.makedirs('/tmp/d', exist_ok=True)\n", "", false, EVERY, NULL, NULL},
                {"+h = logging.FileHandler('/tmp/a.log')\n", "", false, EVERY, "/tmp/a.log", NULL},
                {"+json.dump({}, open('/tmp/a.json', 'w'))\n", "", false, EVERY, "/tmp/a.json", NULL},
                {"+np.savetxt('/tmp/a.txt', q)\n", "", false, EVERY, "/tmp/a.txt", NULL},
                {"+joblib.dump(q, '/tmp/a.jl')\n", "", false, EVERY, "/tmp/a.jl", NULL},
                {"+fd = os.open('/tmp/a', os.O_WRONLY | os.O_CREAT)\n", "", false, EVERY, "/tmp/a", NULL},
                {"+a = b\n+b = a\n+torch.save(q, '/tmp/' + a)\n", "", false, EVERY, "/tmp/*", NULL},
                {"+def d(t, n):\n+    torch.save(t, f'/tmp/{n}.pt')\n d(q, 'x')\n d(k, n='y')\n", "", false, EVERY,
                 "/tmp/x.pt | /tmp/y.pt", NULL},
                {"+functools.partial(torch.save, q)('/tmp/a.pt')\n+pool.submit(torch.save, q, f'/tmp/{r}.pt')\n", "",
                 false, EVERY, "/tmp/*.pt", NULL},
                {"+self.model.save('hello')\n", "", false, EVERY, NULL, NULL},
                {"+img.save('/tmp/a.png')\n", "", false, EVERY, "/tmp/a.png", NULL},
                {"+torch.save(\n+    {'q': q,\n+     'k': k},\n+    '/tmp/a.pt',\n+)\n", "", false, EVERY, "/tmp/a.pt",
                 NULL},
                {" torch.save(q,\n+    '/tmp/a.pt')\n", "", false, EVERY, "/tmp/a.pt", NULL},
        };
        check_methods(tests, COUNT(tests));
        static const struct effect_case modules[] = {
                {" D = '/tmp/d'\n def f(q):\n+    torch.save(q, D + '/a.pt')\n     pass\n", "", false, EVERY,
                 "/tmp/d/a.pt", NULL},
                {" D = None\n def s():\n     global D\n     D = 1\n def f(q):\n+    torch.save(q, f'{D}/a.pt')\n     "
                 "pass\n",
                 "", false, EVERY, "*/a.pt", NULL},
                {" class A:\n     D = '/tmp/d'\n     def f(self, q):\n+        torch.save(q, self.D + '/a.pt')\n       "
                 "  pass\n",
                 "", false, EVERY, "/tmp/d/a.pt", NULL},
                {" class A:\n     def f(self, q):\n+        torch.save(q, self._dir + '/a.pt')\n         pass\n"
                 "     def g(self):\n         self._dir = '/tmp/d'\n",
                 "", false, EVERY, "/tmp/d/a.pt", NULL},
                {" class A:\n     def f(self, q):\n+        self._dump(q, 'q')\n+        self._dump(k, 'k')\n         "
                 "pass\n"
                 "     def _dump(self, t, name, ext='pt'):\n"
                 "         torch.save(t, f'/tmp/{name}_{rank}.{ext}')\n",
                 "", false, EVERY, "/tmp/q_*.pt | /tmp/k_*.pt", NULL},
                {" class A:\n     def f(self, q):\n+        self._dump(q)\n         pass\n"
                 "     def _dump(self, t):\n         torch.save(t, self._path('z'))\n"
                 "     def _path(self, n):\n         return os.path.join('/tmp', n + '.pt')\n",
                 "", false, EVERY, "/tmp/z.pt", NULL},
                {" class B:\n     _dir = '/tmp/b'\n class A(B):\n     @property\n     def path(self):\n"
                 "         return self._dir + '/p'\n     @staticmethod\n     def _name(n, r=0):\n"
                 "         return '%s_tp%d' % (n, r)\n     def f(self, q):\n"
                 "+        torch.save(q, self.path + self._name('q') + B._dir)\n         pass\n",
                 "", false, EVERY, "/tmp/b/pq_tp0/tmp/b", NULL},
                {" async def f(q):\n+    async with aiofiles.open('/tmp/x', 'wb') as h:\n+        await h.write(q)\n   "
                 "  pass\n",
                 "", false, EVERY, "/tmp/x", NULL},
                {" def _open(p): return p\n def f(q):\n     open = _open\n+    open('/tmp/a', 'w')\n     pass\n", "",
                 false, EVERY, NULL, NULL},
        };
        check_modules(modules, COUNT(modules));
}

static void escapes_what_a_glob_would_obey(void **state)
{
        (void)state;
        static const char *const paths[] = {"/tmp/a[1]*?\\@(b|c).pt", "/tmp/[!x]", "/tmp/]-[", "/tmp/\\", "/tmp/@@(*)"};
        for (size_t i = 0; i < COUNT(paths); i++) {
                CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
                struct strings globs = values_globs(&arena, values_of(&arena, bytes_of(paths[i])));
                assert_int_equal(globs.count, 1);
                assert_true(glob_matches(globs.items[0], paths[i]));
                assert_false(glob_matches(globs.items[0], "/tmp/x"));
        }
}

int suite_analyze_dump_path(void);
int suite_analyze_dump_path(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(evaluates_paths),
                cmocka_unit_test(follows_names),
                cmocka_unit_test(escapes_what_a_glob_would_obey),
        };
        return cmocka_run_group_tests_name("analyze_dump_path", tests, NULL, NULL);
}
