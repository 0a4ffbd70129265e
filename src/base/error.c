#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *ret_error, int code, int errnum, const char *format, ...)
{
        if (ret_error == NULL)
                return code;
        ret_error->code = code;
        ret_error->errnum = errnum;
        va_list args;
        va_start(args, format);
        int length = vsnprintf(ret_error->text, sizeof ret_error->text, format, args);
        va_end(args);
        if (errnum != 0 && length >= 0 && (size_t)length + 3 < sizeof ret_error->text) {
                char buffer[128];
                snprintf(ret_error->text + length, sizeof ret_error->text - (size_t)length, ": %s",
                         strerror_r(errnum, buffer, sizeof buffer));
        }
        return code;
}

int error_add(struct error *ret_error, const char *format, ...)
{
        /* The code is not known here, but `return error_add(…)` must not turn a failure into success. */
        if (ret_error == NULL)
                return ERR_SYSTEM;
        char old[sizeof ret_error->text];
        memcpy(old, ret_error->text, sizeof old);
        va_list args;
        va_start(args, format);
        int length = vsnprintf(ret_error->text, sizeof ret_error->text, format, args);
        va_end(args);
        if (length >= 0 && (size_t)length < sizeof ret_error->text)
                snprintf(ret_error->text + length, sizeof ret_error->text - (size_t)length, ": %s", old);
        return ret_error->code;
}
