/* Turns the libc calls that have no safe use here into compile errors. Force-included into every source file by Meson.
 * system, popen: nothing found is executed, and what is started gets an argument vector. The others overrun, cut
 * silently, follow links by name, or are not thread-safe; the error names the call. */
#ifndef PRISTINE_BASE_BANNED_H
#define PRISTINE_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BANNED(call) banned_call_##call

#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef sprintf
#undef vsprintf
#undef alloca
#define strcpy(...) BANNED(strcpy)
#define strcat(...) BANNED(strcat)
#define strncpy(...) BANNED(strncpy)
#define strncat(...) BANNED(strncat)
#define sprintf(...) BANNED(sprintf)
#define vsprintf(...) BANNED(vsprintf)
#define strtok(...) BANNED(strtok)
#define tmpnam(...) BANNED(tmpnam)
#define tempnam(...) BANNED(tempnam)
#define mktemp(...) BANNED(mktemp)
#define system(...) BANNED(system)
#define popen(...) BANNED(popen)
#define alloca(...) BANNED(alloca)
#define atoi(...) BANNED(atoi)
#define atol(...) BANNED(atol)
#define atof(...) BANNED(atof)
#define gmtime(...) BANNED(gmtime)
#define localtime(...) BANNED(localtime)
#define ctime(...) BANNED(ctime)
#define asctime(...) BANNED(asctime)

#endif
