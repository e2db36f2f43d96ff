#include "order/portable.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/causality.h"
#include "order/connect.h"
#include "order/crossed.h"
#include "order/deadlock.h"
#include "order/hazard.h"
#include "order/pairing.h"
#include "order/wording.h"

static uint32_t statement_number(const struct order *order, uint32_t call)
{
    return call == NONE ? NONE : order->program->calls[call].statement;
}

/* Whether the same lines were told of: the rounds of a `repeat` are alike. */
static bool is_known(const struct order *order, const struct findings *findings, uint32_t call,
                     uint32_t other, uint32_t memory)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *known = &findings->items[i];
        if (known->kind == FINDING_UNPORTABLE && known->memory == memory &&
            statement_number(order, known->call) == statement_number(order, call) &&
            statement_number(order, known->other) == statement_number(order, other))
            return true;
    }
    return false;
}

static void add(const struct order *order, struct findings *findings, uint32_t call, uint32_t other,
                uint32_t memory, struct text *text)
{
    bool is_new = !is_known(order, findings, call, other, memory);
    struct finding *finding = is_new ? findings_add(findings, FINDING_UNPORTABLE, call, other, memory) : NULL;
    if (finding)
        finding->text = memory_copy_string(text_string(text));
    text_free(text);
}

struct search {
    const struct order *order;
    struct findings *findings;
};

/* By the rules the members of a group make progress together, so that no order is needed. What is out of
 * order without a group is a deadlock by rule 11. Where the other rank has a group as well it finds the same
 * from its side. */
static void report_crossing(void *context, const struct crossing *crossing)
{
    const struct search *search = context;
    const struct program *program = search->order->program;
    uint32_t there = submitter_of(search->order, crossing->part);
    bool is_group_there =
        there != crossing->part && there == submitter_of(search->order, crossing->earlier_part);
    if (is_group_there &&
        call_statement(program, crossing->part)->rank < call_statement(program, crossing->call)->rank)
        return;
    struct text text = {0};
    word_call(program, crossing->earlier, &text);
    text_append(&text, " stands before ");
    word_call(program, crossing->call, &text);
    text_append(&text, ", and ");
    word_call(program, crossing->earlier_part, &text);
    text_append(&text, " behind ");
    word_call(program, crossing->part, &text);
    text_append(&text,
                ": NCCL wants the collectives of all communicators in one order on every rank, in a group "
                "too, and may hang or mix them up");
    add(search->order, search->findings, crossing->call, NONE, NONE, &text);
}

/* Which communication of a GPU has nothing of the schedule that puts it behind the one before it, on another
 * communicator. */
struct turns {
    const struct order *order;
    const uint32_t *before; /* by call: the one before it; NONE */
    struct position *ends;  /* by call: of those that are before another */
    struct findings *findings;
};

static void look_at_turn(void *context, const struct causality *causality)
{
    struct turns *turns = context;
    const struct program *program = turns->order->program;
    uint32_t call = point_call(causality->point);
    if (point_phase(causality->point) != STARTED || !call_is_communication(call_statement(program, call)))
        return;
    turns->ends[call] = causality_end(causality, call, STARTED);
    uint32_t before = turns->before[call];
    bool is_ordered = before == NONE || (turns->ends[before].count > 0 && /* it has started */
                                         causality_knows(causality, turns->ends[before]));
    if (is_ordered || is_known(turns->order, turns->findings, call, before, NONE))
        return;
    struct text text = {0};
    word_call(program, call, &text);
    text_append(&text, " and ");
    word_call_of_rank(program, before, &text);
    text_append(&text,
                " are of two communicators, and only the order of the calls puts one behind the other: "
                "NCCL may hang, unless it is 2.26 or later with NCCL_LAUNCH_ORDER_IMPLICIT=1");
    add(turns->order, turns->findings, call, before, NONE, &text);
}

/* Of a GPU: its latest communication, and the latest before the group that it is in. */
struct latest {
    uint32_t call, outside;
};

static uint32_t take_turn(const struct order *order, struct latest *latest, uint32_t call)
{
    const struct program *program = order->program;
    bool is_same_group = latest->call != NONE && submitter_of(order, call) != call &&
                         submitter_of(order, latest->call) == submitter_of(order, call);
    uint32_t before = is_same_group ? latest->outside : latest->call;
    *latest = (struct latest){.call = call, .outside = before};
    return before != NONE && call_statement(program, before)->communicator !=
                                 call_statement(program, call)->communicator
               ? before
               : NONE;
}

/* By call: of communication the one before it, and before its group, on its GPU, where that is on another
 * communicator; NONE. */
static uint32_t *find_turns(const struct order *order)
{
    const struct program *program = order->program;
    uint32_t *before = memory_all_ones(program->call_count, sizeof *before);
    struct latest latest[SCHEDULE_MAX_GPUS];
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        memset(latest, 0xFF, sizeof latest);
        for (uint32_t i = 0; i < program->ranks[rank].call_count; i++) {
            uint32_t call = program->ranks[rank].first_call + i;
            const struct statement *statement = call_statement(program, call);
            if (call_is_communication(statement))
                before[call] = take_turn(order, &latest[program->streams[statement->stream].gpu], call);
        }
    }
    return before;
}

static void find_unordered_turns(const struct order *order, struct findings *findings)
{
    if (order->program->communicator_count < 2 || order->program->rank_count < 2)
        return;
    uint32_t *before = find_turns(order);
    struct turns turns = {.order = order, .before = before, .findings = findings};
    turns.ends = memory_zeroed(order->program->call_count, sizeof *turns.ends);
    causality_run(order, look_at_turn, &turns);
    free(turns.ends);
    free(before);
}

/* Where in the cycle a wait of the rule is; NONE. */
static uint32_t find_link(const struct order *order, const struct finding *deadlock, uint8_t rule)
{
    for (uint32_t i = 0; i < deadlock->cycle_length; i++) {
        uint32_t point = deadlock->cycle[i], next = deadlock->cycle[(i + 1) % deadlock->cycle_length];
        for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
            if (order->waits[w].point == next && order->waits[w].rule == rule)
                return i;
    }
    return NONE;
}

/* Turns the cycle so that it begins at FIRST. */
static void begin_at(struct finding *deadlock, uint32_t first)
{
    uint32_t length = deadlock->cycle_length, *turned = memory_resize(NULL, length, sizeof *turned);
    for (uint32_t i = 0; i < length; i++)
        turned[i] = deadlock->cycle[(first + i) % length];
    free(deadlock->cycle);
    deadlock->cycle = turned;
    deadlock->call = point_call(turned[0]);
}

/* What ends by the rules, and gets stuck where a first transfer or host memory holds a host program. */
static void find_holds(const struct order *besides, struct findings *findings)
{
    struct findings deadlocks = {0};
    find_deadlocks(besides, NULL, &deadlocks);
    for (uint32_t i = 0; i < deadlocks.count; i++) {
        struct finding *deadlock = &deadlocks.items[i];
        uint32_t connection = find_link(besides, deadlock, BESIDES_CONNECTION);
        struct text text = {0};
        text_append(&text, "by the rules this ends, but it may not ");
        text_append(&text,
                    connection != NONE
                        ? "where NCCL connects ranks at their first transfer (NCCL_RUNTIME_CONNECT, on by "
                          "default): "
                        : "where CUDA waits when host memory is allocated, or copied and pageable: ");
        begin_at(deadlock,
                 connection != NONE ? connection : find_link(besides, deadlock, BESIDES_HOST_MEMORY));
        word_deadlock(besides, deadlock, &text);
        add(besides, findings, deadlock->call, NONE, NONE, &text);
    }
    findings_free(&deadlocks);
}

static bool has_destroy(const struct program *program)
{
    for (uint32_t i = 0; i < program->statement_count; i++)
        if (program->statements[i].kind == CALL_DESTROY)
            return true;
    return false;
}

/* What only a `destroy` that waits for the other ranks keeps apart. */
static void find_held_by_destroy(const struct order *besides, struct findings *findings)
{
    struct findings hazards = {0};
    find_hazards(besides, true, &hazards);
    for (uint32_t i = 0; i < hazards.count; i++) {
        const struct finding *hazard = &hazards.items[i];
        struct text text = {0};
        if (finding_severity(hazard->kind) != SEVERITY_ERROR)
            continue;
        word_call(besides->program, hazard->call, &text);
        text_append(&text, " comes behind ");
        word_call(besides->program, hazard->other, &text);
        text_append(&text,
                    " only where `destroy` waits for the other ranks, and NCCL 2.28 was seen to come back "
                    "without them");
        add(besides, findings, hazard->call, hazard->other, hazard->memory, &text);
    }
    findings_free(&hazards);
}

static void find_all(const struct order *order, struct findings *findings)
{
    find_crossed(order, report_crossing, &(struct search){order, findings});
    find_unordered_turns(order, findings);
    if (order->abort_of)
        return;
    bool *first_uses = find_first_uses(order->program);
    if (has_destroy(order->program) || may_hold_hosts(order, first_uses)) {
        struct order *besides = order_build_besides(order->program, first_uses);
        find_holds(besides, findings);
        find_held_by_destroy(besides, findings);
        order_free(besides);
    }
    free(first_uses);
}

void find_unportable(const struct order *order, struct findings *findings)
{
    if (findings_error_count(findings) > 0)
        return;
    find_all(order, findings);
    findings_sort(findings, order->program);
}
