/* What a view answers about cells, operations and values. */
#include "log/view.h"

#include "log/value.h"

int64_t view_point_time(const struct view *view, uint32_t point)
{
    const struct view_call *call = &view->calls[point_call(point)];
    switch (point_phase(point)) {
    case ENTERED:
        return call->called;
    case RETURNED:
        return call->returned;
    case STARTED:
        return call->started;
    case DONE:
    case PHASE_COUNT:
        break;
    }
    return call->done;
}

/* The first running call that accesses the element in one of the ways of ACCESS. */
static uint32_t running_access(const struct view *view, uint32_t memory, uint32_t element, uint32_t access)
{
    const struct program *program = view->program;
    for (size_t i = 0; i < view->active_count; i++) {
        const struct statement *statement = call_statement(program, view->active[i]);
        for (uint32_t s = 0; s < statement->span_count; s++) {
            const struct span *span = &program->spans[statement->first_span + s];
            if (span->memory == memory && (span->access & access) && element >= span->first &&
                element - span->first < span->count)
                return view->active[i];
        }
    }
    return NONE;
}

uint32_t view_reader(const struct view *view, uint32_t memory, uint32_t element)
{
    return running_access(view, memory, element, ACCESS_READ);
}

uint32_t view_writer(const struct view *view, uint32_t memory, uint32_t element)
{
    return running_access(view, memory, element, ACCESS_CHANGE);
}

enum cell_state view_cell(const struct view *view, uint32_t memory, uint32_t element)
{
    const struct view_memory *state = &view->memories[memory];
    if (state->freed)
        return CELL_FREED;
    if (element >= state->kept)
        return CELL_NEVER_WRITTEN;
    uint32_t writer = view_writer(view, memory, element);
    if (writer != NONE && !view->calls[writer].waiting && state->writers[element] != writer)
        return CELL_BEING_WRITTEN;
    return (enum cell_state)state->cells[element];
}

enum operation_state view_operation(const struct view *view, uint32_t call)
{
    const struct view_call *state = &view->calls[call];
    const struct statement *statement = call_statement(view->program, call);
    bool is_operation = statement->kind == CALL_GROUP_END || call_is_operation(statement);
    /* A copy without a stream can hold its host program while the operation itself goes on. */
    bool waits = state->waiting &&
                 !(is_operation && state->waiting_for != NONE && point_call(state->waiting_for) == call);
    int64_t begun = is_operation ? state->started : state->called;
    int64_t ended = is_operation ? state->done : state->returned;
    if (ended != TIME_NONE)
        return OPERATION_DONE;
    if (begun != TIME_NONE)
        return waits ? OPERATION_WAITING : OPERATION_RUNNING;
    if (state->submitted == TIME_NONE)
        return OPERATION_NOT_SUBMITTED;
    return state->held ? OPERATION_HELD : OPERATION_SUBMITTED;
}

uint32_t view_event_record(const struct view *view, uint32_t event)
{
    return view->event_records[event];
}

void view_format_value(const struct view *view, uint32_t memory, uint32_t element, struct text *out)
{
    const struct view_memory *state = &view->memories[memory];
    if (element >= state->kept)
        return;
    uint32_t maker = state->makers[element];
    if (maker != NONE) {
        const struct program *program = view->program;
        const char *kernel = program->kernels[call_statement(program, maker)->kernel];
        text_format(out, "%s#%u", kernel, program->calls[maker].turn + 1);
        return;
    }
    enum element_type type = (enum element_type)view->program->memories[memory].type;
    format_element(type, state->bytes + (size_t)element * element_size(type), out);
}
