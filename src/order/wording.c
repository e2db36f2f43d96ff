#include "order/wording.h"

#include <inttypes.h>

uint32_t call_line(const struct program *program, uint32_t call)
{
    return schedule_first_line(program->schedule) + call_statement(program, call)->line - 1;
}

static void quote_call(const struct program *program, uint32_t call, struct text *out)
{
    text_append(out, "`");
    call_describe(program, call, out);
    text_append(out, "`");
}

void word_call(const struct program *program, uint32_t call, struct text *out)
{
    quote_call(program, call, out);
    text_format(out, " (rank %u, line %u)", call_statement(program, call)->rank, call_line(program, call));
}

void word_call_of_rank(const struct program *program, uint32_t call, struct text *out)
{
    quote_call(program, call, out);
    text_format(out, " (line %u)", call_line(program, call));
}

void word_elements(const struct program *program, uint32_t memory, uint32_t first, uint32_t count,
                   struct text *out)
{
    const struct memory *described = &program->memories[memory];
    uint64_t bytes = (uint64_t)count * element_size((enum element_type)described->type);
    text_append(out, described->name);
    if (count == 1 && described->count > 1)
        text_format(out, "[%u]", first);
    else if (count < described->count)
        text_format(out, "[%u:%u]", first, first + count);
    text_format(out, " (%" PRIu64 " byte%s)", bytes, bytes == 1 ? "" : "s");
}

static void word_stream(const struct program *program, uint32_t stream, struct text *out)
{
    const struct stream *described = &program->streams[stream];
    if (described->is_default)
        text_format(out, "the default stream of GPU %u", described->gpu);
    else
        text_format(out, "stream %s", described->name);
}

void word_reason(const struct order *order, uint32_t point, const struct wait *wait, struct text *out)
{
    const struct program *program = order->program;
    const struct statement *statement = call_statement(program, point_call(point));
    switch (wait->rule) {
    case 1:
        text_append(out, point_phase(wait->point) == RETURNED ? " is not called before the return of "
                                                              : " does not return before the call of ");
        break;
    case 2:
        if (point_phase(wait->point) == ENTERED) {
            text_append(out, " is not submitted before ");
        } else {
            text_append(out, " stands on ");
            word_stream(program, statement->stream, out);
            text_append(out, " behind ");
        }
        break;
    case 3:
        text_append(out, " waits for ");
        break;
    case 4:
        text_append(out, " waits, as default and blocking streams do for one another, for ");
        break;
    case 5:
        text_append(out, statement->kind == CALL_SEND ? " may wait for the start of its receive, "
                                                      : " waits for the start of its send, ");
        break;
    case 6:
        text_append(out, statement->kind == CALL_GROUP_END ? " closes a group that is not done before "
                                                           : " starts with its group, which stands behind ");
        break;
    case 7:
        text_append(out, statement->kind == CALL_COMM ? " needs every rank, and so "
                         : wait->strength == MAY      ? " may wait for the start of "
                                                      : " waits for the start of ");
        break;
    case 8:
        text_append(out, statement->kind == CALL_BARRIER ? " holds its host program until the others reach "
                                                         : " holds its host program until the end of ");
        break;
    case 9:
        text_append(out, " does not return before the end of ");
        break;
    case 10:
        text_append(out, " may wait for all work of the GPU, and so for ");
        break;
    case 11:
        text_append(out, " may have to take its turn after ");
        break;
    case BESIDES_CONNECTION:
        text_append(out, " may hold its host program, to connect, until the other rank calls ");
        break;
    case BESIDES_HOST_MEMORY:
        text_append(out, " may hold its host program until the end of ");
        break;
    default:
        text_append(out, point_phase(wait->point) == DONE ? " waits for the communicator's work, and so for "
                                                          : " waits for the other ranks, and so for ");
        break;
    }
}
