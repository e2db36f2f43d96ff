/* What differs where two calls meet: they may stand in another order on the two sides, or one is left out;
 * else they get the same amount. */
#include <string.h>

#include "order/remedy.h"

enum { LOOK_AHEAD = 10000 };

/* CALL's memory is declared with the type of OTHER's. */
static void replace_type(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    const struct memory *memory = &remedy->program->memories[span_of(remedy, call)->memory];
    const struct memory *model = &remedy->program->memories[span_of(remedy, other)->memory];
    const struct statement *declaration = &remedy->program->statements[memory->declared];
    change_replace(remedy->change, declaration->line, "%s %s %s[%u]%s",
                   call_kind_name((enum call_kind)declaration->kind), memory->name,
                   element_type_name((enum element_type)model->type), memory->count,
                   memory->kind == MEMORY_PAGEABLE ? " pageable" : "");
}

/* What both name is the same, and as much: of collectives also what they are. */
static bool agree(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    const struct statement *a = remedy_statement_of(remedy, call), *b = remedy_statement_of(remedy, other);
    const struct span *mine = span_of(remedy, call), *theirs = span_of(remedy, other);
    const struct memory *memories = remedy->program->memories;
    return (call_is_transfer(a) || (a->kind == b->kind && a->peer == b->peer)) &&
           mine->count == theirs->count && memories[mine->memory].type == memories[theirs->memory].type;
}

/* Whether two parts of one collective are on buffers of different names, though CALL's rank has one of
 * OTHER's. */
static bool is_misnamed(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    const struct program *program = remedy->program;
    const struct statement *statement = remedy_statement_of(remedy, call);
    const char *name = program->memories[span_of(remedy, other)->memory].name;
    if (!call_is_collective(statement) ||
        strcmp(program->memories[span_of(remedy, call)->memory].name, name) == 0)
        return false;
    for (uint32_t m = 0; m < program->memory_count; m++)
        if (program->memories[m].rank == statement->rank && strcmp(program->memories[m].name, name) == 0)
            return true;
    return false;
}

/* Whether CANDIDATE, of the same rank as CALL, could stand for it and fits OTHER, and does not fit what it
 * meets itself. */
static bool is_fitting(const struct remedy *remedy, uint32_t candidate, uint32_t call, uint32_t other)
{
    const struct statement *a = remedy_statement_of(remedy, candidate),
                           *b = remedy_statement_of(remedy, call);
    if (candidate == call || !call_is_communication(a) || a->communicator != b->communicator ||
        call_is_transfer(a) != call_is_transfer(b) ||
        (call_is_transfer(a) && (a->kind != b->kind || a->peer != b->peer)) ||
        !agree(remedy, candidate, other))
        return false;
    uint32_t partner = partner_of(remedy, candidate, remedy_statement_of(remedy, other)->rank);
    return partner == NONE || !agree(remedy, candidate, partner) || is_misnamed(remedy, candidate, partner);
}

/* Of the calls of CALL's rank from FIRST on one that fits OTHER: one that names the same, if there is one;
 * NONE. */
static uint32_t find_fitting(const struct remedy *remedy, uint32_t first, uint32_t call, uint32_t other)
{
    const struct memory *memories = remedy->program->memories;
    const char *wanted = memories[span_of(remedy, other)->memory].name;
    const struct rank *rank = &remedy->program->ranks[remedy_statement_of(remedy, call)->rank];
    uint32_t found = NONE, past = rank->first_call + rank->call_count;
    for (uint32_t c = first; c < past && c - first < LOOK_AHEAD; c++) {
        if (!is_fitting(remedy, c, call, other))
            continue;
        if (strcmp(memories[span_of(remedy, c)->memory].name, wanted) == 0)
            return c;
        found = found == NONE ? c : found;
    }
    return found;
}

/* Whether buffers meet those of their names when FITTING, a later call, stands before CALL: with SWAPS CALL
 * is in its place then, else what is between is a turn later. */
static bool keeps_names(const struct remedy *remedy, uint32_t call, uint32_t fitting, uint32_t other,
                        bool swaps)
{
    uint32_t rank = remedy_statement_of(remedy, other)->rank;
    uint32_t before = call, partner = partner_of(remedy, fitting, rank);
    if (is_misnamed(remedy, fitting, other))
        return false;
    if (swaps)
        return partner == NONE || !is_misnamed(remedy, call, partner);
    for (uint32_t c = call + 1; c <= fitting; c++) {
        if (!match_in_turn(remedy_statement_of(remedy, c), remedy_statement_of(remedy, call)))
            continue;
        partner = partner_of(remedy, c, rank);
        if (partner != NONE && is_misnamed(remedy, before, partner))
            return false;
        before = c;
    }
    return true;
}

/* The two sides name the same things in another order: what fits OTHER comes before CALL, which with SWAPS
 * takes its place. */
static void move_fitting(const struct remedy *remedy, uint32_t call, uint32_t other, bool swaps)
{
    const struct calls none = {0};
    uint32_t fitting = find_fitting(remedy, call + 1, call, other);
    if (fitting == NONE || !keeps_names(remedy, call, fitting, other, swaps) ||
        !may_move(remedy, fitting, call, &none, MATCHES_ANEW) ||
        (swaps && !may_move(remedy, call, fitting, &none, MATCHES_ANEW)))
        return;
    change_move_before(remedy->change, line_of(remedy, fitting), line_of(remedy, call));
    if (swaps)
        change_move_after(remedy->change, line_of(remedy, call), line_of(remedy, fitting));
}

/* Whether a rank makes the call that would fit, at another turn: then what stands there is not at fault. */
static bool is_out_of_turn(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    const struct program *program = remedy->program;
    return find_fitting(remedy, program->ranks[remedy_statement_of(remedy, call)->rank].first_call, call,
                        other) != NONE ||
           find_fitting(remedy, program->ranks[remedy_statement_of(remedy, other)->rank].first_call, other,
                        call) != NONE;
}

/* The larger count becomes the smaller one, or one type the other. What is called stays: nothing says which
 * of two kinds, or roots, was meant. */
static void change_amount(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    uint32_t mine = span_of(remedy, call)->count, theirs = span_of(remedy, other)->count;
    if (mine > theirs)
        replace_communication(remedy, call, theirs, communicator_name_of(remedy, call));
    else if (mine < theirs)
        replace_communication(remedy, other, mine, communicator_name_of(remedy, other));
    else
        replace_type(remedy, call, other);
}

/* What OTHER meets nothing for comes before CALL: where CALL's rank leaves it out, all behind it is a turn
 * early. */
static void insert_left_out(const struct remedy *remedy, uint32_t call, uint32_t other)
{
    struct text words = {0};
    if (describe_partner(remedy, other, remedy_statement_of(remedy, call)->rank, true, &words))
        change_insert_before(remedy->change, line_of(remedy, call), "%s", text_string(&words));
    text_free(&words);
}

bool is_behind_mismatch(const struct remedy *remedy, uint32_t call)
{
    const uint32_t *match = remedy->order->match;
    const struct statement *statement = remedy_statement_of(remedy, call);
    uint32_t first = remedy->program->ranks[statement->rank].first_call;
    for (uint32_t c = call; c > first && call - c < LOOK_AHEAD;) {
        if (!match_in_turn(remedy_statement_of(remedy, --c), statement))
            continue;
        for (uint32_t partner = match[c]; partner != c && partner != NONE; partner = match[partner])
            if (!agree(remedy, c, partner) && agree(remedy, call, partner))
                return true;
    }
    return false;
}

bool remedy_mismatch(const struct remedy *remedy, unsigned attempt)
{
    uint32_t call = remedy->finding->call, other = remedy->finding->other;
    switch (attempt) {
    case 0:
    case 2:
        move_fitting(remedy, call, other, attempt == 2);
        return true;
    case 1:
    case 3:
        move_fitting(remedy, other, call, attempt == 3);
        return true;
    case 4:
    case 5:
        if (!is_out_of_turn(remedy, call, other))
            change_amount(remedy, attempt == 4 ? call : other, attempt == 4 ? other : call);
        return true;
    case 6:
        insert_left_out(remedy, call, other);
        return true;
    case 7:
        insert_left_out(remedy, other, call);
        return true;
    default:
        return false;
    }
}
