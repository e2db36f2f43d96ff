/* An order for two accesses: an event, or the host waits. */
#include <stdio.h>
#include <string.h>

#include "order/hazard.h"
#include "order/remedy.h"

enum { NAME_ROOM = 96, LOOK_AHEAD = 10000 };

static bool is_event(const struct remedy *remedy, uint32_t rank, const char *name)
{
    const struct program *program = remedy->program;
    for (uint32_t i = 0; i < program->event_count; i++)
        if (program->events[i].rank == rank && strcmp(program->events[i].name, name) == 0)
            return true;
    char record[NAME_ROOM + sizeof "record  "];
    snprintf(record, sizeof record, "record %s ", name);
    return change_has(remedy->so_far, record);
}

/* A name for an event after the earlier access: "x_ready" where it is read next, else "x_free". */
static void name_event(const struct remedy *remedy, char name[NAME_ROOM])
{
    const struct finding *finding = remedy->finding;
    struct span shared;
    enum hazard hazard = WRITE_AFTER_WRITE;
    calls_conflict(remedy->program, finding->other, finding->call, finding->memory, &shared, &hazard);
    const char *buffer = remedy->program->memories[finding->memory].name;
    const char *what = hazard == READ_AFTER_WRITE ? "ready" : "free";
    uint32_t rank = remedy_statement_of(remedy, finding->call)->rank;
    snprintf(name, NAME_ROOM, "%.64s_%s", buffer, what);
    for (unsigned number = 2; is_event(remedy, rank, name); number++)
        snprintf(name, NAME_ROOM, "%.64s_%s%u", buffer, what, number);
}

/* The first record behind EARLIER in its stream and before LATER; NONE. */
static uint32_t record_between(const struct remedy *remedy, uint32_t earlier, uint32_t later)
{
    uint32_t stream = remedy_statement_of(remedy, earlier)->stream;
    for (uint32_t call = earlier + 1; call < later && call - earlier < LOOK_AHEAD; call++) {
        const struct statement *statement = remedy_statement_of(remedy, call);
        if (statement->kind == CALL_RECORD && statement->stream == stream)
            return call;
    }
    return NONE;
}

static const char *event_name_of(const struct remedy *remedy, uint32_t record)
{
    return remedy->program->events[remedy_statement_of(remedy, record)->event].name;
}

static void insert_record(const struct remedy *remedy, const char *event)
{
    change_insert_after(remedy->change, line_after(remedy, remedy->finding->other), "record %s on %s", event,
                        stream_name_of(remedy, remedy->finding->other));
}

/* LATER is a call of the host program. */
static bool hold_host(const struct remedy *remedy, unsigned attempt)
{
    uint32_t later = remedy->finding->call, earlier = remedy->finding->other;
    char event[NAME_ROOM];
    switch (attempt) {
    case 0:
        change_insert_before(remedy->change, line_of(remedy, later), "sync %s",
                             stream_name_of(remedy, earlier));
        return true;
    case 1:
        name_event(remedy, event);
        insert_record(remedy, event);
        change_insert_before(remedy->change, line_of(remedy, later), "sync event %s", event);
        return true;
    case 2:
        change_insert_before(remedy->change, line_of(remedy, later), "sync device");
        return true;
    default:
        return false;
    }
}

static bool in_one_group(const struct remedy *remedy)
{
    const uint32_t *bound = remedy->order->bound;
    uint32_t later = remedy->finding->call, earlier = remedy->finding->other;
    return call_is_communication(remedy_statement_of(remedy, later)) &&
           call_is_communication(remedy_statement_of(remedy, earlier)) && bound[later] != NONE &&
           bound[later] == bound[earlier];
}

/* Members of a group are side by side: the receive gets a buffer of its own, copied when the group is done.
 */
static bool receive_aside(const struct remedy *remedy, unsigned attempt)
{
    const struct finding *finding = remedy->finding;
    uint32_t receive = attempt == 0 ? finding->call : finding->other;
    const struct statement *statement = remedy_statement_of(remedy, receive);
    if (attempt > 1)
        return false;
    if (statement->kind != CALL_RECV)
        return true;
    const struct span *span = &remedy->program->spans[statement->first_span];
    const struct memory *memory = &remedy->program->memories[span->memory];
    const char *stream = stream_name_of(remedy, receive);
    struct text destination = {0};
    text_append(&destination, memory->name);
    if (span->count < memory->count)
        text_format(&destination, "[%u:%u]", span->first, span->first + span->count);
    change_insert_before(remedy->change, line_before(remedy, receive), "buffer %.64s_received %s[%u]",
                         memory->name, element_type_name((enum element_type)memory->type), span->count);
    change_replace(remedy->change, line_of(remedy, receive), "recv %.64s_received from %u on %s",
                   memory->name, statement->peer, stream);
    change_insert_after(remedy->change, line_after(remedy, receive), "copy %.64s_received to %s on %s",
                        memory->name, text_string(&destination), stream);
    text_free(&destination);
    return true;
}

static bool hold_stream(const struct remedy *remedy, unsigned attempt)
{
    uint32_t later = remedy->finding->call, earlier = remedy->finding->other;
    uint32_t record = record_between(remedy, earlier, later);
    const char *stream = stream_name_of(remedy, later);
    uint32_t before = line_before(remedy, later), after = line_after(remedy, earlier);
    char event[NAME_ROOM];
    name_event(remedy, event);
    switch (attempt) {
    case 0:
        if (record != NONE)
            change_insert_before(remedy->change, before, "wait %s on %s", event_name_of(remedy, record),
                                 stream);
        return true;
    case 1:
        insert_record(remedy, event);
        change_insert_before(remedy->change, before, "wait %s on %s", event, stream);
        return true;
    case 2: /* in a loop the later one may stand on an earlier line */
        insert_record(remedy, event);
        change_insert_after(remedy->change, after, "wait %s on %s", event, stream);
        return true;
    case 3:
        change_insert_before(remedy->change, before, "sync %s", stream_name_of(remedy, earlier));
        return true;
    case 4:
        change_insert_after(remedy->change, after, "sync %s", stream_name_of(remedy, earlier));
        return true;
    case 5: /* the other way round: what is read is written first */
        if (!may_move(remedy, earlier, later, &(struct calls){&later, 1}, KEEPS_MATCHES))
            return true;
        change_insert_after(remedy->change, line_after(remedy, later), "record %s on %s", event, stream);
        change_insert_after(remedy->change, line_after(remedy, later), "wait %s on %s", event,
                            stream_name_of(remedy, earlier));
        change_move_after(remedy->change, line_of(remedy, earlier), line_after(remedy, later));
        return true;
    default:
        return false;
    }
}

bool remedy_order(const struct remedy *remedy, unsigned attempt)
{
    if (!order_has_point(remedy->order, point_of(remedy->finding->call, STARTED)))
        return hold_host(remedy, attempt);
    return in_one_group(remedy) ? receive_aside(remedy, attempt) : hold_stream(remedy, attempt);
}
