#include "report/json.h"

#include <stdlib.h>
#include <unistd.h>

json_t *json_frame(const struct report_style *style)
{
        char host[256] = "", schema[64];
        gethostname(host, sizeof host - 1);
        snprintf(schema, sizeof schema, "pristine.%s/1", style->command);
        json_t *object = json_object();
        json_object_set_new(object, "schema", json_string(schema));
        json_object_set_new(object, "version", json_string(PRISTINE_VERSION));
        json_object_set_new(object, "host", json_from_path(host));
        json_object_set_new(object, "started", json_from_time(style->started_ns));
        json_object_set_new(object, "seconds", json_real(style->seconds));
        return object;
}

json_t *json_from_strings(const struct strings *strings)
{
        json_t *array = json_array();
        for (size_t i = 0; i < strings->count; i++)
                json_array_append_new(array, json_from_path(strings->items[i]));
        return array;
}

json_t *json_from_hex(const struct digest *digest)
{
        char hex[DIGEST_HEX_SIZE];
        digest_to_hex(digest, hex);
        return json_string(hex);
}

json_t *json_from_digest(const struct digest *digest)
{
        char hex[DIGEST_HEX_SIZE], whole[DIGEST_HEX_SIZE + 8];
        digest_to_hex(digest, hex);
        snprintf(whole, sizeof whole, "sha256:%s", hex);
        return json_string(whole);
}

json_t *json_from_unknowns(const struct unknowns *unknowns)
{
        json_t *array = json_array();
        for (size_t i = 0; i < unknowns->count; i++) {
                const struct unknown *unknown = &unknowns->items[i];
                json_array_append_new(array, json_pack("{s:o, s:o, s:b}", "what", json_from_path(unknown->what), "why",
                                                       json_from_path(unknown->why), "in_scope", unknown->in_scope));
        }
        return array;
}

static int write_piece(const char *buffer, size_t size, void *out)
{
        text_add_bytes(out, buffer, size);
        return 0;
}

void json_write(json_t *object, struct text *out)
{
        json_dump_callback(object, write_piece, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        text_add_char(out, '\n');
        json_decref(object);
}

void json_report_acceptances(const struct acceptance *items, size_t count, const struct report_style *style,
                             struct text *out)
{
        json_t *object = json_frame(style), *array = json_array();
        for (size_t i = 0; i < count; i++) {
                const struct acceptance *item = &items[i];
                json_t *entry = json_object();
                json_object_set_new(entry, "finding", json_from_path(item->finding));
                json_object_set_new(entry, "rule", json_from_path(item->rule));
                json_object_set_new(entry, "path", json_from_path(item->path));
                json_object_set_new(entry, "hunk", json_from_path(item->hunk));
                json_object_set_new(entry, "sha256", item->has_digest ? json_from_digest(&item->digest) : json_null());
                json_object_set_new(entry, "reason", json_from_path(item->reason));
                json_object_set_new(entry, "at", json_from_time(item->when_ns));
                json_object_set_new(entry, "user", json_integer(item->user));
                json_array_append_new(array, entry);
        }
        json_object_set_new(object, "acceptances", array);
        json_write(object, out);
}

void json_report_pages(const struct rule_page *pages, size_t count, bool titles_only, const struct report_style *style,
                       struct text *out)
{
        json_t *object = json_frame(style), *array = json_array();
        for (size_t i = 0; i < count; i++) {
                json_t *entry = json_pack("{s:o}", "rule", json_from_path(pages[i].name));
                if (!titles_only)
                        json_object_set_new(entry, "text", json_from_path(pages[i].text));
                json_array_append_new(array, entry);
        }
        json_object_set_new(object, "rules", array);
        json_write(object, out);
}
