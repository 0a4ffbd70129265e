#include "analyze/suspicion.h"

#include <string.h>

enum {
        ROUNDS = 5, /* an import of a helper's helper's … name; deeper chains stay expensive */
        OWN_TEXT_LIMIT = 2000,
};

/* By first letter, since every byte of the file comes by here. */
static const char *const words['z' + 1][4] = {
        ['_'] = {"_seen", "_logged"},
        ['d'] = {"debug", "dbg", "dump"},
        ['f'] = {"fired"},
        ['h'] = {"hack"},
        ['n'] = {"nocommit"},
        ['o'] = {"once"},
        ['p'] = {"probe", "printed"},
        ['r'] = {"repro"},
        ['s'] = {"saved", "scratch"},
        ['t'] = {"tmp"},
        ['x'] = {"xxx"},
};

/* `.debug(` is how everybody logs. */
static bool is_log_method(struct bytes text, size_t start, size_t end)
{
        return start > 0 && text.data[start - 1] == '.' && end < text.size && text.data[end] == '(';
}

static bool word_at(struct bytes text, size_t at)
{
        unsigned char c = text.data[at], first = c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
        struct bytes rest = {text.data + at, text.size - at};
        for (size_t i = 0; first <= 'z' && i < 4 && words[first][i] != NULL; i++) {
                const char *spelling = words[first][i];
                if (rest.size < 2 || (rest.data[1] | 0x20) != (spelling[1] | 0x20))
                        continue; /* the second letter tells most of them apart */
                struct bytes word = bytes_of(spelling);
                if (bytes_start_with_word(rest, word) && !is_log_method(text, at, at + word.size))
                        return true;
        }
        return false;
}

bool suspicion_has_word(struct bytes text)
{
        for (size_t i = 0; i < text.size && i < OWN_TEXT_LIMIT; i++)
                if (word_at(text, i))
                        return true;
        return false;
}

struct bytes suspicion_own_text(const struct syntax *syntax, uint32_t statement)
{
        const struct statement *self = &syntax->statements[statement];
        uint32_t end = self->next > statement + 1 ? syntax->statements[statement + 1].start : self->end;
        return (struct bytes){syntax->source.data + self->start, end - self->start};
}

static void find_scopes(struct suspicion *suspicion)
{
        const struct syntax *syntax = suspicion->syntax;
        suspicion->scope = arena_new_array(suspicion->arena, uint32_t, syntax->n_statements);
        for (uint32_t i = 0; i < syntax->n_statements; i++) {
                uint32_t parent = syntax->statements[i].parent;
                bool defines = parent != SYNTAX_NONE && (syntax->statements[parent].kind == STATEMENT_FUNCTION ||
                                                         syntax->statements[parent].kind == STATEMENT_CLASS);
                suspicion->scope[i] = defines || parent == SYNTAX_NONE ? parent : suspicion->scope[parent];
        }
}

static bool binds_private_name(const struct suspicion *suspicion, uint32_t statement)
{
        const struct syntax *syntax = suspicion->syntax;
        const struct effect *effect = &suspicion->effects[statement];
        for (unsigned i = 0; i < effect->n_names; i++) {
                const struct identifier *name = &syntax->identifiers[effect->names[i]];
                if (syntax->source.data[name->start] != '_' || name->attribute)
                        return false;
        }
        return effect->n_names > 0;
}

/* What the rules say, one less where the words of the statement speak of debugging as well. */
static void apply_rules(struct suspicion *suspicion, const struct rule_matches *matches)
{
        const struct syntax *syntax = suspicion->syntax;
        memset(suspicion->own, COST_NEVER, syntax->n_statements);
        for (size_t i = 0; i < matches->count; i++) {
                const struct rule_match *match = &matches->items[i];
                uint32_t statement = syntax_statement_at(syntax, match->start, match->end);
                if (statement != SYNTAX_NONE && match->penalty < suspicion->own[statement])
                        suspicion->own[statement] = (unsigned char)match->penalty;
        }
        for (uint32_t i = 0; i < syntax->n_statements; i++) {
                unsigned char *own = &suspicion->own[i];
                if (*own != 0 && suspicion_has_word(suspicion_own_text(syntax, i)))
                        *own = *own == COST_NEVER ? 3 : *own - 1;
        }
}

static void apply_rules_to_comments(struct suspicion *suspicion, const struct rule_matches *matches)
{
        const struct syntax *syntax = suspicion->syntax;
        size_t at = 0;
        for (uint32_t i = 0; i < syntax->n_comments; i++) {
                unsigned char cost = ORDINARY_COMMENT;
                while (at < matches->count && matches->items[at].start < syntax->comments[i].start)
                        at++;
                for (size_t j = at; j < matches->count && matches->items[j].start == syntax->comments[i].start; j++)
                        if (matches->items[j].penalty < cost)
                                cost = (unsigned char)matches->items[j].penalty;
                suspicion->comments[i] = cost;
        }
}

struct tally {
        int worst;        /* greatest cost of a statement that does something, -1: none does */
        unsigned unknown; /* statements that cannot have been inserted */
        unsigned known;
};

static bool leaves_function(const struct statement *statement)
{
        return syntax_is(statement->node, "return_statement") || syntax_is(statement->node, "raise_statement");
}

static int cost_within(const struct suspicion *suspicion, uint32_t statement, uint32_t within)
{
        const struct syntax *syntax = suspicion->syntax;
        const struct statement *self = &syntax->statements[statement];
        bool compound = self->kind != STATEMENT_SIMPLE && self->kind != STATEMENT_IMPORT;
        if (self->kind == STATEMENT_FUNCTION && syntax->statements[within].kind == STATEMENT_CLASS)
                return suspicion->body[statement]; /* a method goes with its class, whoever calls it */
        if (suspicion->effects[statement].pure && !compound) {
                bool others;
                return uses_cost(suspicion, statement, within, &others);
        }
        bool in_function = suspicion->scope[statement] != SYNTAX_NONE && suspicion->scope[statement] >= within &&
                           syntax->statements[suspicion->scope[statement]].kind == STATEMENT_FUNCTION;
        if (in_function && leaves_function(self))
                return -1;
        return suspicion->cost[statement];
}

/* The direct statements of a body; clauses and decorated definitions are looked through. */
static void tally_body(const struct suspicion *suspicion, uint32_t body, uint32_t within, struct tally *tally)
{
        const struct syntax *syntax = suspicion->syntax;
        for (uint32_t i = body + 1; i < syntax->statements[body].next; i = syntax->statements[i].next) {
                if (syntax->statements[i].kind == STATEMENT_CLAUSE) {
                        tally_body(suspicion, i, within, tally);
                        continue;
                }
                int cost = cost_within(suspicion, i, within);
                if (cost == COST_NEVER)
                        tally->unknown++;
                else if (cost >= 0)
                        tally->known++;
                if (cost != COST_NEVER && cost > tally->worst)
                        tally->worst = cost;
        }
}

static unsigned char ceiling(int cost)
{
        return cost <= COST_CEILING ? (unsigned char)(cost > 0 ? cost : 0) : COST_NEVER;
}

/* A compound statement by what is in it. */
static unsigned char body_cost(const struct suspicion *suspicion, uint32_t statement)
{
        struct tally tally = {.worst = -1};
        tally_body(suspicion, statement, statement, &tally);
        int header = suspicion->own[statement];
        if (tally.unknown == 0 && tally.worst < 0)
                return (unsigned char)header;
        if (tally.unknown == 0)
                return ceiling(header <= 1 && tally.worst > 0 ? tally.worst - 1 : tally.worst);
        /* Some of it is of no known kind: a guess, the better the more of the rest is known. */
        int best = tally.worst >= 0 && tally.worst < header ? tally.worst : header;
        enum statement_kind kind = suspicion->syntax->statements[statement].kind;
        bool mostly = tally.unknown <= tally.known || (header <= 1 && tally.unknown <= tally.known + 2);
        if (best == COST_NEVER || !mostly || kind == STATEMENT_CLASS)
                return COST_NEVER;
        return ceiling(best + (tally.unknown == 1 ? 1 : 2));
}

/* A statement that only binds names: by their readers. Without any, by the rules; with readers that stay, only where
 * something else binds the name as well. */
static unsigned char binding_cost(const struct suspicion *suspicion, uint32_t statement, unsigned char body)
{
        const struct syntax *syntax = suspicion->syntax;
        bool others;
        int readers = uses_cost(suspicion, statement, SYNTAX_NONE, &others);
        unsigned char own = suspicion->own[statement];
        enum statement_kind kind = syntax->statements[statement].kind;
        bool hinted = own != COST_NEVER || binds_private_name(suspicion, statement);
        if (readers == COST_NEVER && kind == STATEMENT_IMPORT) /* a second import of what was there */
                return others ? (own < 2 ? own : 2) : COST_NEVER;
        if (readers == COST_NEVER)
                return others && own != COST_NEVER ? ceiling(own + 1) : COST_NEVER;
        if (readers < 0 && body != COST_NEVER && hinted)
                return body;
        if (readers < 0 && kind == STATEMENT_FUNCTION) /* whoever calls it is out of sight */
                return COST_NEVER;
        bool local = suspicion->scope[statement] != SYNTAX_NONE && !uses_member(suspicion, statement);
        if (readers < 0) /* a local that nobody reads is left over from something */
                return own != COST_NEVER ? own : local ? 4 : hinted ? 3 : COST_NEVER;
        return ceiling(readers + (hinted || local || kind != STATEMENT_SIMPLE ? 0 : 1));
}

/* The call that a statement consists of or assigns; null for any other statement. */
static TSNode called_function(const struct syntax *syntax, uint32_t statement)
{
        TSNode node = ts_node_named_child(syntax->statements[statement].node, 0);
        if (!syntax_is(syntax->statements[statement].node, "expression_statement"))
                return (TSNode){0};
        if (syntax_is(node, "assignment"))
                node = syntax_field(node, "right");
        return syntax_is(node, "call") ? syntax_field(node, "function") : (TSNode){0};
}

/* A call of something that does nothing but debugging is debugging; so is a call of an object of such a class. */
static void spread_to_calls(struct suspicion *suspicion, uint32_t definition, unsigned char body, unsigned depth)
{
        const struct syntax *syntax = suspicion->syntax;
        if (suspicion->effects[definition].n_names != 1 || body > 1 || depth == 0)
                return;
        uint32_t name = suspicion->name[suspicion->effects[definition].names[0]];
        for (uint32_t i = suspicion->first_use[name]; i < suspicion->first_use[name + 1]; i++) {
                const struct identifier *use = &syntax->identifiers[suspicion->uses[i]];
                uint32_t user = use->statement;
                TSNode function = user != SYNTAX_NONE ? called_function(syntax, user) : (TSNode){0};
                if (ts_node_is_null(function) || ts_node_end_byte(function) != use->end || user == definition)
                        continue;
                if (suspicion->effects[user].pure)
                        spread_to_calls(suspicion, user, body, depth - 1);
                else if (suspicion->own[user] > body)
                        suspicion->own[user] = body;
        }
}

static unsigned char judge_statement(struct suspicion *suspicion, uint32_t statement)
{
        const struct statement *self = &suspicion->syntax->statements[statement];
        unsigned char body;
        switch (self->kind) {
        case STATEMENT_SIMPLE:
        case STATEMENT_IMPORT:
                return suspicion->effects[statement].pure && suspicion->effects[statement].n_names > 0
                               ? binding_cost(suspicion, statement, COST_NEVER)
                               : suspicion->own[statement];
        case STATEMENT_FUNCTION:
        case STATEMENT_CLASS:
                body = suspicion->body[statement] = body_cost(suspicion, statement);
                spread_to_calls(suspicion, statement, body, 2);
                return binding_cost(suspicion, statement, body);
        case STATEMENT_DECORATED: /* the definition comes right behind its decorators */
                return self->next > statement + 1 ? suspicion->cost[statement + 1] : COST_NEVER;
        default:
                return body_cost(suspicion, statement);
        }
}

/* Costs bottom-up, then what each statement costs to be gone top-down. */
static bool run_round(struct suspicion *suspicion)
{
        const struct syntax *syntax = suspicion->syntax;
        bool changed = false;
        for (uint32_t i = syntax->n_statements; i-- > 0;) {
                unsigned char cost = judge_statement(suspicion, i);
                changed |= cost != suspicion->cost[i];
                suspicion->cost[i] = cost;
        }
        for (uint32_t i = 0; i < syntax->n_statements; i++) {
                uint32_t parent = syntax->statements[i].parent;
                unsigned char around = parent != SYNTAX_NONE ? suspicion->removal[parent] : COST_NEVER;
                suspicion->removal[i] = suspicion->cost[i] < around ? suspicion->cost[i] : around;
        }
        return changed;
}

void suspicion_build(const struct reading *reading, struct arena *arena, struct suspicion *ret_suspicion)
{
        const struct syntax *syntax = &reading->syntax;
        struct suspicion suspicion = {.syntax = syntax, .arena = arena};
        suspicion.own = arena_alloc(arena, syntax->n_statements);
        suspicion.cost = arena_alloc(arena, syntax->n_statements);
        suspicion.body = arena_alloc(arena, syntax->n_statements);
        suspicion.removal = arena_alloc(arena, syntax->n_statements);
        suspicion.comments = arena_alloc(arena, syntax->n_comments);
        memset(suspicion.body, COST_NEVER, syntax->n_statements);
        memset(suspicion.cost, COST_NEVER, syntax->n_statements);
        memset(suspicion.removal, COST_NEVER, syntax->n_statements);
        find_scopes(&suspicion);
        uses_build(&suspicion);
        apply_rules(&suspicion, &reading->matches);
        apply_rules_to_comments(&suspicion, &reading->matches);
        for (unsigned i = 0; i < ROUNDS && run_round(&suspicion); i++)
                ;
        *ret_suspicion = suspicion;
}
