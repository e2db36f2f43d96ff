#include "order/remedy.h"

bool remedy_guess(const struct remedy *remedy, unsigned attempt)
{
    const struct finding *finding = remedy->finding;
    remedy->change->lines[0] = line_of(remedy, finding->call);
    remedy->change->lines[1] = finding->other == NONE ? 0 : line_of(remedy, finding->other);
    switch (finding->kind) {
    case FINDING_RACE:
        return remedy_order(remedy, attempt);
    case FINDING_USE_AFTER_FREE:
        if (finding->memory != NONE && remedy_statement_of(remedy, finding->call)->kind == CALL_FREE &&
            remedy_statement_of(remedy, finding->other)->kind != CALL_FREE)
            return remedy_order(remedy, attempt);
        return remedy_lifetime(remedy, attempt);
    case FINDING_DEADLOCK:
        return remedy_deadlock(remedy, attempt);
    case FINDING_UNMATCHED:
        return remedy_partner(remedy, attempt);
    case FINDING_MISMATCH:
        return remedy_mismatch(remedy, attempt);
    case FINDING_MISUSE:
        if (finding->memory == NONE && call_is_communication(remedy_statement_of(remedy, finding->call)))
            return remedy_communicator(remedy, attempt);
        return remedy_statement(remedy, attempt);
    default:
        return remedy_statement(remedy, attempt);
    }
}

const struct statement *remedy_statement_of(const struct remedy *remedy, uint32_t call)
{
    return call_statement(remedy->program, call);
}

uint32_t line_of(const struct remedy *remedy, uint32_t call)
{
    return remedy_statement_of(remedy, call)->line;
}

static bool is_member(const struct remedy *remedy, uint32_t call)
{
    return call_is_communication(remedy_statement_of(remedy, call)) && remedy->order->bound[call] != NONE;
}

uint32_t line_after(const struct remedy *remedy, uint32_t call)
{
    return line_of(remedy, is_member(remedy, call) ? remedy->order->bound[call] : call);
}

uint32_t outermost_group(const struct remedy *remedy, uint32_t call)
{
    uint32_t group = call;
    for (uint32_t c = call; remedy_statement_of(remedy, c)->in_group; c--)
        group = c - 1;
    return group;
}

uint32_t line_before(const struct remedy *remedy, uint32_t call)
{
    return line_of(remedy, is_member(remedy, call) ? outermost_group(remedy, call) : call);
}

const char *stream_name_of(const struct remedy *remedy, uint32_t call)
{
    return remedy->program->streams[remedy_statement_of(remedy, call)->stream].name;
}

const char *communicator_name_of(const struct remedy *remedy, uint32_t call)
{
    return remedy->program->communicators[remedy_statement_of(remedy, call)->communicator].name;
}

const struct span *span_of(const struct remedy *remedy, uint32_t call)
{
    return &remedy->program->spans[remedy_statement_of(remedy, call)->first_span];
}

uint32_t partner_of(const struct remedy *remedy, uint32_t call, uint32_t rank)
{
    uint32_t partner = remedy->order->match[call];
    while (partner != NONE && partner != call && remedy_statement_of(remedy, partner)->rank != rank)
        partner = remedy->order->match[partner];
    return partner == call ? NONE : partner;
}

static bool uses_memory(const struct program *program, const struct statement *statement, uint32_t memory)
{
    for (uint32_t i = 0; i < statement->span_count; i++)
        if (program->spans[statement->first_span + i].memory == memory)
            return true;
    return false;
}

uint32_t last_use(const struct remedy *remedy, uint32_t call, uint32_t memory, uint32_t communicator)
{
    const struct rank *rank = &remedy->program->ranks[remedy_statement_of(remedy, call)->rank];
    uint32_t last = call;
    for (uint32_t c = call; c < rank->first_call + rank->call_count; c++) {
        const struct statement *statement = remedy_statement_of(remedy, c);
        if (memory != NONE ? uses_memory(remedy->program, statement, memory)
                           : call_is_communication(statement) && statement->communicator == communicator)
            last = c;
    }
    return last;
}
