/* libFuzzer: the rule loader. The input is a query.scm, then after a NUL byte a rule.json; without one, a valid one is
 * used. What loads is run over a small source. */
#include <stdint.h>
#include <string.h>

#include "analyze/rules.h"
#include "base/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char valid_json[] = "{\"id\":\"a\",\"title\":\"\",\"severity\":\"note\",\"strong\":true,\"penalty\":0,"
                                 "\"meaning\":\"\",\"danger\":\"\",\"action\":\"\",\"example\":\"\"}";

static const char source[] = "import torch as _t, os\n"
                             "class A:\n"
                             "    def f(self, x: int = 1) -> None:\n"
                             "        if x.shape[0] == 5 and not self._done: # DEBUG\n"
                             "            _t.save(x.cpu(), f'/tmp/{x}')\n"
                             "        for i, j in y: return 1\n";

static void match_rules(const struct rules *rules)
{
        CLEANUP(arena_clear) struct arena arena = ARENA_INIT;
        CLEANUP(syntax_parser_delete) TSParser *parser = syntax_parser_new(NULL);
        CLEANUP(syntax_clear) struct syntax syntax = {0};
        struct aliases aliases;
        struct rule_matches matches;
        if (parser == NULL || syntax_parse(parser, BYTES_LITERAL(source), &syntax, NULL) < 0)
                __builtin_trap();
        aliases_build(&syntax, &arena, &aliases);
        rules_match(rules, &syntax, &aliases, &arena, &matches);
        for (size_t i = 0; i < matches.count; i++)
                if (matches.items[i].start > matches.items[i].end || matches.items[i].end > sizeof source - 1)
                        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const uint8_t *nul = size > 0 ? memchr(data, '\0', size) : NULL;
        struct rule_source rule = {"fuzzed", {data, size}, BYTES_LITERAL(valid_json)};
        if (nul != NULL) {
                rule.query.size = (size_t)(nul - data);
                rule.json = (struct bytes){nul + 1, size - rule.query.size - 1};
        }
        struct rules *rules = NULL;
        struct error error = {0};
        if (rules_load(&rule, 1, &rules, &error) == 0)
                match_rules(rules);
        else if (error.code == 0 || error.text[0] == '\0')
                __builtin_trap();
        rules_free(rules);
        return 0;
}
