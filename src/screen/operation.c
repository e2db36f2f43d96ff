#include "screen/operation.h"

#include "base/memory.h"

void operation_name(const struct program *program, uint32_t call, struct text *out)
{
    const struct statement *statement = call_statement(program, call);
    if (statement->kind == CALL_LAUNCH) {
        text_append(out, program->kernels[statement->kernel]);
        return;
    }
    text_append(out, call_kind_name((enum call_kind)statement->kind));
    if (statement->kind == CALL_RECORD || statement->kind == CALL_WAIT)
        text_format(out, " %s", program->events[statement->event].name);
}

enum glyph operation_glyph(enum operation_state state)
{
    switch (state) {
    case OPERATION_HELD:
        return GLYPH_HELD;
    case OPERATION_RUNNING:
        return GLYPH_RUNNING;
    case OPERATION_WAITING:
        return GLYPH_WAITING;
    case OPERATION_DONE:
        return GLYPH_DONE;
    case OPERATION_NOT_SUBMITTED:
    case OPERATION_SUBMITTED:
        break;
    }
    return GLYPH_PENDING;
}

enum style operation_style(enum operation_state state)
{
    switch (state) {
    case OPERATION_HELD:
        return STYLE_HELD;
    case OPERATION_RUNNING:
        return STYLE_RUNNING;
    case OPERATION_WAITING:
        return STYLE_WAITING;
    case OPERATION_DONE:
        return STYLE_DONE;
    case OPERATION_NOT_SUBMITTED:
        return STYLE_DIM;
    case OPERATION_SUBMITTED:
        break;
    }
    return STYLE_PLAIN;
}

bool operation_is_in(const struct view *view, uint32_t call, uint32_t stream)
{
    const struct statement *statement = call_statement(view->program, call);
    return statement->stream == stream && call_is_operation(statement) &&
           view->calls[call].submitted != TIME_NONE;
}

bool *streams_used(const struct program *program)
{
    bool *used = memory_zeroed(program->stream_count + 1, sizeof *used);
    for (uint32_t i = 0; i < program->statement_count; i++)
        if (call_is_operation(&program->statements[i]) && program->statements[i].stream != NONE)
            used[program->statements[i].stream] = true;
    return used;
}
