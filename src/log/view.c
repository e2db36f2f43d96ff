#include "log/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/fold.h"

enum { MESSAGES_KEPT = 4096 };

static void open_memories(struct view *view)
{
    const struct program *program = view->program;
    size_t bytes = 0, elements = 0;
    for (uint32_t m = 0; m < program->memory_count; m++) {
        struct view_memory *memory = &view->memories[m];
        memory->kept = program->memories[m].count;
        if (memory->kept > VIEW_ELEMENTS)
            memory->kept = VIEW_ELEMENTS;
        elements += memory->kept;
        bytes += (size_t)memory->kept * element_size(program->memories[m].type);
    }
    view->element_bytes = memory_zeroed(bytes + elements, 1);
    view->element_calls = memory_resize(NULL, 2 * elements, sizeof *view->element_calls);
    memset(view->element_calls, 0xFF, 2 * elements * sizeof *view->element_calls); /* NONE */

    uint8_t *next_bytes = view->element_bytes, *next_cells = view->element_bytes + bytes;
    uint32_t *next_calls = view->element_calls;
    for (uint32_t m = 0; m < program->memory_count; m++) {
        struct view_memory *memory = &view->memories[m];
        memory->bytes = next_bytes;
        memory->cells = next_cells;
        memory->writers = next_calls;
        memory->makers = next_calls + memory->kept;
        next_bytes += (size_t)memory->kept * element_size(program->memories[m].type);
        next_cells += memory->kept;
        next_calls += 2 * (size_t)memory->kept;
    }
}

struct view *view_open(const struct order *order)
{
    const struct program *program = order->program;
    struct view *view = memory_zeroed(1, sizeof *view);
    view->order = order;
    view->program = program;
    view->now = TIME_NONE;
    view->step = -1;
    view->ranks = memory_zeroed(program->rank_count, sizeof *view->ranks);
    for (uint32_t r = 0; r < program->rank_count; r++) {
        view->ranks[r].current_call = NONE;
        view->ranks[r].exit_time = TIME_NONE;
    }
    view->calls = memory_zeroed(program->call_count, sizeof *view->calls);
    for (uint32_t c = 0; c < program->call_count; c++) {
        struct view_call *call = &view->calls[c];
        call->called = call->submitted = call->returned = call->started = call->done = TIME_NONE;
        call->waited_until = TIME_NONE;
        call->waiting_for = call->active_place = NONE;
        call->first_waiter = call->next_waiter = call->previous_waiter = NONE;
    }
    view->memories = memory_zeroed(program->memory_count, sizeof *view->memories);
    open_memories(view);
    view->event_records = memory_zeroed(program->event_count, sizeof *view->event_records);
    for (uint32_t e = 0; e < program->event_count; e++)
        view->event_records[e] = NONE;
    return view;
}

void view_close(struct view *view)
{
    if (!view)
        return;
    for (size_t i = 0; i < view->message_count; i++)
        free(view->messages[i].text);
    free(view->messages);
    free(view->ranks);
    free(view->calls);
    free(view->memories);
    free(view->element_bytes);
    free(view->element_calls);
    free(view->event_records);
    free(view->active);
    free(view);
}

static bool is_host_access(const struct view *view, uint32_t call)
{
    uint8_t kind = call_statement(view->program, call)->kind;
    return kind == CALL_READ || kind == CALL_WRITE;
}

/* Whether it is the host program that the call's wait holds, not the operation: a copy without a stream waits
 * for itself. */
static bool host_waits(const struct view *view, uint32_t call)
{
    const struct statement *statement = call_statement(view->program, call);
    uint32_t point = view->calls[call].waiting_for;
    if (statement->kind != CALL_GROUP_END && !call_is_operation(statement))
        return true;
    return point != NONE && point_call(point) == call;
}

static void forget_contents(struct view *view, uint32_t index)
{
    struct view_memory *memory = &view->memories[index];
    size_t kept = memory->kept;
    memset(memory->bytes, 0, kept * element_size(view->program->memories[index].type));
    memset(memory->cells, CELL_NEVER_WRITTEN, kept);
    memset(memory->writers, 0xFF, kept * sizeof *memory->writers);
    memset(memory->makers, 0xFF, kept * sizeof *memory->makers);
}

/* WHEN is where the call's time of the phase is kept. A log that says it again changes the time alone. */
static void happen(struct view *view, uint32_t call, enum phase phase, int64_t *when, int64_t time)
{
    bool is_new = *when == TIME_NONE;
    *when = time;
    if (is_new)
        end_waits_for(view, point_of(call, phase), time);
}

static void apply_called(struct view *view, const struct record *record)
{
    struct view_call *call = &view->calls[record->call];
    happen(view, record->call, ENTERED, &call->called, record->time);
    call->held = false;
    view->ranks[record->rank].current_call = record->call;
    if (is_host_access(view, record->call))
        begin_access(view, record->call);
}

static void apply_returned(struct view *view, const struct record *record)
{
    const struct statement *statement = call_statement(view->program, record->call);
    if (host_waits(view, record->call))
        end_wait(view, record->call, record->time);
    happen(view, record->call, RETURNED, &view->calls[record->call].returned, record->time);
    if (is_host_access(view, record->call))
        end_access(view, record->call);
    if (statement->kind == CALL_BUFFER || statement->kind == CALL_HOST || statement->kind == CALL_MANAGED) {
        view->memories[statement->memory].allocated = true;
        view->memories[statement->memory].freed = false;
        forget_contents(view, statement->memory);
    }
}

static void apply_submitted(struct view *view, const struct record *record)
{
    const struct statement *statement = call_statement(view->program, record->call);
    view->calls[record->call].submitted = record->time;
    if (statement->kind == CALL_RECORD)
        view->event_records[statement->event] = record->call;
}

static void apply_started(struct view *view, const struct record *record)
{
    struct view_call *call = &view->calls[record->call];
    happen(view, record->call, STARTED, &call->started, record->time);
    call->held = false;
    begin_access(view, record->call);
}

static void apply_done(struct view *view, const struct record *record)
{
    if (!host_waits(view, record->call))
        end_wait(view, record->call, record->time);
    happen(view, record->call, DONE, &view->calls[record->call].done, record->time);
    end_access(view, record->call);
}

static void apply_written(struct view *view, const struct record *record)
{
    struct view_memory *memory = &view->memories[record->memory];
    size_t size = element_size(view->program->memories[record->memory].type);
    bool torn = record->call != NONE && view->calls[record->call].torn;
    for (uint32_t i = 0; i < record->count && record->first + i < memory->kept; i++) {
        uint32_t element = record->first + i;
        if ((i + 1) * size <= record->length)
            memcpy(memory->bytes + element * size, record->bytes + i * size, size);
        memory->cells[element] = torn ? CELL_TORN : CELL_VALUE;
        memory->writers[element] = record->call;
        memory->makers[element] = maker_of(view, record->call, record->memory, element);
    }
}

static void add_message(struct view *view, const struct record *record)
{
    if (view->message_count == MESSAGES_KEPT) {
        size_t half = MESSAGES_KEPT / 2;
        for (size_t i = 0; i < half; i++)
            free(view->messages[i].text);
        memmove(view->messages, view->messages + half, half * sizeof *view->messages);
        view->message_count = half;
    }
    struct text text = {0};
    text_append_visible(&text, record->bytes ? record->bytes : "", record->length);
    ARRAY_RESERVE(view->messages, view->message_count, view->message_capacity);
    view->messages[view->message_count++] = (struct view_message){
        .time = record->time,
        .rank = record->kind == RECORD_NOTE ? NONE : record->rank,
        .is_error = record->kind == RECORD_ERROR,
        .text = memory_copy_string(text_string(&text)),
    };
    text_free(&text);
}

static void apply_exited(struct view *view, const struct record *record)
{
    struct view_rank *rank = &view->ranks[record->rank];
    rank->exited = true;
    rank->exit_status = record->number;
    rank->exit_time = record->time;
}

/* What happens to a rank's process before its first call, and its end. */
static void apply_to_rank(struct view *view, const struct record *record)
{
    struct view_rank *rank = &view->ranks[record->rank];
    switch (record->kind) {
    case RECORD_FORKED:
        rank->forked = true;
        rank->pid = record->number;
        break;
    case RECORD_EXITED:
        apply_exited(view, record);
        break;
    case RECORD_ID_MADE:
    case RECORD_ID_PASSED:
        rank->has_id = true;
        break;
    case RECORD_INITIALISING:
        rank->initialising = true;
        break;
    case RECORD_READY:
        rank->initialising = false;
        rank->ready = true;
        break;
    default:
        break;
    }
}

void view_apply(struct view *view, const struct record *record)
{
    view->now = record->time;
    switch ((enum record_kind)record->kind) {
    case RECORD_FORKED:
    case RECORD_EXITED:
    case RECORD_ID_MADE:
    case RECORD_ID_PASSED:
    case RECORD_INITIALISING:
    case RECORD_READY:
        apply_to_rank(view, record);
        break;
    case RECORD_CALLED:
        apply_called(view, record);
        break;
    case RECORD_RETURNED:
        apply_returned(view, record);
        break;
    case RECORD_SUBMITTED:
        apply_submitted(view, record);
        break;
    case RECORD_STARTED:
        apply_started(view, record);
        break;
    case RECORD_WAITING:
        begin_wait(view, record->call, record->point, record->rule);
        break;
    case RECORD_DONE:
        apply_done(view, record);
        break;
    case RECORD_WRITTEN:
        apply_written(view, record);
        break;
    case RECORD_FREED:
        view->memories[record->memory].freed = true;
        break;
    case RECORD_HELD:
        view->calls[record->call].held = true;
        break;
    case RECORD_RELEASED:
        view->calls[record->call].held = false;
        break;
    case RECORD_OUTPUT:
    case RECORD_ERROR:
    case RECORD_NOTE:
        add_message(view, record);
        break;
    case RECORD_STEP:
        view->step = record->number;
        break;
    case RECORD_OUTCOME:
        view->outcome = (enum outcome)record->number;
        break;
    case RECORD_HOST_READ: /* it changes nothing */
    case RECORD_KIND_COUNT:
        break;
    }
}
