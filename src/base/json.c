#include "base/json.h"

#include <time.h>

#include "base/cleanup.h"

static bool bytes_are_utf8(struct bytes bytes)
{
        while (bytes.size > 0) {
                unsigned point;
                size_t length = utf8_decode(bytes, &point);
                if (length == 0)
                        return false;
                bytes.data += length;
                bytes.size -= length;
        }
        return true;
}

json_t *json_from_bytes(struct bytes bytes)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        if (bytes_are_utf8(bytes)) {
                text_add_bytes(&text, bytes.data, bytes.size);
                return json_stringn_nocheck(text.data, text.size);
        }
        while (bytes.size > 0) {
                unsigned point;
                size_t length = utf8_decode(bytes, &point);
                if (length == 0) {
                        text_addf(&text, "\\x%02x", bytes.data[0]);
                        length = 1;
                } else if (point == '\\') {
                        text_add(&text, "\\\\");
                } else {
                        text_add_bytes(&text, bytes.data, length);
                }
                bytes.data += length;
                bytes.size -= length;
        }
        return json_stringn_nocheck(text.data, text.size);
}

json_t *json_from_path(const char *path)
{
        return path != NULL ? json_from_bytes(bytes_of(path)) : json_null();
}

json_t *json_from_time(int64_t nanoseconds)
{
        if (nanoseconds == INT64_MIN)
                return json_null();
        int64_t second = 1000000000;
        time_t seconds = (time_t)(nanoseconds / second - (nanoseconds % second < 0));
        int64_t rest = nanoseconds - (int64_t)seconds * second;
        struct tm tm;
        char date[64], whole[96];
        if (gmtime_r(&seconds, &tm) == NULL || strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm) == 0)
                return json_null();
        snprintf(whole, sizeof whole, "%s.%06dZ", date, (int)(rest / 1000));
        return json_string(whole);
}
