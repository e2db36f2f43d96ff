/* What order means: the twelve rules of docs/schedule-language.md, each stated once (rules.c), as waits
 * between points. The simulator, the search, the checker and "what does this wait for" all read this one
 * graph.
 *
 * Every call has four points. A call that is no operation has no STARTED and DONE (they carry no waits and
 * never happen: order_has_point()); the outermost `end` of a group is an operation of its own: STARTED when
 * it was entered, DONE when all its members are (rule 6), and what comes next in each stream that a member is
 * on waits for that. The members start when all these streams have come to the group. Not where they are of
 * several communicators: there what comes next in a stream waits for the members on it. */
#ifndef HANDOFF_ORDER_ORDER_H
#define HANDOFF_ORDER_ORDER_H

#include "schedule/program.h"

enum phase { ENTERED, RETURNED, STARTED, DONE, PHASE_COUNT };

static inline uint32_t point_of(uint32_t call, enum phase phase)
{
    return call * PHASE_COUNT + phase;
}
static inline uint32_t point_call(uint32_t point)
{
    return point / PHASE_COUNT;
}
static inline enum phase point_phase(uint32_t point)
{
    return (enum phase)(point % PHASE_COUNT);
}

enum strength {
    ALWAYS,    /* holds in every execution: proves an order, and can be part of a deadlock */
    MAY,       /* some executions have it: proves nothing, but can be part of a deadlock */
    ABORTABLE, /* holds unless the rank's `abort` of the communicator was entered: proves nothing */
};

/* The point that carries this wait happens no sooner than POINT. RULE is the number in schedule-language.md.
 * POINT is NONE where nothing can satisfy it: a send without its receive, a barrier that another rank leaves
 * out. */
struct wait {
    uint32_t point;
    uint8_t rule;
    uint8_t strength;
    uint16_t rank; /* rules 5, 7, 8 (barrier) and 12: the rank that has to act, also where POINT is NONE */
};

/* Of the last of a group's members on a stream: what comes next in the stream waits for it. */
#define LAST_PLACE (UINT32_C(1) << 31)

struct order {
    const struct program *program;
    uint32_t point_count;
    uint32_t *first_wait; /* point_count + 1: waits[first_wait[p]] .. waits[first_wait[p + 1] - 1] */
    struct wait *waits;   /* the wait for one's own call's or stream's predecessor comes first */
    uint32_t *match; /* by call: the matching receive or send, NONE without one. Of what all ranks do together
                        (collectives, comm, destroy and abort, barrier): the call of the next rank that takes
                        part, round in a ring; itself where it is alone */
    uint32_t *bound; /* by call: wait, sync event, poll event, query event: the record it is bound to (rule
                        3); member of a group: the outermost end; abortable communication: see aborted_by */
    uint32_t *place; /* by call: of the members of a group over several communicators, whose streams go on
                        without its end: the place among those on the same stream, from 1, with LAST_PLACE;
                        else 0. NULL where there is no such group */
    uint32_t *abort_of; /* by call: of a communication call the abort of its communicator that its rank calls
                           later; NONE. NULL where the program has no abort */
    uint32_t *aborted_by;               /* the same, where that may come before the end of the call */
    uint32_t *first_ended, *next_ended; /* by call: those that an abort ends (abort_of), the first of them and
                                           the next; NONE. NULL where the program has no abort */
};

/* Never fails: whatever a program asks for has a graph. Freed by order_free(). The program must outlive it.
 */
struct order *order_build(const struct program *program);
/* The graph with what NCCL and CUDA may do besides the rules, as waits that may be; and with those that rule
 * 12 has for the other ranks as such, which NCCL was seen to do without. FIRST_USES: connect.h. */
struct order *order_build_besides(const struct program *program, const bool *first_uses);
/* The graph as if the statements that are SKIPPED (by number) did nothing. Its calls keep their numbers. */
struct order *order_build_without(const struct program *program, const bool *skipped);
void order_free(struct order *order);

/* Whether the call has that point. */
static inline bool order_has_point(const struct order *order, uint32_t point)
{
    return point_phase(point) == ENTERED || order->first_wait[point + 1] > order->first_wait[point];
}

/* The call that hands CALL to its stream: of a group's members the outermost end. */
static inline uint32_t submitter_of(const struct order *order, uint32_t call)
{
    const struct statement *statement = call_statement(order->program, call);
    return statement->in_group && call_is_communication(statement) ? order->bound[call] : call;
}

/* What a rule says, in one short sentence, for messages: "operations of one stream run in order". */
const char *rule_sentence(unsigned rule);
/* Beyond the twelve: numbers for waits of order_build_besides(). */
enum { BESIDES_CONNECTION = 13, BESIDES_HOST_MEMORY = 14 };

/* Which of the waits a run takes. */
enum choice {
    CHOICE_STRICT, /* ALWAYS, MAY and ABORTABLE: what can get stuck does */
    CHOICE_EAGER,  /* ALWAYS and ABORTABLE, but a send of more than EAGER_LIMIT bytes waits for its receive */
    CHOICE_GUARANTEED, /* ALWAYS alone: what proves an order */
};
/* Measured (docs/measured.md): a send without a receive completed at 4 MiB and stayed pending at 16 MiB. */
enum { EAGER_LIMIT = 4 << 20 };

/* What an ABORTABLE wait of POINT is when no abort comes; others are as they are. */
enum strength strength_without_abort(const struct order *order, uint32_t point, const struct wait *wait);

/* Whether a run of this choice takes the wait that POINT carries. */
bool choice_takes(const struct order *order, enum choice choice, uint32_t point, const struct wait *wait);

#endif
