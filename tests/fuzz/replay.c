/* Runs a fuzz target over the files named: what the fuzzer once found must not come back. A run that names none fails,
 * so that an empty corpus does not pass for a good one. */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static int replay(const char *path)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        char buffer[65536];
        AUTO_FCLOSE FILE *file = fopen(path, "re");
        if (file == NULL) {
                perror(path);
                return 1;
        }
        for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
                text_add_bytes(&text, buffer, got);
        fprintf(stderr, "%s\n", path); /* before, so that the last line names the one that kills us */
        /* An exact copy: a read past the end is then one past a heap block, which sanitizers see. */
        unsigned char *exact = malloc(text.size > 0 ? text.size : 1);
        if (exact == NULL)
                return 1;
        if (text.size > 0)
                memcpy(exact, text.data, text.size);
        LLVMFuzzerTestOneInput(exact, text.size);
        free(exact);
        return 0;
}

int main(int argc, char **argv)
{
        int failed = argc < 2;
        for (int i = 1; i < argc; i++)
                failed |= replay(argv[i]);
        if (argc < 2)
                fprintf(stderr, "no file to replay\n");
        return failed;
}
