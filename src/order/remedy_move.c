/* Which calls of a host program may change places, or stand in one group, without another meaning. */
#include <string.h>

#include "order/hazard.h"
#include "order/remedy.h"

enum { LOOK_AHEAD = 2000 };

static bool share_bytes(const struct program *program, uint32_t earlier, uint32_t later)
{
    const struct statement *statement = call_statement(program, earlier);
    struct span shared;
    enum hazard hazard;
    for (uint32_t i = 0; i < statement->span_count; i++)
        if (calls_conflict(program, earlier, later, program->spans[statement->first_span + i].memory, &shared,
                           &hazard))
            return true;
    return false;
}

/* Whether a name that STATEMENT uses stands for something else behind OTHER. */
static bool is_named_anew(const struct program *program, const struct statement *statement,
                          const struct statement *other)
{
    if (other->kind != CALL_FREE && other->kind != CALL_BUFFER && other->kind != CALL_HOST &&
        other->kind != CALL_MANAGED)
        return false;
    for (uint32_t i = 0; i < statement->span_count; i++)
        if (strcmp(program->memories[program->spans[statement->first_span + i].memory].name,
                   program->memories[other->memory].name) == 0)
            return true;
    return false;
}

bool match_in_turn(const struct statement *first, const struct statement *second)
{
    if (!call_is_communication(first) || !call_is_communication(second) ||
        first->communicator != second->communicator)
        return false;
    return call_is_collective(first) ? call_is_collective(second)
                                     : first->kind == second->kind && first->peer == second->peer;
}

/* What they are given, or whom they meet, depends on which of them comes first. */
static bool take_turns(const struct statement *first, const struct statement *second, enum matching matching)
{
    if (first->kind == second->kind && (first->kind == CALL_LAUNCH || first->kind == CALL_WRITE))
        return true;
    return matching == KEEPS_MATCHES && match_in_turn(first, second);
}

bool may_swap(const struct program *program, uint32_t earlier, uint32_t later, enum matching matching)
{
    const struct statement *first = call_statement(program, earlier),
                           *second = call_statement(program, later);
    return first->kind != CALL_USE_GPU && second->kind != CALL_USE_GPU &&
           !share_bytes(program, earlier, later) && !is_named_anew(program, first, second) &&
           !is_named_anew(program, second, first) && !take_turns(first, second, matching);
}

static bool bounds_group(const struct statement *statement)
{
    return statement->kind == CALL_GROUP || statement->kind == CALL_GROUP_END;
}

static bool is_among(const struct calls *calls, uint32_t call)
{
    for (uint32_t i = 0; i < calls->count; i++)
        if (calls->items[i] == call)
            return true;
    return false;
}

/* Of a group all is passed. */
static void find_passed(const struct remedy *remedy, uint32_t call, uint32_t to, uint32_t *first,
                        uint32_t *last)
{
    const struct statement *moved = remedy_statement_of(remedy, call);
    bool enters = !moved->in_group && remedy_statement_of(remedy, to)->in_group;
    *first = call < to ? call : enters ? outermost_group(remedy, to) : to;
    *last = call > to ? call : enters ? remedy->order->bound[to] : to;
}

bool may_move(const struct remedy *remedy, uint32_t call, uint32_t to, const struct calls *except,
              enum matching matching)
{
    const struct program *program = remedy->program;
    const struct statement *moved = call_statement(program, call);
    uint32_t first, last;
    find_passed(remedy, call, to, &first, &last);
    if (bounds_group(moved) || last == NONE || last - first > LOOK_AHEAD)
        return false;
    for (uint32_t c = first; c <= last; c++) {
        const struct statement *passed = call_statement(program, c);
        if (c > first && passed->line < call_statement(program, c - 1)->line)
            return false; /* another round of a `repeat` */
        if (c == call || is_among(except, c))
            continue;
        if ((moved->in_group && bounds_group(passed)) ||
            !may_swap(program, c < call ? c : call, c < call ? call : c, matching))
            return false;
    }
    return true;
}

/* The members start where the group ends, behind what stands among them. */
bool may_group(const struct remedy *remedy, uint32_t call, uint32_t first_line, uint32_t last_line)
{
    const struct program *program = remedy->program;
    const struct rank *rank = &program->ranks[call_statement(program, call)->rank];
    uint32_t past = rank->first_call + rank->call_count, end;
    while (line_of(remedy, call) != first_line && call > rank->first_call)
        call--;
    for (end = call + 1;
         end < past && line_of(remedy, end) > first_line && line_of(remedy, end) <= last_line;)
        end++;
    if (end - call > LOOK_AHEAD)
        return false;
    for (uint32_t member = call; member < end; member++)
        for (uint32_t c = member + 1; c < end && call_is_communication(call_statement(program, member)); c++)
            if (!call_is_communication(call_statement(program, c)) && share_bytes(program, member, c))
                return false;
    return true;
}
