/* What is on a stream of another GPU than its communicator's takes a communicator of that GPU, and with it
 * what it meets on the other ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/remedy.h"

enum { NAME_ROOM = 96 };

/* The statements that take another communicator, and on which GPU each rank needs it. */
struct moving {
    const struct remedy *remedy;
    const struct program *program;
    bool *moves; /* by statement */
    uint32_t gpus[SCHEDULE_MAX_RANKS];
};

static uint16_t stream_gpu(const struct program *program, const struct statement *statement)
{
    return program->streams[statement->stream].gpu;
}

/* Everything on the finding's communicator that has the same wrong with it. */
static void take_all_misused(struct moving *moving)
{
    const struct program *program = moving->program;
    uint32_t communicator = remedy_statement_of(moving->remedy, moving->remedy->finding->call)->communicator;
    for (uint32_t i = 0; i < program->statement_count; i++) {
        const struct statement *statement = &program->statements[i];
        moving->moves[i] =
            call_is_communication(statement) && statement->communicator == communicator &&
            stream_gpu(program, statement) != communicator_gpu(program, communicator, statement->rank);
    }
}

/* What CALL meets on the other ranks moves with it. Whether that is more than moves already. */
static bool take_partners(struct moving *moving, uint32_t call)
{
    const uint32_t *match = moving->remedy->order->match;
    bool more = false;
    for (uint32_t other = match[call]; other != NONE && other != call; other = match[other]) {
        bool *moves = &moving->moves[moving->program->calls[other].statement];
        more |= !*moves;
        *moves = true;
    }
    return more;
}

/* A line stands for several calls, and each of them may meet another line. */
static void take_all_partners(struct moving *moving)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t call = 0; call < moving->program->call_count; call++)
            if (moving->moves[moving->program->calls[call].statement])
                more |= take_partners(moving, call);
    }
}

/* False where a rank would need it on two GPUs. */
static bool find_gpus(struct moving *moving)
{
    const struct program *program = moving->program;
    memset(moving->gpus, 0xFF, sizeof moving->gpus); /* NONE */
    for (uint32_t i = 0; i < program->statement_count; i++) {
        const struct statement *statement = &program->statements[i];
        uint32_t *gpu = &moving->gpus[statement->rank];
        if (!moving->moves[i])
            continue;
        if (*gpu != NONE && *gpu != stream_gpu(program, statement))
            return false;
        *gpu = stream_gpu(program, statement);
    }
    return true;
}

static void name_communicator(const struct moving *moving, const char *communicator)
{
    const struct remedy *remedy = moving->remedy;
    for (uint32_t call = 0; call < moving->program->call_count; call++) {
        const struct statement *statement = call_statement(moving->program, call);
        bool is_named = false; /* a `repeat` comes to the same line again */
        if (!moving->moves[moving->program->calls[call].statement])
            continue;
        for (size_t i = 0; i < remedy->change->count; i++)
            is_named |= remedy->change->edits[i].line == statement->line &&
                        remedy->change->edits[i].kind == EDIT_REPLACE;
        if (!is_named)
            replace_communication(remedy, call, moving->program->spans[statement->first_span].count,
                                  communicator);
    }
}

static bool is_on_gpus(const struct moving *moving, uint32_t communicator)
{
    for (uint32_t rank = 0; rank < moving->program->rank_count; rank++)
        if (moving->gpus[rank] != NONE &&
            moving->gpus[rank] != communicator_gpu(moving->program, communicator, rank))
            return false;
    return true;
}

/* One that is there. */
static void take_communicator(const struct moving *moving)
{
    for (uint32_t i = 0; i < moving->program->communicator_count; i++) {
        if (!is_on_gpus(moving, i))
            continue;
        name_communicator(moving, moving->program->communicators[i].name);
        return;
    }
}

static bool is_taken(const struct moving *moving, const char *name)
{
    char comm[NAME_ROOM + sizeof "comm "];
    snprintf(comm, sizeof comm, "comm %s", name);
    for (uint32_t i = 0; i < moving->program->communicator_count; i++)
        if (strcmp(moving->program->communicators[i].name, name) == 0)
            return true;
    return change_has(moving->remedy->so_far, comm);
}

/* A new one, which every rank makes before anything else: so none waits for another. It is there with every
 * variant with which the lines are that take it. */
static void make_communicator(const struct moving *moving)
{
    const struct program *program = moving->program;
    struct change *change = moving->remedy->change;
    uint32_t old = remedy_statement_of(moving->remedy, moving->remedy->finding->call)->communicator;
    char name[NAME_ROOM];
    unsigned number = 2;
    do
        snprintf(name, sizeof name, "%.64s_%u", program->communicators[old].name, number++);
    while (is_taken(moving, name));
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        const struct rank *described = &program->ranks[rank];
        if (described->call_count == 0) {
            change_clear(change);
            return;
        }
        uint32_t first = line_of(moving->remedy, described->first_call);
        uint32_t line = schedule_rank_line(program->schedule, first) + 1;
        bool elsewhere = moving->gpus[rank] != NONE && moving->gpus[rank] != described->gpu;
        if (elsewhere)
            change_insert_before(change, line, "use gpu %u", moving->gpus[rank]);
        change_insert_before(change, line, "comm %s", name);
        if (elsewhere)
            change_insert_before(change, line, "use gpu %u", described->gpu);
    }
    name_communicator(moving, name);
}

/* Lines are mended under every variant under which they stand, so these say nothing of what is new. */
static void forget_variants(struct change *change, bool also_the_lines)
{
    change->variants = 0;
    if (also_the_lines)
        change->lines[0] = change->lines[1] = 0;
}

/* Everything that has the same wrong with it, or the finding's alone; each with a communicator that is there,
 * else with a new one. */
bool remedy_communicator(const struct remedy *remedy, unsigned attempt)
{
    enum { THERE, NEW_LIKE_THE_LINE, NEW_EVERYWHERE, WAYS };
    struct moving moving = {.remedy = remedy, .program = remedy->program};
    unsigned way = attempt % WAYS;
    if (attempt >= 2 * WAYS)
        return false;
    forget_variants(remedy->change, way == NEW_EVERYWHERE);
    moving.moves = memory_zeroed(remedy->program->statement_count, sizeof *moving.moves);
    moving.moves[remedy->program->calls[remedy->finding->call].statement] = true;
    if (attempt < WAYS)
        take_all_misused(&moving);
    take_all_partners(&moving);
    if (find_gpus(&moving))
        (way == THERE ? take_communicator : make_communicator)(&moving);
    free(moving.moves);
    return true;
}
