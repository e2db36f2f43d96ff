#include "schedule/kernel.h"

#include <string.h>

#include "schedule/element.h"

bool kernel_reads_inputs(const struct program *program, const struct statement *launch)
{
    return launch->kind == CALL_LAUNCH && strcmp(program->kernels[launch->kernel], "B") == 0;
}

/* Twice the sum of the inputs' elements at INDEX. An input that is shorter begins again. */
static double doubled(const struct program *program, const struct statement *statement, const uint8_t *inputs,
                      uint32_t index)
{
    const struct span *spans = &program->spans[statement->first_span];
    double sum = 0;
    size_t at = 0;
    for (uint32_t s = 0; s < statement->span_count; s++) {
        if (!(spans[s].access & ACCESS_READ))
            continue;
        enum element_type type = (enum element_type)program->memories[spans[s].memory].type;
        size_t element = spans[s].count ? index % spans[s].count : 0;
        sum += element_load(type, inputs + at + element * element_size(type));
        at += span_bytes(program, &spans[s]);
    }
    return 2 * sum;
}

void kernel_make(const struct program *program, uint32_t call, const struct span *span, const uint8_t *inputs,
                 uint32_t first, uint32_t count, uint8_t *bytes)
{
    const struct statement *statement = call_statement(program, call);
    enum element_type type = (enum element_type)program->memories[span->memory].type;
    size_t size = element_size(type);
    bool doubles = kernel_reads_inputs(program, statement);
    for (uint32_t i = 0; i < count; i++) {
        double value = doubles ? doubled(program, statement, inputs, first + i)
                               : produced_value(program, call, span->count, first + i);
        if (span->access & ACCESS_ACCUMULATE)
            value += element_load(type, bytes + i * size);
        element_store(type, bytes + i * size, value);
    }
}

bool copy_is_staged(const struct program *program, const struct statement *copy)
{
    const struct span *source = &program->spans[copy->first_span];
    return copy->kind == CALL_COPY && !copy->has_stream &&
           program->memories[source->memory].kind == MEMORY_PAGEABLE &&
           copy_direction(program, copy) == COPY_HOST_TO_DEVICE;
}
