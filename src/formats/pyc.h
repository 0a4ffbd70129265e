/* Compiled Python (.pyc): its header and its name, as PEP 552 and PEP 3147 lay them down. The code behind the header is
 * never read: no header proves what it does.
 *
 *     pyc_parse_name()    "x.cpython-312.opt-1.pyc" -> stem, tag, optimisation
 *     pyc_parse_header()  16 bytes -> magic, how it is validated, and the values to validate by
 *     pyc_source_hash()   what a hash-based header must hold for a source */
#ifndef PRISTINE_FORMATS_PYC_H
#define PRISTINE_FORMATS_PYC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum {
        PYC_HEADER_SIZE = 16,
        PYC_MINOR_MIN = 7, /* Python 3.7: the first with this header */
        PYC_MINOR_MAX = 14,
};

/* The flags word. CHECKED: Python compares the hash at each import; UNCHECKED: it believes the file. */
enum pyc_flags {
        PYC_TIMESTAMP = 0,
        PYC_UNCHECKED_HASH = 1,
        PYC_CHECKED_HASH = 3,
};

struct pyc_header {
        uint16_t magic;
        uint32_t flags;
        uint32_t mtime, size; /* of the source, modulo 2^32: of PYC_TIMESTAMP */
        uint64_t hash;        /* of the source: of the two others */
};

struct pyc_name {
        struct bytes stem;         /* the module's own part; may hold dots */
        struct bytes tag;          /* "cpython-312"; empty in "x.pyc", which lies beside its source */
        struct bytes optimisation; /* "1" of ".opt-1", else empty */
};

/* False when fewer than 16 bytes are there or the magic does not end as every magic does: Python would not run it. */
bool pyc_parse_header(struct bytes bytes, struct pyc_header *ret_header);

/* False unless the name ends in ".pyc" with something before. Read from the right, so that "a.b.cpython-312.pyc" is the
 * module "a.b". */
bool pyc_parse_name(struct bytes name, struct pyc_name *ret_name);

/* The minor version of Python 3 that a tag or a released magic number stands for; 0 when it is not known here. */
int pyc_tag_minor(struct bytes tag);
int pyc_magic_minor(uint16_t magic);

/* SipHash of the source keyed with the magic: 2-4 up to Python 3.10, 1-3 from 3.11. */
uint64_t pyc_source_hash(struct bytes source, uint16_t magic);

#endif
