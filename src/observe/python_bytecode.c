/* Stale bytecode: a .pyc that Python runs although its source says something else. Nearly every header mismatch is
 * harmless, because Python then compiles anew; only two kinds are believed without a look at the source's bytes: an
 * unchecked hash, and a time stamp of the very second in which a source was changed without changing its size. */
#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "formats/pyc.h"
#include "observe/python_furniture.h"
#include "observe/python_module.h"

enum { SOURCE_BYTES_MAX = 64 << 20 };

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
            fs_read_whole(fd, SOURCE_BYTES_MAX, &source, NULL) < 0)
                return false;
        bool contradicts = pyc_source_hash(source, header->magic) != header->hash;
        free((void *)source.data);
        return contradicts;
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
                if (header.flags == PYC_TIMESTAMP)
                        add_stale(survey, entry, SEVERITY_WARNING,
                                  "its source was changed in the second in which it was compiled, to the same size");
                else if (hash_contradicts_source(survey, entry, &header))
                        add_stale(survey, entry, SEVERITY_ERROR,
                                  "it says not to compare it with its source, and it was made from another source");
        }
}
