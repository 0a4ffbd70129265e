#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/terminal.h"

static atomic_bool stop_asked;
static volatile sig_atomic_t asking; /* a person is at a question, where Ctrl-C is an answer */
static bool stdout_was_closed;
static int64_t begin_ns;

static int64_t now_ns(void)
{
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void session_guard_descriptors(void)
{
        begin_ns = now_ns();
        progress_begin();
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
                if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
                        continue;
                if (open("/dev/null", O_RDWR) != fd)
                        abort(); /* the lowest free descriptor is this one */
                stdout_was_closed |= fd == STDOUT_FILENO;
        }
        signal(SIGPIPE, SIG_IGN);
}

/* The first signal asks for an orderly end after the step at hand. The handler is gone then: a second one ends the
 * process as it stands, which the journal survives like any crash. */
static void on_stop_signal(int number)
{
        static const char said[] = "\nstopping in good order; once more to end at once\n";
        int errnum = errno;
        atomic_store(&stop_asked, true);
        if (number == SIGINT && !asking && isatty(STDERR_FILENO))
                (void)!write(STDERR_FILENO, said, sizeof said - 1);
        errno = errnum;
}

static void arm_signals(double deadline)
{
        static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
        struct sigaction action = {.sa_handler = on_stop_signal, .sa_flags = SA_RESETHAND};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
                struct sigaction before;
                /* nohup ignores SIGHUP, a shell's background job SIGINT: what was ignored stays so. */
                if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN && numbers[i] != SIGALRM)
                        continue;
                sigaction(numbers[i], &action, NULL);
        }
        if (deadline > 0) {
                struct itimerval timer = {.it_value.tv_sec = (time_t)deadline};
                timer.it_value.tv_usec = (suseconds_t)((deadline - (double)timer.it_value.tv_sec) * 1e6);
                setitimer(ITIMER_REAL, &timer, NULL);
        }
}

static bool ask(void *context, const char *question)
{
        (void)context;
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        progress_erase();
        text_add_escaped(&text, bytes_of(question), true);
        text_add(&text, " [y/N] ");
        fputs(text.data, stderr);
        fflush(stderr);
        char answer[16];
        asking = true;
        bool given = fgets(answer, sizeof answer, stdin) != NULL;
        asking = false;
        if (!given)
                fputc('\n', stderr);
        return given && (answer[0] == 'y' || answer[0] == 'Y');
}

/* Foreign names are in it; its own line breaks stay. */
static void notice(const char *said)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        progress_erase();
        text_add_escaped(&text, bytes_of(said), true);
        text_add_char(&text, '\n');
        fputs(text.data, stderr);
        fflush(stderr);
}

static int check_directory(const char *option, const char *path, bool must_exist, struct error *ret_error)
{
        struct stat st;
        if (stat(path, &st) < 0) {
                if (errno == ENOENT && !must_exist)
                        return 0;
                return error_set(ret_error, ERR_USAGE, errno, "--%s=%s", option, path);
        }
        if (!S_ISDIR(st.st_mode))
                return error_set(ret_error, ERR_USAGE, 0, "--%s=%s: it is no directory", option, path);
        return 0;
}

static int check_directories(const struct options *options, struct error *ret_error)
{
        if (options->state_dir[0] == '\0')
                return error_set(ret_error, ERR_USAGE, 0,
                                 "neither HOME nor XDG_STATE_HOME says where to keep plans: name it with --state-dir");
        int result = check_directory("state-dir", options->state_dir, false, ret_error);
        return result == 0 ? check_directory("root", options->root, true, ret_error) : result;
}

int session_begin(const struct options *options, struct flow_context *ret_context, struct error *ret_error)
{
        int result = check_directories(options, ret_error);
        if (result < 0)
                return result;
        bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
        bool progress = isatty(STDERR_FILENO) && !terminal_is_dumb() && !options->quiet;
        arm_signals(options->deadline);
        *ret_context = (struct flow_context){
                .root = options->root,
                .state_dir = options->state_dir,
                .jobs = (unsigned)options->jobs,
                .deadline = options->deadline,
                .stop = &stop_asked,
                .progress = progress ? progress_show : NULL,
                .notice = progress || options->verbose > 0 ? notice : NULL,
                .verbosity = options->quiet ? -1 : options->verbose,
                .terminal = terminal,
                .confirm = terminal ? ask : NULL,
        };
        return 0;
}

static bool wants_color(const struct options *options)
{
        const char *no_color = getenv("NO_COLOR");
        if (strcmp(options->color, "auto") != 0)
                return strcmp(options->color, "always") == 0;
        return options->output[0] == '\0' && isatty(STDOUT_FILENO) && (no_color == NULL || *no_color == '\0') &&
               !terminal_is_dumb();
}

struct report_style session_style(const struct options *options, const char *command)
{
        setlocale(LC_CTYPE, "");
        return (struct report_style){
                .color = wants_color(options),
                .unicode = terminal_is_utf8(),
                .columns = terminal_columns(STDOUT_FILENO),
                .verbosity = options->quiet ? -1 : options->verbose,
                .command = command,
                .started_ns = begin_ns,
                .seconds = (double)(now_ns() - begin_ns) / 1e9,
        };
}

int session_write(const struct options *options, const struct text *report, struct error *ret_error)
{
        progress_erase();
        if (report->size == 0)
                return 0;
        if (options->output[0] != '\0')
                return output_to_file(options->output, report, ret_error);
        if (stdout_was_closed)
                return error_set(ret_error, ERR_SYSTEM, 0,
                                 "standard output is closed: the report is lost; -o FILE "
                                 "keeps it");
        return output_to_descriptor(STDOUT_FILENO, "standard output", report, ret_error);
}

void session_complain(const char *message)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        progress_erase();
        text_add(&text, "pristine: ");
        text_add_escaped(&text, bytes_of(message), true);
        text_add_char(&text, '\n');
        fputs(text.data, stderr);
}
