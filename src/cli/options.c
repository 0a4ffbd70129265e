#include "cli/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/suggest.h"

/* The words being read. */
struct words {
        char **argv;
        int argc, next;
};

struct scan {
        struct words *words;
        const char *const *names;
        struct arena *arena;
        struct options *options;
};

static void strings_add(struct arena *arena, struct strings *strings, const char *item)
{
        const char **items = arena_new_array(arena, const char *, strings->count + 1);
        if (strings->count > 0)
                memcpy(items, strings->items, strings->count * sizeof *items);
        items[strings->count] = item;
        *strings = (struct strings){items, strings->count + 1};
}

static int set_number(const struct option_spec *spec, const char *value, double *ret_number, struct error *ret_error)
{
        char *end = NULL;
        double number = strtod(value, &end);
        bool whole = spec->kind != OPTION_COUNT || number == floor(number);
        if (end == value || *end != '\0' || !(number >= spec->least && number <= spec->most) || !whole)
                return error_set(ret_error, ERR_USAGE, 0, "--%s=%s: it wants a %snumber from %g to %.0f", spec->name,
                                 value, spec->kind == OPTION_COUNT ? "whole " : "", spec->least, spec->most);
        *ret_number = number;
        return 0;
}

static int refuse_choice(const struct option_spec *spec, const char *value, struct error *ret_error)
{
        char known[128] = "";
        size_t size = 0;
        for (size_t i = 0; spec->choices[i] != NULL && size < sizeof known; i++)
                size += (size_t)snprintf(known + size, sizeof known - size, "%s%s",
                                         i == 0                         ? ""
                                         : spec->choices[i + 1] == NULL ? " or "
                                                                        : ", ",
                                         spec->choices[i]);
        return error_set(ret_error, ERR_USAGE, 0, "--%s=%s: it takes %s", spec->name, value, known);
}

static int set_text(const struct option_spec *spec, const char *value, const char **ret_text, struct error *ret_error)
{
        bool known = spec->choices == NULL;
        for (size_t i = 0; !known && spec->choices[i] != NULL; i++)
                known = strcmp(spec->choices[i], value) == 0;
        if (!known)
                return refuse_choice(spec, value, ret_error);
        if (*value == '\0')
                return error_set(ret_error, ERR_USAGE, 0, "--%s wants %s, which is empty here", spec->name,
                                 spec->argument);
        *ret_text = value;
        return 0;
}

static int option_set(const struct scan *scan, const struct option_spec *spec, const char *value,
                      struct error *ret_error)
{
        void *field = (char *)scan->options + spec->offset;
        const char *text = NULL;
        int result = 0;
        switch (spec->kind) {
        case OPTION_FLAG:
                *(bool *)field = true;
                return 0;
        case OPTION_TEXT:
                return set_text(spec, value, field, ret_error);
        case OPTION_TEXTS:
                result = set_text(spec, value, &text, ret_error);
                if (result == 0)
                        strings_add(scan->arena, field, text);
                return result;
        case OPTION_NUMBER:
        case OPTION_COUNT:
                return set_number(spec, value, field, ret_error);
        }
        return 0;
}

static const struct option_spec *find_name(const char *name, size_t length)
{
        for (size_t i = 0; i < n_option_specs; i++)
                if (strncmp(option_specs[i].name, name, length) == 0 && option_specs[i].name[length] == '\0')
                        return &option_specs[i];
        return NULL;
}

static const struct option_spec *find_letter(char letter)
{
        for (size_t i = 0; i < n_option_specs; i++)
                if (letter != 0 && option_specs[i].letter == letter)
                        return &option_specs[i];
        return NULL;
}

static int refuse_unknown(const struct scan *scan, const char *name, size_t length, struct error *ret_error)
{
        struct suggestion suggestion = suggestion_for(name, length);
        for (size_t i = 0; i < n_option_specs; i++)
                if (option_is_taken(&option_specs[i], scan->names))
                        suggestion_weigh(&suggestion, option_specs[i].name);
        if (suggestion.best != NULL)
                return error_set(ret_error, ERR_USAGE, 0, "there is no option --%.*s; did you mean --%s?", (int)length,
                                 name, suggestion.best);
        return error_set(ret_error, ERR_USAGE, 0, "there is no option --%.*s; --help lists them", (int)length, name);
}

static int refuse_elsewhere(const struct scan *scan, const struct option_spec *spec, struct error *ret_error)
{
        if (scan->names == NULL)
                return error_set(ret_error, ERR_USAGE, 0, "--%s belongs behind the command: pristine COMMAND --%s",
                                 spec->name, spec->name);
        return error_set(ret_error, ERR_USAGE, 0, "this command does not take --%s; its --help lists what it takes",
                         spec->name);
}

/* The value stands behind "=" or is the next word, whatever that begins with. */
static int take_value(const struct scan *scan, const struct option_spec *spec, const char *attached,
                      struct error *ret_error)
{
        struct words *words = scan->words;
        if (!option_is_taken(spec, scan->names))
                return refuse_elsewhere(scan, spec, ret_error);
        if (spec->argument == NULL && attached != NULL)
                return error_set(ret_error, ERR_USAGE, 0, "--%s takes no value", spec->name);
        if (spec->argument != NULL && attached == NULL) {
                if (words->next >= words->argc)
                        return error_set(ret_error, ERR_USAGE, 0, "--%s wants a value: --%s=%s", spec->name, spec->name,
                                         spec->argument);
                attached = words->argv[words->next++];
        }
        return option_set(scan, spec, attached, ret_error);
}

static int read_long(const struct scan *scan, const char *word, struct error *ret_error)
{
        size_t length = strcspn(word, "=");
        const struct option_spec *spec = find_name(word, length);
        if (spec == NULL)
                return refuse_unknown(scan, word, length, ret_error);
        return take_value(scan, spec, word[length] == '=' ? word + length + 1 : NULL, ret_error);
}

static int read_letters(const struct scan *scan, const char *word, struct error *ret_error)
{
        for (const char *at = word; *at != '\0'; at++) {
                const struct option_spec *spec = find_letter(*at);
                if (spec == NULL)
                        return error_set(ret_error, ERR_USAGE, 0, "there is no option -%.*s; --help lists them", 1, at);
                bool wants = spec->argument != NULL;
                int result = take_value(scan, spec, wants && at[1] != '\0' ? at + 1 : NULL, ret_error);
                if (result < 0 || wants)
                        return result;
        }
        return 0;
}

int options_parse(int argc, char **argv, int *index, const char *const *names, struct arena *arena,
                  struct options *options, struct error *ret_error)
{
        struct words words = {argv, argc, *index};
        struct scan scan = {&words, names, arena, options};
        bool only_arguments = false;
        int result = 0;
        while (words.next < argc && result == 0) {
                const char *word = argv[words.next];
                bool is_option = !only_arguments && word[0] == '-' && word[1] != '\0';
                if (!is_option && names == NULL)
                        break;
                words.next++;
                if (!is_option)
                        strings_add(arena, &options->arguments, word);
                else if (strcmp(word, "--") == 0)
                        only_arguments = true;
                else if (word[1] == '-')
                        result = read_long(&scan, word + 2, ret_error);
                else
                        result = read_letters(&scan, word + 1, ret_error);
        }
        if (result == 0)
                *index = words.next;
        return result;
}
