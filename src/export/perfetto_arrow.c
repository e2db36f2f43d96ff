/* Arrows between slices. */
#include "export/perfetto_inside.h"

void trace_write_arrow_end(struct trace *trace, const char *phase, const char *name, uint32_t call,
                           enum side side, int64_t time)
{
    int process = trace_process(call_statement(trace->program, call)->rank);
    json_t *event = trace_event(trace, phase, name, process, trace_track(trace, call, side), time);
    json_object_set_new(event, "cat", json_string("order"));
    json_object_set_new(event, "id", json_integer(trace->arrow));
    if (phase[0] == 'f')
        json_object_set_new(event, "bp", json_string("e"));
    trace_write(trace, event);
}

/* A nanosecond within the slice that begins then: to Catapult's viewer the one before holds its end too, and
 * one that has not ended holds its beginning only. */
static int64_t within(const struct trace *trace, uint32_t call, int64_t time)
{
    int64_t end = trace_interval(trace, call, SIDE_STREAM).end;
    return end != TIME_NONE && time + 1 < end ? time + 1 : time;
}

static void write_arrow(struct trace *trace, const char *name, uint32_t from, int64_t leaves, uint32_t to,
                        int64_t arrives)
{
    trace->arrow++;
    trace_write_arrow_end(trace, "s", name, from, SIDE_STREAM, leaves);
    trace_write_arrow_end(trace, "f", name, to, SIDE_STREAM, arrives);
}

static void write_transfer(struct trace *trace, uint32_t recv)
{
    int64_t both = trace_moves_from(trace, recv);
    if (both == TIME_NONE)
        return;
    uint32_t send = trace->run->order->match[recv];
    int64_t time = within(trace, send, both) > both ? within(trace, recv, both) : both;
    write_arrow(trace, "sends", send, time, recv, time);
}

/* From the record's last moment to the first one of the wait that its event does not hold. */
static void write_event_wait(struct trace *trace, uint32_t wait)
{
    int64_t arrives = trace_released(trace, wait);
    if (arrives == TIME_NONE)
        return;
    uint32_t record = trace->run->order->bound[wait];
    int64_t leaves = trace_interval(trace, record, SIDE_STREAM).end - 1;
    if (leaves <= arrives)
        write_arrow(trace, "orders", record, leaves, wait, within(trace, wait, arrives));
}

void trace_write_arrows(struct trace *trace)
{
    for (uint32_t call = 0; call < trace->program->call_count; call++) {
        uint8_t kind = call_statement(trace->program, call)->kind;
        if (kind == CALL_RECV)
            write_transfer(trace, call);
        if (kind == CALL_WAIT)
            write_event_wait(trace, call);
    }
}
