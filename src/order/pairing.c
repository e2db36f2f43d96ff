#include "order/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/match.h"
#include "order/wording.h"

struct pairing {
    const struct order *order;
    const struct program *program;
    const uint32_t *ended;
    struct findings *findings;
    uint16_t *reported; /* by statement: a bit for each kind */
};

static const struct statement *statement_of(const struct pairing *pairing, uint32_t call)
{
    return call_statement(pairing->program, call);
}

static bool has_end(const struct program *program)
{
    for (uint32_t i = 0; i < program->statement_count; i++)
        if (program->statements[i].kind == CALL_DESTROY || program->statements[i].kind == CALL_ABORT)
            return true;
    return false;
}

static void note_ended(const struct program *program, uint32_t call, uint32_t *ended_by, uint32_t *ended)
{
    const struct statement *statement = call_statement(program, call);
    bool ends = statement->kind == CALL_DESTROY || statement->kind == CALL_ABORT;
    ended[call] = ends || call_is_communication(statement) ? ended_by[statement->communicator] : NONE;
    if (ends && ended[call] == NONE)
        ended_by[statement->communicator] = call;
    if (statement->kind == CALL_GROUP_END && !statement->in_group)
        note_members(program, call, ended_by, ended);
}

uint32_t *find_ended_communicators(const struct program *program)
{
    if (!has_end(program))
        return NULL;
    uint32_t *ended = memory_resize(NULL, program->call_count, sizeof *ended);
    uint32_t *ended_by = memory_resize(NULL, program->communicator_count, sizeof *ended_by);
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        memset(ended_by, 0xFF, program->communicator_count * sizeof *ended_by);
        for (uint32_t i = 0; i < program->ranks[rank].call_count; i++)
            note_ended(program, program->ranks[rank].first_call + i, ended_by, ended);
    }
    free(ended_by);
    return ended;
}

/* Adds a finding and the beginning of its text, once for a line. */
static struct finding *report(struct pairing *pairing, enum finding_kind kind, uint32_t call, uint32_t other,
                              struct text *text)
{
    uint16_t *reported = &pairing->reported[pairing->program->calls[call].statement];
    if (*reported & 1U << kind)
        return NULL;
    *reported |= (uint16_t)(1U << kind);
    const struct statement *statement = statement_of(pairing, call);
    uint32_t memory =
        statement->span_count > 0 ? pairing->program->spans[statement->first_span].memory : NONE;
    struct finding *finding = findings_add(pairing->findings, kind, call, other, memory);
    if (finding)
        word_call(pairing->program, call, text);
    return finding;
}

static void finish(struct finding *finding, struct text *text)
{
    finding->text = memory_copy_string(text_string(text));
    text_free(text);
}

static const char *communicator_name(const struct pairing *pairing, uint32_t call)
{
    return pairing->program->communicators[statement_of(pairing, call)->communicator].name;
}

static void check_partner(struct pairing *pairing, uint32_t call)
{
    const struct statement *statement = statement_of(pairing, call);
    struct text text = {0};
    struct finding *finding = report(pairing, FINDING_UNMATCHED, call, NONE, &text);
    if (!finding)
        return;
    bool sends = statement->kind == CALL_SEND;
    bool is_aborted = pairing->order->aborted_by && pairing->order->aborted_by[call] != NONE;
    text_format(&text, " has no %s: rank %u makes no further %s %s %u on communicator %s, so it %s %s",
                sends ? "receive" : "send", statement->peer, sends ? "recv" : "send", sends ? "from" : "to",
                statement->rank, communicator_name(pairing, call), sends ? "may wait" : "waits",
                is_aborted ? "until it is aborted" : "for ever");
    finish(finding, &text);
}

static const struct span *span_of(const struct pairing *pairing, uint32_t call)
{
    return &pairing->program->spans[statement_of(pairing, call)->first_span];
}

static enum element_type type_of(const struct pairing *pairing, uint32_t call)
{
    return (enum element_type)pairing->program->memories[span_of(pairing, call)->memory].type;
}

static bool elements_differ(const struct pairing *pairing, uint32_t call, uint32_t other)
{
    return span_of(pairing, call)->count != span_of(pairing, other)->count ||
           type_of(pairing, call) != type_of(pairing, other);
}

static void word_amount(const struct pairing *pairing, uint32_t call, struct text *text)
{
    const struct span *span = span_of(pairing, call);
    text_format(text, "%u %s (%llu bytes)", span->count, element_type_name(type_of(pairing, call)),
                (unsigned long long)span_bytes(pairing->program, span));
}

/* Two calls that meet and are not the same: CALL is where it is reported. */
static void report_difference(struct pairing *pairing, uint32_t call, uint32_t other)
{
    struct text text = {0};
    const struct statement *statement = statement_of(pairing, call), *with = statement_of(pairing, other);
    struct finding *finding = report(pairing, FINDING_MISMATCH, call, other, &text);
    if (!finding)
        return;
    text_append(&text, " meets ");
    word_call(pairing->program, other, &text);
    if (statement->kind == CALL_BROADCAST && with->kind == CALL_BROADCAST && statement->peer != with->peer) {
        text_format(&text, ", but their roots differ: rank %u and rank %u", statement->peer, with->peer);
    } else if (call_is_communication(statement) && elements_differ(pairing, call, other)) {
        text_append(&text, ", but ");
        word_amount(pairing, call, &text);
        text_append(&text, " meet ");
        word_amount(pairing, other, &text);
    }
    if (call_is_collective(statement))
        text_format(&text, "; collectives match by their order on communicator %s, and must be the same",
                    communicator_name(pairing, call));
    else
        text_append(&text,
                    "; NCCL does not check this: the receive is cut short, overrun or misread, or it hangs");
    finish(finding, &text);
}

static void check_transfer(struct pairing *pairing, uint32_t call)
{
    uint32_t partner = pairing->order->match[call];
    if (partner == NONE)
        check_partner(pairing, call);
    else if (statement_of(pairing, call)->kind == CALL_RECV && elements_differ(pairing, call, partner))
        report_difference(pairing, call, partner);
}

static bool collectives_differ(const struct pairing *pairing, uint32_t call, uint32_t other)
{
    const struct statement *statement = statement_of(pairing, call), *with = statement_of(pairing, other);
    return statement->kind != with->kind || elements_differ(pairing, call, other) ||
           (statement->kind == CALL_BROADCAST && statement->peer != with->peer);
}

/* So many absent ranks are named. */
enum { ABSENT_LIMIT = 8 };

static void word_absent(const struct pairing *pairing, uint32_t first, struct text *text)
{
    uint32_t next = first, absent = 0;
    while (pairing->order->match[next] > next)
        next = pairing->order->match[next];
    next = pairing->order->match[next]; /* the one of the lowest rank */
    for (uint32_t rank = 0; rank < pairing->program->rank_count; rank++) {
        if (statement_of(pairing, next)->rank == rank)
            next = pairing->order->match[next];
        else if (absent++ < ABSENT_LIMIT)
            text_format(text, "%s%u", absent > 1 ? ", " : "", rank);
    }
    if (absent > ABSENT_LIMIT)
        text_format(text, " and %u more", absent - ABSENT_LIMIT);
}

static void report_absent(struct pairing *pairing, uint32_t first)
{
    struct text text = {0};
    struct finding *finding = report(pairing, FINDING_UNMATCHED, first, NONE, &text);
    if (!finding)
        return;
    text_append(&text, " needs every rank, and has nothing to meet on rank ");
    word_absent(pairing, first, &text);
    text_append(&text, ", so it waits for ever");
    finish(finding, &text);
}

/* Looks at a meeting of all ranks once, for the last call of its ring. */
static void check_meeting(struct pairing *pairing, uint32_t last)
{
    uint32_t first = pairing->order->match[last], present = 1;
    uint32_t waiting = statement_of(pairing, first)->kind == CALL_ABORT ? NONE : first;
    if (first > last)
        return; /* there is a later rank in the ring */
    bool compares = call_is_communication(statement_of(pairing, first));
    for (uint32_t call = pairing->order->match[first]; call != first; call = pairing->order->match[call]) {
        if (compares && collectives_differ(pairing, call, first))
            report_difference(pairing, call, first);
        if (waiting == NONE && statement_of(pairing, call)->kind != CALL_ABORT)
            waiting = call;
        present++;
    }
    if (present < pairing->program->rank_count && waiting != NONE)
        report_absent(pairing, waiting);
}

static void check_event(struct pairing *pairing, uint32_t call)
{
    struct text text = {0};
    const struct statement *statement = statement_of(pairing, call);
    struct finding *finding = report(pairing, FINDING_UNRECORDED, call, NONE, &text);
    if (!finding)
        return;
    text_format(&text, " waits for nothing: its host program has not recorded %s when it makes this call",
                pairing->program->events[statement->event].name);
    finish(finding, &text);
}

static void check_ended(struct pairing *pairing, uint32_t call)
{
    struct text text = {0};
    struct finding *finding = report(pairing, FINDING_USE_AFTER_FREE, call, pairing->ended[call], &text);
    if (!finding)
        return;
    finding->memory = NONE;
    text_format(&text, " uses communicator %s after ", communicator_name(pairing, call));
    word_call_of_rank(pairing->program, pairing->ended[call], &text);
    if (pairing->ended[call] > call)
        text_append(&text, ": it is submitted by the `end` of its group");
    finish(finding, &text);
}

static void check_call(struct pairing *pairing, uint32_t call)
{
    if (pairing->ended && pairing->ended[call] != NONE) {
        check_ended(pairing, call);
        return;
    }
    switch (statement_of(pairing, call)->kind) {
    case CALL_SEND:
    case CALL_RECV:
        check_transfer(pairing, call);
        break;
    case CALL_ALLREDUCE:
    case CALL_BROADCAST:
    case CALL_COMM:
    case CALL_BARRIER:
    case CALL_DESTROY:
    case CALL_ABORT:
        check_meeting(pairing, call);
        break;
    case CALL_WAIT:
    case CALL_SYNC_EVENT:
    case CALL_POLL_EVENT:
        if (pairing->order->bound[call] == NONE)
            check_event(pairing, call);
        break;
    default:
        break;
    }
}

void find_unpaired(const struct order *order, const uint32_t *ended, struct findings *findings)
{
    struct pairing pairing = {
        .order = order, .program = order->program, .ended = ended, .findings = findings};
    pairing.reported = memory_zeroed(order->program->statement_count, sizeof *pairing.reported);
    for (uint32_t call = 0; call < order->program->call_count; call++)
        check_call(&pairing, call);
    free(pairing.reported);
}
