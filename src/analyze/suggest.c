/* Turns suspicion into ranges of whole lines that may have been inserted: runs of neighbouring statements and comments
 * of one body, with blank lines around them. */
#include "analyze/suspicion.h"

#include <stdlib.h>

#include "base/cleanup.h"

enum {
        EXTENT_LIMIT = 4000,
        PENALTY_LIMIT = 6,
        RUN_LIMIT = 24,     /* statements of one run */
        WEAK_RUN_LIMIT = 3, /* where each of them is a weak guess */
        BLANK_LIMIT = 3,    /* blank lines that go with a run */
        BLANK_PENALTY = 4,
};

/* Whole lines that stand or fall together in a body. */
struct item {
        uint32_t first, last;
        unsigned char cost;
        bool comment;
};

struct items {
        struct item *items;
        size_t count, capacity;
};

struct collector {
        const struct suspicion *suspicion;
        const struct syntax *syntax;
        bool *blank; /* by line */
        struct extent *extents;
        size_t count, capacity;
        struct items body;
};

static void clear_collector(struct collector *collector)
{
        free(collector->blank);
        free(collector->extents);
        free(collector->body.items);
}

static void add_extent(struct collector *collector, uint32_t first, uint32_t end, uint32_t penalty)
{
        if (penalty > PENALTY_LIMIT)
                return;
        heap_reserve(collector->extents, collector->count, collector->capacity);
        collector->extents[collector->count++] = (struct extent){first, end, penalty};
}

static bool line_is_blank(const struct collector *collector, uint32_t line)
{
        return line < collector->syntax->n_lines && collector->blank[line];
}

static bool same_lines(const struct collector *collector, uint32_t a, uint32_t b)
{
        return bytes_equal(syntax_line_text(collector->syntax, a), syntax_line_text(collector->syntax, b));
}

/* Lines [first, end) with 0 to BLANK_LIMIT of the blank lines around them. Which ones is the same where they are equal;
 * how many is told by habit: as many as stand on both sides. */
static void add_with_blanks(struct collector *collector, uint32_t first, uint32_t end, uint32_t penalty)
{
        uint32_t before = 0, behind = 0;
        while (before < BLANK_LIMIT && before < first && line_is_blank(collector, first - 1 - before))
                before++;
        while (behind < BLANK_LIMIT && line_is_blank(collector, end + behind))
                behind++;
        uint32_t usual = before < behind ? before : behind;
        for (uint32_t count = 0; count <= before + behind && count <= BLANK_LIMIT; count++) {
                uint32_t distance = count > usual ? count - usual : usual - count;
                uint32_t down = count < behind ? count : behind, up = count < before ? count : before;
                add_extent(collector, first - (count - down), end + down, penalty + distance);
                bool differ = count > 0 && (up != count - down) &&
                              !same_lines(collector, first - 1, end + (behind > 0 ? 0 : behind));
                if (differ)
                        add_extent(collector, first - up, end + (count - up), penalty + distance);
        }
}

static void add_run(struct collector *collector, size_t from, size_t to)
{
        const struct item *items = collector->body.items;
        unsigned worst = 0, statements = 0, remarks = 0;
        for (size_t i = from; i <= to; i++) {
                if (items[i].comment)
                        remarks += items[i].cost > 1;
                else if (items[i].cost > worst)
                        worst = items[i].cost;
                statements += !items[i].comment;
        }
        if (statements == 0 || (worst > 1 && to - from >= WEAK_RUN_LIMIT))
                return;
        /* Neighbours that look inserted as well and are left behind make it less likely. */
        bool left = from > 0 && !items[from - 1].comment && items[from - 1].cost <= worst;
        bool right = to + 1 < collector->body.count && !items[to + 1].comment && items[to + 1].cost <= worst;
        add_with_blanks(collector, items[from].first, items[to].last + 1, worst + (remarks > 0) + (left || right));
}

static void add_comment_run(struct collector *collector, size_t from)
{
        const struct item *items = collector->body.items;
        uint32_t worst = 0;
        for (size_t i = from; i < collector->body.count && items[i].comment && i < from + RUN_LIMIT; i++) {
                worst = items[i].cost > worst ? items[i].cost : worst;
                bool whole = i + 1 == collector->body.count || !items[i + 1].comment;
                bool starts = from == 0 || !items[from - 1].comment;
                if (i == from || (whole && starts) || worst < ORDINARY_COMMENT)
                        add_extent(collector, items[from].first, items[i].last + 1, worst);
                if (whole && starts)
                        add_with_blanks(collector, items[from].first, items[i].last + 1, worst + (worst > 1));
                if (i > from && items[i].first != items[i - 1].last + 1)
                        break;
        }
}

/* Every run of items none of which is impossible. */
static void add_runs(struct collector *collector)
{
        const struct item *items = collector->body.items;
        for (size_t from = 0; from < collector->body.count; from++) {
                if (items[from].comment)
                        add_comment_run(collector, from);
                for (size_t to = from; to < collector->body.count && to < from + RUN_LIMIT; to++) {
                        if (items[to].cost == COST_NEVER)
                                break;
                        add_run(collector, from, to);
                }
        }
        collector->body.count = 0;
}

static bool starts_line(const struct syntax *syntax, uint32_t byte, uint32_t line)
{
        bool blank;
        struct bytes text = syntax_line_text(syntax, line);
        (void)syntax_indent(syntax, line, &blank);
        for (uint32_t at = syntax->lines[line]; at < byte; at++)
                if (text.data[at - syntax->lines[line]] != ' ' && text.data[at - syntax->lines[line]] != '\t' &&
                    text.data[at - syntax->lines[line]] != '\f')
                        return false;
        return true;
}

/* Statements on one line (a; b) are one item: likely when any of them is, since nobody else writes so. */
static void add_item(struct items *body, struct item item)
{
        struct item *before = body->count > 0 ? &body->items[body->count - 1] : NULL;
        if (before != NULL && !before->comment && item.first <= before->last) {
                unsigned char least = before->cost < item.cost ? before->cost : item.cost;
                before->cost = least;
                before->last = item.last > before->last ? item.last : before->last;
                return;
        }
        heap_reserve(body->items, body->count, body->capacity);
        body->items[body->count++] = item;
}

/* Comments that stand alone on lines [first, end) and in no statement. */
static void add_comments(struct collector *collector, uint32_t *comment, uint32_t first, uint32_t end)
{
        const struct syntax *syntax = collector->syntax;
        while (*comment < syntax->n_comments && syntax->comments[*comment].line < first)
                (*comment)++;
        for (; *comment < syntax->n_comments && syntax->comments[*comment].line < end; (*comment)++) {
                const struct comment *at = &syntax->comments[*comment];
                if (at->alone)
                        add_item(&collector->body,
                                 (struct item){at->line, at->line, collector->suspicion->comments[*comment], true});
        }
}

static uint32_t first_comment_from(const struct syntax *syntax, uint32_t line)
{
        uint32_t low = 0, high = syntax->n_comments;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (syntax->comments[middle].line < line)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

/* The body of a statement (SYNTAX_NONE: the module) as items, a clause ending one run and starting another. */
static void add_body(struct collector *collector, uint32_t parent)
{
        const struct syntax *syntax = collector->syntax;
        uint32_t child = parent == SYNTAX_NONE ? 0 : parent + 1;
        uint32_t end = parent == SYNTAX_NONE ? syntax->n_statements : syntax->statements[parent].next;
        uint32_t line = parent == SYNTAX_NONE ? 0 : syntax->statements[parent].first + 1;
        uint32_t last = parent == SYNTAX_NONE ? syntax->n_lines : syntax->statements[parent].last + 1;
        uint32_t comment = first_comment_from(syntax, line);
        if (parent != SYNTAX_NONE && child < end &&
            !starts_line(syntax, syntax->statements[child].start, syntax->statements[child].first))
                return;
        for (; child < end; child = syntax->statements[child].next) {
                const struct statement *self = &syntax->statements[child];
                add_comments(collector, &comment, line, self->first);
                if (self->kind == STATEMENT_CLAUSE) {
                        add_runs(collector);
                        if (collector->suspicion->cost[child] != COST_NEVER &&
                            starts_line(syntax, self->start, self->first))
                                add_with_blanks(collector, self->first, self->last + 1,
                                                (uint32_t)collector->suspicion->cost[child] + 1);
                } else {
                        add_item(&collector->body,
                                 (struct item){self->first, self->last, collector->suspicion->cost[child], false});
                }
                line = self->last + 1;
        }
        add_comments(collector, &comment, line, last);
        add_runs(collector);
}

/* A decorator, and a line inside a longer statement, that a rule points at. */
static void add_partial(struct collector *collector, const struct rule_match *match)
{
        const struct syntax *syntax = collector->syntax;
        uint32_t index = syntax_statement_at(syntax, match->start, match->end);
        uint32_t first = syntax_line(syntax, match->start), last = syntax_line(syntax, match->end - 1);
        if (index == SYNTAX_NONE || !starts_line(syntax, match->start, first))
                return;
        struct bytes header = suspicion_own_text(syntax, index);
        uint32_t header_end = syntax_line(syntax, syntax->statements[index].start + (uint32_t)header.size - 1);
        bool decorator = syntax->statements[index].kind == STATEMENT_DECORATED;
        struct bytes rest = {syntax->source.data + match->end, syntax->lines[last + 1] - match->end};
        bool ends = rest.size == 0 || rest.data[0] == ',' || rest.data[0] == '\n' || rest.data[0] == '\r';
        if (ends && (decorator || (first > syntax->statements[index].first && last < header_end)))
                add_extent(collector, first, last + 1, match->penalty + (decorator ? 0 : 2));
}

static void find_blank_lines(struct collector *collector)
{
        const struct syntax *syntax = collector->syntax;
        collector->blank = heap_alloc((size_t)syntax->n_lines + 1);
        for (uint32_t i = 0; i < syntax->n_lines; i++)
                (void)syntax_indent(syntax, i, &collector->blank[i]);
        for (uint32_t i = 0, end; i < syntax->n_lines; i = end) {
                for (end = i; end < syntax->n_lines && collector->blank[end];)
                        end++;
                if (end > i)
                        add_extent(collector, i, i + 1, BLANK_PENALTY);
                if (end > i + 1)
                        add_extent(collector, i, end, BLANK_PENALTY);
                end = end > i ? end : i + 1;
        }
}

static int compare_by_penalty(const void *a, const void *b)
{
        const struct extent *left = a, *right = b;
        if (left->penalty != right->penalty)
                return left->penalty < right->penalty ? -1 : 1;
        return left->first != right->first ? (left->first < right->first ? -1 : 1)
                                           : (left->end > right->end) - (left->end < right->end);
}

static int compare_by_place(const void *a, const void *b)
{
        const struct extent *left = a, *right = b;
        if (left->first != right->first)
                return left->first < right->first ? -1 : 1;
        if (left->end != right->end)
                return left->end < right->end ? -1 : 1;
        return (left->penalty > right->penalty) - (left->penalty < right->penalty);
}

/* Of equal ranges the likeliest stays; of too many the likeliest ones do. */
static void finish(struct collector *collector, struct arena *arena, struct extents *ret_extents)
{
        struct extent *extents = collector->extents;
        size_t kept = 0;
        if (collector->count > 0)
                qsort(extents, collector->count, sizeof *extents, compare_by_place);
        for (size_t i = 0; i < collector->count; i++)
                if (kept == 0 || extents[kept - 1].first != extents[i].first || extents[kept - 1].end != extents[i].end)
                        extents[kept++] = extents[i];
        if (kept > EXTENT_LIMIT) {
                qsort(extents, kept, sizeof *extents, compare_by_penalty);
                kept = EXTENT_LIMIT;
                qsort(extents, kept, sizeof *extents, compare_by_place);
        }
        ret_extents->items = arena_copy(arena, extents, kept * sizeof *extents);
        ret_extents->count = kept;
}

void suggest_extents(const struct reading *reading, struct arena *arena, struct extents *ret_extents)
{
        struct suspicion suspicion;
        const struct syntax *syntax = &reading->syntax;
        CLEANUP(arena_clear) struct arena scratch = ARENA_INIT;
        suspicion_build(reading, &scratch, &suspicion);
        CLEANUP(clear_collector) struct collector collector = {.suspicion = &suspicion, .syntax = syntax};
        find_blank_lines(&collector);
        add_body(&collector, SYNTAX_NONE);
        for (uint32_t i = 0; i < syntax->n_statements; i++)
                if (syntax->statements[i].next > i + 1 && syntax->statements[i].kind != STATEMENT_DECORATED)
                        add_body(&collector, i);
        for (size_t i = 0; i < reading->matches.count; i++)
                add_partial(&collector, &reading->matches.items[i]);
        finish(&collector, arena, ret_extents);
}
