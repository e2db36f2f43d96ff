#include "order/hazard.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/history.h"
#include "order/key_table.h"

/* The access of an earlier visited call that one of the call at hand conflicts with. */
struct conflict {
    uint32_t call, memory;
    struct position end;
};

struct hazards {
    const struct order *order;
    const struct program *program;
    const struct machine *end;         /* once all has happened that can; NULL where that is everything */
    const struct causality *causality; /* at the point being visited */
    struct findings *findings;
    struct history *history;
    struct key_table pairs; /* that were reported: two statements, the earlier call's first, and the memory */
    uint32_t *freed_by;     /* by memory: the free after which it is gone; NONE */
    uint32_t *last_free;    /* by memory: the free that was last reached, also when it was allocated again */
    uint32_t *unwritten;    /* by span: the call that first read what nothing had written; NONE */
    bool *raced;            /* by memory: a write and a read of it race */
    struct conflict *conflicts; /* of the call being visited */
    uint32_t conflict_count, conflict_capacity;
};

bool accesses_conflict(uint32_t first, uint32_t second)
{
    if (first == ACCESS_ACCUMULATE && second == ACCESS_ACCUMULATE)
        return false;
    return ((first | second) & ACCESS_CHANGE) != 0;
}

bool spans_overlap(const struct span *first, const struct span *second, struct span *shared)
{
    uint32_t begin = first->first > second->first ? first->first : second->first;
    uint32_t first_end = first->first + first->count, second_end = second->first + second->count;
    uint32_t end = first_end < second_end ? first_end : second_end;
    if (first->memory != second->memory || begin >= end)
        return false;
    *shared = (struct span){.memory = first->memory, .first = begin, .count = end - begin};
    return true;
}

/* What a reader gets wrong is worse than what is overwritten unread. */
static enum hazard hazard_of(uint32_t earlier, uint32_t later)
{
    bool writes = earlier & ACCESS_CHANGE;
    if (writes && (later & (ACCESS_READ | ACCESS_ACCUMULATE)))
        return READ_AFTER_WRITE;
    return writes ? WRITE_AFTER_WRITE : WRITE_AFTER_READ;
}

bool calls_conflict(const struct program *program, uint32_t earlier, uint32_t later, uint32_t memory,
                    struct span *shared, enum hazard *hazard)
{
    const struct statement *first = call_statement(program, earlier),
                           *second = call_statement(program, later);
    bool found = false;
    for (uint32_t i = 0; i < first->span_count; i++)
        for (uint32_t j = 0; j < second->span_count; j++) {
            const struct span *a = &program->spans[first->first_span + i];
            const struct span *b = &program->spans[second->first_span + j];
            struct span overlap;
            if (a->memory != memory || !accesses_conflict(a->access, b->access) ||
                !spans_overlap(a, b, &overlap))
                continue;
            enum hazard this = hazard_of(a->access, b->access);
            if (found && this >= *hazard)
                continue;
            *shared = overlap;
            *hazard = this;
            found = true;
        }
    return found;
}

static void note_conflict(void *context, const struct access_event *event, const struct past_access *past,
                          enum access access)
{
    struct hazards *hazards = context;
    if (access == ACCESS_READ || event->access == ACCESS_READ)
        hazards->raced[event->memory] = true;
    for (uint32_t i = 0; i < hazards->conflict_count; i++)
        if (hazards->conflicts[i].call == past->call && hazards->conflicts[i].memory == event->memory)
            return;
    ARRAY_RESERVE(hazards->conflicts, hazards->conflict_count, hazards->conflict_capacity);
    hazards->conflicts[hazards->conflict_count++] =
        (struct conflict){.call = past->call, .memory = event->memory, .end = past->end};
}

/* Whether another of the conflicts is farther along the same chain: what waits for that waits for this. */
static bool is_passed(const struct hazards *hazards, const struct conflict *conflict, uint32_t call)
{
    for (uint32_t i = 0; i < hazards->conflict_count && conflict->call < call; i++) {
        const struct conflict *other = &hazards->conflicts[i];
        if (other->memory == conflict->memory && other->end.chain == conflict->end.chain &&
            other->end.count > conflict->end.count && other->call < call)
            return true;
    }
    return false;
}

/* Whether nothing was reported yet of the two source lines and the memory; it is from now on. */
static bool is_new(struct hazards *hazards, uint32_t call, uint32_t other, uint32_t memory)
{
    const struct call *calls = hazards->program->calls;
    uint32_t earlier = call < other ? call : other, later = call < other ? other : call;
    if (hazards->pairs.count >= FINDING_COUNT_LIMIT)
        return false;
    uint32_t *reported = key_table_at(
        &hazards->pairs, (struct key){{calls[earlier].statement, calls[later].statement, memory}});
    bool is_first = *reported == NONE;
    *reported = 0;
    return is_first;
}

static void add_pair(struct hazards *hazards, enum finding_kind kind, uint32_t call, uint32_t other,
                     uint32_t memory)
{
    if (is_new(hazards, call, other, memory))
        findings_add(hazards->findings, kind, call < other ? other : call, call < other ? call : other,
                     memory);
}

/* Adds what CALL, the one being visited, conflicts with. */
static void add_conflicts(struct hazards *hazards, uint32_t call, enum finding_kind kind)
{
    for (uint32_t i = 0; i < hazards->conflict_count; i++)
        if (!is_passed(hazards, &hazards->conflicts[i], call))
            add_pair(hazards, kind, call, hazards->conflicts[i].call, hazards->conflicts[i].memory);
    hazards->conflict_count = 0;
}

static void note_unwritten(void *context, const struct access_event *event)
{
    struct hazards *hazards = context;
    uint32_t *call = &hazards->unwritten[event->span];
    if (*call == NONE)
        *call = event->call;
}

/* Says so where the memory is not there for CALL, or may be gone. Returns whether what CALL does meets the
 * accesses that are known: not where the memory has been allocated again since. */
static bool look_for_free(struct hazards *hazards, uint32_t call, uint32_t memory)
{
    uint32_t freed_by = hazards->freed_by[memory], last_free = hazards->last_free[memory];
    bool is_late = last_free != NONE && last_free > call; /* nothing says that it was over before that free */
    if (is_late || freed_by != NONE)
        add_pair(hazards, FINDING_USE_AFTER_FREE, call, is_late ? last_free : freed_by, memory);
    return !is_late || freed_by != NONE;
}

/* Where what a call does with the span ends: a plain copy has read its pageable source when it returns. */
static enum phase end_of_access(const struct hazards *hazards, uint32_t call, const struct span *span)
{
    const struct statement *statement = call_statement(hazards->program, call);
    if (!order_has_point(hazards->order, point_of(call, DONE)))
        return RETURNED;
    bool plain_copy = statement->kind == CALL_COPY && !statement->has_stream && span->access == ACCESS_READ;
    bool staged = plain_copy && hazards->program->memories[span->memory].kind == MEMORY_PAGEABLE &&
                  copy_direction(hazards->program, statement) == COPY_HOST_TO_DEVICE;
    return staged ? RETURNED : DONE;
}

static void access_span(struct hazards *hazards, uint32_t call, uint32_t number)
{
    const struct span *span = &hazards->program->spans[number];
    static const enum access kinds[] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ACCUMULATE};
    const struct history_observer observer = {note_conflict, note_unwritten, hazards};
    if (!look_for_free(hazards, call, span->memory))
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!(span->access & kinds[i]))
            continue;
        const struct access_event event = {
            .call = call,
            .span = number,
            .end = causality_end(hazards->causality, call, end_of_access(hazards, call, span)),
            .memory = span->memory,
            .first = span->first,
            .count = span->count,
            .access = kinds[i]};
        history_add(hazards->history, hazards->causality, &event, &observer);
    }
}

static void access_spans(struct hazards *hazards, uint32_t call)
{
    const struct statement *statement = call_statement(hazards->program, call);
    for (uint32_t i = 0; i < statement->span_count; i++)
        access_span(hazards, call, statement->first_span + i);
    add_conflicts(hazards, call, FINDING_RACE);
}

/* A free is a write to all of it that nothing may come after. */
static void free_memory(struct hazards *hazards, uint32_t call)
{
    uint32_t memory = call_statement(hazards->program, call)->memory;
    if (hazards->freed_by[memory] != NONE) {
        add_pair(hazards, FINDING_USE_AFTER_FREE, call, hazards->freed_by[memory], memory);
        return;
    }
    const struct history_observer observer = {note_conflict, NULL, hazards};
    const struct access_event event = {.call = call,
                                       .end = causality_end(hazards->causality, call, RETURNED),
                                       .memory = memory,
                                       .count = hazards->program->memories[memory].count,
                                       .access = ACCESS_WRITE};
    history_look(hazards->history, hazards->causality, &event, &observer);
    add_conflicts(hazards, call, FINDING_USE_AFTER_FREE);
    hazards->freed_by[memory] = call;
    hazards->last_free[memory] = call;
}

static void enter_call(struct hazards *hazards, uint32_t call)
{
    const struct statement *statement = call_statement(hazards->program, call);
    switch (statement->kind) {
    case CALL_READ:
    case CALL_WRITE:
        access_spans(hazards, call);
        break;
    case CALL_FREE:
        free_memory(hazards, call);
        break;
    case CALL_BUFFER:
    case CALL_HOST:
    case CALL_MANAGED:
        history_forget(hazards->history, statement->memory);
        hazards->freed_by[statement->memory] = NONE;
        break;
    default:
        break;
    }
}

static bool ends(const struct hazards *hazards, uint32_t call)
{
    return !hazards->end || hazards->end->happened[point_of(call, DONE)];
}

static void visit_point(void *context, const struct causality *causality)
{
    struct hazards *hazards = context;
    uint32_t call = point_call(causality->point);
    hazards->causality = causality;
    if (point_phase(causality->point) == ENTERED)
        enter_call(hazards, call);
    else if (point_phase(causality->point) == STARTED && ends(hazards, call))
        access_spans(hazards, call);
}

/* Whether an earlier span of the same call is one of the same memory and was reported. */
static bool is_repeated(const struct hazards *hazards, uint32_t span)
{
    uint32_t call = hazards->unwritten[span];
    for (uint32_t s = call_statement(hazards->program, call)->first_span; s < span; s++)
        if (hazards->unwritten[s] == call &&
            hazards->program->spans[s].memory == hazards->program->spans[span].memory)
            return true;
    return false;
}

/* What races is reported as a race; the rest is read before anything wrote it. */
static void report_unwritten(struct hazards *hazards)
{
    for (uint32_t span = 0; span < hazards->program->span_count; span++) {
        uint32_t memory = hazards->program->spans[span].memory;
        if (hazards->unwritten[span] != NONE && !hazards->raced[memory] && !is_repeated(hazards, span))
            findings_add(hazards->findings, FINDING_UNINITIALIZED, hazards->unwritten[span], NONE, memory);
    }
}

/* What happens in the end, where not everything may; else NULL. */
static struct machine *run_to_the_end(const struct order *order, bool all_end)
{
    if (all_end)
        return NULL;
    struct machine *machine = machine_open(order, CHOICE_GUARANTEED);
    machine_run(machine);
    return machine;
}

void find_hazards(const struct order *order, bool all_end, struct findings *findings)
{
    const struct program *program = order->program;
    struct machine *end = run_to_the_end(order, all_end);
    struct hazards hazards = {.order = order, .program = program, .findings = findings, .end = end};
    hazards.history = history_open(program);
    hazards.freed_by = memory_all_ones(program->memory_count, sizeof(uint32_t));
    hazards.last_free = memory_all_ones(program->memory_count, sizeof(uint32_t));
    hazards.unwritten = memory_all_ones(program->span_count, sizeof(uint32_t));
    hazards.raced = memory_zeroed(program->memory_count, sizeof *hazards.raced);
    causality_run(order, visit_point, &hazards);
    report_unwritten(&hazards);
    history_close(hazards.history);
    free(hazards.conflicts);
    free(hazards.pairs.slots);
    free(hazards.freed_by);
    free(hazards.last_free);
    free(hazards.unwritten);
    free(hazards.raced);
    machine_close(end);
}
