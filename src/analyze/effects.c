#include "analyze/effects.h"

#include <string.h>

#include "analyze/guard.h"
#include "analyze/logs.h"
#include "analyze/names.h"
#include "analyze/oneshot.h"
#include "analyze/trigger.h"
#include "analyze/walk.h"
#include "analyze/writes.h"
#include "base/cleanup.h"

enum {
        FUEL_LEAST = 20000,
        FUEL_PER_BYTE = 8, /* so that a large hunk is read to its end, and a file in linear time */
        FUEL_MOST = 1000000,
        TRIGGERS_LIMIT = 4,
        TRIGGER_SIZE_LIMIT = 2000,
        LOGS_LIMIT = 64,
};

/* What is known of the hunk so far. */
struct effects {
        struct code code;
        uint32_t start, end;
        enum strength strongest;
        const char *triggers[TRIGGERS_LIMIT]; /* of the strongest effects, distinct */
        size_t n_triggers;
        bool more_triggers, one_shot;
        enum cadence cadence, preparation;
        struct values paths;
        const char *logs[LOGS_LIMIT];
        size_t n_logs;
        bool telling; /* the statement being looked at writes or logs */
        bool met;     /* any piece of code at all */
};

static enum cadence more_frequent(enum cadence a, enum cadence b)
{
        static const int rank[] = {
                [CADENCE_UNKNOWN] = 0, [CADENCE_ONCE] = 1, [CADENCE_ON_TRIGGER] = 2, [CADENCE_EVERY_CALL] = 3};
        return rank[a] >= rank[b] ? a : b;
}

static void add_trigger(struct effects *effects, const char *trigger)
{
        for (size_t i = 0; i < effects->n_triggers; i++)
                if (strcmp(effects->triggers[i], trigger) == 0)
                        return;
        effects->more_triggers |= effects->n_triggers == TRIGGERS_LIMIT;
        if (effects->n_triggers < TRIGGERS_LIMIT)
                effects->triggers[effects->n_triggers++] = trigger;
}

/* An effect of the hunk, and what it takes to get there. */
static void add_effect(struct effects *effects, enum strength strength, const struct conditions *conditions, bool once,
                       bool runs_once)
{
        struct code *code = &effects->code;
        struct parts parts;
        trigger_parts(code, conditions, &parts);
        once |= oneshot_mark(code, conditions, &parts);
        enum cadence cadence = trigger_is_dead(code, &parts) ? CADENCE_UNKNOWN
                               : once || runs_once           ? CADENCE_ONCE
                               : conditions->count > 0       ? CADENCE_ON_TRIGGER
                                                             : CADENCE_EVERY_CALL;
        enum cadence *kept = strength > STRENGTH_PREPARATION ? &effects->cadence : &effects->preparation;
        *kept = more_frequent(*kept, cadence);
        if (strength < effects->strongest)
                return;
        if (strength > effects->strongest) {
                effects->strongest = strength;
                effects->n_triggers = 0;
                effects->more_triggers = false;
                effects->one_shot = true;
        }
        effects->one_shot &= once;
        add_trigger(effects, trigger_text(code, conditions, &parts));
}

static void add_statement(struct effects *effects, enum strength strength, uint32_t at)
{
        struct conditions conditions = {.count = 0};
        trigger_conditions(&effects->code, at, effects->start, &conditions);
        bool once = oneshot_decorated(&effects->code, conditions.function);
        add_effect(effects, strength, &conditions, once, scope_runs_once(&effects->code, conditions.function));
}

/* Conditions on the way from the hunk through each definition that was entered. Gives the scope in the hunk. */
static TSNode follow_frames(struct code *code, const struct frame *frame, uint32_t at, uint32_t since,
                            struct conditions *conditions, bool *once)
{
        TSNode outermost = NODE_NULL;
        if (frame != NULL)
                outermost =
                        follow_frames(code, frame->caller, ts_node_start_byte(frame->call), since, conditions, once);
        uint32_t inside = frame != NULL ? ts_node_start_byte(node_field(frame->function, "body")) : since;
        trigger_conditions(code, at, inside, conditions);
        *once |= oneshot_decorated(code, conditions->function);
        return frame != NULL ? outermost : conditions->function;
}

static void add_log_texts(struct effects *effects, const struct strings *texts)
{
        for (size_t i = 0; i < texts->count; i++) {
                bool known = effects->n_logs == LOGS_LIMIT;
                for (size_t j = 0; j < effects->n_logs && !known; j++)
                        known = strcmp(effects->logs[j], texts->items[i]) == 0;
                if (!known)
                        effects->logs[effects->n_logs++] = texts->items[i];
        }
}

static void look_at_call(void *context, TSNode call, const struct frame *frame, bool deferred)
{
        struct effects *effects = context;
        struct code *code = &effects->code;
        struct values paths = VALUES_NONE;
        struct strings texts = {.count = 0};
        bool once = false;
        bool writes = writes_match(code, call, frame, &paths);
        /* What a function of the vendor's logs is not the hunk's; what it writes because of the hunk is. */
        if (!writes && (frame != NULL || !logs_match(code, call, frame, &texts, &once)))
                return;
        effects->telling = true;
        if (effects->paths.count + paths.count <= VALUES_LIMIT)
                effects->paths = values_union(code->arena, effects->paths, paths);
        add_log_texts(effects, &texts);
        struct conditions conditions = {.count = 0};
        TSNode scope = follow_frames(code, frame, ts_node_start_byte(call), effects->start, &conditions, &once);
        add_effect(effects, writes ? STRENGTH_WRITE : STRENGTH_LOG, &conditions, once,
                   !deferred && scope_runs_once(code, scope));
}

static bool is_dead(struct effects *effects, uint32_t at)
{
        struct conditions conditions = {.count = 0};
        struct parts parts;
        trigger_conditions(&effects->code, at, effects->start, &conditions);
        trigger_parts(&effects->code, &conditions, &parts);
        return trigger_is_dead(&effects->code, &parts);
}

/* A statement, or the header of one. What it writes or logs says more than that it is there. */
static void look_at_piece(void *context, TSNode node, enum strength strength, uint32_t at)
{
        struct effects *effects = context;
        effects->met = true;
        effects->telling = false;
        calls_visit(&effects->code, node, effects->start, effects->end, look_at_call, effects);
        if (effects->telling || strength == STRENGTH_NONE)
                return;
        /* A header that was changed to `if False` does something where it stands: it keeps the code below from running.
         */
        bool disables = syntax_is(node, ":") && is_dead(effects, at);
        add_statement(effects, strength, disables ? ts_node_start_byte(node_parent(node)) : at);
}

/* Code that no statement of the hunk accounts for: a closing bracket, an `else:`. */
static bool has_code(struct bytes text)
{
        bool comment = false;
        for (size_t i = 0; i < text.size; i++) {
                unsigned char byte = text.data[i];
                comment = byte == '#' || (comment && byte != '\n');
                if (!comment && strchr(" \t\r\n\f", byte) == NULL)
                        return true;
        }
        return false;
}

/* One branch or its opposite: always. */
static bool are_opposite(const char *a, const char *b)
{
        size_t length = strlen(b);
        if (strncmp(a, "not ", 4) != 0)
                return false;
        a += 4;
        return strcmp(a, b) == 0 || (a[0] == '(' && strncmp(a + 1, b, length) == 0 && strcmp(a + 1 + length, ")") == 0);
}

/* At most so much for a person to read, cut between characters. */
static void cut_trigger(struct text *text)
{
        size_t size = TRIGGER_SIZE_LIMIT;
        if (text->size <= size)
                return;
        while (size > 0 && ((unsigned char)text->data[size] & 0xC0) == 0x80)
                size--;
        text->size = size;
        text_add(text, " …");
}

static const char *join_triggers(const struct effects *effects, struct arena *arena)
{
        CLEANUP(text_clear) struct text text = TEXT_INIT;
        for (size_t i = 0; i < effects->n_triggers; i++)
                for (size_t j = 0; j < effects->n_triggers; j++)
                        if (*effects->triggers[i] == '\0' || are_opposite(effects->triggers[i], effects->triggers[j]))
                                return "";
        for (size_t i = 0; i < effects->n_triggers; i++)
                text_addf(&text, "%s%s", i > 0 ? " or " : "", effects->triggers[i]);
        text_add(&text, effects->more_triggers ? " or …" : "");
        cut_trigger(&text);
        return arena_strndup(arena, text.data, text.size);
}

static struct strings copy_strings(struct arena *arena, const char *const *items, size_t count)
{
        struct strings strings = {.items = arena_new_array(arena, const char *, count), .count = count};
        for (size_t i = 0; i < count; i++)
                strings.items[i] = arena_strdup(arena, items[i]);
        return strings;
}

static unsigned fuel_for(const struct hunk *hunk)
{
        size_t fuel = FUEL_LEAST + FUEL_PER_BYTE * (hunk->end - hunk->start);
        return fuel < FUEL_MOST ? (unsigned)fuel : FUEL_MOST;
}

static void describe_presence(const struct syntax *syntax, struct arena *arena, struct hunk *hunk)
{
        CLEANUP(arena_clear) struct arena scratch = ARENA_INIT;
        struct effects effects = {.code = {.syntax = syntax, .arena = &scratch, .fuel = fuel_for(hunk)},
                                  .start = (uint32_t)hunk->start,
                                  .end = (uint32_t)hunk->end};
        walk_range(&effects.code, effects.start, effects.end, look_at_piece, &effects);
        struct bytes text = {syntax->source.data + hunk->start, hunk->end - hunk->start};
        if (!effects.met && has_code(text))
                add_statement(&effects, STRENGTH_CHANGE, effects.start);
        hunk->trigger = join_triggers(&effects, arena);
        hunk->one_shot = effects.strongest != STRENGTH_NONE && effects.one_shot;
        hunk->cadence = effects.strongest > STRENGTH_PREPARATION ? effects.cadence : effects.preparation;
        struct strings globs = values_globs(&scratch, effects.paths);
        hunk->writes = copy_strings(arena, globs.items, globs.count);
        hunk->logs = copy_strings(arena, effects.logs, effects.n_logs);
}

/* What a change takes away is felt wherever it stood, even when nothing, or only a comment, stands there now. */
static void describe_absence(struct bytes original, struct hunk *hunk)
{
        if (hunk->original_end > original.size || hunk->original_start >= hunk->original_end)
                return;
        struct bytes removed = {original.data + hunk->original_start, hunk->original_end - hunk->original_start};
        const char *dot = strrchr(hunk->function, '.'), *name = dot != NULL ? dot + 1 : hunk->function;
        if (has_code(removed))
                hunk->cadence =
                        *name == '\0' || scope_name_runs_once(bytes_of(name)) ? CADENCE_ONCE : CADENCE_EVERY_CALL;
}

void effects_describe(const struct syntax *syntax, struct bytes original, struct arena *arena, struct hunk *hunk)
{
        if (hunk->change != HUNK_DELETE && hunk->start < hunk->end && hunk->end <= syntax->source.size)
                describe_presence(syntax, arena, hunk);
        if (hunk->cadence == CADENCE_UNKNOWN && hunk->change != HUNK_INSERT)
                describe_absence(original, hunk);
}
