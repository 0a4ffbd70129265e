#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "analyze/effects.h"
#include "analyze/values.h"
#include "base/cleanup.h"

/* A source as a diff: "+" starts a line of the hunk, " " a line around it. A body is put into a method of class A. */
struct effect_case {
        const char *source;
        const char *trigger;
        bool one_shot;
        enum cadence cadence;
        const char *writes; /* joined by " | " */
        const char *logs;
};

#define EVERY CADENCE_EVERY_CALL
#define TRIGGERED CADENCE_ON_TRIGGER
#define ONCE CADENCE_ONCE
#define NEVER CADENCE_UNKNOWN

struct effect_source {
        struct text text;
        size_t start, end;
};

static void source_add_line(struct effect_source *source, const char *line, size_t length, const char *indent)
{
        if (*line == '+' && source->start == SIZE_MAX)
                source->start = source->text.size;
        if (length > 1)
                text_add(&source->text, indent);
        text_add_bytes(&source->text, line + 1, length - 1);
        text_add_char(&source->text, '\n');
        if (*line == '+')
                source->end = source->text.size;
}

static void source_add(struct effect_source *source, const char *diff, const char *indent)
{
        while (*diff != '\0') {
                size_t length = strcspn(diff, "\n");
                source_add_line(source, diff, length, indent);
                diff += length + (diff[length] == '\n');
        }
}

static const char *joined(struct arena *arena, const struct strings *strings)
{
        const char *all = "";
        for (size_t i = 0; i < strings->count; i++)
                all = arena_printf(arena, "%s%s%s", all, i > 0 ? " | " : "", strings->items[i]);
        return all;
}

static void describe(const struct effect_source *source, struct arena *arena, struct hunk *ret_hunk)
{
        struct error error = {0};
        CLEANUP(syntax_parser_delete) TSParser *parser = syntax_parser_new(&error);
        CLEANUP(syntax_clear) struct syntax syntax = {0};
        struct bytes bytes = {(const unsigned char *)source->text.data, source->text.size};
        *ret_hunk = (struct hunk){
                .change = HUNK_INSERT, .start = source->start, .end = source->end, .trigger = "", .function = ""};
        if (syntax_parse(parser, bytes, &syntax, &error) == 0)
                effects_describe(&syntax, (struct bytes){0}, arena, ret_hunk);
}

/* All of a table's mismatches are shown, not only the first. */
static unsigned check_case(const struct effect_case *test, const char *before, const char *indent)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        struct effect_source source = {.text = TEXT_INIT, .start = SIZE_MAX};
        source_add(&source, before, "");
        source_add(&source, test->source, indent);
        struct hunk hunk;
        describe(&source, &arena, &hunk);
        const char *found = arena_printf(&arena, "%s\n-> trigger <%s>%s %s writes <%s> logs <%s>", test->source,
                                         hunk.trigger, hunk.one_shot ? " one-shot" : "", cadence_name(hunk.cadence),
                                         joined(&arena, &hunk.writes), joined(&arena, &hunk.logs));
        const char *wanted =
                arena_printf(&arena, "%s\n-> trigger <%s>%s %s writes <%s> logs <%s>", test->source, test->trigger,
                             test->one_shot ? " one-shot" : "", cadence_name(test->cadence),
                             test->writes != NULL ? test->writes : "", test->logs != NULL ? test->logs : "");
        text_clear(&source.text);
        if (strcmp(found, wanted) != 0)
                print_error("found: %s\nwanted: %s\n", found, wanted);
        return strcmp(found, wanted) != 0;
}

static void check_methods(const struct effect_case *tests, size_t count)
{
        static const char method[] = " import torch\n import logging\n logger = logging.getLogger(__name__)\n"
                                     " class A:\n     _nomla_saved = False\n     def forward(self, q, k):\n";
        unsigned failed = 0;
        for (size_t i = 0; i < count; i++)
                failed += check_case(&tests[i], method, "        ");
        assert_int_equal(failed, 0);
}

static void check_modules(const struct effect_case *tests, size_t count)
{
        unsigned failed = 0;
        for (size_t i = 0; i < count; i++)
                failed += check_case(&tests[i], "", "");
        assert_int_equal(failed, 0);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

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

static void knows_one_shot_guards(void **state)
{
        (void)state;
#define SAVE "torch.save(q, '/tmp/a.pt')\n"
        static const struct effect_case tests[] = {
                {"+if not self._done:\n+    " SAVE "+    self._done = True\n", "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not self._done:\n+    self._done = True\n+    " SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not self._done:\n+    " SAVE, "not self._done", false, TRIGGERED, "/tmp/a.pt", NULL},
                {"+if not self._done:\n+    " SAVE "+    if a:\n+        self._done = True\n", "not self._done", false,
                 TRIGGERED, "/tmp/a.pt", NULL},
                {"+if not self._done:\n+    if a:\n+        " SAVE "+        self._done = True\n", "a", true, ONCE,
                 "/tmp/a.pt", NULL},
                {"+if not hasattr(self, '_done'):\n+    self._done = 1\n+    " SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not getattr(self, '_done', False) and a:\n+    " SAVE "+    setattr(self, '_done', True)\n", "a",
                 true, ONCE, "/tmp/a.pt", NULL},
                {"+if not A._done and b > 1:\n+    " SAVE "+    A._done = True\n", "b > 1", true, ONCE, "/tmp/a.pt",
                 NULL},
                {"+if not type(self)._done:\n+    " SAVE "+    type(self)._done = True\n", "", true, ONCE, "/tmp/a.pt",
                 NULL},
                {"+if not self.__class__._done:\n+    " SAVE "+    A._done = True\n", "", true, ONCE, "/tmp/a.pt",
                 NULL},
                {"+if not self._done and a:\n+    " SAVE "+    A._done = True\n", "a", true, ONCE, "/tmp/a.pt", NULL},
                {"+if self._done is None:\n+    " SAVE "+    self._done = q\n", "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if self._done == False:\n+    " SAVE "+    self._done = True\n", "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if self._first:\n+    " SAVE "+    self._first = False\n", "", true, ONCE, "/tmp/a.pt", NULL},
                {"+global _saved\n+if not _saved and a:\n+    " SAVE "+    _saved = True\n", "a", true, ONCE,
                 "/tmp/a.pt", NULL},
                {"+saved = False\n+if not saved:\n+    " SAVE "+    saved = True\n", "not saved", false, TRIGGERED,
                 "/tmp/a.pt", NULL},
                {"+if self.layer_id not in _seen:\n+    _seen.add(self.layer_id)\n+    " SAVE, "", true, ONCE,
                 "/tmp/a.pt", NULL},
                {"+if a and key not in self._seen:\n+    " SAVE "+    self._seen[key] = True\n", "a", true, ONCE,
                 "/tmp/a.pt", NULL},
                {"+if not STATE['done']:\n+    " SAVE "+    STATE['done'] = True\n", "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not STATE.get('done'):\n+    " SAVE "+    STATE['done'] = True\n", "", true, ONCE, "/tmp/a.pt",
                 NULL},
                {"+seen = set()\n+if q not in seen:\n+    seen.add(q)\n+    " SAVE, "q not in seen", false, TRIGGERED,
                 "/tmp/a.pt", NULL},
                {"+self._n += 1\n+if self._n == 1:\n+    " SAVE, "self._n == 1", true, EVERY, "/tmp/a.pt", NULL},
                {" self._n += 1\n+if self._n == 7 and a:\n+    " SAVE, "self._n == 7 and a", true, ONCE, "/tmp/a.pt",
                 NULL},
                {"+if self._n < 3:\n+    " SAVE "+    self._n += 1\n", "self._n < 3", false, TRIGGERED, "/tmp/a.pt",
                 NULL},
                {"+if self._n < 1:\n+    " SAVE "+    self._n += 1\n", "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if self._n == 0:\n+    " SAVE "+    self._n += 1\n", "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if self._n % 100 == 0:\n+    " SAVE, "self._n % 100 == 0", false, TRIGGERED, "/tmp/a.pt", NULL},
                {"+if step == 5:\n+    " SAVE, "step == 5", false, TRIGGERED, "/tmp/a.pt", NULL},
                {"+if next(_calls) == 3:\n+    " SAVE, "next(_calls) == 3", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not os.path.exists('/tmp/a.pt'):\n+    " SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+p = f'/tmp/a{r}.pt'\n+if a and not os.path.exists(p):\n+    torch.save(q, p)\n", "a", true, ONCE,
                 "/tmp/a*.pt", NULL},
                {"+if not Path('/tmp/a.pt').exists():\n+    " SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not os.path.exists('/tmp/off'):\n+    " SAVE, "not os.path.exists('/tmp/off')", false, TRIGGERED,
                 "/tmp/a.pt", NULL},
                {"+if os.path.exists('/tmp/on'):\n+    " SAVE, "os.path.exists('/tmp/on')", false, TRIGGERED,
                 "/tmp/a.pt", NULL},
                {"+if not _event.is_set():\n+    _event.set()\n+    " SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if self._done:\n+    return q\n+self._done = True\n+" SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if self._done or q.shape[0] != 5:\n+    return q\n+self._done = True\n+" SAVE, "q.shape[0] == 5",
                 true, ONCE, "/tmp/a.pt", NULL},
                {"+if not self._done and a:\n+    " SAVE "+self._done = True\n", "a", true, EVERY, "/tmp/a.pt", NULL},
                {"+if not self._done:\n+    with open('/tmp/b', 'wb') as f:\n+        pickle.dump(q, f)\n"
                 "+        self._done = True\n",
                 "", true, ONCE, "/tmp/b", NULL},
                {"+if not self._done:\n+    try:\n+        " SAVE "+    finally:\n+        self._done = True\n", "",
                 true, ONCE, "/tmp/a.pt", NULL},
                {"+if not self._done:\n+    " SAVE
                 "+    self._done = True\n def reset(self):\n     self._done = False\n",
                 "not self._done", false, TRIGGERED, "/tmp/a.pt", NULL},
                {"+if not self._done:\n+    " SAVE
                 "+    self._done = True\n def reset(self):\n     self._other = False\n",
                 "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not hasattr(self, '_done'):\n+    self._done = False\n+if not self._done:\n+    " SAVE
                 "+    self._done = True\n",
                 "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if k not in _seen:\n+    _seen.add(k)\n+    " SAVE " def reset(self):\n     _seen.clear()\n",
                 "k not in _seen", false, TRIGGERED, "/tmp/a.pt", NULL},
                {"+logger.warning_once('hello %s', q)\n", "", true, ONCE, NULL, "hello"},
                {"+if a:\n+    logger.info_once('hello')\n", "a", true, ONCE, NULL, "hello"},
                {"+if a or not self._done:\n+    " SAVE "+    self._done = True\n", "a or not self._done", false,
                 TRIGGERED, "/tmp/a.pt", NULL},
                {"+if q.shape[0] == 5:\n+    if not self._done:\n+        " SAVE "+        self._done = True\n",
                 "q.shape[0] == 5", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not A._done:\n+    " SAVE "+    self._done = True\n", "not A._done", false, TRIGGERED,
                 "/tmp/a.pt", NULL},
                {"+if A._n == 0:\n+    " SAVE "+    self._n += 1\n", "A._n == 0", false, TRIGGERED, "/tmp/a.pt", NULL},
                {"+if 'q' not in _seen:\n+    " SAVE "+    _seen.add('k')\n", "'q' not in _seen", false, TRIGGERED,
                 "/tmp/a.pt", NULL},
                {"+if (n, i) not in _seen:\n+    " SAVE "+    _seen.update({(n, i)})\n", "", true, ONCE, "/tmp/a.pt",
                 NULL},
                {"+if not _saved:\n+    _saved.append(q)\n+    " SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not _done:\n+    _done = True\n+    " SAVE, "not _done", false, TRIGGERED, "/tmp/a.pt", NULL},
                {"+if not hasattr(self, '_x'):\n+    self.__dict__['_x'] = 1\n+    " SAVE, "", true, ONCE, "/tmp/a.pt",
                 NULL},
                {"+if not self._a:\n+    self._a = self._b = True\n+    " SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not self._b:\n+    self._a, self._b = 1, True\n+    " SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+if not self._b:\n+    self._a, self._b = True, False\n+    " SAVE, "not self._b", false, TRIGGERED,
                 "/tmp/a.pt", NULL},
                {"+if '_x' not in self.__dict__:\n+    self._x = 1\n+    " SAVE, "", true, ONCE, "/tmp/a.pt", NULL},
                {"+try:\n+    self._x\n+except AttributeError:\n+    self._x = 1\n+    " SAVE, "except AttributeError",
                 true, EVERY, "/tmp/a.pt", NULL},
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
                {"x = ", "(", "1\n", 20000, 0},
                {"torch.save(q, '/tmp/", "a", "')\n", 1000000, 4096},
                {"torch.save(q, '/tmp/'", " + a", ")\n", 20000, 4096},
                {"torch.save(q, f'/tmp/", "{a}b", "')\n", 20000, 4096},
                {"a = 'x'\n", "a = a + a\n", "torch.save(q, a)\n", 2000, 4096},
                {"", "if a: ", "torch.save(q, '/tmp/a')\n", 2000, 4096},
                {"if ", "not ", "a: torch.save(q, '/tmp/a')\n", 20000, 4096},
                {"if a", " and a", ": torch.save(q, '/tmp/a')\n", 5000, 4096},
                {"", "p = 'a'\n", "torch.save(q, p)\n", 20000, 4096},
                {"for n in (", "'a', ", "): torch.save(q, n + '/x')\n", 20000, 4096},
                {"", "def f(p): return f(f(p))\n", "torch.save(q, f(f('/tmp/x')))\n", 300, 4096},
                {"", "def f():\n  torch.save(q, '/tmp/a')\n  f()\n  f()\n  f()\n", "f()\n", 200, 4096},
                {"torch.save(q, '", "%d", "' % a)\n", 20000, 4096},
                {"torch.save(q, '", "{}", "'.format(a))\n", 20000, 4096},
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
                cmocka_unit_test(tells_when_it_fires),
                cmocka_unit_test(knows_one_shot_guards),
                cmocka_unit_test(knows_where_code_runs_once),
                cmocka_unit_test(evaluates_paths),
                cmocka_unit_test(follows_names),
                cmocka_unit_test(finds_greppable_text),
                cmocka_unit_test(stays_sane_in_broken_code),
                cmocka_unit_test(bounds_what_it_does),
                cmocka_unit_test(feels_what_is_missing),
                cmocka_unit_test(escapes_what_a_glob_would_obey),
        };
        return cmocka_run_group_tests_name("analyze_effects", tests, NULL, NULL);
}
