#include "analyze/outline.h"

#include <string.h>

#include "base/cleanup.h"

enum { NODE_LIMIT = 800000 }; /* 45 MB of nodes; dense code of 2 MB has half of that */

enum node_role {
        ROLE_NONE,
        ROLE_COMMENT,
        ROLE_IDENTIFIER,
        ROLE_STATEMENT, /* ROLE_STATEMENT + enum statement_kind */
};

static const struct type_role {
        const char *type;
        unsigned char role;
} roles[] = {
        /* sorted */
        {"assert_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"break_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"case_clause", ROLE_STATEMENT + STATEMENT_CLAUSE},
        {"class_definition", ROLE_STATEMENT + STATEMENT_CLASS},
        {"comment", ROLE_COMMENT},
        {"continue_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"decorated_definition", ROLE_STATEMENT + STATEMENT_DECORATED},
        {"delete_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"elif_clause", ROLE_STATEMENT + STATEMENT_CLAUSE},
        {"else_clause", ROLE_STATEMENT + STATEMENT_CLAUSE},
        {"except_clause", ROLE_STATEMENT + STATEMENT_CLAUSE},
        {"except_group_clause", ROLE_STATEMENT + STATEMENT_CLAUSE},
        {"exec_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"expression_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"finally_clause", ROLE_STATEMENT + STATEMENT_CLAUSE},
        {"for_statement", ROLE_STATEMENT + STATEMENT_BLOCK},
        {"function_definition", ROLE_STATEMENT + STATEMENT_FUNCTION},
        {"future_import_statement", ROLE_STATEMENT + STATEMENT_IMPORT},
        {"global_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"identifier", ROLE_IDENTIFIER},
        {"if_statement", ROLE_STATEMENT + STATEMENT_BLOCK},
        {"import_from_statement", ROLE_STATEMENT + STATEMENT_IMPORT},
        {"import_statement", ROLE_STATEMENT + STATEMENT_IMPORT},
        {"match_statement", ROLE_STATEMENT + STATEMENT_BLOCK},
        {"nonlocal_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"pass_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"print_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"raise_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"return_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"try_statement", ROLE_STATEMENT + STATEMENT_BLOCK},
        {"type_alias_statement", ROLE_STATEMENT + STATEMENT_SIMPLE},
        {"while_statement", ROLE_STATEMENT + STATEMENT_BLOCK},
        {"with_statement", ROLE_STATEMENT + STATEMENT_BLOCK},
};

struct walk {
        struct syntax *syntax;
        TSTreeCursor cursor;
        unsigned char *roles; /* by symbol: a comparison of strings per node would dominate the walk */
        uint32_t n_roles;
        TSFieldId attribute_field, name_field;
        TSSymbol attribute_symbol, keyword_symbol;
        uint32_t node;      /* innermost open one */
        uint32_t statement; /* likewise */
        uint32_t nodes_capacity, statements_capacity, comments_capacity, identifiers_capacity;
};

static int compare_role(const void *type, const void *role)
{
        return strcmp(type, ((const struct type_role *)role)->type);
}

static unsigned char find_role(const char *type)
{
        const struct type_role *found = bsearch(type, roles, sizeof roles / sizeof *roles, sizeof *roles, compare_role);
        return found != NULL ? found->role : ROLE_NONE;
}

static void walk_prepare(struct walk *walk)
{
        const TSLanguage *language = ts_tree_language(walk->syntax->tree);
        walk->n_roles = ts_language_symbol_count(language);
        walk->roles = heap_alloc(walk->n_roles);
        for (uint32_t symbol = 0; symbol < walk->n_roles; symbol++)
                if (ts_language_symbol_type(language, (TSSymbol)symbol) == TSSymbolTypeRegular)
                        walk->roles[symbol] = find_role(ts_language_symbol_name(language, (TSSymbol)symbol));
        walk->attribute_field = ts_language_field_id_for_name(language, "attribute", 9);
        walk->name_field = ts_language_field_id_for_name(language, "name", 4);
        walk->attribute_symbol = ts_language_symbol_for_name(language, "attribute", 9, true);
        walk->keyword_symbol = ts_language_symbol_for_name(language, "keyword_argument", 16, true);
        walk->node = SYNTAX_NONE;
        walk->statement = SYNTAX_NONE;
        walk->cursor = ts_tree_cursor_new(walk->syntax->root);
}

static void add_statement(struct walk *walk, TSNode node, enum statement_kind kind)
{
        struct syntax *syntax = walk->syntax;
        heap_reserve(syntax->statements, syntax->n_statements, walk->statements_capacity);
        uint32_t end = ts_node_end_byte(node), end_line = ts_node_end_point(node).row;
        bool ends_in_line = ts_node_end_point(node).column > 0 || end == ts_node_start_byte(node);
        syntax->statements[syntax->n_statements] = (struct statement){
                .node = node,
                .index = walk->node,
                .kind = kind,
                .parent = walk->statement,
                .start = ts_node_start_byte(node),
                .end = end,
                .first = ts_node_start_point(node).row,
                .last = ends_in_line ? end_line : end_line - 1,
        };
        walk->statement = syntax->n_statements++;
}

static void add_comment(struct walk *walk, TSNode node)
{
        struct syntax *syntax = walk->syntax;
        heap_reserve(syntax->comments, syntax->n_comments, walk->comments_capacity);
        uint32_t start = ts_node_start_byte(node), at = start;
        while (at > 0 && (syntax->source.data[at - 1] == ' ' || syntax->source.data[at - 1] == '\t'))
                at--;
        syntax->comments[syntax->n_comments++] = (struct comment){
                .start = start,
                .end = ts_node_end_byte(node),
                .line = ts_node_start_point(node).row,
                .alone = at == 0 || syntax->source.data[at - 1] == '\n',
        };
}

static void add_identifier(struct walk *walk, const struct syntax_node *self)
{
        struct syntax *syntax = walk->syntax;
        heap_reserve(syntax->identifiers, syntax->n_identifiers, walk->identifiers_capacity);
        TSSymbol parent = self->parent != SYNTAX_NONE ? syntax->nodes[self->parent].symbol : 0;
        syntax->identifiers[syntax->n_identifiers++] = (struct identifier){
                .start = ts_node_start_byte(self->node),
                .end = ts_node_end_byte(self->node),
                .statement = walk->statement,
                .node = walk->node,
                .next = SYNTAX_NONE,
                .attribute = (parent == walk->attribute_symbol && self->field == walk->attribute_field) ||
                             (parent == walk->keyword_symbol && self->field == walk->name_field),
        };
}

static unsigned role_of(const struct walk *walk, TSSymbol symbol)
{
        return symbol < walk->n_roles ? walk->roles[symbol] : ROLE_NONE;
}

static void walk_enter(struct walk *walk)
{
        struct syntax *syntax = walk->syntax;
        TSNode node = ts_tree_cursor_current_node(&walk->cursor);
        heap_reserve(syntax->nodes, syntax->n_nodes, walk->nodes_capacity);
        struct syntax_node *self = &syntax->nodes[syntax->n_nodes];
        *self = (struct syntax_node){
                .node = node,
                .parent = walk->node,
                .start = ts_node_start_byte(node),
                .end = ts_node_end_byte(node),
                .symbol = ts_node_symbol(node),
                .field = ts_tree_cursor_current_field_id(&walk->cursor),
                .named = ts_node_is_named(node),
        };
        walk->node = syntax->n_nodes++;
        unsigned role = role_of(walk, self->symbol);
        if (role == ROLE_COMMENT)
                add_comment(walk, node);
        else if (role == ROLE_IDENTIFIER)
                add_identifier(walk, self);
        else if (role >= ROLE_STATEMENT)
                add_statement(walk, node, (enum statement_kind)(role - ROLE_STATEMENT));
}

static void walk_leave(struct walk *walk)
{
        struct syntax_node *self = &walk->syntax->nodes[walk->node];
        self->next = walk->syntax->n_nodes;
        walk->node = self->parent;
        if (role_of(walk, self->symbol) < ROLE_STATEMENT)
                return;
        struct statement *statement = &walk->syntax->statements[walk->statement];
        statement->next = walk->syntax->n_statements;
        walk->statement = statement->parent;
}

static struct bytes identifier_text(const struct syntax *syntax, uint32_t index)
{
        const struct identifier *identifier = &syntax->identifiers[index];
        return (struct bytes){syntax->source.data + identifier->start, identifier->end - identifier->start};
}

/* The slot of a name: where its first identifier is, or would be. */
static uint32_t *name_slot(const struct syntax *syntax, struct bytes name)
{
        uint32_t hash = 2166136261U; /* FNV-1a */
        for (size_t i = 0; i < name.size; i++)
                hash = (hash ^ name.data[i]) * 16777619U;
        uint32_t at = (hash ^ hash >> 15) & syntax->names_mask;
        while (syntax->names[at] != SYNTAX_NONE && !bytes_equal(identifier_text(syntax, syntax->names[at]), name))
                at = (at + 1) & syntax->names_mask;
        return &syntax->names[at];
}

/* Chains the identifiers of each name in the order of the text. */
static void build_names(struct syntax *syntax)
{
        uint32_t size = 16;
        while (size < 2 * syntax->n_identifiers)
                size *= 2;
        syntax->names = heap_resize(NULL, size, sizeof *syntax->names);
        memset(syntax->names, 0xFF, size * sizeof *syntax->names);
        syntax->names_mask = size - 1;
        for (uint32_t i = syntax->n_identifiers; i-- > 0;) {
                uint32_t *slot = name_slot(syntax, identifier_text(syntax, i));
                syntax->identifiers[i].next = *slot;
                *slot = i;
        }
}

uint32_t syntax_first_identifier(const struct syntax *syntax, struct bytes name)
{
        return syntax->names != NULL ? *name_slot(syntax, name) : SYNTAX_NONE;
}

bool outline_build(struct syntax *syntax)
{
        struct walk walk = {.syntax = syntax};
        walk_prepare(&walk);
        walk_enter(&walk);
        while (walk.node != SYNTAX_NONE && syntax->n_nodes < NODE_LIMIT) {
                if (ts_tree_cursor_goto_first_child(&walk.cursor)) {
                        walk_enter(&walk);
                        continue;
                }
                walk_leave(&walk);
                while (walk.node != SYNTAX_NONE && !ts_tree_cursor_goto_next_sibling(&walk.cursor)) {
                        ts_tree_cursor_goto_parent(&walk.cursor);
                        walk_leave(&walk);
                }
                if (walk.node != SYNTAX_NONE)
                        walk_enter(&walk);
        }
        ts_tree_cursor_delete(&walk.cursor);
        free(walk.roles);
        build_names(syntax);
        return walk.node == SYNTAX_NONE;
}
