#include "order/severed.h"

#include <stdlib.h>

#include "base/memory.h"
#include "order/causality.h"
#include "order/wording.h"

struct severing {
    const struct order *order;
    const struct program *program;
    const uint32_t *ended;
    struct findings *findings;
    struct position *ends; /* by call: where its work ends; COUNT is 0 before it has started */
    uint32_t *pending_at;  /* by call: the abort that nothing puts behind its end; NONE */
    bool *reported;        /* by statement */
};

/* What the abort CALL may end: all that is not guaranteed to be done by then. */
static void enter_abort(struct severing *severing, const struct causality *causality, uint32_t call)
{
    const struct machine *machine = causality->machine;
    for (uint32_t c = machine->first_aborted[call]; c != NONE; c = machine->next_aborted[c])
        if (severing->ends[c].count == 0 || !causality_knows(causality, severing->ends[c]))
            severing->pending_at[c] = call;
}

static void visit(void *context, const struct causality *causality)
{
    struct severing *severing = context;
    uint32_t call = point_call(causality->point);
    const struct statement *statement = call_statement(severing->program, call);
    if (point_phase(causality->point) == ENTERED && statement->kind == CALL_ABORT)
        enter_abort(severing, causality, call);
    else if (point_phase(causality->point) == STARTED && call_is_communication(statement))
        severing->ends[call] = causality_end(causality, call, DONE);
}

static void report(struct severing *severing, uint32_t call, uint32_t partner)
{
    bool *reported = &severing->reported[severing->program->calls[call].statement];
    const struct statement *statement = call_statement(severing->program, call);
    uint32_t abort = severing->pending_at[partner];
    struct finding *finding = *reported
                                  ? NULL
                                  : findings_add(severing->findings, FINDING_UNMATCHED, call, abort,
                                                 severing->program->spans[statement->first_span].memory);
    *reported = true;
    if (!finding)
        return;
    struct text text = {0};
    word_call(severing->program, call, &text);
    text_append(&text, " may wait for ever: ");
    word_call(severing->program, abort, &text);
    text_append(&text, " waits for nothing, so it may end ");
    word_call_of_rank(severing->program, partner, &text);
    text_append(&text, " before that took part");
    finding->text = memory_copy_string(text_string(&text));
    text_free(&text);
}

/* CALL stays, and what it waits for may go. */
static void look_for_partner(struct severing *severing, uint32_t call)
{
    const uint32_t *match = severing->order->match;
    const struct statement *statement = call_statement(severing->program, call);
    if (severing->pending_at[call] != NONE || severing->ended[call] != NONE)
        return;
    bool pairs = statement->kind == CALL_SEND || statement->kind == CALL_RECV;
    for (uint32_t next = match[call]; next != NONE && next != call; next = pairs ? NONE : match[next])
        if (severing->pending_at[next] != NONE && severing->ended[next] == NONE) {
            report(severing, call, next);
            return;
        }
}

void find_severed(const struct order *order, const uint32_t *ended, struct findings *findings)
{
    if (!order->aborted_by)
        return;
    const struct program *program = order->program;
    struct severing severing = {.order = order, .program = program, .ended = ended, .findings = findings};
    severing.ends = memory_zeroed(program->call_count, sizeof *severing.ends);
    severing.pending_at = memory_all_ones(program->call_count, sizeof *severing.pending_at);
    severing.reported = memory_zeroed(program->statement_count, sizeof *severing.reported);
    causality_run(order, visit, &severing);
    for (uint32_t call = 0; call < program->call_count; call++)
        if (call_is_communication(call_statement(program, call)))
            look_for_partner(&severing, call);
    free(severing.ends);
    free(severing.pending_at);
    free(severing.reported);
}
