#include "origin/archives.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "origin/archives_internal.h"

/* Names that one installed file may have had in its wheel. */
enum { MEMBERS_MAX = 4, DIRECT_URL_MAX = 64 << 10 };

static struct strings copy_all(struct arena *arena, const struct strings *strings)
{
        struct strings copy = {arena_new_array(arena, const char *, strings->count + 1), strings->count};
        for (size_t i = 0; i < strings->count; i++)
                copy.items[i] = arena_strdup(arena, strings->items[i]);
        return copy;
}

struct archives *archives_new(const struct archives_request *request)
{
        struct archives *archives = heap_alloc(sizeof *archives);
        struct arena *arena = &archives->arena;
        archives->request = (struct archives_request){
                .root = request->root,
                .wheels = copy_all(arena, &request->wheels),
                .find_links = copy_all(arena, &request->find_links),
                .homes = copy_all(arena, &request->homes),
                .uv_cache = arena_strdup(arena, request->uv_cache),
                .pip_cache = arena_strdup(arena, request->pip_cache),
        };
        return archives;
}

struct archives *archives_free(struct archives *archives)
{
        if (archives == NULL)
                return NULL;
        for (size_t i = 0; i < archives->count; i++)
                archive_close(&archives->items[i]);
        free(archives->items);
        free(archives->places);
        arena_clear(&archives->arena);
        free(archives);
        return NULL;
}

static const char *last_name(const char *path)
{
        const char *slash = strrchr(path, '/');
        return slash != NULL ? slash + 1 : path;
}

/* A file of the site stands under its own name, or under the scheme that the wheel keeps it apart by; what is outside
 * the site came from one of the other schemes. */
static size_t member_names(const struct archives_wanted *wanted, const char *info, struct arena *arena,
                           const char *ret_names[MEMBERS_MAX])
{
        const char *site = wanted->environment->sites[wanted->distribution->site].path;
        size_t length = strlen(site), stem = strlen(info) - strlen(".dist-info"), count = 0;
        bool in_site = length == 0 || (strncmp(wanted->path, site, length) == 0 && wanted->path[length] == '/');
        if (in_site) {
                const char *rest = length == 0 ? wanted->path : wanted->path + length + 1;
                ret_names[count++] = rest;
                ret_names[count++] = arena_printf(arena, "%.*s.data/purelib/%s", (int)stem, info, rest);
                ret_names[count++] = arena_printf(arena, "%.*s.data/platlib/%s", (int)stem, info, rest);
        } else if (strncmp(wanted->path, "bin/", 4) == 0)
                ret_names[count++] = arena_printf(arena, "%.*s.data/scripts/%s", (int)stem, info, wanted->path + 4);
        else
                ret_names[count++] = arena_printf(arena, "%.*s.data/data/%s", (int)stem, info, wanted->path);
        return count;
}

/* Tries one archive; the bytes count only when they hash to what RECORD says. */
static bool take_from(struct archives *archives, struct archive *archive, const struct archives_wanted *wanted,
                      struct arena *arena, struct origin *ret_origin)
{
        const char *names[MEMBERS_MAX];
        bool found = false;
        if (!archive_open(archives, archive))
                return false;
        size_t count = member_names(wanted, archive->info, arena, names);
        for (size_t i = 0; i < count && !found; i++) {
                struct bytes bytes;
                struct digest digest;
                if (!archive_read(archive, names[i], wanted->size, &bytes))
                        continue;
                hash_bytes(bytes, &digest);
                found = digest_equal(&digest, &wanted->digest);
                if (found)
                        *ret_origin = (struct origin){
                                .source = archive->source,
                                .proven = true,
                                .anchor = archive_vouches(archive, names[i], &digest) ? ANCHOR_ARCHIVE : ANCHOR_RECORD,
                                .original = {arena_copy(arena, bytes.data, bytes.size), bytes.size},
                                .note = arena_printf(arena, "from %s", archive->path),
                        };
                free((void *)bytes.data);
        }
        archive_close(archive);
        return found;
}

static int hex_digit(char c)
{
        return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* "file:///srv/w%20x/n.whl" -> "/srv/w x/n.whl"; NULL for what is no file of this host. */
static const char *path_of_url(const char *url, struct arena *arena)
{
        if (strncmp(url, "file:///", 8) != 0)
                return NULL;
        char *path = arena_strdup(arena, url + 7), *to = path;
        for (const char *from = path; *from != '\0' && *from != '#' && *from != '?'; to++) {
                int high = *from == '%' ? hex_digit(from[1]) : -1, low = high >= 0 ? hex_digit(from[2]) : -1;
                *to = low >= 0 ? (char)(high << 4 | low) : *from;
                if (*to == '\0')
                        return NULL;
                from += low >= 0 ? 3 : 1;
        }
        *to = '\0';
        return path;
}

/* What was installed from a file says so itself (PEP 610). */
static void add_direct(struct archives *archives, const struct archives_wanted *wanted)
{
        AUTO_CLOSE int prefix_fd = -1, fd = -1;
        struct file_identity identity;
        struct bytes bytes = {0};
        char *name = arena_printf(&archives->arena, "%s/direct_url.json", wanted->distribution->info);
        if (root_open_directory(archives->request.root, wanted->environment->path, &prefix_fd, NULL, NULL) < 0 ||
            fs_open_regular(prefix_fd, name, &fd, &identity, NULL) < 0 ||
            fs_read_whole(fd, DIRECT_URL_MAX, &bytes, NULL) < 0)
                return;
        json_t *json = json_loadb((const char *)bytes.data, bytes.size, 0, NULL);
        const char *url = json_string_value(json_object_get(json, "url"));
        const char *path = url != NULL ? path_of_url(url, &archives->arena) : NULL;
        if (path != NULL && bytes_end_with(bytes_of(path), ".whl"))
                archive_places_add_wheel(archives, path);
        json_decref(json);
        free((void *)bytes.data);
}

bool archives_find(struct archives *archives, const struct archives_wanted *wanted, struct arena *arena,
                   struct origin *ret_origin)
{
        const char *info = last_name(wanted->distribution->info);
        archive_places_gather(archives);
        add_direct(archives, wanted);
        for (size_t i = 0; i < archives->count; i++) {
                struct archive *archive = &archives->items[i];
                if (archive_identify(archives, archive) && strcmp(archive->info, info) == 0 &&
                    take_from(archives, archive, wanted, arena, ret_origin))
                        return true;
        }
        return false;
}

void archives_searched(const struct archives *archives, struct arena *arena, struct strings *ret_sentences)
{
        static const char *const kinds[] = {
                [ORIGIN_UV_CACHE] = "uv's cache", [ORIGIN_PIP_CACHE] = "pip's cache", [ORIGIN_WHEEL] = "wheels"};
        struct strings sentences = {arena_new_array(arena, const char *, archives->n_places + 1), 0};
        for (size_t i = 0; i < archives->n_places; i++) {
                const struct archive_place *place = &archives->places[i];
                if (place->there)
                        sentences.items[sentences.count++] =
                                arena_printf(arena, "%s in %s: %zu archive%s", kinds[place->source], place->path,
                                             place->archives, place->archives == 1 ? "" : "s");
        }
        *ret_sentences = sentences;
}
