#include "analyze/evaluate.h"

#include <string.h>

#include "analyze/literal.h"
#include "analyze/names.h"
#include "base/cleanup.h"

/* A call being evaluated; object is the null node for a plain function. */
struct call {
        const struct evaluation *evaluation;
        TSNode node, object;
};

static TSNode call_argument(const struct call *call, int position, const char *keyword)
{
        return code_argument(call->evaluation->code, call->node, position, keyword);
}

static struct values call_value(const struct call *call, int position, const char *keyword)
{
        return evaluate(call->evaluation, call_argument(call, position, keyword));
}

static struct values call_object(const struct call *call)
{
        return evaluate(call->evaluation, call->object);
}

static struct values call_text(const struct call *call, const char *text)
{
        return values_of(call->evaluation->code->arena, bytes_of(text));
}

static struct values call_first(const struct call *call)
{
        return call_value(call, 0, NULL);
}

static struct values call_str(const struct call *call)
{
        struct values value = call_value(call, 0, "object");
        value.kind = VALUES_TEXT;
        return value;
}

static struct values call_int(const struct call *call)
{
        struct values value = call_value(call, 0, NULL), result = VALUES_NONE;
        for (size_t i = 0; i < value.count; i++) {
                bool digits = value.items[i].size > 0;
                for (size_t j = 0; j < value.items[i].size; j++)
                        digits &= value.items[i].data[j] >= '0' && value.items[i].data[j] <= '9';
                struct values one =
                        digits ? values_of(call->evaluation->code->arena, value.items[i]) : values_unknown();
                result = values_union(call->evaluation->code->arena, result, one);
        }
        result.kind = VALUES_NUMBER;
        return result;
}

static struct values path_call_join(const struct call *call, struct values result, int first)
{
        for (int i = first; i < 32; i++) {
                TSNode part = call_argument(call, i, NULL);
                if (ts_node_is_null(part))
                        break;
                struct values value = evaluate(call->evaluation, part);
                result = i == 0 ? value : evaluate_path_join(call->evaluation, result, value);
        }
        return node_child_of(node_field(call->node, "arguments"), "list_splat").id == NULL
                       ? result
                       : evaluate_path_join(call->evaluation, result, values_unknown());
}

static struct values call_path(const struct call *call)
{
        bool empty = ts_node_is_null(call_argument(call, 0, NULL));
        return path_call_join(call, empty ? call_text(call, ".") : VALUES_NONE, 0);
}

static struct values call_joinpath(const struct call *call)
{
        struct values result = call_object(call);
        for (int i = 0; i < 32 && !ts_node_is_null(call_argument(call, i, NULL)); i++)
                result = evaluate_path_join(call->evaluation, result, call_value(call, i, NULL));
        return result;
}

struct values evaluate_home(const struct evaluation *evaluation)
{
        struct arena *arena = evaluation->code->arena;
        return values_union(arena, values_of(arena, BYTES_LITERAL("/root")),
                            values_of(arena, BYTES_LITERAL("/home/\0")));
}

static struct values call_home(const struct call *call)
{
        return evaluate_home(call->evaluation);
}

/* "~/x" is beneath the home of whoever ran the code: root's, or any user's. */
static struct values expand_user(const struct evaluation *evaluation, struct values value)
{
        struct arena *arena = evaluation->code->arena;
        struct values result = VALUES_NONE;
        for (size_t i = 0; i < value.count; i++) {
                struct bytes item = value.items[i];
                struct values one = values_of(arena, item);
                if (item.size > 0 && item.data[0] == '~') {
                        bool own = item.size == 1 || item.data[1] == '/';
                        struct values rest = values_of(arena, (struct bytes){item.data + 1, item.size - 1});
                        struct values home =
                                own ? evaluate_home(evaluation) : values_of(arena, BYTES_LITERAL("/home/"));
                        one = evaluate_join(evaluation, home, rest);
                }
                result = values_union(arena, result, one);
        }
        return result;
}

static struct values call_expanduser(const struct call *call)
{
        return expand_user(call->evaluation, call_value(call, 0, "path"));
}

static struct values method_expanduser(const struct call *call)
{
        return expand_user(call->evaluation, call_object(call));
}

/* The value of the variable is not known; the default is where it goes unless somebody set it. */
static struct values call_environ_get(const struct call *call)
{
        TSNode fallback = call_argument(call, 1, "default");
        if (code_text_is(call->evaluation->code, call_argument(call, 0, "key"), "\"HOME\""))
                return evaluate_home(call->evaluation);
        if (ts_node_is_null(fallback))
                return values_unknown();
        return values_union(call->evaluation->code->arena, evaluate(call->evaluation, fallback), values_unknown());
}

static struct values call_tmp(const struct call *call)
{
        return call_text(call, "/tmp");
}

static struct values call_cwd(const struct call *call)
{
        return call_text(call, ".");
}

/* tempfile's functions and classes: DIR/PREFIX????????SUFFIX. */
static struct values call_tempfile(const struct call *call)
{
        TSNode prefix = call_argument(call, -1, "prefix"), suffix = call_argument(call, -1, "suffix");
        TSNode directory = call_argument(call, -1, "dir");
        struct values start =
                ts_node_is_null(directory) ? call_text(call, "/tmp") : evaluate(call->evaluation, directory);
        struct values name = ts_node_is_null(prefix) ? call_text(call, "tmp") : evaluate(call->evaluation, prefix);
        name = evaluate_join(call->evaluation, name, values_unknown());
        if (!ts_node_is_null(suffix))
                name = evaluate_join(call->evaluation, name, evaluate(call->evaluation, suffix));
        return evaluate_path_join(call->evaluation, start, name);
}

static struct values call_dirname(const struct call *call)
{
        return evaluate_path_part(call->evaluation, call_argument(call, 0, "p"), BYTES_LITERAL("parent"));
}

static struct values call_basename(const struct call *call)
{
        return evaluate_path_part(call->evaluation, call_argument(call, 0, "p"), BYTES_LITERAL("name"));
}

static struct values call_opened(const struct call *call)
{
        struct values value = call_value(call, 0, "file");
        if (value.count > 0)
                value.kind = VALUES_FILE;
        return value;
}

static struct values method_opened(const struct call *call)
{
        struct values value = call_object(call);
        value.kind = VALUES_FILE;
        return value;
}

static struct values call_no_path(const struct call *call)
{
        (void)call;
        return VALUES_NONE;
}

struct braces_context {
        const struct call *call;
};

static struct values braces_get(void *opaque, size_t position, struct bytes name)
{
        const struct call *call = ((struct braces_context *)opaque)->call;
        struct arena *arena = call->evaluation->code->arena;
        const char *keyword = name.size > 0 ? arena_strndup(arena, (const char *)name.data, name.size) : NULL;
        return call_value(call, keyword != NULL ? -1 : (int)position, keyword);
}

static struct values method_format(const struct call *call)
{
        struct braces_context context = {call};
        struct literal_arguments arguments = {braces_get, &context};
        struct values format = call_object(call), result = VALUES_NONE;
        struct arena *arena = call->evaluation->code->arena;
        for (size_t i = 0; i < format.count; i++)
                result = values_union(arena, result, literal_braces(arena, format.items[i], &arguments));
        return result;
}

static struct values method_join(const struct call *call)
{
        TSNode parts = evaluate_resolve(call->evaluation, call_argument(call, 0, NULL));
        struct values separator = call_object(call);
        if (!syntax_is(parts, "tuple") && !syntax_is(parts, "list"))
                return values_unknown();
        struct values result = call_text(call, "");
        uint32_t count = node_count(parts);
        for (uint32_t i = 0; i < count && i < 64; i++) {
                if (i > 0)
                        result = evaluate_join(call->evaluation, result, separator);
                struct values part = evaluate(call->evaluation, node_at(parts, i));
                result = evaluate_join(call->evaluation, result, part);
        }
        return result;
}

static struct values method_object(const struct call *call)
{
        return call_object(call);
}

/* A byte for a byte is exact even around what is not known; longer needles could lie across its edge. */
static struct values replace_one(const struct call *call, struct bytes item, struct bytes old, struct bytes new)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        if (old.size == 0 || (old.size > 1 && !pattern_is_known(item)))
                return values_unknown();
        for (size_t i = 0; i < item.size;) {
                bool hit = i + old.size <= item.size && memcmp(item.data + i, old.data, old.size) == 0;
                if (hit)
                        text_add_bytes(&text, new.data, new.size);
                else
                        text_add_char(&text, (char)item.data[i]);
                i += hit ? old.size : 1;
                if (text.size > VALUE_SIZE_LIMIT)
                        return values_unknown();
        }
        return values_of(call->evaluation->code->arena, (struct bytes){(const unsigned char *)text.data, text.size});
}

static struct values method_replace(const struct call *call)
{
        struct bytes old, new;
        struct values object = call_object(call), result = VALUES_NONE;
        if (!values_known(call_value(call, 0, NULL), &old) || !values_known(call_value(call, 1, NULL), &new) ||
            !ts_node_is_null(call_argument(call, 2, NULL)))
                return values_unknown();
        for (size_t i = 0; i < object.count; i++)
                result = values_union(call->evaluation->code->arena, result,
                                      replace_one(call, object.items[i], old, new));
        return result;
}

static struct values strip_sides(const struct call *call, bool left, bool right)
{
        struct bytes set = BYTES_LITERAL(" \t\n\r\f\v");
        TSNode given = call_argument(call, 0, NULL);
        if (!ts_node_is_null(given) && !values_known(evaluate(call->evaluation, given), &set))
                return values_unknown();
        struct values object = call_object(call), result = VALUES_NONE;
        for (size_t i = 0; i < object.count; i++) {
                struct bytes item = object.items[i];
                while (left && item.size > 0 && memchr(set.data, item.data[0], set.size) != NULL) {
                        item.data++;
                        item.size--;
                }
                while (right && item.size > 0 && memchr(set.data, item.data[item.size - 1], set.size) != NULL)
                        item.size--;
                result = values_union(call->evaluation->code->arena, result,
                                      values_of(call->evaluation->code->arena, item));
        }
        return result;
}

static struct values method_strip(const struct call *call)
{
        return strip_sides(call, true, true);
}

static struct values method_lstrip(const struct call *call)
{
        return strip_sides(call, true, false);
}

static struct values method_rstrip(const struct call *call)
{
        return strip_sides(call, false, true);
}

static struct values change_case(const struct call *call, unsigned char from, unsigned char to)
{
        struct arena *arena = call->evaluation->code->arena;
        struct values object = call_object(call), result = VALUES_NONE;
        for (size_t i = 0; i < object.count; i++) {
                unsigned char *data = arena_copy(arena, object.items[i].data, object.items[i].size);
                for (size_t j = 0; j < object.items[i].size; j++)
                        if (data[j] >= from && data[j] < from + 26)
                                data[j] = (unsigned char)(data[j] - from + to);
                result = values_union(arena, result, values_of(arena, (struct bytes){data, object.items[i].size}));
        }
        return result;
}

static struct values method_lower(const struct call *call)
{
        return change_case(call, 'A', 'a');
}

static struct values method_upper(const struct call *call)
{
        return change_case(call, 'a', 'A');
}

static struct values method_with_name(const struct call *call)
{
        struct values parent = evaluate_path_part(call->evaluation, call->object, BYTES_LITERAL("parent"));
        return evaluate_path_join(call->evaluation, parent, call_value(call, 0, "name"));
}

static struct values method_with_suffix(const struct call *call)
{
        struct values start = evaluate_path_part(call->evaluation, call->object, BYTES_LITERAL("unsuffixed"));
        return evaluate_join(call->evaluation, start, call_value(call, 0, "suffix"));
}

static struct values method_with_stem(const struct call *call)
{
        struct values suffix = evaluate_path_part(call->evaluation, call->object, BYTES_LITERAL("suffix"));
        struct values name = evaluate_join(call->evaluation, call_value(call, 0, "stem"), suffix);
        struct values parent = evaluate_path_part(call->evaluation, call->object, BYTES_LITERAL("parent"));
        return evaluate_path_join(call->evaluation, parent, name);
}

typedef struct values call_evaluator(const struct call *call);

static const struct known_call {
        const char *name; /* qualified; with a leading "." a method of whatever object */
        call_evaluator *evaluate;
} known_calls[] = {
        {"str", call_str},
        {"int", call_int},
        {"bytes", call_first},
        {"os.fspath", call_first},
        {"os.fsencode", call_first},
        {"os.fsdecode", call_first},
        {"os.path.abspath", call_first},
        {"os.path.realpath", call_first},
        {"os.path.normpath", call_first},
        {"os.path.join", call_path},
        {"os.path.expanduser", call_expanduser},
        {"os.path.expandvars", call_first},
        {"os.path.dirname", call_dirname},
        {"os.path.basename", call_basename},
        {"os.environ.get", call_environ_get},
        {"os.environ.setdefault", call_environ_get},
        {"os.environ.pop", call_environ_get},
        {"os.getenv", call_environ_get},
        {"os.getcwd", call_cwd},
        {"pathlib.Path", call_path},
        {"pathlib.PurePath", call_path},
        {"pathlib.PosixPath", call_path},
        {"pathlib.Path.cwd", call_cwd},
        {"pathlib.Path.home", call_home},
        {"tempfile.gettempdir", call_tmp},
        {"tempfile.mkdtemp", call_tempfile},
        {"tempfile.mkstemp", call_tempfile},
        {"tempfile.mktemp", call_tempfile},
        {"tempfile.NamedTemporaryFile", call_tempfile},
        {"tempfile.TemporaryDirectory", call_tempfile},
        {"open", call_opened},
        {"io.open", call_opened},
        {"codecs.open", call_opened},
        {"gzip.open", call_opened},
        {"bz2.open", call_opened},
        {"lzma.open", call_opened},
        {"io.BytesIO", call_no_path},
        {"io.StringIO", call_no_path},
        {"BytesIO", call_no_path},
        {"StringIO", call_no_path},
        {"os.fdopen", call_no_path},
        {".open", method_opened},
        {".format", method_format},
        {".join", method_join},
        {".joinpath", call_joinpath},
        {".with_name", method_with_name},
        {".with_suffix", method_with_suffix},
        {".with_stem", method_with_stem},
        {".expanduser", method_expanduser},
        {".replace", method_replace},
        {".strip", method_strip},
        {".lstrip", method_lstrip},
        {".rstrip", method_rstrip},
        {".lower", method_lower},
        {".upper", method_upper},
        {".resolve", method_object},
        {".absolute", method_object},
        {".as_posix", method_object},
        {".encode", method_object},
        {".decode", method_object},
        {".__str__", method_object},
};

static const struct known_call *find_known_call(const char *name)
{
        for (size_t i = 0; i < sizeof known_calls / sizeof *known_calls; i++)
                if (strcmp(known_calls[i].name, name) == 0)
                        return &known_calls[i];
        return NULL;
}

struct values evaluate_call(const struct evaluation *evaluation, TSNode node)
{
        struct code *code = evaluation->code;
        TSNode function = node_field(node, "function"), attribute = node_field(function, "attribute");
        struct call call = {evaluation, node, node_field(function, "object")};
        const struct known_call *known = find_known_call(names_qualified(code, function));
        if (known == NULL && !ts_node_is_null(attribute)) {
                struct bytes method = code_text(code, attribute);
                known = find_known_call(
                        arena_printf(code->arena, ".%.*s", (int)method.size, (const char *)method.data));
        }
        return known != NULL ? known->evaluate(&call) : evaluate_returns(evaluation, node);
}
