#include "analyze/logs.h"

#include <ctype.h>
#include <string.h>

#include "analyze/names.h"

static const char *const log_methods[] = {"debug", "info",  "warning", "warn",  "error", "critical", "exception",
                                          "fatal", "trace", "success", "print", "log",   "msg",      NULL};
static const char *const log_functions[] = {"print",      "warnings.warn",   "sys.stdout.write", "sys.stderr.write",
                                            "tqdm.write", "tqdm.tqdm.write", "click.echo",       "rich.print",
                                            "pprint",     "pprint.pprint",   "syslog.syslog",    "sys.__stderr__.write",
                                            "typer.echo", "logging.log",     "os.write",         NULL};

static bool is_one_of(struct bytes name, const char *const *list)
{
        for (size_t i = 0; list[i] != NULL; i++)
                if (bytes_equal(name, bytes_of(list[i])))
                        return true;
        return false;
}

/* "logger", "self._log", "LOG", "logging.getLogger(__name__)" */
static bool is_logger(struct code *code, TSNode object)
{
        struct bytes text = code_text(code, object);
        if (syntax_is(object, "attribute"))
                text = code_text(code, node_field(object, "attribute"));
        else if (syntax_is(object, "call"))
                text = code_text(code, node_field(object, "function"));
        for (size_t i = 0; i + 3 <= text.size; i++)
                if (strncasecmp((const char *)text.data + i, "log", 3) == 0)
                        return true;
        return false;
}

/* "warning" of "warning_once", as far as it is there. */
static struct bytes base_method(struct bytes method, bool *ret_once)
{
        *ret_once = bytes_end_with(method, "_once");
        if (*ret_once)
                method.size -= strlen("_once");
        return method;
}

enum { NOT_A_LOG = -1, TAG_LEAST = 3 };

/* Position of the first argument that is part of the message. */
static int message_position(struct code *code, TSNode call, bool *ret_once)
{
        TSNode function = node_field(call, "function");
        TSNode attribute = node_field(function, "attribute");
        struct bytes last = code_text(code, ts_node_is_null(attribute) ? function : attribute);
        struct bytes method = base_method(last, ret_once);
        const char *name = names_qualified(code, function);
        if (is_one_of(bytes_of(name), log_functions))
                return strcmp(name, "os.write") == 0 || strcmp(name, "logging.log") == 0 ? 1 : 0;
        if (!ts_node_is_null(attribute) && is_one_of(method, log_methods) &&
            is_logger(code, node_field(function, "object")))
                return bytes_equal(method, BYTES_LITERAL("log")) ? 1 : 0;
        /* print_once, rank0_print, print_rank_0, log_once, log_rank_0 … whoever defines them */
        bool printer = bytes_start_with(last, "print_") || bytes_end_with(last, "_print") ||
                       bytes_start_with(last, "log_once") || bytes_start_with(last, "log_rank");
        return printer ? 0 : NOT_A_LOG;
}

/* print joins its arguments with spaces; a logger's further arguments only fill its format. */
static struct values message_values(struct code *code, TSNode call, int position, const struct frame *frame)
{
        TSNode first = code_argument(code, call, position, "msg");
        struct values message = ts_node_is_null(first) ? VALUES_NONE : dump_path_evaluate(code, first, frame);
        TSNode function = node_field(call, "function");
        struct bytes text = code_text(code, function);
        bool joins = bytes_end_with(text, "print");
        for (int i = position + 1; joins && i < 32; i++) {
                TSNode next = code_argument(code, call, i, NULL);
                if (ts_node_is_null(next))
                        break;
                message = values_join(code->arena, message, values_of(code->arena, BYTES_LITERAL(" ")));
                message = values_join(code->arena, message, dump_path_evaluate(code, next, frame));
        }
        return message;
}

/* Where a run of constant bytes ends: at a placeholder "%s" where the call has arguments to fill it, a line break or
 * what is not known. */
static size_t run_end(struct bytes message, size_t at, bool fills)
{
        while (at < message.size && message.data[at] != VALUE_UNKNOWN && message.data[at] != '\n' &&
               message.data[at] != '\r' && !(fills && message.data[at] == '%'))
                at++;
        return at;
}

static size_t placeholder_end(struct bytes message, size_t at)
{
        at++;
        while (at < message.size && strchr("#0- +123456789.*hlL", message.data[at]) != NULL && message.data[at] != '\0')
                at++;
        if (at < message.size && message.data[at] == '(')
                while (at < message.size && message.data[at] != ')')
                        at++;
        return at < message.size ? at + 1 : at;
}

static struct bytes trim(struct bytes run)
{
        while (run.size > 0 && isspace(run.data[0])) {
                run.data++;
                run.size--;
        }
        while (run.size > 0 && isspace(run.data[run.size - 1]))
                run.size--;
        return run;
}

static bool is_telling(struct bytes run)
{
        for (size_t i = 0; i < run.size; i++)
                if (isalnum(run.data[i]) || run.data[i] >= 0x80)
                        return true;
        return false;
}

/* The run that opens the message, by which people know it, and the longest, by which a search is sure. */
static void add_runs(struct arena *arena, struct bytes message, bool fills, struct strings *texts)
{
        struct bytes first = {NULL, 0}, longest = {NULL, 0};
        for (size_t at = 0; at < message.size;) {
                size_t end = run_end(message, at, fills);
                struct bytes run = trim((struct bytes){message.data + at, end - at});
                if (first.size == 0 && run.size >= TAG_LEAST && is_telling(run))
                        first = run;
                if (run.size > longest.size && is_telling(run))
                        longest = run;
                bool placeholder = end < message.size && message.data[end] == '%';
                at = placeholder ? placeholder_end(message, end) : end + 1;
        }
        if (first.size > 0)
                texts->items[texts->count++] = arena_strndup(arena, (const char *)first.data, first.size);
        if (longest.size > 0 && longest.data != first.data)
                texts->items[texts->count++] = arena_strndup(arena, (const char *)longest.data, longest.size);
}

bool logs_match(struct code *code, TSNode call, const struct frame *frame, struct strings *ret_texts, bool *ret_once)
{
        bool once;
        int position = message_position(code, call, &once);
        if (position == NOT_A_LOG)
                return false;
        struct values messages = message_values(code, call, position, frame);
        bool prints = bytes_end_with(code_text(code, node_field(call, "function")), "print");
        bool fills = !prints && !ts_node_is_null(code_argument(code, call, position + 1, NULL));
        struct strings texts = {.items = arena_new_array(code->arena, const char *, 2 * messages.count)};
        for (size_t i = 0; i < messages.count; i++)
                add_runs(code->arena, messages.items[i], fills, &texts);
        *ret_texts = texts;
        *ret_once = once;
        return true;
}
