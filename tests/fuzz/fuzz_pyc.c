/* libFuzzer entry: the reader of .pyc headers and names. The input is a header, then a name; its bytes are also hashed
 * as a source. */
#include "formats/pyc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct bytes input = {data, size};
        struct pyc_header header;
        struct pyc_name name;
        if (pyc_parse_header(input, &header))
                (void)pyc_source_hash(input, header.magic);
        size_t skip = size < PYC_HEADER_SIZE ? size : PYC_HEADER_SIZE;
        struct bytes rest = {data + skip, size - skip};
        if (pyc_parse_name(rest, &name)) {
                (void)pyc_tag_minor(name.tag);
                /* Every part is a view into the name: none may reach outside. */
                if (name.stem.data < rest.data || name.stem.data + name.stem.size > rest.data + rest.size)
                        __builtin_trap();
        }
        return 0;
}
