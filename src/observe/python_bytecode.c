/* Stale bytecode: a .pyc that Python runs although its source says something else. Nearly every header mismatch is
 * harmless, because Python then compiles anew; only two kinds are believed without a look at the source's bytes: an
 * unchecked hash, and a time stamp of the very second in which a source was changed without changing its size.
 *
 * The second kind has a harmless double: a tree copied without its times in the second in which it was compiled. There
 * the copies of a .pyc and of its source have whatever order they were copied in. It is told by two things that hold
 * together only there: the source is what RECORD says, and the code names another place as its own. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "formats/pyc.h"
#include "observe/python_furniture.h"
#include "observe/python_module.h"

enum { FILE_BYTES_MAX = 64 << 20 };

static int64_t seconds_of(int64_t nanoseconds)
{
        return nanoseconds / 1000000000 - (nanoseconds % 1000000000 < 0);
}

/* Python keeps the low 32 bits of both. */
static bool header_names_source(const struct pyc_header *header, const struct file_identity *source)
{
        return header->mtime == (uint32_t)seconds_of(source->mtime_ns) && header->size == (uint32_t)source->size;
}

/* Only bytecode of the environment's own Python is ever run. */
static bool header_is_own(const struct environment *environment, struct bytes name, const unsigned char *header,
                          struct pyc_header *ret_header)
{
        struct pyc_name parsed;
        return pyc_parse_header((struct bytes){header, BYTECODE_HEADER_SIZE}, ret_header) &&
               pyc_parse_name(name, &parsed) && environment->python_major == 3 && environment->python_minor > 0 &&
               pyc_tag_minor(parsed.tag) == environment->python_minor &&
               pyc_magic_minor(ret_header->magic) == environment->python_minor;
}

bool bytecode_header_is_open(const struct environment *environment, struct bytes name,
                             const unsigned char header[BYTECODE_HEADER_SIZE], const struct file_identity *source_found)
{
        struct pyc_header parsed;
        if (!header_is_own(environment, name, header, &parsed))
                return false;
        return parsed.flags == PYC_UNCHECKED_HASH ||
               (parsed.flags == PYC_TIMESTAMP && header_names_source(&parsed, source_found));
}

bool bytecode_is_open(const struct environment *environment, struct bytes name,
                      const unsigned char header[BYTECODE_HEADER_SIZE], const struct file_identity *found,
                      const struct file_identity *source_found)
{
        struct pyc_header parsed;
        if (!bytecode_header_is_open(environment, name, header, source_found) ||
            !pyc_parse_header((struct bytes){header, BYTECODE_HEADER_SIZE}, &parsed))
                return false;
        return parsed.flags == PYC_UNCHECKED_HASH || found->mtime_ns < source_found->mtime_ns;
}

/* False where the source cannot be read: then nothing is known, which the source's own fact already says. */
static bool hash_contradicts_source(const struct survey *survey, const struct bytecode_entry *entry,
                                    const struct pyc_header *header)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct bytes source;
        if (fs_open_regular(survey->prefix_fd, entry->source, &fd, &identity, NULL) < 0 ||
            fs_read_whole(fd, FILE_BYTES_MAX, &source, NULL) < 0)
                return false;
        bool contradicts = pyc_source_hash(source, header->magic) != header->hash;
        free((void *)source.data);
        return contradicts;
}

static bool source_is_as_recorded(const struct survey *survey, const struct bytecode_entry *entry)
{
        const struct ownership *ownership = &survey->ownership;
        uint32_t index = ownership_path(ownership, bytes_of(entry->source));
        if (index == OWNERSHIP_NONE || ownership->files[index].look != LOOK_HASHED)
                return false;
        const struct owned_file *file = &ownership->files[index];
        for (uint32_t i = file->first_claim; i != OWNERSHIP_NONE; i = ownership->claims[i].next)
                if (ownership->claims[i].hash.kind == RECORD_HASH_SHA256 &&
                    digest_equal(&ownership->claims[i].hash.digest, &file->found.digest))
                        return true;
        return false;
}

/* Code objects hold the path they were compiled from, as a string whose length stands in the one or four bytes before.
 */
static bool code_names_path(struct bytes code, const char *path)
{
        size_t length = strlen(path);
        for (size_t from = 0; from < code.size;) {
                const unsigned char *at = memmem(code.data + from, code.size - from, path, length);
                if (at == NULL)
                        return false;
                size_t position = (size_t)(at - code.data);
                if (position >= 1 && length < 256 && at[-1] == length)
                        return true;
                if (position >= 4 && (at[-4] | at[-3] << 8 | at[-2] << 16) == (int)length && at[-1] == 0)
                        return true;
                from = position + 1;
        }
        return false;
}

static bool was_copied_together(struct survey *survey, const struct bytecode_entry *entry)
{
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct bytes code;
        if (!source_is_as_recorded(survey, entry) ||
            fs_open_regular(survey->prefix_fd, entry->path, &fd, &identity, NULL) < 0 ||
            fs_read_whole(fd, FILE_BYTES_MAX, &code, NULL) < 0)
                return false;
        const char *here = arena_printf(survey->arena, "%s/%s", survey->environment->path, entry->source);
        bool copied = !code_names_path(code, here);
        free((void *)code.data);
        return copied;
}

static void add_stale(struct survey *survey, const struct bytecode_entry *entry, enum severity severity,
                      const char *why)
{
        struct file_fact fact = {
                .state = FILE_STALE_BYTECODE,
                .rule = "stale-bytecode",
                .severity = severity,
                .path = entry->path,
                .expected_size = -1,
                .exists = true,
                .found = entry->found,
                .why = why,
        };
        uint32_t file = ownership_path(&survey->ownership, bytes_of(entry->source));
        if (file != OWNERSHIP_NONE) {
                uint32_t *owner = arena_new(survey->arena, uint32_t);
                *owner = survey->ownership.claims[survey->ownership.files[file].first_claim].owner;
                fact.owners = owner;
                fact.n_owners = 1;
        }
        survey_add_fact(survey, &fact);
        survey_count(survey, FILE_STALE_BYTECODE);
}

void furniture_bytecode(struct furniture *furniture)
{
        struct survey *survey = furniture->survey;
        for (size_t i = 0; i < survey->n_bytecode; i++) {
                const struct bytecode_entry *entry = &survey->bytecode[i];
                struct pyc_header header;
                if (!bytecode_is_open(survey->environment, path_name(bytes_of(entry->path)), entry->header,
                                      &entry->found, &entry->source_found) ||
                    !pyc_parse_header((struct bytes){entry->header, BYTECODE_HEADER_SIZE}, &header))
                        continue;
                if (header.flags == PYC_TIMESTAMP) {
                        if (!was_copied_together(survey, entry))
                                add_stale(survey, entry, SEVERITY_WARNING,
                                          "its source was changed in the second in which it was compiled, to the "
                                          "same size");
                } else if (hash_contradicts_source(survey, entry, &header))
                        add_stale(survey, entry, SEVERITY_ERROR,
                                  "it says not to compare it with its source, and it was made from another source");
        }
}
