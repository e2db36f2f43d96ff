#include "order/explore_contents.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/element.h"
#include "schedule/kernel.h"

static uint32_t size_of(const struct contents *contents, uint32_t memory)
{
    return element_size(contents->program->memories[memory].type);
}

void contents_open(struct contents *contents, const struct step_table *table)
{
    const struct program *program = table->order->program;
    *contents = (struct contents){.table = table, .program = program};
    contents->first_byte = memory_resize(NULL, (size_t)program->memory_count + 1, sizeof(size_t));
    contents->first_element = memory_resize(NULL, (size_t)program->memory_count + 1, sizeof(size_t));
    size_t at = 0;
    for (uint32_t m = 0; m < program->memory_count; m++) {
        contents->first_byte[m] = at;
        at += (size_t)program->memories[m].count * size_of(contents, m);
    }
    contents->first_byte[program->memory_count] = at;
    for (uint32_t m = 0; m < program->memory_count; m++) {
        contents->first_element[m] = at;
        at += program->memories[m].count;
    }
    contents->first_freed = at;
    contents->first_kept = contents->first_freed + program->memory_count;
    contents->first_unread = contents->first_kept + table->kept_bytes;
    contents->first_lost = contents->first_unread + table->step_count;
    contents->state = memory_zeroed(contents->first_lost + table->step_count, 1);
}

void contents_close(struct contents *contents)
{
    free(contents->first_byte);
    free(contents->first_element);
    free(contents->state);
    free(contents->changed);
}

/* Changing the state. */

struct change {
    size_t at, length; /* LENGTH bytes lie before it in CHANGED */
};

static void change(struct contents *contents, size_t at, const void *bytes, size_t length)
{
    const struct change change = {at, length};
    size_t needed = contents->changed_count + length + sizeof change;
    if (needed > contents->changed_capacity) {
        contents->changed_capacity = 2 * needed;
        contents->changed = memory_resize(contents->changed, contents->changed_capacity, 1);
    }
    memcpy(contents->changed + contents->changed_count, contents->state + at, length);
    memcpy(contents->changed + contents->changed_count + length, &change, sizeof change);
    contents->changed_count = needed;
    memcpy(contents->state + at, bytes, length);
}

static void change_byte(struct contents *contents, size_t at, uint8_t value)
{
    change(contents, at, &value, 1);
}

struct contents_mark contents_mark(const struct contents *contents)
{
    return (struct contents_mark){contents->changed_count, contents->lasting, contents->passing};
}

void contents_undo(struct contents *contents, const struct contents_mark *mark)
{
    while (contents->changed_count > mark->changed_count) {
        struct change last;
        contents->changed_count -= sizeof last;
        memcpy(&last, contents->changed + contents->changed_count, sizeof last);
        contents->changed_count -= last.length;
        memcpy(contents->state + last.at, contents->changed + contents->changed_count, last.length);
    }
    contents->lasting = mark->lasting;
    contents->passing = mark->passing;
}

/* Puts what the elements hold into the hash, or takes it out. What was never written is not in it. */
static void toggle_elements(struct contents *contents, uint32_t memory, uint32_t first, uint32_t end)
{
    uint32_t size = size_of(contents, memory);
    const uint8_t *bytes = contents->state + contents->first_byte[memory];
    for (uint32_t element = first; element < end; element++) {
        uint64_t value = 0;
        if (!contents_is_written(contents, memory, element))
            continue;
        memcpy(&value, bytes + (size_t)element * size, size);
        hash_toggle(&contents->lasting, hash_mix(contents->first_element[memory] + element, value));
    }
}

static void toggle_kept(struct contents *contents, uint32_t step)
{
    const struct step *kept = &contents->table->steps[step];
    const uint8_t *bytes = contents->state + contents->first_kept + kept->kept_at;
    bool lasts = kept->kind == STEP_HOST_READ || kept->kind == STEP_OBSERVE;
    struct hash *hash = lasts ? &contents->lasting : &contents->passing;
    for (uint32_t at = 0; at < kept->kept_length; at += 8) {
        uint64_t value = 0;
        memcpy(&value, bytes + at, kept->kept_length - at < 8 ? kept->kept_length - at : 8);
        hash_toggle(hash, hash_mix(contents->first_kept + kept->kept_at + at, value));
    }
    hash_toggle(hash, hash_mix(contents->first_unread + step, 1));
}

static bool is_freed(const struct contents *contents, uint32_t memory)
{
    return contents->state[contents->first_freed + memory];
}

/* Reading and writing. */

static void read_bytes(const struct contents *contents, const struct step_access *access, uint8_t *bytes)
{
    if (is_freed(contents, access->memory))
        memset(bytes, FREED_BYTE, access->end - access->begin);
    else
        memcpy(bytes, contents->state + contents->first_byte[access->memory] + access->begin,
               access->end - access->begin);
}

static void mark_written(struct contents *contents, uint32_t memory, uint32_t first, uint32_t end,
                         uint8_t written)
{
    for (uint32_t element = first; element < end; element++)
        if (contents_is_written(contents, memory, element) != written)
            change_byte(contents, contents->first_element[memory] + element, written);
}

static void write_bytes(struct contents *contents, const struct step_access *access, const uint8_t *bytes)
{
    uint32_t memory = access->memory, size = size_of(contents, memory);
    uint32_t first = access->begin / size, end = (access->end + size - 1) / size;
    if (is_freed(contents, memory))
        return;
    toggle_elements(contents, memory, first, end);
    change(contents, contents->first_byte[memory] + access->begin, bytes, access->end - access->begin);
    mark_written(contents, memory, first, end, 1);
    toggle_elements(contents, memory, first, end);
}

static void set_freed(struct contents *contents, uint32_t memory, bool freed)
{
    if (is_freed(contents, memory) == freed)
        return;
    change_byte(contents, contents->first_freed + memory, freed);
    hash_toggle(&contents->lasting, hash_mix(contents->first_freed + memory, 1));
}

static void allocate(struct contents *contents, uint32_t memory)
{
    uint32_t count = contents->program->memories[memory].count;
    toggle_elements(contents, memory, 0, count);
    mark_written(contents, memory, 0, count, 0);
    set_freed(contents, memory, false);
    uint8_t *zeros = memory_zeroed(count, size_of(contents, memory));
    change(contents, contents->first_byte[memory], zeros, (size_t)count * size_of(contents, memory));
    free(zeros);
}

/* What steps keep for one another. */

static const struct step_access *accesses_of(const struct contents *contents, const struct step *step)
{
    return &contents->table->accesses[step->first_access];
}

/* Keeps the bytes of all that the step reads. */
static void keep_read(struct contents *contents, uint32_t number)
{
    const struct step *step = &contents->table->steps[number];
    uint8_t *bytes = memory_resize(NULL, step->kept_length + 1, 1);
    size_t at = 0;
    for (uint32_t i = 0; i < step->access_count; i++) {
        read_bytes(contents, &accesses_of(contents, step)[i], bytes + at);
        at += accesses_of(contents, step)[i].end - accesses_of(contents, step)[i].begin;
    }
    change(contents, contents->first_kept + step->kept_at, bytes, step->kept_length);
    change_byte(contents, contents->first_unread + number, (uint8_t)step->readers);
    toggle_kept(contents, number);
    free(bytes);
}

static const uint8_t *kept_by(const struct contents *contents, uint32_t step)
{
    return contents->state + contents->first_kept + contents->table->steps[step].kept_at;
}

static uint32_t source_of(const struct contents *contents, const struct step *step, uint32_t index)
{
    return contents->table->sources[step->first_source + index];
}

/* What nobody is to use any more makes no difference. */
static void let_go_of_sources(struct contents *contents, const struct step *step)
{
    for (uint32_t i = 0; i < step->source_count; i++) {
        uint32_t source = source_of(contents, step, i);
        uint8_t unread = contents->state[contents->first_unread + source];
        if (unread == 0)
            continue; /* it was given up */
        change_byte(contents, contents->first_unread + source, (uint8_t)(unread - 1));
        if (unread == 1)
            toggle_kept(contents, source);
    }
}

static void lose(struct contents *contents, uint32_t step)
{
    change_byte(contents, contents->first_lost + step, 1);
    hash_toggle(&contents->passing, hash_mix(contents->first_lost + step, 1));
}

/* What the steps do. */

static void host_write(struct contents *contents, const struct step *step)
{
    const struct span *span =
        &contents->program->spans[call_statement(contents->program, step->call)->first_span];
    uint32_t size = size_of(contents, span->memory);
    uint8_t *bytes = memory_resize(NULL, span->count, size);
    for (uint32_t i = 0; i < span->count; i++)
        element_store((enum element_type)contents->program->memories[span->memory].type,
                      bytes + (size_t)i * size,
                      produced_value(contents->program, step->call, span->count, i));
    write_bytes(contents, accesses_of(contents, step), bytes);
    free(bytes);
}

static void write_outputs(struct contents *contents, const struct step *step)
{
    const struct program *program = contents->program;
    const struct statement *statement = call_statement(program, step->call);
    const struct step_access *access = accesses_of(contents, step);
    const uint8_t *inputs = step->source_count > 0 ? kept_by(contents, source_of(contents, step, 0)) : NULL;
    for (uint32_t s = 0; s < statement->span_count; s++) {
        const struct span *span = &program->spans[statement->first_span + s];
        if (!(span->access & ACCESS_CHANGE))
            continue;
        uint8_t *bytes = memory_resize(NULL, access->end - access->begin, 1);
        read_bytes(contents, access, bytes);
        if (statement->kind == CALL_SET)
            memset(bytes, statement->value, access->end - access->begin);
        else
            kernel_make(program, step->call, span, inputs, 0, span->count, bytes);
        write_bytes(contents, access++, bytes);
        free(bytes);
    }
}

static void copy_piece(struct contents *contents, const struct step *step)
{
    const struct step_access *access = accesses_of(contents, step);
    uint8_t *bytes = memory_resize(NULL, step->length, 1);
    if (step->source_count > 0)
        memcpy(bytes, kept_by(contents, source_of(contents, step, 0)) + step->offset, step->length);
    else
        read_bytes(contents, &access[0], bytes);
    write_bytes(contents, &access[1], bytes);
    free(bytes);
}

/* Adds in the order of the ranks, so that all get the same. */
static void sum_sources(const struct contents *contents, const struct step *step, uint8_t *bytes)
{
    uint32_t memory = accesses_of(contents, step)->memory, size = size_of(contents, memory);
    enum element_type type = (enum element_type)contents->program->memories[memory].type;
    for (uint32_t at = 0; at < step->length; at += size) {
        double sum = 0;
        for (uint32_t i = 0; i < step->source_count; i++)
            sum += element_load(type, kept_by(contents, source_of(contents, step, i)) + at);
        element_store(type, bytes + at, sum);
    }
}

static void take_piece(struct contents *contents, const struct step *step)
{
    for (uint32_t i = 0; i < step->source_count; i++)
        if (contents_is_lost(contents, source_of(contents, step, i)))
            return;
    uint8_t *bytes = memory_resize(NULL, step->length, 1);
    if (call_statement(contents->program, step->call)->kind == CALL_ALLREDUCE)
        sum_sources(contents, step, bytes);
    else
        memcpy(bytes, kept_by(contents, source_of(contents, step, 0)), step->length);
    write_bytes(contents, accesses_of(contents, step), bytes);
    free(bytes);
}

void contents_do(struct contents *contents, uint32_t step_number, bool given_up)
{
    const struct step *step = &contents->table->steps[step_number];
    if (given_up) {
        lose(contents, step_number);
        let_go_of_sources(contents, step);
        return;
    }
    switch ((enum step_kind)step->kind) {
    case STEP_ALLOCATE:
        allocate(contents, accesses_of(contents, step)->memory);
        break;
    case STEP_FREE:
        set_freed(contents, accesses_of(contents, step)->memory, true);
        break;
    case STEP_HOST_WRITE:
        host_write(contents, step);
        break;
    case STEP_HOST_READ:
    case STEP_READ_INPUTS:
    case STEP_OBSERVE:
    case STEP_STAGE:
    case STEP_GIVE:
        keep_read(contents, step_number);
        break;
    case STEP_WRITE_OUTPUTS:
        write_outputs(contents, step);
        break;
    case STEP_COPY:
        copy_piece(contents, step);
        break;
    case STEP_TAKE:
        take_piece(contents, step);
        break;
    case STEP_GIVE_UP:
        break;
    }
    let_go_of_sources(contents, step);
}
