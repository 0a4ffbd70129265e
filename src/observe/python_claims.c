/* What installations without a RECORD say is theirs: the file lists of egg-infos, and the top-level names that an
 * egg-info or a dist-info without RECORD gives. No hash vouches for any of it, but it is not a stranger's either. */
#include <stdlib.h>
#include <string.h>

#include "observe/python_furniture.h"
#include "observe/python_module.h"

enum { CLAIM_LIST_MAX = 4 << 20, CLAIMS_MAX = 1 << 18 };

struct claims {
        const char **items; /* heap */
        size_t count, capacity;
};

static int compare_strings(const void *left, const void *right)
{
        return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool next_name(struct bytes *text, struct bytes *ret_line)
{
        if (text->size == 0)
                return false;
        const unsigned char *end = memchr(text->data, '\n', text->size);
        size_t size = end != NULL ? (size_t)(end - text->data) : text->size;
        *ret_line = (struct bytes){text->data, size};
        size += end != NULL;
        text->data += size;
        text->size -= size;
        if (ret_line->size > 0 && ret_line->data[ret_line->size - 1] == '\r')
                ret_line->size--;
        return true;
}

static void claim(struct furniture *furniture, struct claims *claims, const char *site, struct bytes name,
                  const char *suffix)
{
        if (name.size == 0 || name.data[0] == '/' || claims->count >= CLAIMS_MAX)
                return;
        heap_reserve(claims->items, claims->count, claims->capacity);
        claims->items[claims->count++] = arena_printf(furniture->survey->arena, "%s%s%.*s%s", site,
                                                      *site != '\0' ? "/" : "", (int)name.size, name.data, suffix);
}

/* installed-files.txt counts from the egg-info itself; only what is beside it ("../") is of interest here. */
static void claim_files(struct furniture *furniture, struct claims *claims, const char *site, const char *info)
{
        struct bytes text;
        const char *list = arena_printf(furniture->survey->arena, "%s/installed-files.txt", info);
        if (!furniture_read(furniture->survey, list, CLAIM_LIST_MAX, &text))
                return;
        for (struct bytes line; next_name(&text, &line);)
                if (bytes_start_with(line, "../") && !bytes_start_with(line, "../../"))
                        claim(furniture, claims, site, (struct bytes){line.data + 3, line.size - 3}, "");
}

static void claim_top_levels(struct furniture *furniture, struct claims *claims, const char *site, const char *info)
{
        struct bytes text;
        const char *list = arena_printf(furniture->survey->arena, "%s/top_level.txt", info);
        if (!furniture_read(furniture->survey, list, CLAIM_LIST_MAX, &text))
                return;
        for (struct bytes line; next_name(&text, &line);) {
                claim(furniture, claims, site, line, "");
                claim(furniture, claims, site, line, ".py");
        }
}

void furniture_read_claims(struct furniture *furniture)
{
        struct survey *survey = furniture->survey;
        struct claims claims = {0};
        for (size_t i = 0; i < survey->n_unowned; i++) {
                const struct unowned_entry *entry = &survey->unowned[i];
                bool egg = bytes_end_with(bytes_of(entry->path), ".egg-info");
                if ((!egg && !bytes_end_with(bytes_of(entry->path), ".dist-info")) ||
                    !furniture_is_top_level(furniture, entry) || path_name(bytes_of(entry->path)).data[0] == '~')
                        continue;
                const char *site = survey->environment->sites[entry->site].path;
                if (egg)
                        claim_files(furniture, &claims, site, entry->path);
                claim_top_levels(furniture, &claims, site, entry->path);
        }
        if (claims.count > 0)
                qsort(claims.items, claims.count, sizeof *claims.items, compare_strings);
        furniture->claims.items = arena_copy(survey->arena, claims.items, claims.count * sizeof *claims.items);
        furniture->claims.count = claims.count;
        free(claims.items);
}

bool furniture_is_claimed(const struct furniture *furniture, const char *path)
{
        size_t length = strlen(path), low = 0, high = furniture->claims.count;
        while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (strcmp(furniture->claims.items[middle], path) < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        /* "a-b" sorts between "a" and "a/b", so the first claim beneath a directory is not always the next one. */
        for (; low < furniture->claims.count && strncmp(furniture->claims.items[low], path, length) == 0; low++) {
                char next = furniture->claims.items[low][length];
                if (next == '\0' || next == '/')
                        return true;
                if (next > '/')
                        return false;
        }
        return false;
}
