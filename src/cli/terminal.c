#include "cli/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { COLUMNS_DEFAULT = 80, COLUMNS_LEAST = 20, COLUMNS_MOST = 1000 };

unsigned terminal_columns(int fd)
{
        struct winsize size;
        const char *asked = getenv("COLUMNS");
        long columns = asked != NULL ? strtol(asked, NULL, 10) : 0;
        if (columns < COLUMNS_LEAST || columns > COLUMNS_MOST)
                columns = ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
        return columns < COLUMNS_LEAST || columns > COLUMNS_MOST ? COLUMNS_DEFAULT : (unsigned)columns;
}

bool terminal_is_dumb(void)
{
        const char *term = getenv("TERM");
        return term == NULL || *term == '\0' || strcmp(term, "dumb") == 0;
}

bool terminal_is_utf8(void)
{
        return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
