#include "analyze/names.h"

#include <string.h>

enum { ALIAS_DEPTH = 6 };

/* Names that everybody gives these modules, for files that do not show their import. */
static const struct {
        const char *alias, *module;
} customary[] = {
        {"np", "numpy"}, {"osp", "os.path"}, {"pd", "pandas"}, {"plt", "matplotlib.pyplot"}, {"Path", "pathlib.Path"},
};

static const char *customary_name(struct code *code, struct bytes name)
{
        for (size_t i = 0; i < sizeof customary / sizeof *customary; i++)
                if (bytes_equal(name, bytes_of(customary[i].alias)))
                        return customary[i].module;
        return arena_strndup(code->arena, (const char *)name.data, name.size);
}

static const char *imported_name(struct code *code, TSNode imported)
{
        TSNode name = imported, statement = node_parent(imported);
        bool aliased = syntax_is(imported, "aliased_import");
        if (aliased)
                name = node_field(imported, "name");
        struct bytes text = code_text(code, name);
        struct bytes module = code_text(code, node_field(statement, "module_name"));
        if (syntax_is(statement, "import_from_statement"))
                return arena_printf(code->arena, "%.*s.%.*s", (int)module.size, (const char *)module.data,
                                    (int)text.size, (const char *)text.data);
        const unsigned char *dot = text.size > 0 && !aliased ? memchr(text.data, '.', text.size) : NULL;
        return arena_strndup(code->arena, (const char *)text.data, dot != NULL ? (size_t)(dot - text.data) : text.size);
}

static const char *qualify(struct code *code, TSNode node, unsigned depth);

/* "" when the name is bound to something that is no module, class or function of one. */
static const char *qualify_name(struct code *code, TSNode node, unsigned depth)
{
        struct bindings bindings;
        struct bytes name = code_text(code, node);
        if (bytes_equal(name, BYTES_LITERAL("self")) || bytes_equal(name, BYTES_LITERAL("cls")))
                return "";
        names_reaching(code, name, ts_node_start_byte(node), &bindings);
        if (bindings.count == 0)
                return customary_name(code, name);
        for (size_t i = 0; i < bindings.count; i++) {
                const struct binding *binding = &bindings.items[i];
                if (binding->kind == BINDING_IMPORT)
                        return imported_name(code, binding->value);
                const char *alias = binding->kind == BINDING_VALUE && binding->element == ELEMENT_WHOLE
                                            ? qualify(code, binding->value, depth - 1)
                                            : "";
                if (*alias != '\0')
                        return alias;
        }
        return "";
}

static const char *qualify(struct code *code, TSNode node, unsigned depth)
{
        if (depth == 0 || !code_spend(code))
                return "";
        if (syntax_is(node, "identifier"))
                return qualify_name(code, node, depth);
        if (!syntax_is(node, "attribute"))
                return "";
        const char *object = qualify(code, node_field(node, "object"), depth - 1);
        struct bytes attribute = code_text(code, node_field(node, "attribute"));
        return arena_printf(code->arena, "%s.%.*s", *object == '.' ? "" : object, (int)attribute.size,
                            (const char *)attribute.data);
}

const char *names_qualified(struct code *code, TSNode function)
{
        if (ts_node_is_null(function))
                return "";
        if (code->latest_name == NULL || !ts_node_eq(code->latest, function)) {
                code->latest_name = qualify(code, function, ALIAS_DEPTH);
                code->latest = function;
        }
        return code->latest_name;
}
