#include "analyze/aliases.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { CHAIN_LIMIT = 64 }; /* links of a.b().c…; nobody writes that many by hand */

/* What these stand for where the import is out of sight (a star import, another module's global). */
static const struct {
        const char *name, *target;
} customary[] = {
        {"np", "numpy"},
        {"pd", "pandas"},
        {"plt", "matplotlib.pyplot"},
};

struct builder {
        const struct syntax *syntax;
        struct arena *arena;
        struct aliases aliases;
        size_t capacity;
};

static int compare_aliases(const void *a, const void *b)
{
        struct bytes left = ((const struct alias *)a)->name, right = ((const struct alias *)b)->name;
        size_t shorter = left.size < right.size ? left.size : right.size;
        int order = shorter > 0 ? memcmp(left.data, right.data, shorter) : 0;
        return order != 0 ? order : (left.size > right.size) - (left.size < right.size);
}

static void add_alias(struct builder *builder, struct bytes name, const char *target)
{
        if (name.size == 0)
                return;
        heap_reserve(builder->aliases.items, builder->aliases.count, builder->capacity);
        builder->aliases.items[builder->aliases.count++] = (struct alias){name, target};
}

/* First child from `child` on (inside `node`) that has the field, or with field 0 is named; SYNTAX_NONE if none. */
static uint32_t find_child(const struct syntax *syntax, uint32_t node, uint32_t child, TSFieldId field)
{
        for (; child < syntax->nodes[node].next; child = syntax->nodes[child].next)
                if (field != 0 ? syntax->nodes[child].field == field : syntax->nodes[child].named)
                        return child;
        return SYNTAX_NONE;
}

static uint32_t field_of(const struct syntax *syntax, uint32_t node, TSFieldId field)
{
        return find_child(syntax, node, node + 1, field);
}

static bool node_is(const struct syntax *syntax, uint32_t node, TSSymbol symbol)
{
        return node != SYNTAX_NONE && syntax->nodes[node].symbol == symbol;
}

static struct bytes node_text(const struct syntax *syntax, uint32_t node)
{
        if (node == SYNTAX_NONE)
                return (struct bytes){0};
        const struct syntax_node *at = &syntax->nodes[node];
        return (struct bytes){syntax->source.data + at->start, at->end - at->start};
}

/* One imported thing: `x.y`, `x.y as z`, with the module it is taken from ("" for a plain import). */
static void add_imported(struct builder *builder, uint32_t node, struct bytes module)
{
        const struct syntax *syntax = builder->syntax;
        const struct alias_grammar *grammar = &builder->aliases.grammar;
        struct bytes alias = {0}, path;
        if (node_is(syntax, node, grammar->aliased_import)) {
                alias = node_text(syntax, field_of(syntax, node, grammar->field_alias));
                path = node_text(syntax, field_of(syntax, node, grammar->field_name));
        } else if (node_is(syntax, node, grammar->dotted_name)) {
                path = node_text(syntax, node);
                const unsigned char *dot = path.size > 0 ? memchr(path.data, '.', path.size) : NULL;
                alias = dot != NULL ? (struct bytes){path.data, (size_t)(dot - path.data)} : path;
                path = module.size == 0 ? alias : path;
        } else {
                return;
        }
        add_alias(builder, alias,
                  module.size == 0 ? arena_strndup(builder->arena, (const char *)path.data, path.size)
                                   : arena_printf(builder->arena, "%.*s.%.*s", (int)module.size,
                                                  (const char *)module.data, (int)path.size, (const char *)path.data));
}

static void add_import(struct builder *builder, uint32_t statement)
{
        const struct syntax *syntax = builder->syntax;
        uint32_t from = field_of(syntax, statement, builder->aliases.grammar.field_module_name);
        struct bytes module = node_text(syntax, from);
        for (uint32_t child = statement + 1; child < syntax->nodes[statement].next; child = syntax->nodes[child].next)
                if (child != from)
                        add_imported(builder, child, module);
}

/* The only expressions that assignment passes on: names of imported things, and modules imported by call. */
static void add_renaming(struct builder *builder, const struct aliases *imports, uint32_t statement)
{
        const struct syntax *syntax = builder->syntax;
        const struct alias_grammar *grammar = &imports->grammar;
        uint32_t assignment = find_child(syntax, statement, statement + 1, 0);
        if (!node_is(syntax, assignment, grammar->assignment))
                return;
        uint32_t left = field_of(syntax, assignment, grammar->field_left);
        uint32_t right = field_of(syntax, assignment, grammar->field_right);
        bool by_call = node_is(syntax, right, grammar->call);
        if (!node_is(syntax, left, grammar->identifier) ||
            !(by_call || node_is(syntax, right, grammar->attribute) || node_is(syntax, right, grammar->identifier)))
                return;
        CLEANUP(text_clear) struct text meaning = TEXT_INIT;
        if (!aliases_resolve(imports, syntax, right, &meaning))
                return;
        struct bytes text = node_text(syntax, right);
        bool renamed = !bytes_equal(text, (struct bytes){(const unsigned char *)meaning.data, meaning.size});
        const unsigned char *dot = memchr(text.data, '.', text.size);
        size_t first = dot != NULL ? (size_t)(dot - text.data) : text.size;
        bool imported = aliases_target(imports, (struct bytes){text.data, first}) != NULL;
        if (by_call ? strchr(meaning.data, '(') == NULL : renamed || imported)
                add_alias(builder, node_text(syntax, left), arena_strdup(builder->arena, meaning.data));
}

/* Names are slices of the source, so their addresses tell which came first. */
static int compare_in_source(const void *a, const void *b)
{
        const struct alias *left = a, *right = b;
        int order = compare_aliases(a, b);
        return order != 0 ? order : (left->name.data > right->name.data) - (left->name.data < right->name.data);
}

/* Sorts, and of equal names keeps the one that stands first. */
static void settle(struct builder *builder)
{
        struct aliases *aliases = &builder->aliases;
        if (aliases->count == 0)
                return;
        qsort(aliases->items, aliases->count, sizeof *aliases->items, compare_in_source);
        size_t kept = 0;
        for (size_t i = 0; i < aliases->count; i++)
                if (kept == 0 || compare_aliases(&aliases->items[kept - 1], &aliases->items[i]) != 0)
                        aliases->items[kept++] = aliases->items[i];
        aliases->count = kept;
}

static TSSymbol symbol(const TSLanguage *language, const char *name)
{
        return ts_language_symbol_for_name(language, name, (uint32_t)strlen(name), true);
}

static TSFieldId field(const TSLanguage *language, const char *name)
{
        return ts_language_field_id_for_name(language, name, (uint32_t)strlen(name));
}

static struct alias_grammar look_up_grammar(const TSLanguage *language)
{
        return (struct alias_grammar){
                .identifier = symbol(language, "identifier"),
                .dotted_name = symbol(language, "dotted_name"),
                .aliased_import = symbol(language, "aliased_import"),
                .assignment = symbol(language, "assignment"),
                .attribute = symbol(language, "attribute"),
                .call = symbol(language, "call"),
                .subscript = symbol(language, "subscript"),
                .parenthesized = symbol(language, "parenthesized_expression"),
                .await = symbol(language, "await"),
                .string = symbol(language, "string"),
                .field_alias = field(language, "alias"),
                .field_name = field(language, "name"),
                .field_module_name = field(language, "module_name"),
                .field_left = field(language, "left"),
                .field_right = field(language, "right"),
                .field_object = field(language, "object"),
                .field_attribute = field(language, "attribute"),
                .field_function = field(language, "function"),
                .field_arguments = field(language, "arguments"),
                .field_value = field(language, "value"),
        };
}

void aliases_build(const struct syntax *syntax, struct arena *arena, struct aliases *ret_aliases)
{
        struct builder builder = {.syntax = syntax, .arena = arena};
        builder.aliases.grammar = look_up_grammar(ts_tree_language(syntax->tree));
        for (uint32_t i = 0; i < syntax->n_statements; i++)
                if (syntax->statements[i].kind == STATEMENT_IMPORT)
                        add_import(&builder, syntax->statements[i].index);
        settle(&builder);
        struct aliases imports = builder.aliases;
        imports.items = arena_copy(arena, imports.items, imports.count * sizeof *imports.items);
        for (uint32_t i = 0; i < syntax->n_statements; i++)
                if (syntax->statements[i].kind == STATEMENT_SIMPLE)
                        add_renaming(&builder, &imports, syntax->statements[i].index);
        settle(&builder);
        *ret_aliases = builder.aliases;
        ret_aliases->items = arena_copy(arena, builder.aliases.items, ret_aliases->count * sizeof *ret_aliases->items);
        free(builder.aliases.items);
}

const char *aliases_target(const struct aliases *aliases, struct bytes name)
{
        struct alias wanted = {.name = name};
        const struct alias *found = aliases->count == 0 ? NULL
                                                        : bsearch(&wanted, aliases->items, aliases->count,
                                                                  sizeof *aliases->items, compare_aliases);
        if (found != NULL)
                return found->target;
        for (size_t i = 0; i < sizeof customary / sizeof *customary; i++)
                if (bytes_equal(name, bytes_of(customary[i].name)))
                        return customary[i].target;
        return NULL;
}

/* The module named by `__import__("torch")` or `importlib.import_module("torch")`; empty for any other call. */
static struct bytes imported_by_call(const struct alias_grammar *grammar, const struct syntax *syntax, uint32_t call)
{
        struct bytes function = node_text(syntax, field_of(syntax, call, grammar->field_function));
        if (!bytes_equal(function, BYTES_LITERAL("__import__")) && !bytes_end_with(function, "import_module"))
                return (struct bytes){0};
        uint32_t arguments = field_of(syntax, call, grammar->field_arguments);
        uint32_t string = arguments != SYNTAX_NONE ? find_child(syntax, arguments, arguments + 1, 0) : SYNTAX_NONE;
        struct bytes text = node_text(syntax, string);
        if (!node_is(syntax, string, grammar->string) || text.size < 3 || (text.data[0] != '"' && text.data[0] != '\''))
                return (struct bytes){0};
        return (struct bytes){text.data + 1, text.size - 2};
}

static void resolve_root(const struct aliases *aliases, struct bytes name, struct text *out)
{
        const char *target = aliases_target(aliases, name);
        if (target != NULL)
                text_add(out, target);
        else
                text_add_bytes(out, name.data, name.size);
}

static bool resolve(const struct aliases *aliases, const struct syntax *syntax, uint32_t node, unsigned depth,
                    struct text *out)
{
        const struct alias_grammar *grammar = &aliases->grammar;
        while (node_is(syntax, node, grammar->parenthesized) || node_is(syntax, node, grammar->await))
                node = find_child(syntax, node, node + 1, 0);
        if (depth > CHAIN_LIMIT || node == SYNTAX_NONE)
                return false;
        TSSymbol kind = syntax->nodes[node].symbol;
        if (kind == grammar->identifier || kind == grammar->dotted_name) {
                resolve_root(aliases, node_text(syntax, node), out);
        } else if (kind == grammar->attribute) {
                uint32_t object = field_of(syntax, node, grammar->field_object);
                struct bytes name = node_text(syntax, field_of(syntax, node, grammar->field_attribute));
                text_add(out, resolve(aliases, syntax, object, depth + 1, out) ? "." : "?.");
                text_add_bytes(out, name.data, name.size);
        } else if (kind == grammar->call) {
                struct bytes module = imported_by_call(grammar, syntax, node);
                uint32_t function = field_of(syntax, node, grammar->field_function);
                text_add_bytes(out, module.data, module.size);
                if (module.size == 0)
                        text_add(out, resolve(aliases, syntax, function, depth + 1, out) ? "()" : "?()");
        } else if (kind == grammar->subscript) {
                uint32_t value = field_of(syntax, node, grammar->field_value);
                text_add(out, resolve(aliases, syntax, value, depth + 1, out) ? "[]" : "?[]");
        } else {
                return false;
        }
        return true;
}

bool aliases_resolve(const struct aliases *aliases, const struct syntax *syntax, uint32_t node, struct text *out)
{
        return resolve(aliases, syntax, node, 0, out);
}
