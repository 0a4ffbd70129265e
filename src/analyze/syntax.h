/* Python source bytes as a tree and an outline: which statements there are, on which lines, in which function.
 *
 *     syntax_parser_new()     one tree-sitter parser, for one thread
 *     syntax_parse()          bytes -> struct syntax: tree, line table, nodes and statements in order, comments, …
 *     syntax_…_at()           what lies at a byte range
 *     syntax_clear()
 *
 * The source is borrowed and must outlive the struct. Bytes need not be UTF-8, nor the program be correct: where the
 * grammar does not fit, the tree holds ERROR nodes and the statements around them stay usable. Sizes and times are
 * bounded, so that no file makes analysis hang. */
#ifndef PRISTINE_ANALYZE_SYNTAX_H
#define PRISTINE_ANALYZE_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#include <tree_sitter/api.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#define SYNTAX_NONE UINT32_MAX

enum statement_kind {
        STATEMENT_SIMPLE,
        STATEMENT_IMPORT, /* import, from … import */
        STATEMENT_FUNCTION,
        STATEMENT_CLASS,
        STATEMENT_DECORATED, /* decorators, then the definition as its child */
        STATEMENT_BLOCK,     /* if, for, while, with, try, match */
        STATEMENT_CLAUSE,    /* elif, else, except, finally, case: part of the block above it, with a body of its own */
};

/* A statement or clause. Children follow their parent (preorder); `next` skips them. */
struct statement {
        TSNode node;
        uint32_t index; /* of that node in the syntax */
        enum statement_kind kind;
        uint32_t parent;      /* index of the statement or clause around it, SYNTAX_NONE at module level */
        uint32_t next;        /* index of the first one that is not inside this one */
        uint32_t start, end;  /* bytes, half-open */
        uint32_t first, last; /* zero-based lines, inclusive */
};

struct comment {
        uint32_t start, end;
        uint32_t line;
        bool alone; /* nothing but white space before it on its line */
};

/* An identifier in the text, in order. */
struct identifier {
        uint32_t start, end;
        uint32_t statement; /* innermost one around it, SYNTAX_NONE outside any */
        uint32_t node;      /* index in nodes */
        uint32_t next;      /* index of the next one of the same name, SYNTAX_NONE for the last */
        bool attribute;     /* the y of x.y, or the name of a keyword argument */
};

/* A node of the tree, named or not, in preorder: the first child of node i is i + 1 when that is below `next`. The
 * library's own way from node to node costs a descent or a scan of siblings at each step. */
struct syntax_node {
        TSNode node;
        uint32_t parent; /* SYNTAX_NONE for the root */
        uint32_t next;   /* index of the first one that is not inside this one */
        uint32_t start, end;
        TSSymbol symbol;
        TSFieldId field; /* under which its parent holds it, 0 for none */
        bool named;
};

struct syntax {
        struct bytes source; /* borrowed */
        TSTree *tree;
        TSNode root;
        struct syntax_node *nodes;
        uint32_t n_nodes;
        uint32_t *lines; /* where each line starts, and at [n_lines] the size of the source */
        uint32_t n_lines;
        struct statement *statements;
        uint32_t n_statements;
        struct comment *comments;
        uint32_t n_comments;
        struct identifier *identifiers;
        uint32_t n_identifiers;
        uint32_t *names; /* hash table: index of the first identifier of a name, or SYNTAX_NONE */
        uint32_t names_mask;
        bool has_errors;
};

TSParser *syntax_parser_new(struct error *ret_error); /* NULL when library and grammar do not fit each other */
void syntax_parser_delete(TSParser **parser);         /* fit for CLEANUP() */

/* ERR_LIMIT: larger or slower than the bound. ERR_MALFORMED: no Python text (a NUL byte, or nothing parses). */
int syntax_parse(TSParser *parser, struct bytes source, struct syntax *ret_syntax, struct error *ret_error);
void syntax_clear(struct syntax *syntax); /* fit for CLEANUP() */

bool syntax_is(TSNode node, const char *type);
struct bytes syntax_text(const struct syntax *syntax, TSNode node);
TSNode syntax_field(TSNode node, const char *field); /* a null node when absent */
/* Zero-based line that holds the byte. */
uint32_t syntax_line(const struct syntax *syntax, uint32_t byte);
/* Bytes of line, with its newline. */
struct bytes syntax_line_text(const struct syntax *syntax, uint32_t line);
/* White space at the start of the line, in columns (a tab goes to the next multiple of 8); *ret_blank when there is
 * nothing else. */
uint32_t syntax_indent(const struct syntax *syntax, uint32_t line, bool *ret_blank);

/* Index of the first identifier of that name, SYNTAX_NONE when there is none. */
uint32_t syntax_first_identifier(const struct syntax *syntax, struct bytes name);
/* Smallest named node that covers the bytes. */
TSNode syntax_node_at(const struct syntax *syntax, uint32_t start, uint32_t end);
/* Index of the innermost statement that covers the bytes, SYNTAX_NONE if none does. */
uint32_t syntax_statement_at(const struct syntax *syntax, uint32_t start, uint32_t end);
/* The bytes lie wholly where the grammar does not fit: silence about them means nothing. */
bool syntax_is_broken_at(const struct syntax *syntax, uint32_t start, uint32_t end);
/* "Class.method" around the lines first to last (nested names joined by "."), "" at module level. Comments after the
 * last statement of a body belong to it when they are indented like it. Lines that hold a whole definition are in the
 * scope around it. */
const char *syntax_function_at(const struct syntax *syntax, uint32_t first, uint32_t last, struct arena *arena);

#endif
