#include "analyze/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cursor.h"

enum {
        EDITS_MAX = 2000,    /* beyond it a finer script costs too much and tells nobody anything */
        TABLE_MAX = 4 << 20, /* cells of the insertion table */
        UNREACHABLE = UINT16_MAX
};

/* Lines of one text; equal lines of both texts have equal `id`. */
struct side {
        struct bytes text;
        size_t *offsets; /* count + 1 */
        uint32_t *ids;
        uint32_t count;
};

/* Which lines of each side belong to no common line. */
struct script {
        bool *removed; /* of the original */
        bool *added;   /* of the current */
};

struct interner {
        struct slot {
                struct bytes line;
                uint32_t id;
        } * slots;
        size_t mask;
        uint32_t next;
        bool loose; /* line ends and a byte order mark do not count */
};

static void side_clear(struct side *side)
{
        free(side->offsets);
        free(side->ids);
}

static void script_clear(struct script *script)
{
        free(script->removed);
        free(script->added);
}

static void interner_clear(struct interner *interner)
{
        free(interner->slots);
}

static struct bytes line_content(struct bytes line, bool loose, bool first)
{
        if (!loose)
                return line;
        if (first && bytes_start_with(line, "\xEF\xBB\xBF"))
                line = (struct bytes){line.data + 3, line.size - 3};
        if (bytes_end_with(line, "\n"))
                line.size--;
        if (bytes_end_with(line, "\r"))
                line.size--;
        return line;
}

static uint32_t intern(struct interner *interner, struct bytes line)
{
        uint64_t hash = 1469598103934665603U;
        for (size_t i = 0; i < line.size; i++)
                hash = (hash ^ line.data[i]) * 1099511628211U;
        for (size_t at = (hash ^ hash >> 29) & interner->mask;; at = (at + 1) & interner->mask) {
                struct slot *slot = &interner->slots[at];
                if (slot->id == 0)
                        *slot = (struct slot){line, ++interner->next};
                if (bytes_equal(slot->line, line))
                        return slot->id;
        }
}

static void side_split(struct side *side, struct bytes text)
{
        struct cursor cursor = cursor_over(text);
        struct bytes line;
        size_t capacity = text.size / 24 + 16;
        *side = (struct side){.text = text, .offsets = heap_resize(NULL, capacity, sizeof *side->offsets)};
        side->offsets[0] = 0;
        while (cursor_line(&cursor, &line)) {
                side->count++;
                heap_reserve(side->offsets, side->count, capacity);
                side->offsets[side->count] = cursor.position;
        }
        side->ids = heap_alloc(((size_t)side->count + 1) * sizeof *side->ids);
}

static struct bytes side_line(const struct side *side, uint32_t line)
{
        return (struct bytes){side->text.data + side->offsets[line], side->offsets[line + 1] - side->offsets[line]};
}

static void sides_intern(struct side *a, struct side *b, bool loose)
{
        CLEANUP(interner_clear) struct interner interner = {.mask = 15, .loose = loose};
        while (interner.mask < 2 * ((size_t)a->count + b->count))
                interner.mask = interner.mask * 2 + 1;
        interner.slots = heap_alloc((interner.mask + 1) * sizeof *interner.slots);
        for (uint32_t i = 0; i < a->count; i++)
                a->ids[i] = intern(&interner, line_content(side_line(a, i), loose, i == 0));
        for (uint32_t i = 0; i < b->count; i++)
                b->ids[i] = intern(&interner, line_content(side_line(b, i), loose, i == 0));
}

static bool is_subsequence(const struct side *few, const struct side *many)
{
        uint32_t i = 0;
        for (uint32_t j = 0; j < many->count && i < few->count; j++)
                i += few->ids[i] == many->ids[j];
        return i == few->count;
}

/* The fewest hunks with which `many` comes out of `few` by insertion alone: cell (i, d, in) holds how many more it
 * takes once i lines are matched, d inserted, and the last step was an insertion (in) or not. From the front, inserting
 * as soon as nothing is lost by it gives the lowest lines. */
struct insertion_table {
        const struct side *few, *many;
        uint32_t extra;
        uint16_t *cells;
};

static uint16_t *table_cell(const struct insertion_table *table, uint32_t i, uint32_t d, bool in)
{
        return &table->cells[(((size_t)i * (table->extra + 1)) + d) * 2 + in];
}

static uint16_t table_insert_cost(const struct insertion_table *table, uint32_t i, uint32_t d, bool in)
{
        if (d >= table->extra)
                return UNREACHABLE;
        uint16_t rest = *table_cell(table, i, d + 1, true);
        return rest == UNREACHABLE ? rest : (uint16_t)(rest + !in);
}

static uint16_t table_match_cost(const struct insertion_table *table, uint32_t i, uint32_t d)
{
        bool same = i < table->few->count && table->few->ids[i] == table->many->ids[i + d];
        return same ? *table_cell(table, i + 1, d, false) : UNREACHABLE;
}

static bool script_by_insertion(const struct side *few, const struct side *many, bool *inserted)
{
        struct insertion_table table = {few, many, many->count - few->count, NULL};
        if (((size_t)few->count + 1) * (table.extra + 1) > TABLE_MAX)
                return false;
        AUTO_FREE uint16_t *cells = heap_resize(NULL, ((size_t)few->count + 1) * (table.extra + 1) * 2, sizeof *cells);
        table.cells = cells;
        for (uint32_t i = few->count + 1; i-- > 0;)
                for (uint32_t d = table.extra + 1; d-- > 0;)
                        for (int in = 0; in < 2; in++) {
                                bool end = i == few->count && d == table.extra;
                                uint16_t insert = table_insert_cost(&table, i, d, in),
                                         match = table_match_cost(&table, i, d);
                                *table_cell(&table, i, d, in) = end ? 0 : insert < match ? insert : match;
                        }
        bool in = false;
        for (uint32_t i = 0, d = 0; i < few->count || d < table.extra;) {
                in = table_insert_cost(&table, i, d, in) <= table_match_cost(&table, i, d);
                inserted[i + d] = in;
                d += in;
                i += !in;
        }
        return true;
}

/* Myers' greedy algorithm on the middle that is left after common ends; rows of furthest points are kept to walk back.
 */
struct middle {
        const uint32_t *a, *b;
        int32_t n, m;
};

static bool step_is_down(const int32_t *row, int32_t k, int32_t d)
{
        return k == -d || (k != d && row[k - 1] < row[k + 1]);
}

static void script_walk_back(const struct middle *middle, int32_t *const *rows, int32_t d, bool *removed, bool *added)
{
        int32_t x = middle->n, y = middle->m;
        for (; d > 0; d--) {
                int32_t k = x - y;
                const int32_t *row = rows[d - 1] + d; /* so that index k works for |k| <= d */
                bool down = step_is_down(row, k, d);
                int32_t previous_k = down ? k + 1 : k - 1;
                x = row[previous_k];
                y = x - previous_k;
                if (down)
                        added[y] = true;
                else
                        removed[x] = true;
        }
}

static bool script_by_myers(const struct middle *middle, bool *removed, bool *added)
{
        int32_t *rows[EDITS_MAX + 1] = {NULL};
        bool done = false;
        int32_t max = middle->n + middle->m < EDITS_MAX ? middle->n + middle->m : EDITS_MAX;
        AUTO_FREE int32_t *memory = heap_alloc((2 * (size_t)max + 5) * sizeof *memory);
        int32_t *row = memory + max + 2;
        for (int32_t d = 0; d <= max && !done; d++) {
                if (d > 0) {
                        rows[d - 1] = heap_resize(NULL, 2 * (size_t)d + 1, sizeof **rows);
                        memcpy(rows[d - 1], row - d, (2 * (size_t)d + 1) * sizeof **rows);
                }
                for (int32_t k = -d; k <= d && !done; k += 2) {
                        int32_t x = d == 0 ? 0 : step_is_down(row, k, d) ? row[k + 1] : row[k - 1] + 1;
                        while (x < middle->n && x - k < middle->m && middle->a[x] == middle->b[x - k])
                                x++;
                        row[k] = x;
                        done = x >= middle->n && x - k >= middle->m;
                        if (done)
                                script_walk_back(middle, rows, d, removed, added);
                }
        }
        for (int32_t d = 0; d < max; d++)
                free(rows[d]);
        return done;
}

static void script_general(const struct side *a, const struct side *b, struct script *script)
{
        uint32_t head = 0, tail = 0;
        while (head < a->count && head < b->count && a->ids[head] == b->ids[head])
                head++;
        while (tail < a->count - head && tail < b->count - head &&
               a->ids[a->count - 1 - tail] == b->ids[b->count - 1 - tail])
                tail++;
        struct middle middle = {a->ids + head, b->ids + head, (int32_t)(a->count - head - tail),
                                (int32_t)(b->count - head - tail)};
        if (script_by_myers(&middle, script->removed + head, script->added + head))
                return;
        memset(script->removed + head, 1, (size_t)middle.n);
        memset(script->added + head, 1, (size_t)middle.m);
}

/* Slides each run of marked lines up over equal neighbours, as far as it goes without touching the run before it. */
static void runs_slide_up(const struct side *side, bool *marked)
{
        for (uint32_t first = 0; first < side->count;) {
                if (!marked[first]) {
                        first++;
                        continue;
                }
                uint32_t end = first;
                while (end < side->count && marked[end])
                        end++;
                uint32_t next = end;
                while (first > 0 && !marked[first - 1] && side->ids[first - 1] == side->ids[end - 1]) {
                        marked[--end] = false;
                        marked[--first] = true;
                }
                first = next;
        }
}

/* A run may slide only where the other side stands still. */
static void script_slide(const struct side *a, const struct side *b, struct script *script)
{
        bool removes = a->count > 0 && memchr(script->removed, true, a->count) != NULL;
        bool adds = b->count > 0 && memchr(script->added, true, b->count) != NULL;
        if (adds && !removes)
                runs_slide_up(b, script->added);
        if (removes && !adds)
                runs_slide_up(a, script->removed);
}

static struct hunk hunk_between(const struct side *a, const struct side *b, uint32_t a_first, uint32_t a_end,
                                uint32_t b_first, uint32_t b_end)
{
        bool deletes = a_end > a_first, inserts = b_end > b_first;
        struct hunk hunk = {
                .change = deletes && inserts ? HUNK_REPLACE
                          : inserts          ? HUNK_INSERT
                                             : HUNK_DELETE,
                .first_line = inserts ? b_first + 1 : b_first,
                .last_line = b_end,
                .original_line = a_first,
                .start = b->offsets[b_first],
                .end = b->offsets[b_end],
                .original_start = a->offsets[a_first],
                .original_end = a->offsets[a_end],
                .function = "",
                .trigger = "",
        };
        const struct side *side = inserts ? b : a;
        size_t start = inserts ? hunk.start : hunk.original_start, end = inserts ? hunk.end : hunk.original_end;
        hunk.text = (struct bytes){side->text.data + start, end - start};
        return hunk;
}

static void script_to_hunks(const struct side *a, const struct side *b, const struct script *script,
                            struct arena *arena, struct hunks *ret_hunks)
{
        AUTO_FREE struct hunk *items = NULL;
        size_t count = 0, capacity = 0;
        for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
                uint32_t a_first = i, b_first = j;
                while (i < a->count && script->removed[i])
                        i++;
                while (j < b->count && script->added[j])
                        j++;
                if (i == a_first && j == b_first) {
                        i++;
                        j++;
                        continue;
                }
                heap_reserve(items, count, capacity);
                items[count++] = hunk_between(a, b, a_first, i, b_first, j);
        }
        for (size_t i = 0; i < count; i++)
                items[i].text.data = arena_copy(arena, items[i].text.data, items[i].text.size);
        ret_hunks->items = arena_copy(arena, items, count * sizeof *items);
        ret_hunks->count = count;
}

/* Insertion alone, or deletion alone: the two cases with an exact answer. */
static bool script_one_way(const struct side *a, const struct side *b, struct script *script)
{
        if (a->count <= b->count && is_subsequence(a, b))
                return script_by_insertion(a, b, script->added);
        if (b->count < a->count && is_subsequence(b, a))
                return script_by_insertion(b, a, script->removed);
        return false;
}

void diff_lines(struct bytes original, struct bytes current, struct arena *arena, struct hunks *ret_hunks)
{
        CLEANUP(side_clear) struct side a = {0};
        CLEANUP(side_clear) struct side b = {0};
        side_split(&a, original);
        side_split(&b, current);
        CLEANUP(script_clear)
        struct script script = {
                .removed = heap_alloc((size_t)a.count + 1),
                .added = heap_alloc((size_t)b.count + 1),
        };
        sides_intern(&a, &b, false);
        if (!script_one_way(&a, &b, &script)) {
                /* An editor that converted line ends touched every line; what a person added still shows without them.
                 */
                sides_intern(&a, &b, true);
                if (!script_one_way(&a, &b, &script)) {
                        sides_intern(&a, &b, false);
                        script_general(&a, &b, &script);
                }
        }
        script_slide(&a, &b, &script);
        script_to_hunks(&a, &b, &script, arena, ret_hunks);
}
