#include "flow/select.h"

#include <string.h>

enum { ID_DIGITS_MIN = 4 };

bool finding_is_meant(const struct finding *finding, const char *subject)
{
        size_t length = strlen(subject);
        if (length >= ID_DIGITS_MIN && strncmp(finding->id, subject, length) == 0)
                return true;
        if (strcmp(finding->path, subject) == 0 || strcmp(finding->subject, subject) == 0)
                return true;
        /* "models/deepseek_v2.py": the end of the path, at a directory's border */
        size_t whole = strlen(finding->path);
        return subject[0] != '/' && whole > length && finding->path[whole - length - 1] == '/' &&
               strcmp(finding->path + whole - length, subject) == 0;
}
