#include "cli/suggest.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST = 40 };

static size_t smaller(size_t a, size_t b)
{
        return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
static size_t word_distance(const char *a, size_t n, const char *b, size_t m)
{
        size_t rows[3][LONGEST + 1];
        if (n > LONGEST || m > LONGEST)
                return SIZE_MAX;
        for (size_t j = 0; j <= m; j++)
                rows[0][j] = j;
        for (size_t i = 1; i <= n; i++) {
                size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
                row[0] = i;
                for (size_t j = 1; j <= m; j++) {
                        row[j] = smaller(above[j - 1] + (a[i - 1] != b[j - 1]), smaller(above[j], row[j - 1]) + 1);
                        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                                row[j] = smaller(row[j], above2[j - 2] + 1);
                }
        }
        return rows[n % 3][m];
}

struct suggestion suggestion_for(const char *word, size_t length)
{
        /* One slip per three letters; beyond that a suggestion is a guess. */
        return (struct suggestion){.word = word, .length = length, .distance = 2 + length / 3};
}

void suggestion_weigh(struct suggestion *suggestion, const char *name)
{
        size_t distance = word_distance(suggestion->word, suggestion->length, name, strlen(name));
        if (distance < suggestion->distance && distance < strlen(name)) {
                suggestion->distance = distance;
                suggestion->best = name;
        }
}
