#include "analyze/predicate.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
        REGEX_SUBJECT_LIMIT = 4096, /* a longer text is matched by its beginning: regexec's time is not ours to bound */
        TEXT_SUBJECT_LIMIT = 4096,  /* the same for words looked for */
        REGEX_SIZE_LIMIT = 20000,   /* atoms once repetitions are written out, as regcomp does */
        REGEX_DEPTH_LIMIT = 32,
};

static const struct {
        const char *operator;
        enum predicate_test test;
} operators[] = {
        {"eq?", TEST_TEXT},     {"any-of?", TEST_TEXT}, {"contains?", TEST_CONTAINS},
        {"match?", TEST_REGEX}, {"name?", TEST_NAME},   {"has-ancestor?", TEST_ANCESTOR},
};

static int find_operator(const char *word, struct predicate *predicate)
{
        predicate->negated = strncmp(word, "#not-", 5) == 0;
        const char *operator= word +(predicate->negated ? 5 : 1);
        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
                if (strcmp(operator, operators[i].operator) == 0) {
                        predicate->test = operators[i].test;
                        return 0;
                }
        }
        return ERR_MALFORMED;
}

/* Behind the bracket expression that starts at `at`. */
static const char *skip_brackets(const char *at)
{
        at += at[1] == '^' ? 2 : 1;
        const char *end = *at != '\0' ? strchr(at + 1, ']') : NULL;
        return end != NULL ? end + 1 : at + strlen(at);
}

/* Greatest number in braces; *at is left behind them. */
static unsigned long read_count(const char **at)
{
        unsigned long most = 1;
        char *end = (char *)*at;
        do {
                unsigned long count = strtoul(end + 1, &end, 10);
                most = count > most ? count : most;
        } while (*end == ',');
        *at = *end == '}' ? end + 1 : end;
        return most < REGEX_SIZE_LIMIT ? most : REGEX_SIZE_LIMIT;
}

/* regcomp() copies what is repeated, so that a{99}{99}{99} or a++++++… takes gigabytes: counts the copies before. */
static bool is_too_large(const char *at)
{
        unsigned long outer[REGEX_DEPTH_LIMIT], total = 0, atom = 0;
        size_t depth = 0;
        while (*at != '\0' && total <= REGEX_SIZE_LIMIT && depth < REGEX_DEPTH_LIMIT) {
                if (*at == '+' || *at == '{') {
                        unsigned long copies = *at == '{' ? read_count(&at) : (at++, 2);
                        total += atom * (copies - 1);
                        atom *= copies;
                } else if (*at == '(') {
                        outer[depth++] = total;
                        total = atom = 0;
                        at++;
                } else if (*at == ')' && depth > 0) {
                        atom = total;
                        total += outer[--depth];
                        at++;
                } else {
                        bool counts = strchr("*?|", *at) == NULL;
                        total += counts;
                        atom = counts ? 1 : atom;
                        at = *at == '[' ? skip_brackets(at) : at + (*at == '\\' && at[1] != '\0' ? 2 : 1);
                }
        }
        return *at != '\0' || total > REGEX_SIZE_LIMIT;
}

static int compile_regex(struct predicate *predicate, struct error *ret_error)
{
        const char *source = (const char *)predicate->texts[0].data;
        int flags = REG_EXTENDED | REG_NOSUB;
        if (strncmp(source, "(?i)", 4) == 0) {
                flags |= REG_ICASE;
                source += 4;
        }
        if (is_too_large(source))
                return error_set(ret_error, ERR_LIMIT, 0, "regular expression \"%s\" is too large", source);
        regex_t *regex = heap_alloc(sizeof *regex);
        int code = regcomp(regex, source, flags);
        if (code != 0) {
                char reason[128];
                regerror(code, regex, reason, sizeof reason);
                free(regex);
                return error_set(ret_error, ERR_MALFORMED, 0, "regular expression \"%s\": %s", source, reason);
        }
        predicate->regex = regex;
        return 0;
}

/* Most texts fit nothing: their first or last byte tells. */
static void mark_bytes(struct predicate *predicate, struct arena *arena)
{
        predicate->starts = arena_new_array(arena, bool, UCHAR_MAX + 1);
        predicate->ends = arena_new_array(arena, bool, UCHAR_MAX + 1);
        for (size_t i = 0; i < predicate->n_texts; i++) {
                struct bytes text = predicate->texts[i];
                if (text.size == 0)
                        continue;
                if (predicate->test == TEST_NAME && text.data[text.size - 1] != '*') {
                        predicate->ends[text.data[text.size - 1]] = true;
                        continue;
                }
                predicate->starts[text.data[0]] = true;
                predicate->starts[(unsigned char)toupper(text.data[0])] = true;
        }
}

static int find_capture(const struct form_word *word, const struct shape *shape, int *ret_capture,
                        struct error *ret_error)
{
        int capture = word->text[0] == '@' && !word->quoted ? shape_capture(shape, word->text + 1) : -1;
        if (capture < 0)
                return error_set(ret_error, ERR_MALFORMED, 0, "nothing is captured as %s", word->text);
        *ret_capture = capture;
        return 0;
}

int predicate_parse(const struct form_predicate *form, const struct shape *shape, struct arena *arena,
                    struct predicate *ret_predicate, struct error *ret_error)
{
        const struct form_word *words = form->words;
        struct predicate predicate = {.other = -1};
        if (words[0].quoted || find_operator(words[0].text, &predicate) < 0)
                return error_set(ret_error, ERR_MALFORMED, 0, "unknown predicate %s", words[0].text);
        if (form->n_words < 3)
                return error_set(ret_error, ERR_MALFORMED, 0, "%s wants a capture and what to compare it with",
                                 words[0].text);
        int rc = find_capture(&words[1], shape, &predicate.capture, ret_error);
        if (rc == 0 && predicate.test == TEST_TEXT && !words[2].quoted && words[2].text[0] == '@') {
                predicate.test = TEST_SAME;
                rc = find_capture(&words[2], shape, &predicate.other, ret_error);
        }
        if (rc < 0)
                return rc;
        predicate.n_texts = form->n_words - 2;
        predicate.texts = arena_new_array(arena, struct bytes, predicate.n_texts);
        for (size_t i = 0; i < predicate.n_texts; i++)
                predicate.texts[i] = bytes_of(words[i + 2].text);
        if (predicate.test == TEST_CONTAINS || predicate.test == TEST_NAME)
                mark_bytes(&predicate, arena);
        if (predicate.test == TEST_REGEX)
                rc = compile_regex(&predicate, ret_error);
        if (rc == 0)
                *ret_predicate = predicate;
        return rc;
}

void predicate_clear(struct predicate *predicate)
{
        if (predicate->regex != NULL)
                regfree(predicate->regex);
        free(predicate->regex);
        predicate->regex = NULL;
}

static bool is_one_of(const struct predicate *predicate, struct bytes text)
{
        for (size_t i = 0; i < predicate->n_texts; i++)
                if (bytes_equal(text, predicate->texts[i]))
                        return true;
        return false;
}

/* Only the start of a long text counts: an expression within an expression within … is looked at once at each level. */
static bool contains_one_of(const struct predicate *predicate, struct bytes text)
{
        if (text.size > TEXT_SUBJECT_LIMIT)
                text.size = TEXT_SUBJECT_LIMIT;
        for (; text.size > 0; text.data++, text.size--) {
                if (!predicate->starts[text.data[0]])
                        continue;
                for (size_t i = 0; i < predicate->n_texts; i++)
                        if (((text.data[0] ^ predicate->texts[i].data[0]) & ~0x20) == 0 &&
                            bytes_start_with_word(text, predicate->texts[i]))
                                return true;
        }
        return false;
}

static bool regex_matches(const regex_t *regex, struct bytes text)
{
        regmatch_t range = {0, (regoff_t)(text.size < REGEX_SUBJECT_LIMIT ? text.size : REGEX_SUBJECT_LIMIT)};
        return regexec(regex, (const char *)text.data, 1, &range, REG_STARTEND) == 0;
}

/* "*.cpu" is any name that ends in ".cpu" and "pdb.*" any that starts with "pdb.". */
static bool name_fits(struct bytes pattern, struct bytes name)
{
        if (pattern.size == 0 || name.size == 0 || name.size + 1 < pattern.size)
                return false;
        unsigned char last = pattern.data[pattern.size - 1];
        if (last == '*')
                return memcmp(name.data, pattern.data, pattern.size - 1) == 0;
        if (last != name.data[name.size - 1])
                return false;
        if (pattern.data[0] == '*')
                return memcmp(name.data + name.size + 1 - pattern.size, pattern.data + 1, pattern.size - 1) == 0;
        return bytes_equal(name, pattern);
}

static bool name_is_one_of(const struct predicate *predicate, struct predicate_subject *subject, uint32_t node)
{
        if (subject->named_capture != predicate->capture) {
                subject->named_capture = predicate->capture;
                subject->name.size = 0;
                text_add(&subject->name, "");
                aliases_resolve(subject->aliases, subject->syntax, node, &subject->name);
        }
        struct bytes name = {(const unsigned char *)subject->name.data, subject->name.size};
        bool possible = name.size > 0 && (predicate->ends[name.data[name.size - 1]] ||
                                          predicate->starts[name.data[0]] || predicate->starts['*']);
        for (size_t i = 0; possible && i < predicate->n_texts; i++)
                if (name_fits(predicate->texts[i], name))
                        return true;
        return false;
}

static bool has_ancestor(const struct predicate *predicate, const struct syntax *syntax, uint32_t node)
{
        for (node = syntax->nodes[node].parent; node != SYNTAX_NONE; node = syntax->nodes[node].parent)
                if (is_one_of(predicate, bytes_of(ts_node_type(syntax->nodes[node].node))))
                        return true;
        return false;
}

static struct bytes text_of(const struct syntax *syntax, uint32_t node)
{
        const struct syntax_node *at = &syntax->nodes[node];
        return (struct bytes){syntax->source.data + at->start, at->end - at->start};
}

static bool test_node(const struct predicate *predicate, struct predicate_subject *subject, uint32_t node)
{
        struct bytes text = text_of(subject->syntax, node);
        switch (predicate->test) {
        case TEST_TEXT:
                return is_one_of(predicate, text);
        case TEST_SAME:
                return bytes_equal(text, text_of(subject->syntax, shape_captured(subject->match, predicate->other)));
        case TEST_CONTAINS:
                return contains_one_of(predicate, text);
        case TEST_REGEX:
                return subject->regexes > 0 && subject->regexes-- > 0 && regex_matches(predicate->regex, text);
        case TEST_NAME:
                return name_is_one_of(predicate, subject, node);
        case TEST_ANCESTOR:
                return has_ancestor(predicate, subject->syntax, node);
        }
        return false;
}

bool predicate_holds(const struct predicate *predicate, struct predicate_subject *subject)
{
        uint32_t node = shape_captured(subject->match, predicate->capture);
        return test_node(predicate, subject, node) != predicate->negated;
}
