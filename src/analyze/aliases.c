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

/* One imported thing: `x.y`, `x.y as z`, with the module it is taken from ("" for a plain import). */
static void add_imported(struct builder *builder, TSNode node, struct bytes module)
{
        struct bytes alias = {0}, path;
        if (syntax_is(node, "aliased_import")) {
                alias = syntax_text(builder->syntax, syntax_field(node, "alias"));
                path = syntax_text(builder->syntax, syntax_field(node, "name"));
        } else if (syntax_is(node, "dotted_name")) {
                path = syntax_text(builder->syntax, node);
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

static void add_import(struct builder *builder, TSNode statement)
{
        TSNode from = syntax_field(statement, "module_name");
        struct bytes module = syntax_text(builder->syntax, from);
        TSTreeCursor cursor = ts_tree_cursor_new(statement);
        for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
             more = ts_tree_cursor_goto_next_sibling(&cursor)) {
                TSNode child = ts_tree_cursor_current_node(&cursor);
                if (ts_node_is_null(from) || !ts_node_eq(child, from))
                        add_imported(builder, child, module);
        }
        ts_tree_cursor_delete(&cursor);
}

/* The only expressions that assignment passes on: names of imported things, and modules imported by call. */
static void add_renaming(struct builder *builder, const struct aliases *imports, TSNode statement)
{
        TSNode assignment = ts_node_named_child(statement, 0);
        if (!syntax_is(assignment, "assignment"))
                return;
        TSNode left = syntax_field(assignment, "left"), right = syntax_field(assignment, "right");
        bool by_call = syntax_is(right, "call");
        if (!syntax_is(left, "identifier") ||
            !(by_call || syntax_is(right, "attribute") || syntax_is(right, "identifier")))
                return;
        CLEANUP(text_clear) struct text meaning = TEXT_INIT;
        if (!aliases_resolve(imports, builder->syntax, right, &meaning))
                return;
        struct bytes text = syntax_text(builder->syntax, right);
        bool renamed = !bytes_equal(text, (struct bytes){(const unsigned char *)meaning.data, meaning.size});
        const unsigned char *dot = memchr(text.data, '.', text.size);
        size_t first = dot != NULL ? (size_t)(dot - text.data) : text.size;
        bool imported = aliases_target(imports, (struct bytes){text.data, first}) != NULL;
        if (by_call ? strchr(meaning.data, '(') == NULL : renamed || imported)
                add_alias(builder, syntax_text(builder->syntax, left), arena_strdup(builder->arena, meaning.data));
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

void aliases_build(const struct syntax *syntax, struct arena *arena, struct aliases *ret_aliases)
{
        struct builder builder = {.syntax = syntax, .arena = arena};
        for (uint32_t i = 0; i < syntax->n_statements; i++)
                if (syntax->statements[i].kind == STATEMENT_IMPORT)
                        add_import(&builder, syntax->statements[i].node);
        settle(&builder);
        struct aliases imports = {
                arena_copy(arena, builder.aliases.items, builder.aliases.count * sizeof *builder.aliases.items),
                builder.aliases.count};
        for (uint32_t i = 0; i < syntax->n_statements; i++)
                if (syntax->statements[i].kind == STATEMENT_SIMPLE)
                        add_renaming(&builder, &imports, syntax->statements[i].node);
        settle(&builder);
        ret_aliases->count = builder.aliases.count;
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
static struct bytes imported_by_call(const struct syntax *syntax, TSNode call)
{
        struct bytes function = syntax_text(syntax, syntax_field(call, "function"));
        if (!bytes_equal(function, BYTES_LITERAL("__import__")) && !bytes_end_with(function, "import_module"))
                return (struct bytes){0};
        TSNode string = ts_node_named_child(syntax_field(call, "arguments"), 0);
        struct bytes text = syntax_text(syntax, string);
        if (!syntax_is(string, "string") || text.size < 3 || (text.data[0] != '"' && text.data[0] != '\''))
                return (struct bytes){0};
        return (struct bytes){text.data + 1, text.size - 2};
}

static bool resolve_root(const struct aliases *aliases, const struct syntax *syntax, TSNode node, struct text *out)
{
        struct bytes text = syntax_text(syntax, node);
        const char *target = aliases_target(aliases, text);
        if (target != NULL)
                text_add(out, target);
        else
                text_add_bytes(out, text.data, text.size);
        return true;
}

static bool resolve(const struct aliases *aliases, const struct syntax *syntax, TSNode node, unsigned depth,
                    struct text *out)
{
        while (syntax_is(node, "parenthesized_expression") || syntax_is(node, "await"))
                node = ts_node_named_child(node, 0);
        if (depth > CHAIN_LIMIT || ts_node_is_null(node))
                return false;
        if (syntax_is(node, "identifier") || syntax_is(node, "dotted_name"))
                return resolve_root(aliases, syntax, node, out);
        if (syntax_is(node, "attribute")) {
                bool known = resolve(aliases, syntax, syntax_field(node, "object"), depth + 1, out);
                struct bytes attribute = syntax_text(syntax, syntax_field(node, "attribute"));
                text_add(out, known ? "." : "?.");
                text_add_bytes(out, attribute.data, attribute.size);
                return true;
        }
        if (syntax_is(node, "call")) {
                struct bytes module = imported_by_call(syntax, node);
                text_add_bytes(out, module.data, module.size);
                if (module.size > 0)
                        return true;
                bool known = resolve(aliases, syntax, syntax_field(node, "function"), depth + 1, out);
                text_add(out, known ? "()" : "?()");
                return true;
        }
        if (syntax_is(node, "subscript")) {
                bool known = resolve(aliases, syntax, syntax_field(node, "value"), depth + 1, out);
                text_add(out, known ? "[]" : "?[]");
                return true;
        }
        return false;
}

bool aliases_resolve(const struct aliases *aliases, const struct syntax *syntax, TSNode node, struct text *out)
{
        return resolve(aliases, syntax, node, 0, out);
}
