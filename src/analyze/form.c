#include "analyze/form.h"

#include <string.h>

#include "base/cleanup.h"

enum {
        DEPTH_LIMIT = 32,
        PREDICATE_LIMIT = 32,
        WORD_LIMIT = 256, /* words of one predicate */
};

struct reader {
        struct cursor *cursor;
        struct arena *arena;
        struct text shape;
        struct form form;
        char closers[DEPTH_LIMIT];
        unsigned depth;
};

static void clear_reader(struct reader *reader)
{
        text_clear(&reader->shape);
}

static bool is_space(unsigned char c)
{
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\0';
}

static bool is_among(const char *set, unsigned char c)
{
        return c != '\0' && strchr(set, c) != NULL;
}

static void skip_blanks(struct cursor *cursor)
{
        const struct bytes *bytes = &cursor->bytes;
        bool comment = false;
        for (; cursor->position < bytes->size; cursor->position++) {
                unsigned char c = bytes->data[cursor->position];
                comment = c == ';' || (comment && c != '\n');
                if (!comment && !is_space(c))
                        return;
        }
}

struct form_token form_next_token(struct cursor *cursor)
{
        skip_blanks(cursor);
        size_t start = cursor->position, size = cursor->bytes.size;
        const unsigned char *data = cursor->bytes.data;
        if (start == size)
                return (struct form_token){.kind = TOKEN_END};
        enum form_token_kind kind = TOKEN_WORD;
        size_t end = start + 1;
        if (is_among("([", data[start])) {
                kind = TOKEN_OPEN;
        } else if (is_among(")]", data[start])) {
                kind = TOKEN_CLOSE;
        } else if (data[start] == '"') {
                while (end < size && data[end] != '"' && data[end] != '\n')
                        end += data[end] == '\\' && end + 1 < size ? 2 : 1;
                kind = end < size && data[end] == '"' ? TOKEN_STRING : TOKEN_BROKEN;
                end = end < size ? end + 1 : size;
        } else {
                while (end < size && !is_space(data[end]) && !is_among("()[]\";", data[end]))
                        end++;
        }
        return (struct form_token){kind, cursor_take(cursor, end - start)};
}

static int fail(const struct reader *reader, struct error *ret_error, const char *what)
{
        unsigned line = 1;
        for (size_t i = 0; i < reader->cursor->position; i++)
                line += reader->cursor->bytes.data[i] == '\n';
        return error_set(ret_error, ERR_MALFORMED, 0, "query.scm line %u: %s", line, what);
}

const char *form_unquote(struct arena *arena, struct bytes text)
{
        char *string = arena_alloc(arena, text.size);
        size_t length = 0;
        for (size_t i = 1; i + 1 < text.size; i++) {
                bool escaped = text.data[i] == '\\' && i + 2 < text.size;
                unsigned char c = text.data[escaped ? ++i : i];
                string[length++] = (char)(escaped && c == 'n' ? '\n' : escaped && c == 't' ? '\t' : c);
        }
        return string;
}

/* After "(" with `first`, the word that starts with #: everything up to its ")". */
static int read_predicate(struct reader *reader, struct form_token first, struct error *ret_error)
{
        struct form_word words[WORD_LIMIT];
        size_t count = 0;
        for (struct form_token token = first; token.kind != TOKEN_CLOSE; token = form_next_token(reader->cursor)) {
                if (token.kind != TOKEN_WORD && token.kind != TOKEN_STRING)
                        return fail(reader, ret_error, "a predicate holds words and strings only");
                if (count == WORD_LIMIT)
                        return fail(reader, ret_error, "too many words in a predicate");
                bool quoted = token.kind == TOKEN_STRING;
                words[count++] = (struct form_word){
                        quoted ? form_unquote(reader->arena, token.text)
                               : arena_strndup(reader->arena, (const char *)token.text.data, token.text.size),
                        quoted,
                };
        }
        if (reader->form.n_predicates == PREDICATE_LIMIT)
                return fail(reader, ret_error, "too many predicates in a pattern");
        if (reader->form.predicates == NULL)
                reader->form.predicates = arena_new_array(reader->arena, struct form_predicate, PREDICATE_LIMIT);
        reader->form.predicates[reader->form.n_predicates++] =
                (struct form_predicate){arena_copy(reader->arena, words, count * sizeof *words), count};
        return 0;
}

static void add_to_shape(struct reader *reader, struct form_token token)
{
        if (reader->shape.size > 0)
                text_add_char(&reader->shape, ' ');
        text_add_bytes(&reader->shape, token.text.data, token.text.size);
}

static int open_list(struct reader *reader, struct form_token token, struct error *ret_error)
{
        struct cursor ahead = *reader->cursor;
        struct form_token next = form_next_token(&ahead);
        if (token.text.data[0] == '(' && next.kind == TOKEN_WORD && next.text.data[0] == '#') {
                *reader->cursor = ahead;
                return read_predicate(reader, next, ret_error);
        }
        if (reader->depth == DEPTH_LIMIT)
                return fail(reader, ret_error, "too deeply nested");
        reader->closers[reader->depth++] = token.text.data[0] == '(' ? ')' : ']';
        add_to_shape(reader, token);
        return 0;
}

static int take_token(struct reader *reader, struct form_token token, struct error *ret_error)
{
        if (token.kind == TOKEN_OPEN)
                return open_list(reader, token, ret_error);
        if (token.kind == TOKEN_END || token.kind == TOKEN_BROKEN)
                return fail(reader, ret_error, "the text ends inside a pattern");
        if (reader->depth == 0)
                return fail(reader, ret_error, "a pattern starts with ( or [");
        if (token.kind == TOKEN_CLOSE && (unsigned char)reader->closers[--reader->depth] != token.text.data[0])
                return fail(reader, ret_error, "parentheses and brackets do not pair");
        add_to_shape(reader, token);
        return 0;
}

/* Captures and quantifiers behind the closing parenthesis belong to the pattern. */
static void take_suffix(struct reader *reader)
{
        struct cursor ahead = *reader->cursor;
        for (struct form_token token = form_next_token(&ahead); token.kind == TOKEN_WORD;
             token = form_next_token(&ahead)) {
                add_to_shape(reader, token);
                *reader->cursor = ahead;
        }
}

int form_read(struct cursor *cursor, struct arena *arena, struct form *ret_form, bool *ret_end, struct error *ret_error)
{
        skip_blanks(cursor);
        if (cursor_left(cursor) == 0) {
                *ret_end = true;
                return 0;
        }
        CLEANUP(clear_reader) struct reader reader = {.cursor = cursor, .arena = arena, .shape = TEXT_INIT};
        do {
                int rc = take_token(&reader, form_next_token(cursor), ret_error);
                if (rc < 0)
                        return rc;
        } while (reader.depth > 0);
        take_suffix(&reader);
        if (reader.shape.size == 0)
                return fail(&reader, ret_error, "a predicate stands outside any pattern");
        reader.form.shape = arena_strndup(arena, reader.shape.data, reader.shape.size);
        *ret_form = reader.form;
        *ret_end = false;
        return 0;
}
