/* Operations that lose one who takes part in them: its process is gone, or its rank aborted the communicator.
 */
#include "device/sim/cost.h"
#include "device/sim/run.h"

static bool pairs(const struct driver *driver, uint32_t call)
{
    return call_is_transfer(statement_in(driver, call));
}

static bool is_lost(const struct driver *driver, uint32_t call)
{
    return driver->lost[statement_in(driver, call)->rank];
}

bool run_was_aborted(const struct driver *driver, uint32_t call)
{
    const uint32_t *abort_of = driver->order->abort_of;
    return abort_of && abort_of[call] != NONE && has_happened(driver, point_of(abort_of[call], ENTERED));
}

void run_orphan(struct driver *driver, uint32_t call)
{
    if (driver->calls[call].orphaned)
        return;
    driver->calls[call].orphaned = true;
    const struct order *order = driver->order;
    uint32_t peer = order->match[call];
    while (!pairs(driver, call) && peer != NONE && peer != call && !is_lost(driver, peer))
        peer = order->match[peer];
    bool lost = peer != NONE && is_lost(driver, peer);
    run_say_waiting(driver, call, lost ? point_of(peer, DONE) : NONE, pairs(driver, call) ? 5 : 7);
}

/* A small send may be done without its receive. */
static bool needs_others(const struct driver *driver, uint32_t call)
{
    return driver->machine->choice == CHOICE_STRICT || statement_in(driver, call)->kind != CALL_SEND;
}

static bool has_lost_peer(const struct driver *driver, uint32_t call)
{
    if (!driver->any_lost || !call_is_communication(statement_in(driver, call)))
        return false;
    uint32_t match = driver->order->match[call];
    for (uint32_t peer = match; peer != NONE && peer != call; peer = driver->order->match[peer])
        if (is_lost(driver, peer) && !has_happened(driver, point_of(peer, DONE)))
            return needs_others(driver, call);
    return false;
}

bool run_is_alone(const struct driver *driver, uint32_t call)
{
    return driver->calls[call].orphaned || (has_lost_peer(driver, call) && !run_was_aborted(driver, call));
}

void run_lose(struct driver *driver)
{
    for (size_t i = 0; i < driver->flow_count; i++) {
        uint32_t call = driver->flows[i].call;
        if (!is_lost(driver, call) && run_is_alone(driver, call))
            run_orphan(driver, call);
    }
}

/* The other side of CALL, which is aborted: it has not got everything, and what there is does not come any
 * more. A send that is received has nothing left to wait for. */
static void cut_off(struct driver *driver, uint32_t call, uint32_t other)
{
    bool is_received =
        statement_in(driver, other)->kind == CALL_SEND && has_happened(driver, point_of(call, DONE));
    if (has_happened(driver, point_of(other, STARTED)) && !has_happened(driver, point_of(other, DONE)) &&
        !run_was_aborted(driver, other) && needs_others(driver, other) && !is_received)
        run_orphan(driver, other);
}

/* CALL, of the rank that aborts, ends where it is: what it waits for in vain it does not wait for any more,
 * and what moves stops. */
static void give_up(struct driver *driver, uint32_t call)
{
    struct sim_call *given_up = &driver->calls[call];
    if (has_happened(driver, point_of(call, DONE)) || (!given_up->orphaned && given_up->flow == NONE))
        return; /* over, or it ends as nothing holds it now */
    given_up->orphaned = false;
    flow_drop(driver, call);
    heap_put(&driver->heap, driver->now + cost_of_abort(), DUE_POINT, point_of(call, DONE));
}

void run_abort(struct driver *driver, uint32_t abort)
{
    const struct order *order = driver->order;
    for (uint32_t call = order->first_ended[abort]; call != NONE; call = order->next_ended[call]) {
        give_up(driver, call);
        for (uint32_t other = order->match[call]; other != NONE && other != call; other = order->match[other])
            cut_off(driver, call, other);
    }
}
