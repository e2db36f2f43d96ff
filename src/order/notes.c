#include "order/notes.h"

#include <stdlib.h>

#include "base/memory.h"
#include "order/causality.h"
#include "order/hazard.h"
#include "order/redundant.h"
#include "order/wording.h"

/* So many calls are gone through in all, each trial going through all calls. */
enum { CALLS_LIMIT = 3000000 };

static void add_note(struct findings *findings, enum finding_kind kind, uint32_t call, uint32_t other,
                     struct text *text)
{
    struct finding *finding = findings_add(findings, kind, call, other, NONE);
    if (finding)
        finding->text = memory_copy_string(text_string(text));
    text_free(text);
}

static uint32_t *first_calls(const struct program *program)
{
    uint32_t *first = memory_all_ones(program->statement_count, sizeof *first);
    for (uint32_t call = program->call_count; call-- > 0;)
        first[program->calls[call].statement] = call;
    return first;
}

static bool holds_host(uint8_t kind)
{
    return kind == CALL_SYNC_STREAM || kind == CALL_SYNC_EVENT || kind == CALL_SYNC_DEVICE ||
           kind == CALL_POLL_STREAM || kind == CALL_POLL_EVENT;
}

struct redundancy {
    const struct order *order;
    const struct program *program;
    struct findings *findings;
    uint32_t *first_calls;         /* by statement */
    bool *skipped;                 /* by statement: those found so far, which could all go together */
    const struct machine *machine; /* CHOICE_GUARANTEED, run to its end */
    uint64_t signature;
    uint64_t calls_left;
};

static bool waits_for_event(uint8_t kind)
{
    return kind == CALL_WAIT || kind == CALL_SYNC_EVENT || kind == CALL_POLL_EVENT;
}

/* Whether a wait that stays is left without its record, which is worth a warning of its own. */
static bool leaves_unrecorded(const struct redundancy *redundancy, const struct order *without)
{
    const struct program *program = redundancy->program;
    for (uint32_t call = 0; call < program->call_count; call++)
        if (waits_for_event(call_statement(program, call)->kind) && without->bound[call] == NONE &&
            redundancy->order->bound[call] != NONE && !redundancy->skipped[program->calls[call].statement])
            return true;
    return false;
}

static void try_without(struct redundancy *redundancy, uint32_t statement)
{
    redundancy->skipped[statement] = true;
    struct order *order = order_build_without(redundancy->program, redundancy->skipped);
    redundancy->skipped[statement] =
        order_signature(order) == redundancy->signature && !leaves_unrecorded(redundancy, order);
    order_free(order);
    redundancy->calls_left -= redundancy->program->call_count;
    if (!redundancy->skipped[statement])
        return;
    struct text text = {0};
    word_call(redundancy->program, redundancy->first_calls[statement], &text);
    text_append(&text, " could go: every order between operations holds without it");
    add_note(redundancy->findings, FINDING_REDUNDANT, redundancy->first_calls[statement], NONE, &text);
}

/* A wait for nothing is a finding of its own, and what a deadlock keeps from happening orders nothing. */
static bool is_judged(const struct redundancy *redundancy, uint32_t call)
{
    const struct statement *statement = call_statement(redundancy->program, call);
    if (waits_for_event(statement->kind) && redundancy->order->bound[call] == NONE)
        return false;
    enum phase end = call_is_operation(statement) ? DONE : RETURNED;
    return redundancy->machine->happened[point_of(call, end)];
}

/* Tries the statements of the kinds that WANTED names, in the order of the text. */
static bool try_all(struct redundancy *redundancy, bool (*wanted)(uint8_t kind))
{
    const struct program *program = redundancy->program;
    for (uint32_t s = 0; s < program->statement_count; s++) {
        uint32_t call = redundancy->first_calls[s];
        if (!wanted(program->statements[s].kind) || call == NONE)
            continue;
        if (!is_judged(redundancy, call))
            continue;
        if (redundancy->calls_left < program->call_count)
            return false;
        try_without(redundancy, s);
    }
    return true;
}

static bool is_wait(uint8_t kind)
{
    return kind == CALL_WAIT;
}

static bool is_record(uint8_t kind)
{
    return kind == CALL_RECORD;
}

/* First what holds the host, which costs most; last the records, which may be redundant with their waits. */
static bool find_redundant(const struct order *order, struct findings *findings)
{
    const struct program *program = order->program;
    struct redundancy redundancy = {
        .order = order, .program = program, .findings = findings, .calls_left = CALLS_LIMIT};
    redundancy.first_calls = first_calls(program);
    redundancy.skipped = memory_zeroed(program->statement_count, sizeof *redundancy.skipped);
    struct machine *machine = machine_open(order, CHOICE_GUARANTEED);
    machine_run(machine);
    redundancy.machine = machine;
    redundancy.signature = order_signature(order);
    bool all =
        try_all(&redundancy, holds_host) && try_all(&redundancy, is_wait) && try_all(&redundancy, is_record);
    free(redundancy.first_calls);
    free(redundancy.skipped);
    machine_close(machine);
    return all;
}

struct serial {
    const struct program *program;
    struct findings *findings;
    uint32_t
        *last_work; /* by stream: what was submitted last, unless a wait or a group came behind it; NONE */
    struct position *ends; /* by call: where its work ends; COUNT is 0 before it has started */
    bool *noted;           /* by statement */
};

static bool are_independent(const struct serial *serial, uint32_t earlier, uint32_t later)
{
    const struct statement *statement = call_statement(serial->program, later);
    struct span shared;
    enum hazard hazard;
    for (uint32_t i = 0; i < statement->span_count; i++)
        if (calls_conflict(serial->program, earlier, later,
                           serial->program->spans[statement->first_span + i].memory, &shared, &hazard))
            return false;
    return statement->span_count > 0 && call_statement(serial->program, earlier)->span_count > 0;
}

static void add_serial(struct serial *serial, uint32_t earlier, uint32_t later)
{
    struct text text = {0};
    const struct statement *statement = call_statement(serial->program, later);
    word_call(serial->program, later, &text);
    text_append(&text, " and ");
    word_call_of_rank(serial->program, earlier, &text);
    text_format(&text, " do not touch what the other changes: only stream %s keeps them apart",
                serial->program->streams[statement->stream].name);
    add_note(serial->findings, FINDING_SERIAL, later, earlier, &text);
}

/* CALL is submitted: is the work before it in its stream kept apart from it by nothing else? */
static void submit_work(struct serial *serial, const struct causality *causality, uint32_t call)
{
    const struct statement *statement = call_statement(serial->program, call);
    uint32_t *last = &serial->last_work[statement->stream];
    uint32_t earlier = *last;
    bool *noted = &serial->noted[serial->program->calls[call].statement];
    *last = call;
    if (earlier == NONE || *noted)
        return;
    bool both_communicate =
        call_is_communication(statement) && call_is_communication(call_statement(serial->program, earlier));
    bool host_waited = serial->ends[earlier].count > 0 && causality_knows(causality, serial->ends[earlier]);
    if (both_communicate || host_waited || !are_independent(serial, earlier, call))
        return;
    *noted = true;
    add_serial(serial, earlier, call);
}

static void forget_streams(struct serial *serial, uint32_t rank)
{
    for (uint32_t stream = 0; stream < serial->program->stream_count; stream++)
        if (serial->program->streams[stream].rank == rank)
            serial->last_work[stream] = NONE;
}

static void enter_call(struct serial *serial, const struct causality *causality, uint32_t call)
{
    const struct statement *statement = call_statement(serial->program, call);
    if (statement->kind == CALL_GROUP_END)
        forget_streams(serial, statement->rank);
    else if (statement->kind == CALL_WAIT)
        serial->last_work[statement->stream] = NONE;
    else if (is_work(statement) && !(statement->in_group && call_is_communication(statement)))
        submit_work(serial, causality, call);
}

static void visit_point(void *context, const struct causality *causality)
{
    struct serial *serial = context;
    uint32_t call = point_call(causality->point);
    if (point_phase(causality->point) == ENTERED)
        enter_call(serial, causality, call);
    else if (point_phase(causality->point) == STARTED && is_work(call_statement(serial->program, call)))
        serial->ends[call] = causality_end(causality, call, DONE);
}

static void find_serial(const struct order *order, struct findings *findings)
{
    const struct program *program = order->program;
    struct serial serial = {.program = program, .findings = findings};
    serial.last_work = memory_all_ones(program->stream_count, sizeof *serial.last_work);
    serial.ends = memory_zeroed(program->call_count, sizeof *serial.ends);
    serial.noted = memory_zeroed(program->statement_count, sizeof *serial.noted);
    causality_run(order, visit_point, &serial);
    free(serial.last_work);
    free(serial.ends);
    free(serial.noted);
}

bool find_notes(const struct order *order, struct findings *findings)
{
    find_serial(order, findings);
    return find_redundant(order, findings);
}
