#include "analyze/evaluate.h"

#include <ctype.h>
#include <string.h>

#include "analyze/names.h"

TSNode evaluate_call_argument(const struct call *call, int position, const char *keyword)
{
        return code_argument(call->evaluation->code, call->node, position, keyword);
}

struct values evaluate_call_value(const struct call *call, int position, const char *keyword)
{
        return evaluate(call->evaluation, evaluate_call_argument(call, position, keyword));
}

struct values evaluate_call_object(const struct call *call)
{
        return evaluate(call->evaluation, call->object);
}

static struct values call_text(const struct call *call, const char *text)
{
        return values_of(call->evaluation->code->arena, bytes_of(text));
}

static struct values call_first(const struct call *call)
{
        return evaluate_call_value(call, 0, NULL);
}

static struct values call_str(const struct call *call)
{
        struct values value = evaluate_call_value(call, 0, "object");
        value.kind = VALUES_TEXT;
        return value;
}

static struct values call_int(const struct call *call)
{
        struct values value = evaluate_call_value(call, 0, NULL), result = VALUES_NONE;
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
                TSNode part = evaluate_call_argument(call, i, NULL);
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
        bool empty = ts_node_is_null(evaluate_call_argument(call, 0, NULL));
        return path_call_join(call, empty ? call_text(call, ".") : VALUES_NONE, 0);
}

static struct values call_joinpath(const struct call *call)
{
        struct values result = evaluate_call_object(call);
        for (int i = 0; i < 32 && !ts_node_is_null(evaluate_call_argument(call, i, NULL)); i++)
                result = evaluate_path_join(call->evaluation, result, evaluate_call_value(call, i, NULL));
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
        return expand_user(call->evaluation, evaluate_call_value(call, 0, "path"));
}

static struct values method_expanduser(const struct call *call)
{
        return expand_user(call->evaluation, evaluate_call_object(call));
}

/* "$NAME" and "${NAME}" are not known. */
static struct values call_expandvars(const struct call *call)
{
        struct arena *arena = call->evaluation->code->arena;
        struct values value = evaluate_call_value(call, 0, "path"), result = VALUES_NONE;
        for (size_t i = 0; i < value.count; i++) {
                unsigned char *data = arena_copy(arena, value.items[i].data, value.items[i].size);
                bool inside = false;
                for (size_t j = 0; j < value.items[i].size; j++) {
                        inside = data[j] == '$' || (inside && (isalnum(data[j]) || strchr("_{}", data[j]) != NULL));
                        bool closes = data[j] == '}';
                        if (inside)
                                data[j] = VALUE_UNKNOWN;
                        inside &= !closes;
                }
                result = values_union(arena, result, values_of(arena, (struct bytes){data, value.items[i].size}));
        }
        return result;
}

/* The value of the variable is not known; the default is where it goes unless somebody set it. */
static struct values call_environ_get(const struct call *call)
{
        TSNode fallback = evaluate_call_argument(call, 1, "default");
        if (code_text_is(call->evaluation->code, evaluate_call_argument(call, 0, "key"), "\"HOME\""))
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
        TSNode prefix = evaluate_call_argument(call, -1, "prefix"), suffix = evaluate_call_argument(call, -1, "suffix");
        TSNode directory = evaluate_call_argument(call, -1, "dir");
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
        return evaluate_path_part(call->evaluation, evaluate_call_argument(call, 0, "p"), BYTES_LITERAL("dirname"));
}

static struct values call_basename(const struct call *call)
{
        return evaluate_path_part(call->evaluation, evaluate_call_argument(call, 0, "p"), BYTES_LITERAL("name"));
}

static struct values call_opened(const struct call *call)
{
        struct values value = evaluate_call_value(call, 0, "file");
        if (value.count > 0)
                value.kind = VALUES_FILE;
        return value;
}

static struct values method_opened(const struct call *call)
{
        struct values value = evaluate_call_object(call);
        value.kind = VALUES_FILE;
        return value;
}

static struct values call_no_path(const struct call *call)
{
        (void)call;
        return VALUES_NONE;
}

static struct values method_object(const struct call *call)
{
        return evaluate_call_object(call);
}

static struct values method_with_name(const struct call *call)
{
        struct values parent = evaluate_path_part(call->evaluation, call->object, BYTES_LITERAL("parent"));
        return evaluate_path_join(call->evaluation, parent, evaluate_call_value(call, 0, "name"));
}

static struct values method_with_suffix(const struct call *call)
{
        struct values start = evaluate_path_part(call->evaluation, call->object, BYTES_LITERAL("unsuffixed"));
        return evaluate_join(call->evaluation, start, evaluate_call_value(call, 0, "suffix"));
}

static struct values method_with_stem(const struct call *call)
{
        struct values suffix = evaluate_path_part(call->evaluation, call->object, BYTES_LITERAL("suffix"));
        struct values name = evaluate_join(call->evaluation, evaluate_call_value(call, 0, "stem"), suffix);
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
        {"os.path.expandvars", call_expandvars},
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
        {"aiofiles.open", call_opened},
        {"gzip.open", call_opened},
        {"bz2.open", call_opened},
        {"lzma.open", call_opened},
        {"io.BytesIO", call_no_path},
        {"io.StringIO", call_no_path},
        {"BytesIO", call_no_path},
        {"StringIO", call_no_path},
        {"os.fdopen", call_no_path},
        {".open", method_opened},
        {".format", evaluate_format},
        {".join", evaluate_join_parts},
        {".joinpath", call_joinpath},
        {".with_name", method_with_name},
        {".with_suffix", method_with_suffix},
        {".with_stem", method_with_stem},
        {".expanduser", method_expanduser},
        {".replace", evaluate_replace},
        {".strip", evaluate_strip},
        {".lstrip", evaluate_lstrip},
        {".rstrip", evaluate_rstrip},
        {".lower", evaluate_lower},
        {".upper", evaluate_upper},
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
        struct frame frame;
        if (known != NULL)
                return known->evaluate(&call);
        bool here = dump_path_enter(code, node, evaluation->frame, &frame);
        return here ? evaluate_returns(evaluation, &frame) : values_unknown();
}
