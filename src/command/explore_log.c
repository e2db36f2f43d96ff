#include "command/explore_log.h"

#include <string.h>

#include "log/log.h"

static const int64_t step_ns = 10000;

struct explore_log {
    const struct order *order;
    const struct program *program;
    struct log_writer *writer;
    int64_t now;
    struct error error; /* the first that writing met */
    bool failed;
};

static void keep(struct explore_log *log, struct record record)
{
    record.time = log->now;
    if (!log->failed)
        log->failed = !log_writer_write(log->writer, &record, &log->error);
}

static void keep_call(struct explore_log *log, enum record_kind kind, uint32_t call)
{
    keep(log, (struct record){.kind = (uint8_t)kind,
                              .rank = call_statement(log->program, call)->rank,
                              .call = call,
                              .point = NONE,
                              .memory = call_statement(log->program, call)->memory});
}

static void keep_communicator(struct explore_log *log, enum record_kind kind, uint32_t rank,
                              uint32_t communicator)
{
    keep(log,
         (struct record){
             .kind = (uint8_t)kind, .rank = rank, .call = NONE, .point = NONE, .communicator = communicator});
}

static bool is_group_member(const struct statement *statement)
{
    return statement->in_group && call_is_communication(statement);
}

/* A group's end submits its members. */
static void keep_submitted(struct explore_log *log, uint32_t call)
{
    const struct statement *statement = call_statement(log->program, call);
    if (statement->kind == CALL_GROUP_END) {
        for (uint32_t member = log->program->ranks[statement->rank].first_call; member < call; member++)
            if (is_group_member(call_statement(log->program, member)) && log->order->bound[member] == call)
                keep_call(log, RECORD_SUBMITTED, member);
    } else if (call_is_operation(statement) && !is_group_member(statement)) {
        keep_call(log, RECORD_SUBMITTED, call);
    }
}

static void take_point(void *context, uint32_t point)
{
    struct explore_log *log = context;
    uint32_t call = point_call(point);
    const struct statement *statement = call_statement(log->program, call);
    log->now += step_ns;
    switch (point_phase(point)) {
    case ENTERED:
        keep_call(log, RECORD_CALLED, call);
        if (statement->kind == CALL_COMM)
            keep_communicator(log, RECORD_INITIALISING, statement->rank, statement->communicator);
        keep_submitted(log, call);
        break;
    case RETURNED:
        if (statement->kind == CALL_COMM)
            keep_communicator(log, RECORD_READY, statement->rank, statement->communicator);
        keep_call(log, RECORD_RETURNED, call);
        break;
    case STARTED:
        if (call_is_operation(statement))
            keep_call(log, RECORD_STARTED, call);
        break;
    default:
        if (call_is_operation(statement))
            keep_call(log, RECORD_DONE, call);
        break;
    }
}

static void keep_values(struct explore_log *log, enum record_kind kind, uint32_t call, uint32_t memory,
                        uint32_t first, uint32_t count, const uint8_t *bytes)
{
    log->now += step_ns;
    keep(log, (struct record){.kind = (uint8_t)kind,
                              .rank = call_statement(log->program, call)->rank,
                              .call = call,
                              .point = NONE,
                              .memory = memory,
                              .first = first,
                              .count = count,
                              .bytes = (const char *)bytes,
                              .length = (size_t)kept_count(first, count) *
                                        element_size(log->program->memories[memory].type)});
}

static void take_written(void *context, uint32_t call, uint32_t memory, uint32_t first, uint32_t count,
                         const uint8_t *bytes)
{
    keep_values(context, RECORD_WRITTEN, call, memory, first, count, bytes);
}

static void take_found(void *context, uint32_t call, uint32_t memory, uint32_t first, uint32_t count,
                       const uint8_t *bytes)
{
    keep_values(context, RECORD_HOST_READ, call, memory, first, count, bytes);
}

static void take_freed(void *context, uint32_t call, uint32_t memory)
{
    (void)memory;
    keep_call(context, RECORD_FREED, call);
}

static void take_stuck(void *context, uint32_t point, const struct wait *wait)
{
    struct explore_log *log = context;
    uint32_t call = point_call(point);
    keep(log, (struct record){.kind = RECORD_WAITING,
                              .rank = call_statement(log->program, call)->rank,
                              .call = call,
                              .point = wait->point,
                              .rule = wait->rule});
}

/* The communicators that are there from the start. */
static void keep_setup(struct explore_log *log)
{
    for (uint32_t c = 0; c < log->program->communicator_count; c++)
        for (uint32_t rank = 0; rank < log->program->rank_count; rank++)
            if (log->program->communicators[c].from_start)
                keep_communicator(log, RECORD_READY, rank, c);
}

static void keep_note(struct explore_log *log, const struct exploration *exploration, uint32_t number)
{
    struct text note = {0};
    text_format(&note, "shows outcome %u of %u", number + 1, exploration->ending_count);
    keep(log,
         (struct record){
             .kind = RECORD_NOTE, .rank = NONE, .call = NONE, .bytes = note.bytes, .length = note.length});
    text_free(&note);
}

static void keep_execution(struct explore_log *log, const struct exploration *exploration, uint32_t number)
{
    const struct ending *ending = &exploration->endings[number];
    const struct play_observer observer = {take_point, take_written, take_found, take_freed, log};
    keep_note(log, exploration, number);
    keep_setup(log);
    explore_play(exploration, ending, &observer);
    log->now += step_ns;
    if (ending->stuck)
        explore_stuck_points(exploration, ending, take_stuck, log);
    keep(log, (struct record){.kind = RECORD_OUTCOME,
                              .rank = NONE,
                              .call = NONE,
                              .number = ending->stuck ? OUTCOME_STUCK : OUTCOME_FINISHED});
}

bool explore_write_log(const struct prepared *prepared, const char *variants,
                       const struct exploration *exploration, uint32_t number, const char *path,
                       struct error *error)
{
    struct explore_log log = {.order = prepared->order, .program = prepared->program};
    log.writer = log_writer_open(path, error);
    if (!log.writer)
        return false;
    struct log_header header =
        prepared_header(prepared, variants, "simulated", !exploration->endings[number].strict);
    log.failed = !log_writer_begin(log.writer, &header, &log.error);
    log_header_free(&header);
    keep_execution(&log, exploration, number);
    struct error closing;
    if (!log_writer_close(log.writer, &closing) && !log.failed) {
        log.failed = true;
        log.error = closing;
    }
    if (log.failed)
        *error = log.error;
    return !log.failed;
}
