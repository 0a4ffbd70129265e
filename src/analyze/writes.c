#include "analyze/writes.h"

#include <string.h>

#include "analyze/names.h"

enum { NO_MODE = -1, OBJECT = -2, KEYWORD = -9, VISIT_DEPTH = 100 };

/* A qualified name, or with a leading "." a method of whatever object. */
static const struct sink {
        const char *name;
        int path;             /* position of the path; OBJECT: the object before the dot; KEYWORD: by keyword only */
        const char *keyword;  /* its name as a keyword */
        int mode;             /* position of a mode that decides whether it writes */
        const char *fallback; /* the mode when none is given */
        const char *suffix;   /* added to a path without it */
        bool careful;         /* a common word: only with something that looks like a path */
} sinks[] = {
        {"torch.save", 1, "f", NO_MODE, NULL, NULL, false},
        {"torch.jit.save", 1, "f", NO_MODE, NULL, NULL, false},
        {"torch.export.save", 1, "f", NO_MODE, NULL, NULL, false},
        {"torch.onnx.export", 2, "f", NO_MODE, NULL, NULL, false},
        {"torch.cuda.memory._dump_snapshot", 0, "filename", NO_MODE, NULL, NULL, false},
        {"numpy.save", 0, "file", NO_MODE, NULL, ".npy", false},
        {"numpy.savez", 0, "file", NO_MODE, NULL, ".npz", false},
        {"numpy.savez_compressed", 0, "file", NO_MODE, NULL, ".npz", false},
        {"numpy.savetxt", 0, "fname", NO_MODE, NULL, NULL, false},
        {"numpy.memmap", 0, "filename", 2, "r+", NULL, false},
        {"numpy.lib.format.open_memmap", 0, "filename", 1, "r+", NULL, false},
        {"scipy.io.savemat", 0, "file_name", NO_MODE, NULL, ".mat", false},
        {"safetensors.torch.save_file", 1, "filename", NO_MODE, NULL, NULL, false},
        {"safetensors.torch.save_model", 1, "filename", NO_MODE, NULL, NULL, false},
        {"safetensors.numpy.save_file", 1, "filename", NO_MODE, NULL, NULL, false},
        {"safetensors.flax.save_file", 1, "filename", NO_MODE, NULL, NULL, false},
        {"save_file", 1, "filename", NO_MODE, NULL, NULL, false},
        {"pickle.dump", 1, "file", NO_MODE, NULL, NULL, false},
        {"cPickle.dump", 1, "file", NO_MODE, NULL, NULL, false},
        {"_pickle.dump", 1, "file", NO_MODE, NULL, NULL, false},
        {"cloudpickle.dump", 1, "file", NO_MODE, NULL, NULL, false},
        {"dill.dump", 1, "file", NO_MODE, NULL, NULL, false},
        {"marshal.dump", 1, "file", NO_MODE, NULL, NULL, false},
        {"json.dump", 1, "fp", NO_MODE, NULL, NULL, false},
        {"yaml.dump", 1, "stream", NO_MODE, NULL, NULL, false},
        {"joblib.dump", 1, "filename", NO_MODE, NULL, NULL, false},
        {"open", 0, "file", 1, "r", NULL, false},
        {"io.open", 0, "file", 1, "r", NULL, false},
        {"aiofiles.open", 0, "file", 1, "r", NULL, false},
        {"codecs.open", 0, "filename", 1, "r", NULL, false},
        {"gzip.open", 0, "filename", 1, "r", NULL, false},
        {"bz2.open", 0, "filename", 1, "r", NULL, false},
        {"lzma.open", 0, "filename", 1, "r", NULL, false},
        {"os.open", 0, "path", 1, "O_RDONLY", NULL, false},
        {"zipfile.ZipFile", 0, "file", 1, "r", NULL, false},
        {"tarfile.open", 0, "name", 1, "r", NULL, false},
        {"h5py.File", 0, "name", 1, "r", NULL, false},
        {"shelve.open", 0, "filename", NO_MODE, NULL, NULL, false},
        {"logging.FileHandler", 0, "filename", NO_MODE, NULL, NULL, false},
        {"logging.handlers.RotatingFileHandler", 0, "filename", NO_MODE, NULL, NULL, false},
        {"logging.handlers.TimedRotatingFileHandler", 0, "filename", NO_MODE, NULL, NULL, false},
        {"logging.basicConfig", KEYWORD, "filename", NO_MODE, NULL, NULL, false},
        {"shutil.copy", 1, "dst", NO_MODE, NULL, NULL, false},
        {"shutil.copy2", 1, "dst", NO_MODE, NULL, NULL, false},
        {"shutil.copyfile", 1, "dst", NO_MODE, NULL, NULL, false},
        {"shutil.move", 1, "dst", NO_MODE, NULL, NULL, false},
        {"os.rename", 1, "dst", NO_MODE, NULL, NULL, false},
        {"os.replace", 1, "dst", NO_MODE, NULL, NULL, false},
        {"tempfile.mkstemp", OBJECT, NULL, NO_MODE, NULL, NULL, false},
        {"matplotlib.pyplot.savefig", 0, "fname", NO_MODE, NULL, NULL, false},
        {"matplotlib.pyplot.imsave", 0, "fname", NO_MODE, NULL, NULL, false},
        {"imageio.imwrite", 0, "uri", NO_MODE, NULL, NULL, false},
        {"cv2.imwrite", 0, "filename", NO_MODE, NULL, NULL, false},
        {"print", KEYWORD, "file", NO_MODE, NULL, NULL, true},
        {".tofile", 0, "fid", NO_MODE, NULL, NULL, false},
        {".write_text", OBJECT, NULL, NO_MODE, NULL, NULL, false},
        {".write_bytes", OBJECT, NULL, NO_MODE, NULL, NULL, false},
        {".touch", OBJECT, NULL, NO_MODE, NULL, NULL, true},
        {".open", OBJECT, NULL, 0, "r", NULL, true},
        {".write", OBJECT, NULL, NO_MODE, NULL, NULL, true},
        {".writelines", OBJECT, NULL, NO_MODE, NULL, NULL, true},
        {".save", 0, NULL, NO_MODE, NULL, NULL, true},
        {".dump", 0, "file", NO_MODE, NULL, NULL, true},
        {".savefig", 0, "fname", NO_MODE, NULL, NULL, false},
        {".dump_stats", 0, "filename", NO_MODE, NULL, NULL, false},
        {".export_chrome_trace", 0, "path", NO_MODE, NULL, NULL, false},
        {".export_stacks", 0, "path", NO_MODE, NULL, NULL, false},
        {".to_csv", 0, "path_or_buf", NO_MODE, NULL, NULL, true},
        {".to_parquet", 0, "path", NO_MODE, NULL, NULL, true},
        {".to_pickle", 0, "path", NO_MODE, NULL, NULL, true},
        {".to_json", 0, "path_or_buf", NO_MODE, NULL, NULL, true},
};

static const struct sink *find_sink(const char *name)
{
        for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++)
                if (strcmp(sinks[i].name, name) == 0)
                        return &sinks[i];
        return NULL;
}

/* partial(torch.save, q, path), pool.submit(torch.save, q, path): the function that is handed on, and its arguments
 * behind it. */
static const struct sink *handed_on(struct code *code, TSNode call)
{
        static const char *const takers[] = {"partial",   "register",  "submit",
                                             "to_thread", "call_soon", "start_new_thread"};
        TSNode function = node_field(call, "function"), attribute = node_field(function, "attribute");
        TSNode first = code_argument(code, call, 0, NULL);
        for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
                if (code_text_is(code, ts_node_is_null(attribute) ? function : attribute, takers[i]))
                        return find_sink(names_qualified(code, first));
        return NULL;
}

/* The sink that a call reaches; *ret_shift: by how many positions its arguments stand further on. */
static const struct sink *sink_of(struct code *code, TSNode call, int *ret_shift)
{
        TSNode function = node_field(call, "function"), attribute = node_field(function, "attribute");
        const struct sink *sink = find_sink(names_qualified(code, function));
        *ret_shift = 0;
        if (sink == NULL && !ts_node_is_null(attribute)) {
                struct bytes method = code_text(code, attribute);
                sink = find_sink(arena_printf(code->arena, ".%.*s", (int)method.size, (const char *)method.data));
        }
        if (sink == NULL) {
                sink = handed_on(code, call);
                *ret_shift = 1;
        }
        return sink;
}

/* Whether the mode lets the call write. A mode that is not known may. */
static bool mode_writes(struct code *code, TSNode call, const struct sink *sink, int shift, const struct frame *frame)
{
        if (sink->mode == NO_MODE)
                return true;
        TSNode mode = code_argument(code, call, sink->mode + shift, "mode");
        if (strcmp(sink->name, "os.open") == 0) {
                const char *flags = code_line(code, mode);
                return strstr(flags, "O_WRONLY") || strstr(flags, "O_RDWR") || strstr(flags, "O_CREAT");
        }
        struct values value = ts_node_is_null(mode) ? values_of(code->arena, bytes_of(sink->fallback))
                                                    : dump_path_evaluate(code, mode, frame);
        for (size_t i = 0; i < value.count; i++)
                for (size_t j = 0; j < value.items[i].size; j++)
                        if (value.items[i].data[j] == VALUE_UNKNOWN || strchr("wax+", value.items[i].data[j]) != NULL)
                                return true;
        return false;
}

/* Something in it says "path": an open file, a slash, a file name's dot. */
static bool looks_like_path(struct values paths)
{
        for (size_t i = 0; i < paths.count; i++)
                for (size_t j = 0; j < paths.items[i].size; j++)
                        if (paths.items[i].data[j] == '/' || paths.items[i].data[j] == '.')
                                return true;
        return paths.kind == VALUES_FILE && paths.count > 0;
}

static struct values with_suffix(struct code *code, struct values paths, const char *suffix)
{
        struct values result = VALUES_NONE;
        for (size_t i = 0; i < paths.count; i++) {
                struct values one = values_of(code->arena, paths.items[i]);
                if (!bytes_end_with(paths.items[i], suffix))
                        one = values_join(code->arena, one, values_of(code->arena, bytes_of(suffix)));
                result = values_union(code->arena, result, one);
        }
        return result;
}

bool writes_match(struct code *code, TSNode call, const struct frame *frame, struct values *ret_paths)
{
        int shift;
        const struct sink *sink = sink_of(code, call, &shift);
        if (sink == NULL || !mode_writes(code, call, sink, shift, frame))
                return false;
        TSNode object = node_field(node_field(call, "function"), "object");
        bool makes_its_own = sink->path == OBJECT && sink->name[0] != '.';
        TSNode path = makes_its_own          ? call
                      : sink->path == OBJECT ? object
                                             : code_argument(code, call, sink->path + shift, sink->keyword);
        struct values paths = ts_node_is_null(path) ? VALUES_NONE : dump_path_evaluate(code, path, frame);
        if (sink->careful && !looks_like_path(paths))
                return false;
        if (sink->keyword != NULL && sink->path == KEYWORD && ts_node_is_null(path))
                return false;
        if (sink->suffix != NULL && paths.kind != VALUES_FILE)
                paths = with_suffix(code, paths, sink->suffix);
        *ret_paths = paths;
        return true;
}

struct visit {
        struct code *code;
        calls_visitor *visitor;
        void *context;
        const struct frame *frame;
        uint32_t start, end;
        bool deferred;
};

static void visit_tree(struct visit visit, TSNode node, unsigned depth);

/* The call belongs to the range when its function or one of its arguments starts there. */
static bool call_starts_in(TSNode call, uint32_t start, uint32_t end)
{
        TSNode arguments = node_field(call, "arguments");
        uint32_t at = ts_node_start_byte(call), count = node_count(arguments);
        bool inside = at >= start && at < end;
        for (uint32_t i = 0; i < count && i < 64 && !inside; i++) {
                at = ts_node_start_byte(node_at(arguments, i));
                inside = at >= start && at < end;
        }
        return inside;
}

static void visit_call(const struct visit *visit, TSNode call, unsigned depth)
{
        if (!call_starts_in(call, visit->start, visit->end))
                return;
        visit->visitor(visit->context, call, visit->frame, visit->deferred);
        struct frame frame;
        bool deep = visit->frame != NULL && visit->frame->caller != NULL; /* a helper of a helper, and no further */
        if (deep || !dump_path_enter(visit->code, call, visit->frame, &frame))
                return;
        struct visit inner = *visit;
        inner.frame = &frame;
        inner.start = 0;
        inner.end = UINT32_MAX;
        visit_tree(inner, node_field(frame.function, "body"), depth);
}

static void visit_tree(struct visit visit, TSNode node, unsigned depth)
{
        if (depth == 0 || ts_node_is_null(node) || ts_node_end_byte(node) <= visit.start ||
            ts_node_start_byte(node) >= visit.end || !code_spend(visit.code))
                return;
        visit.deferred |= syntax_is(node, "lambda");
        if (syntax_is(node, "call"))
                visit_call(&visit, node, depth - 1);
        uint32_t count = node_count(node);
        for (uint32_t i = 0; i < count; i++)
                visit_tree(visit, node_at(node, i), depth - 1);
}

void calls_visit(struct code *code, TSNode node, uint32_t start, uint32_t end, calls_visitor *visit, void *context)
{
        struct visit state = {code, visit, context, NULL, start, end, false};
        visit_tree(state, node, VISIT_DEPTH);
}
