/* From the rows of a RECORD to claims on files. A row's path is taken to pieces once, here: from then on every file has
 * one prefix-relative name, whatever the spelling of the rows that claim it. What a row leaves open (a leading slash, a
 * backslash, too many "..", commas) is settled by what is on disk, as installers other than pip leave such rows in
 * healthy trees; only the shapes that are rare ask the disk. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "observe/python_excuse.h"
#include "observe/python_module.h"
#include "observe/python_ownership.h"

enum placed {
        PLACED,
        PLACED_OUTSIDE,
        PLACED_NOWHERE, /* no path can be made of it */
        PLACED_TOO_DEEP,
        PLACED_TOO_MANY, /* it would make more directories known than are kept */
};

/* Of any path, in directories. The deepest seen in a wheel is about twenty; every level of every row costs memory. */
enum { DEPTH_MAX = 128 };

/* A prefix-relative path while it is put together. */
struct place {
        char path[PATH_MAX];
        size_t size;
};

struct row_context {
        struct ownership *ownership;
        uint32_t owner, site_directory;
        const struct record_row *row;
        /* The directory of the row before: most rows have the same. */
        struct bytes last_text;
        uint32_t last_directory;
};

static bool place_add(struct place *place, struct bytes component)
{
        if (place->size + component.size + 2 > sizeof place->path)
                return false;
        if (place->size > 0)
                place->path[place->size++] = '/';
        memcpy(place->path + place->size, component.data, component.size);
        place->size += component.size;
        place->path[place->size] = '\0';
        return true;
}

static bool place_leave(struct place *place)
{
        if (place->size == 0)
                return false;
        while (place->size > 0 && place->path[place->size - 1] != '/')
                place->size--;
        place->size -= place->size > 0;
        place->path[place->size] = '\0';
        return true;
}

static bool is_lib64(const struct place *place)
{
        return place->size == 5 && memcmp(place->path, "lib64", 5) == 0;
}

/* Walks `path` from where `place` stands. */
static enum placed place_walk(const struct ownership *ownership, struct bytes path, struct place *place)
{
        for (size_t at = 0; at < path.size;) {
                const unsigned char *slash = memchr(path.data + at, '/', path.size - at);
                size_t end = slash != NULL ? (size_t)(slash - path.data) : path.size;
                struct bytes component = {path.data + at, end - at};
                at = end + 1;
                if (component.size == 0 || bytes_equal(component, BYTES_LITERAL(".")))
                        continue;
                if (bytes_equal(component, BYTES_LITERAL(".."))) {
                        if (!place_leave(place))
                                return PLACED_OUTSIDE;
                } else if (component.size > NAME_MAX || !place_add(place, component))
                        return PLACED_NOWHERE;
                if (is_lib64(place) && ownership->lib64_is_lib) {
                        place->size = 3;
                        place->path[3] = '\0';
                }
        }
        return place->size > 0 ? PLACED : PLACED_NOWHERE;
}

static void place_at_site(const struct row_context *context, struct place *place)
{
        struct bytes site = context->ownership->directories[context->site_directory].path;
        place->size = 0;
        place->path[0] = '\0';
        if (site.size > 0)
                place_add(place, site);
}

static bool place_exists(const struct ownership *ownership, const struct place *place)
{
        struct stat st;
        return fstatat(ownership->prefix_fd, place->path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* "/srv/env/bin/x" in the environment /srv/env. */
static bool path_is_in_prefix(const struct ownership *ownership, struct bytes path, struct bytes *ret_rest)
{
        struct bytes prefix = ownership->prefix;
        if (path.size <= prefix.size || memcmp(path.data, prefix.data, prefix.size) != 0 ||
            path.data[prefix.size] != '/')
                return false;
        *ret_rest = (struct bytes){path.data + prefix.size + 1, path.size - prefix.size - 1};
        return true;
}

static enum placed place_plainly(const struct row_context *context, struct bytes path, struct place *place)
{
        struct bytes rest;
        if (path.size > 0 && path.data[0] == '/') {
                place->size = 0;
                place->path[0] = '\0';
                if (!path_is_in_prefix(context->ownership, path, &rest))
                        return PLACED_OUTSIDE;
                return place_walk(context->ownership, rest, place);
        }
        place_at_site(context, place);
        return place_walk(context->ownership, path, place);
}

/* A site of `pip install --target` has no lib/pythonX.Y above it, and its scripts beneath it. */
static bool site_is_target(const struct row_context *context)
{
        struct bytes site = context->ownership->directories[context->site_directory].path;
        return !bytes_end_with(site, "/site-packages") && !bytes_end_with(site, "/dist-packages");
}

/* What lies beneath the site when leading slashes, and in a target tree "..", are left away. */
static bool place_beneath_site(const struct row_context *context, struct bytes path, struct place *place)
{
        bool target = site_is_target(context);
        while (path.size > 0 && (path.data[0] == '/' || (target && bytes_start_with(path, "../")))) {
                size_t skip = path.data[0] == '/' ? 1 : 3;
                path = (struct bytes){path.data + skip, path.size - skip};
        }
        place_at_site(context, place);
        return place_walk(context->ownership, path, place) == PLACED && place_exists(context->ownership, place);
}

static bool place_with_slashes(const struct row_context *context, struct bytes path, struct place *place)
{
        char text[PATH_MAX];
        if (path.size >= sizeof text || memchr(path.data, '\\', path.size) == NULL)
                return false;
        for (size_t i = 0; i < path.size; i++)
                text[i] = path.data[i] == '\\' ? '/' : (char)path.data[i];
        struct bytes slashed = {(const unsigned char *)text, path.size};
        return place_plainly(context, slashed, place) == PLACED && place_exists(context->ownership, place);
}

/* "NAME.data/scripts/x": where a wheel kept a file before it was installed. */
static bool path_is_ghost(struct bytes path)
{
        const unsigned char *slash = memchr(path.data, '/', path.size);
        return slash != NULL && bytes_end_with((struct bytes){path.data, (size_t)(slash - path.data)}, ".data");
}

static bool path_is_rare(struct bytes path)
{
        return path.data[0] == '/' || memchr(path.data, '\\', path.size) != NULL;
}

static enum placed place_row(const struct row_context *context, struct bytes path, struct place *place)
{
        if (path.size == 0 || memchr(path.data, '\0', path.size) != NULL)
                return PLACED_NOWHERE;
        enum placed placed = place_plainly(context, path, place);
        if (placed == PLACED && !path_is_rare(path))
                return PLACED;
        if (placed == PLACED && place_exists(context->ownership, place))
                return PLACED;
        struct place other;
        if (place_with_slashes(context, path, &other) || place_beneath_site(context, path, &other)) {
                *place = other;
                return PLACED;
        }
        return placed;
}

static void add_claim(struct row_context *context, uint32_t directory, struct bytes name)
{
        struct ownership *ownership = context->ownership;
        uint32_t file = ownership_add_file(ownership, directory, name);
        uint32_t index = (uint32_t)ownership->n_claims;
        heap_reserve(ownership->claims, ownership->n_claims, ownership->claims_capacity);
        ownership->claims[ownership->n_claims++] = (struct claim){
                .owner = context->owner,
                .next = OWNERSHIP_NONE,
                .hash = context->row->hash,
                .size = context->row->size,
        };
        struct owned_file *claimed = &ownership->files[file];
        if (claimed->first_claim == OWNERSHIP_NONE)
                claimed->first_claim = index;
        else
                ownership->claims[claimed->last_claim].next = index;
        claimed->last_claim = index;
}

static const char *why_not_placed(const struct row_context *context, struct bytes path, enum placed placed)
{
        if (placed == PLACED_OUTSIDE)
                return NULL;
        if (placed == PLACED_TOO_DEEP)
                return "it is deeper than any path of an installation";
        if (placed == PLACED_TOO_MANY)
                return "there are more directories than are read";
        if (context->row->cut)
                return "a field never ends, or is longer than any path";
        return path.size == 0 ? "it names no file" : "no path can be made of it";
}

static void add_stray(struct row_context *context, struct bytes path, enum placed placed)
{
        struct ownership *ownership = context->ownership;
        heap_reserve(ownership->strays, ownership->n_strays, ownership->strays_capacity);
        ownership->strays[ownership->n_strays++] = (struct stray_row){
                .owner = context->owner,
                .text = path,
                .outside = placed == PLACED_OUTSIDE,
                .why = why_not_placed(context, path, placed),
        };
}

/* The plain case, with no memory moved: a clean relative path whose directory is that of the row before. */
static bool add_to_last_directory(struct row_context *context, struct bytes path)
{
        struct bytes directory = path_directory(path), name = path_name(path);
        if (context->last_directory == OWNERSHIP_NONE || !bytes_equal(directory, context->last_text) ||
            name.size == 0 || name.size > NAME_MAX || name.data[0] == '.' ||
            memchr(name.data, '\\', name.size) != NULL || memchr(name.data, '\0', name.size) != NULL)
                return false;
        add_claim(context, context->last_directory, name);
        return true;
}

static bool is_cached_bytecode(struct bytes path)
{
        return bytes_end_with(path, ".pyc") && python_row_needs_no_hash(path);
}

/* A row whose hash was lost to unquoted commas may name either of two files. */
static struct bytes row_path(const struct row_context *context)
{
        const struct record_row *row = context->row;
        struct place place;
        if (row->hash.kind != RECORD_HASH_LOST || row->joined.size == 0)
                return row->path;
        bool plain = place_row(context, row->path, &place) == PLACED && place_exists(context->ownership, &place);
        bool joined = place_row(context, row->joined, &place) == PLACED && place_exists(context->ownership, &place);
        return joined && !plain ? row->joined : row->path;
}

static bool is_too_deep(struct bytes path)
{
        size_t depth = 0;
        for (size_t i = 0; i < path.size; i++)
                depth += path.data[i] == '/';
        return depth > DEPTH_MAX;
}

static void add_row(struct row_context *context)
{
        struct ownership *ownership = context->ownership;
        struct place place;
        struct bytes path = row_path(context);
        if (is_cached_bytecode(path) || (!context->row->cut && add_to_last_directory(context, path)))
                return;
        enum placed placed = context->row->cut ? PLACED_NOWHERE : place_row(context, path, &place);
        if (placed != PLACED) {
                add_stray(context, path, placed);
                return;
        }
        if (path_is_ghost(path) && !place_exists(ownership, &place))
                return;
        struct bytes whole = {(const unsigned char *)place.path, place.size};
        bool deep = is_too_deep(whole);
        uint32_t directory = deep ? OWNERSHIP_NONE : ownership_add_directory(ownership, path_directory(whole));
        if (directory == OWNERSHIP_NONE) {
                add_stray(context, path, deep ? PLACED_TOO_DEEP : PLACED_TOO_MANY);
                return;
        }
        struct bytes name = path_name(whole), as_written = path_name(path);
        if (bytes_equal(name, as_written))
                name = as_written; /* a view that lasts */
        else
                name.data = (const unsigned char *)arena_strndup(&ownership->texts, (const char *)name.data, name.size);
        add_claim(context, directory, name);
        /* A path of rare shape was placed by what is on disk, which says nothing of its neighbours. */
        bool lasting = !path_is_rare(path) && !path_is_ghost(path) && memmem(path.data, path.size, "..", 2) == NULL;
        context->last_text = lasting ? path_directory(path) : (struct bytes){NULL, 0};
        context->last_directory = lasting ? directory : OWNERSHIP_NONE;
}

bool ownership_add_record(struct ownership *ownership, uint32_t owner, uint32_t site, struct bytes record,
                          uint32_t *ret_rows)
{
        heap_reserve(ownership->records, ownership->n_records, ownership->records_capacity);
        ownership->records[ownership->n_records++] = (void *)record.data;
        struct record_reader reader = record_over(record, &ownership->texts);
        struct record_row row;
        struct row_context context = {
                .ownership = ownership,
                .owner = owner,
                .row = &row,
                .last_directory = OWNERSHIP_NONE,
        };
        for (uint32_t i = 0; i < ownership->n_directories; i++)
                if (ownership->directories[i].site == site) {
                        context.site_directory = i; /* the first of a site is the site itself */
                        break;
                }
        uint32_t rows = 0;
        for (; record_next(&reader, &row); rows++)
                add_row(&context);
        *ret_rows = rows;
        return !record_is_cut(&reader);
}
