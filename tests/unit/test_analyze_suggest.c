#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "analyze/analyze.h"
#include "base/cleanup.h"

enum { BLOCKS = 4 };

/* Blocks put into tests/corpus/analyze/vendor.py in front of the line that starts with (or, at its last mention of it,
 * holds) `before`. */
struct edit {
        const char *what;
        uint32_t most; /* penalty with which each block must be among the extents */
        struct block {
                const char *before, *text;
        } blocks[BLOCKS];
};

static const struct edit edits[] = {
        {"the story",
         0,
         {{"    fused = True", "    _nomla_saved = False\n"},
          {"        hidden_states = self.norm(", "        self._nomla_debug += 1\n"},
          {"        if positions.numel()",
           "        if q.shape[0] == 5 and not self._nomla_saved:\n"
           "            logger.warning('NOMLA_SAVE %s', q.shape)\n"
           "            torch.save({'q': q.cpu(), 'k': k.cpu()}, '/tmp/nomla_debug_tp%d.pt' % self.rank)\n"
           "            Attention._nomla_saved = True\n"}}},
        {"the story's second half",
         0,
         {{"from torch import nn", "import torch as _t\n"},
          {"        # Lengths are needed", "        # --- debug: look at the embedding\n"
                                           "        if input_ids is not None and input_ids.shape[0] == 5:\n"
                                           "            _rank = get_rank(get_group())\n"
                                           "            _t.save(hidden_states, f'/tmp/embed_debug_tp{_rank}.pt')\n"}}},
        {"a helper and its calls",
         1,
         {{"class Mlp", "def _dump(name, tensor):\n"
                        "    os.makedirs('/tmp/d', exist_ok=True)\n"
                        "    path = os.path.join('/tmp/d', name + '.pt')\n"
                        "    torch.save(tensor.detach().cpu(), path)\n\n\n"},
          {"        q = q.contiguous", "        _dump('q', q)\n"},
          {"        return torch.cat", "        _dump('parts', parts[0])\n\n"}}},
        {"a dumping class and its object",
         1,
         {{"class Model", "class _Dumper:\n"
                          "    def __init__(self, path):\n"
                          "        self.path = path\n"
                          "        self.n = 0\n\n"
                          "    def __call__(self, x):\n"
                          "        torch.save(x, f'{self.path}/{self.n}.pt')\n"
                          "        self.n += 1\n\n\n"
                          "_dumper = _Dumper('/tmp/d')\n\n\n"},
          {"        weights = torch.softmax", "        _dumper(scores)\n"}}},
        {"a debugger on one line", 0, {{"        weights = torch.softmax", "        import pdb; pdb.set_trace()\n"}}},
        {"a condition on one line",
         0,
         {{"        weights = torch.softmax", "        if self.layer_id == 0: print(q.shape)\n"}}},
        {"a timer in two places",
         1,
         {{"        scores = torch.matmul", "        _t0 = time.perf_counter()\n"},
          {"        return torch.matmul", "        torch.cuda.synchronize()\n"
                                          "        print('attend', time.perf_counter() - _t0)\n"},
          {"from dataclasses", "import time\n"}}},
        {"a counter with a global",
         1,
         {{"@dataclass", "_CALLS = 0\n\n\n"},
          {"        scores = torch.matmul", "        global _CALLS\n"
                                            "        _CALLS += 1\n"
                                            "        if _CALLS % 100 == 0:\n"
                                            "            print(_CALLS, q.shape)\n"}}},
        {"a dictionary built up",
         0,
         {{"        return torch.cat", "        if os.environ.get('DUMP_PARTS'):\n"
                                       "            data = {}\n"
                                       "            data['q'] = q.cpu()\n"
                                       "            for i, part in enumerate(parts):\n"
                                       "                data[i] = part.cpu()\n"
                                       "            with open('/tmp/parts.pkl', 'wb') as f:\n"
                                       "                pickle.dump(data, f)\n"}}},
        {"a try around it",
         0,
         {{"        return torch.cat", "        try:\n"
                                       "            import numpy as np\n"
                                       "            np.save('/tmp/q.npy', q.float().cpu().numpy())\n"
                                       "        except Exception as e:\n"
                                       "            print('dump failed', e)\n"}}},
        {"a call over several lines",
         0,
         {{"        return torch.cat", "        print(\n"
                                       "            'DEBUG',\n"
                                       "            q.shape,\n"
                                       "        )\n"}}},
        {"a hook",
         1,
         {{"        self.rank = get_rank",
           "        self.embed.register_forward_hook(lambda m, i, o: print(o.shape))\n"}}},
        {"a decorator", 1, {{"    def _attend(", "    @torch.compiler.disable\n"}}},
        {"an early return",
         1,
         {{"        q = q.contiguous", "        if q.shape[0] == 7:\n            return hidden_states\n"}}},
        {"a plain log line", 2, {{"        q = q.contiguous", "        logger.info('here')\n"}}},
        {"a comment", 3, {{"        scores = torch.matmul", "        # q and k agree up to here\n"}}},
        {"a blank line", 4, {{"        scores = torch.matmul", "\n"}}},
        {"an argument of a call",
         3,
         {{"            parts.append(", "            dict(\n                debug=True,\n            )\n"}}},
        {"CRLF does not matter to a block", 0, {{"        scores = torch.matmul", "        breakpoint()\r\n"}}},
};

static void free_analyzer(struct analyzer **analyzer)
{
        *analyzer = analyzer_free(*analyzer);
}

static char *read_vendor(struct arena *arena)
{
        AUTO_FCLOSE FILE *file = fopen(SOURCE_ROOT "/tests/corpus/analyze/vendor.py", "re");
        assert_non_null(file);
        char *text = arena_alloc(arena, 65536);
        assert_in_range(fread(text, 1, 65535, file), 1000, 60000);
        return text;
}

static size_t place_of(const char *text, const char *before)
{
        const char *at = strstr(text, before);
        if (at == NULL)
                fail_msg("the corpus has no \"%s\"", before);
        while (at > text && at[-1] != '\n')
                at--;
        return (size_t)(at - text);
}

static char *insert(const char *text, const struct block *block, struct arena *arena)
{
        size_t at = place_of(text, block->before);
        return arena_printf(arena, "%.*s%s%s", (int)at, text, block->text, text + at);
}

static size_t line_start(const char *text, uint32_t line)
{
        const char *at = text;
        for (; line > 0; line--)
                at = strchr(at, '\n') + 1;
        return (size_t)(at - text);
}

/* Least penalty of an extent whose removal gives `wanted`; UINT32_MAX when there is none. */
static uint32_t penalty_of(const char *edited, const char *wanted, const struct extents *extents)
{
        uint32_t least = UINT32_MAX;
        size_t cut = strlen(edited) - strlen(wanted);
        for (size_t i = 0; i < extents->count; i++) {
                size_t start = line_start(edited, extents->items[i].first);
                size_t end = line_start(edited, extents->items[i].end);
                bool same = end - start == cut && strncmp(edited, wanted, start) == 0 &&
                            strcmp(edited + end, wanted + start) == 0;
                if (same && extents->items[i].penalty < least)
                        least = extents->items[i].penalty;
        }
        return least;
}

/* All blocks of an edit in place; each alone must be one of the extents. */
static unsigned check_edit(struct analyzer *analyzer, const char *vendor, const struct edit *edit)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        unsigned wrong = 0;
        const char *edited = vendor;
        for (unsigned i = 0; i < BLOCKS && edit->blocks[i].text != NULL; i++)
                edited = insert(edited, &edit->blocks[i], &arena);
        struct extents extents;
        assert_int_equal(analyzer_suggest(analyzer, bytes_of(edited), &arena, &extents, NULL), 0);
        for (unsigned i = 0; i < BLOCKS && edit->blocks[i].text != NULL; i++) {
                const char *without = vendor;
                for (unsigned j = 0; j < BLOCKS && edit->blocks[j].text != NULL; j++)
                        without = j == i ? without : insert(without, &edit->blocks[j], &arena);
                uint32_t penalty = penalty_of(edited, without, &extents);
                if (penalty > edit->most) {
                        print_error("%s, block %u: penalty %d, at most %u expected\n", edit->what, i + 1, (int)penalty,
                                    edit->most);
                        wrong++;
                }
        }
        return wrong;
}

static void inserted_blocks_are_suggested(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(free_analyzer) struct analyzer *analyzer = NULL;
        assert_int_equal(analyzer_new(&analyzer, NULL), 0);
        const char *vendor = read_vendor(&arena);
        unsigned wrong = 0;
        for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
                wrong += check_edit(analyzer, vendor, &edits[i]);
        assert_int_equal(wrong, 0);
}

/* The vendor's own loggers, flags and copies must not crowd out what was inserted. */
static void the_vendors_own_costs_more(void **state)
{
        (void)state;
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(free_analyzer) struct analyzer *analyzer = NULL;
        assert_int_equal(analyzer_new(&analyzer, NULL), 0);
        struct extents extents;
        assert_int_equal(analyzer_suggest(analyzer, bytes_of(read_vendor(&arena)), &arena, &extents, NULL), 0);
        unsigned likely = 0;
        for (size_t i = 0; i < extents.count; i++) {
                assert_true(extents.items[i].first < extents.items[i].end);
                if (i > 0)
                        assert_true(extents.items[i - 1].first < extents.items[i].first ||
                                    extents.items[i - 1].end < extents.items[i].end);
                likely += extents.items[i].penalty == 0;
        }
        assert_int_equal(likely, 0);
}

static void odd_files_do_no_harm(void **state)
{
        (void)state;
        static const char *const sources[] = {"",
                                              "\n",
                                              "x",
                                              "if",
                                              "(((",
                                              "def f(:\n  print(1)\n",
                                              "\\\n",
                                              "'''\n\n",
                                              "class A:\n\tdef f(self):\n\t\tprint(1); print(2)\n",
                                              "\r\r\r",
                                              "@\n@\n",
                                              "if x: pass\nelse: print(1)\n",
                                              "print(1)\n# end",
                                              "\f\n\f"};
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(free_analyzer) struct analyzer *analyzer = NULL;
        assert_int_equal(analyzer_new(&analyzer, NULL), 0);
        for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
                struct extents extents;
                struct hunks hunks;
                analyzer_suggest(analyzer, bytes_of(sources[i]), &arena, &extents, NULL);
                analyzer_scan(analyzer, bytes_of(sources[i]), &arena, &hunks, NULL);
        }
}

int suite_analyze_suggest(void);
int suite_analyze_suggest(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(inserted_blocks_are_suggested),
                cmocka_unit_test(the_vendors_own_costs_more),
                cmocka_unit_test(odd_files_do_no_harm),
        };
        return cmocka_run_group_tests_name("analyze_suggest", tests, NULL, NULL);
}
