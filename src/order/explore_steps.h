/* What the calls of a program do to memory, as steps between the points of the order graph. The order graph
 * says when calls begin and end; a step says what is read or written in between, in one go.
 *
 * Kernels read when they start and write when they are done. The bytes of a transfer or a copy move in two
 * pieces, the fewest that show a torn buffer. */
#ifndef HANDOFF_ORDER_EXPLORE_STEPS_H
#define HANDOFF_ORDER_EXPLORE_STEPS_H

#include "order/order.h"

enum step_kind {
    STEP_ALLOCATE,
    STEP_FREE,
    STEP_HOST_READ,
    STEP_HOST_WRITE,
    STEP_READ_INPUTS, /* of the kernel whose outputs are made of them */
    STEP_OBSERVE,     /* the inputs of any other: what they were is part of the outcome */
    STEP_WRITE_OUTPUTS,
    STEP_STAGE, /* a plain copy reads its pageable source */
    STEP_COPY,
    STEP_GIVE, /* the sender's end of a piece */
    STEP_TAKE,
    STEP_GIVE_UP, /* an aborted operation ends: what it has not moved stays where it is */
};

/* Bytes BEGIN to just before END of a memory. */
struct step_access {
    uint32_t memory, begin, end;
    uint32_t access; /* bits of enum access */
};

struct step {
    uint32_t call;
    uint8_t kind;
    uint32_t offset, length; /* of a piece, within what the call moves */
    uint32_t first_access,
        access_count; /* in the order of the call's spans; of a copy's piece source, destination */
    uint32_t first_source, source_count; /* steps that keep the bytes it uses; of an allreduce by rank */
    size_t kept_at; /* where the bytes lie that it keeps for others, or for the outcome */
    uint32_t kept_length;
    uint32_t readers; /* how many steps use what it keeps */
};

/* An item is a point, or a step: POINT_COUNT plus its number. */
struct step_table {
    const struct order *order;
    struct step *steps;
    uint32_t step_count, step_capacity;
    uint32_t *first_step; /* by call, call_count + 1: its steps lie side by side */
    struct step_access *accesses;
    uint32_t access_count, access_capacity;
    uint32_t *sources;
    uint32_t source_count, source_capacity;
    size_t kept_bytes;            /* of all steps */
    uint32_t *missing;            /* by item: how many steps or, of a step, points and steps it waits for */
    uint32_t *first_link, *links; /* by item: the items that wait for it */
};

struct step_table *steps_build(const struct order *order);
void steps_free(struct step_table *table);

static inline uint32_t step_item(const struct step_table *table, uint32_t step)
{
    return table->order->point_count + step;
}

/* Whether TO need not wait for FROM in every execution, though they are linked: a piece that its rank gives
 * up is not waited for. */
bool link_is_loose(const struct step_table *table, uint32_t from, uint32_t to);

/* Whether the two touch the same bytes so that their order matters. */
bool steps_conflict(const struct step_table *table, uint32_t a, uint32_t b);

#endif
