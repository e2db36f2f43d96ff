#include "order/redundant.h"

#include <stdlib.h>

#include "base/memory.h"
#include "order/causality.h"

/* How much of each chain is work, up to each position: records and waits are not. */
struct work_counts {
    uint32_t *counts; /* by position, from 0 */
    uint32_t count, capacity;
};

struct signature {
    const struct program *program;
    struct work_counts *chains;
    uint32_t chain_count;
    uint64_t hash;
};

bool is_work(const struct statement *statement)
{
    return call_is_operation(statement) && statement->kind != CALL_RECORD && statement->kind != CALL_WAIT;
}

static bool is_host_access(const struct statement *statement)
{
    return statement->kind == CALL_READ || statement->kind == CALL_WRITE || statement->kind == CALL_FREE;
}

static void add_count(struct work_counts *chain, uint32_t work)
{
    ARRAY_RESERVE(chain->counts, chain->count, chain->capacity);
    chain->counts[chain->count] = (chain->count > 0 ? chain->counts[chain->count - 1] : 0) + work;
    chain->count++;
}

static struct work_counts *chain_at(struct signature *signature, uint32_t chain)
{
    while (signature->chain_count <= chain) {
        signature->chains =
            memory_resize(signature->chains, (size_t)signature->chain_count + 1, sizeof *signature->chains);
        signature->chains[signature->chain_count] = (struct work_counts){0};
        add_count(&signature->chains[signature->chain_count++], 0);
    }
    return &signature->chains[chain];
}

/* A position of a chain is reached: of a group by each of its members' chains. */
static void reach(struct signature *signature, struct position end, uint32_t work)
{
    struct work_counts *chain = chain_at(signature, end.chain);
    while (chain->count < end.count)
        add_count(chain, 0);
    if (chain->count == end.count)
        add_count(chain, work);
    else
        chain->counts[end.count] += work; /* the members of a group share a position */
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* Adds what is behind the point, as amounts of work. A sum, for the points may come in another order. */
static void add_known(struct signature *signature, const struct causality *causality)
{
    uint64_t hash = mix(0, (uint64_t)causality->point + 1);
    for (uint32_t chain = 0; chain < causality->clocks.width; chain++) {
        const struct work_counts *counts = chain_at(signature, chain);
        uint32_t known = causality_known(causality, chain);
        hash = mix(hash, counts->counts[known < counts->count ? known : counts->count - 1]);
    }
    signature->hash += hash;
}

static bool is_last_call(const struct program *program, uint32_t call)
{
    const struct rank *rank = &program->ranks[call_statement(program, call)->rank];
    return call + 1 == rank->first_call + rank->call_count;
}

static void visit(void *context, const struct causality *causality)
{
    struct signature *signature = context;
    uint32_t call = point_call(causality->point);
    const struct statement *statement = call_statement(signature->program, call);
    switch (point_phase(causality->point)) {
    case ENTERED:
        if (is_host_access(statement))
            add_known(signature, causality);
        break;
    case RETURNED: /* the end of a host program counts as if it read everything */
        reach(signature, causality_end(causality, call, RETURNED), is_host_access(statement));
        if (is_last_call(signature->program, call))
            add_known(signature, causality);
        break;
    case STARTED:
        if (statement->kind == CALL_GROUP_END)
            break;
        if (is_work(statement))
            add_known(signature, causality);
        reach(signature, causality_end(causality, call, DONE), is_work(statement));
        break;
    default:
        break;
    }
}

uint64_t order_signature(const struct order *order)
{
    struct signature signature = {.program = order->program};
    causality_run(order, visit, &signature);
    for (uint32_t chain = 0; chain < signature.chain_count; chain++)
        free(signature.chains[chain].counts);
    free(signature.chains);
    return signature.hash;
}
