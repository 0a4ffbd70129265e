#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { PROGRESS_AFTER_MS = 500, PROGRESS_EVERY_MS = 100, COLUMNS_DEFAULT = 80 };

static atomic_bool stop_asked;
static volatile sig_atomic_t interrupts;

/* What the progress line needs between two calls; they may come from several threads. */
static struct {
        atomic_flag busy;
        int64_t begin_ms, last_ms;
        bool shown;
} progress = {.busy = ATOMIC_FLAG_INIT};

static void on_stop_signal(int number)
{
        /* The first asks for an orderly end; the third ends it: the journal survives that like any crash. */
        if (number != SIGALRM && ++interrupts >= 3)
                _exit(128 + number);
        atomic_store(&stop_asked, true);
}

static int64_t now_ms(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static unsigned terminal_columns(int fd)
{
        struct winsize size;
        const char *columns = getenv("COLUMNS");
        if (columns != NULL) {
                long asked = strtol(columns, NULL, 10);
                if (asked >= 20 && asked <= 1000)
                        return (unsigned)asked;
        }
        return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 ? size.ws_col : COLUMNS_DEFAULT;
}

static void show_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
        (void)context;
        int64_t now = now_ms();
        if (atomic_flag_test_and_set(&progress.busy))
                return;
        if (now - progress.begin_ms >= PROGRESS_AFTER_MS && now - progress.last_ms >= PROGRESS_EVERY_MS) {
                char line[128];
                snprintf(line, sizeof line, "%s %llu/%llu", stage, (unsigned long long)done, (unsigned long long)total);
                fprintf(stderr, "\r\033[K%.*s", (int)terminal_columns(STDERR_FILENO) - 1, line);
                fflush(stderr);
                progress.last_ms = now;
                progress.shown = true;
        }
        atomic_flag_clear(&progress.busy);
}

void session_end_progress(void)
{
        if (progress.shown)
                fputs("\r\033[K", stderr);
        progress.shown = false;
}

static bool ask(void *context, const char *question)
{
        (void)context;
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        session_end_progress();
        text_add_escaped(&text, bytes_of(question), true);
        fprintf(stderr, "%s [y/N] ", text.data != NULL ? text.data : "");
        fflush(stderr);
        char answer[16];
        return fgets(answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y');
}

static void arm_signals(double deadline)
{
        struct sigaction action = {.sa_handler = on_stop_signal};
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        sigaction(SIGHUP, &action, NULL);
        sigaction(SIGALRM, &action, NULL);
        signal(SIGPIPE, SIG_IGN);
        if (deadline > 0) {
                struct itimerval timer = {
                        .it_value = {.tv_sec = (time_t)deadline,
                                     .tv_usec = (suseconds_t)((deadline - (double)(time_t)deadline) * 1e6)}};
                if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
                        timer.it_value.tv_usec = 1;
                setitimer(ITIMER_REAL, &timer, NULL);
        }
}

int session_begin(const struct options *options, struct flow_context *ret_context, struct error *ret_error)
{
        if (options->state_dir[0] != '/' && options->state_dir[0] == '\0')
                return error_set(ret_error, ERR_USAGE, 0, "--state-dir is empty: name a directory");
        bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
        progress.begin_ms = now_ms();
        arm_signals(options->deadline);
        *ret_context = (struct flow_context){
                .root = options->root,
                .state_dir = options->state_dir,
                .jobs = (unsigned)options->jobs,
                .deadline = options->deadline,
                .stop = &stop_asked,
                .progress = isatty(STDERR_FILENO) && !options->quiet ? show_progress : NULL,
                .verbosity = options->quiet ? -1 : options->verbosity,
                .terminal = terminal,
                .confirm = terminal ? ask : NULL,
        };
        return 0;
}

bool session_was_interrupted(void)
{
        return interrupts > 0;
}

static bool wants_color(const struct options *options)
{
        const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
        if (strcmp(options->color, "auto") != 0)
                return strcmp(options->color, "always") == 0;
        return options->output[0] == '\0' && isatty(STDOUT_FILENO) && (no_color == NULL || *no_color == '\0') &&
               terminal != NULL && strcmp(terminal, "dumb") != 0;
}

struct report_style session_style(const struct options *options, const char *command)
{
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        setlocale(LC_CTYPE, "");
        return (struct report_style){
                .color = wants_color(options),
                .unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
                .columns = terminal_columns(STDOUT_FILENO),
                .verbosity = options->quiet ? -1 : options->verbosity,
                .command = command,
                .started_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (now_ms() - progress.begin_ms) * 1000000,
                .seconds = (double)(now_ms() - progress.begin_ms) / 1000.0,
        };
}

static int write_all(int fd, const struct text *report)
{
        for (size_t done = 0; done < report->size;) {
                ssize_t wrote = write(fd, report->data + done, report->size - done);
                if (wrote < 0 && errno == EINTR)
                        continue;
                if (wrote < 0)
                        return -1;
                done += (size_t)wrote;
        }
        return 0;
}

static int write_to_file(const char *path, const struct text *report, struct error *ret_error)
{
        struct stat st;
        /* A device or pipe is written to as it is; only a regular file can be replaced. */
        if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
                AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
                if (fd < 0 || write_all(fd, report) < 0)
                        return error_set(ret_error, ERR_SYSTEM, errno, "cannot write the report to %s", path);
                return 0;
        }
        CLEANUP(text_clear) struct text temporary = TEXT_INIT;
        text_addf(&temporary, "%s.XXXXXX", path);
        AUTO_CLOSE int fd = mkostemp(temporary.data, O_CLOEXEC);
        if (fd < 0)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot write the report to %s", path);
        mode_t mask = umask(0);
        umask(mask);
        if (write_all(fd, report) < 0 || fchmod(fd, 0666 & ~mask) < 0 || fsync(fd) < 0 ||
            rename(temporary.data, path) < 0) {
                int errnum = errno;
                unlink(temporary.data);
                return error_set(ret_error, ERR_SYSTEM, errnum, "cannot write the report to %s", path);
        }
        return 0;
}

int session_write(const struct options *options, const struct text *report, struct error *ret_error)
{
        session_end_progress();
        if (report->size == 0)
                return 0;
        if (options->output[0] != '\0')
                return write_to_file(options->output, report, ret_error);
        if (write_all(STDOUT_FILENO, report) < 0 && errno != EPIPE)
                return error_set(ret_error, ERR_SYSTEM, errno, "cannot write the report to standard output");
        return 0;
}

void session_complain(const char *message)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        session_end_progress();
        text_add_escaped(&text, bytes_of(message), true);
        fprintf(stderr, "pristine: %s\n", text.data != NULL ? text.data : "");
}
