#include "order/connect.h"

#include <stdlib.h>

#include "base/memory.h"

enum connection { CONNECTED_TO = 1, CONNECTED_FROM = 2, CONNECTED_ALL = 4 };

static bool note_use(const struct program *program, const struct statement *statement, uint8_t *connected)
{
    enum connection what = statement->kind == CALL_SEND   ? CONNECTED_TO
                           : statement->kind == CALL_RECV ? CONNECTED_FROM
                                                          : CONNECTED_ALL;
    uint32_t with = call_is_transfer(statement) ? statement->peer : statement->rank;
    uint8_t *known = &connected[(size_t)statement->communicator * program->rank_count + with];
    bool is_first = !(*known & what);
    *known |= (uint8_t)what;
    return is_first;
}

bool *find_first_uses(const struct program *program)
{
    size_t pairs = (size_t)program->communicator_count * program->rank_count;
    bool *first_uses = memory_zeroed(program->call_count + (size_t)1, sizeof *first_uses);
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        uint8_t *connected = memory_zeroed(pairs, 1);
        for (uint32_t i = 0; i < program->ranks[rank].call_count; i++) {
            uint32_t call = program->ranks[rank].first_call + i;
            const struct statement *statement = call_statement(program, call);
            first_uses[call] = call_is_communication(statement) && note_use(program, statement, connected);
        }
        free(connected);
    }
    return first_uses;
}

/* A host program that stops nowhere but at its first uses. */
struct host {
    uint32_t *uses; /* in order */
    uint32_t count, passed;
};

static bool waits_for_memory(const struct program *program, const struct statement *statement)
{
    if (statement->kind == CALL_HOST || statement->kind == CALL_MANAGED)
        return program->memories[statement->memory].kind != MEMORY_PAGEABLE;
    const struct span *spans = &program->spans[statement->first_span];
    return statement->kind == CALL_COPY && (program->memories[spans[0].memory].kind == MEMORY_PAGEABLE ||
                                            program->memories[spans[1].memory].kind == MEMORY_PAGEABLE);
}

/* Whether the call's return waits for another rank, or for work of its own while that may wait for another.
 */
static bool waits_for_others(const struct order *order, uint32_t call, bool has_communicated)
{
    const struct program *program = order->program;
    uint32_t returned = point_of(call, RETURNED);
    for (uint32_t w = order->first_wait[returned]; w < order->first_wait[returned + 1]; w++) {
        uint32_t point = order->waits[w].point;
        if (point == point_of(call, ENTERED))
            continue;
        if (has_communicated || point == NONE ||
            call_statement(program, point_call(point))->rank != call_statement(program, call)->rank)
            return true;
    }
    return false;
}

/* Lists the rank's first uses. False where it may stop elsewhere, up to the last of them. */
static bool list_uses(const struct order *order, const bool *first_uses, uint32_t rank, struct host *host)
{
    const struct program *program = order->program;
    uint32_t first = program->ranks[rank].first_call, past = first + program->ranks[rank].call_count;
    bool has_communicated = false, has_stopped = false, waits = false;
    for (uint32_t call = first; call < past; call++) {
        const struct statement *statement = call_statement(program, call);
        host->count += first_uses[call];
        waits |= first_uses[call] && has_stopped;
        has_communicated |= call_is_communication(statement);
        waits |= has_communicated && waits_for_memory(program, statement);
        has_stopped = has_stopped || waits_for_others(order, call, has_communicated);
    }
    host->uses = memory_resize(NULL, host->count + (size_t)1, sizeof *host->uses);
    host->count = 0;
    for (uint32_t call = first; call < past; call++)
        if (first_uses[call])
            host->uses[host->count++] = call;
    return !waits;
}

/* Whether the host program has come to the call, or is past it. */
static bool has_entered(const struct order *order, const struct host *host, uint32_t call)
{
    return host->passed == host->count || call <= submitter_of(order, host->uses[host->passed]);
}

static bool may_pass(const struct order *order, const struct host *hosts, uint32_t use)
{
    const struct program *program = order->program;
    bool is_transfer = call_is_transfer(call_statement(program, use));
    for (uint32_t part = order->match[use]; part != NONE && part != use;
         part = is_transfer ? NONE : order->match[part])
        if (!has_entered(order, &hosts[call_statement(program, part)->rank], submitter_of(order, part)))
            return false;
    return true;
}

/* Goes past the next call that submits first uses, if all of them may. */
static bool pass(const struct order *order, const struct host *hosts, struct host *host)
{
    uint32_t past = host->passed;
    while (past < host->count &&
           submitter_of(order, host->uses[past]) == submitter_of(order, host->uses[host->passed])) {
        if (!may_pass(order, hosts, host->uses[past]))
            return false;
        past++;
    }
    bool any = past > host->passed;
    host->passed = past;
    return any;
}

/* So many rounds are tried. */
enum { ROUND_LIMIT = 4096 };

static bool all_pass(const struct order *order, struct host *hosts)
{
    uint32_t ranks = order->program->rank_count;
    bool any = true;
    for (int round = 0; any && round < ROUND_LIMIT; round++) {
        any = false;
        for (uint32_t rank = 0; rank < ranks; rank++)
            while (pass(order, hosts, &hosts[rank]))
                any = true;
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (hosts[rank].passed < hosts[rank].count)
            return false;
    return true;
}

bool may_hold_hosts(const struct order *order, const bool *first_uses)
{
    struct host hosts[SCHEDULE_MAX_RANKS] = {0};
    uint32_t ranks = order->program->rank_count;
    bool is_sure = true;
    for (uint32_t rank = 0; rank < ranks; rank++)
        is_sure &= list_uses(order, first_uses, rank, &hosts[rank]);
    bool may = !is_sure || !all_pass(order, hosts);
    for (uint32_t rank = 0; rank < ranks; rank++)
        free(hosts[rank].uses);
    return may;
}
