/* jansson, with the one thing it lacks for this subject: paths and source text are bytes, JSON strings are UTF-8.
 * Bytes that are no UTF-8 become "\xNN" (four characters) and a backslash in such a string becomes "\\", so that the
 * text is unambiguous; a string that is UTF-8 passes unchanged. */
#ifndef PRISTINE_BASE_JSON_H
#define PRISTINE_BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "base/text.h"

json_t *json_from_bytes(struct bytes bytes); /* a new string reference; never NULL */
json_t *json_from_path(const char *path);    /* NULL gives JSON null */
json_t *json_from_time(
        int64_t nanoseconds); /* RFC 3339, UTC, microseconds: "2026-12-01T05:20:48.123456Z"; INT64_MIN gives null */

#endif
