/* Cases for effects_describe(), each a few lines of source with what they do. */
#ifndef PRISTINE_TESTS_EFFECT_CASE_H
#define PRISTINE_TESTS_EFFECT_CASE_H

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

static inline void source_add_line(struct effect_source *source, const char *line, size_t length, const char *indent)
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

static inline void source_add(struct effect_source *source, const char *diff, const char *indent)
{
        while (*diff != '\0') {
                size_t length = strcspn(diff, "\n");
                source_add_line(source, diff, length, indent);
                diff += length + (diff[length] == '\n');
        }
}

static inline const char *joined(struct arena *arena, const struct strings *strings)
{
        const char *all = "";
        for (size_t i = 0; i < strings->count; i++)
                all = arena_printf(arena, "%s%s%s", all, i > 0 ? " | " : "", strings->items[i]);
        return all;
}

static inline void describe(const struct effect_source *source, struct arena *arena, struct hunk *ret_hunk)
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
static inline unsigned check_case(const struct effect_case *test, const char *before, const char *indent)
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

static inline void check_methods(const struct effect_case *tests, size_t count)
{
        static const char method[] = " import torch\n import logging\n logger = logging.getLogger(__name__)\n"
                                     " class A:\n     _nomla_saved = False\n     def forward(self, q, k):\n";
        unsigned failed = 0;
        for (size_t i = 0; i < count; i++)
                failed += check_case(&tests[i], method, "        ");
        assert_int_equal(failed, 0);
}

static inline void check_modules(const struct effect_case *tests, size_t count)
{
        unsigned failed = 0;
        for (size_t i = 0; i < count; i++)
                failed += check_case(&tests[i], "", "");
        assert_int_equal(failed, 0);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
