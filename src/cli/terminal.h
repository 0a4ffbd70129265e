/* What is known of the terminal, if there is one. */
#ifndef PRISTINE_CLI_TERMINAL_H
#define PRISTINE_CLI_TERMINAL_H

#include <stdbool.h>

/* COLUMNS, else the terminal behind fd, else 80; 20 to 1000. */
unsigned terminal_columns(int fd);
bool terminal_is_dumb(void); /* TERM is unset or "dumb": obeys no escape sequence */
bool terminal_is_utf8(void); /* after setlocale(LC_CTYPE, "") */

#endif
