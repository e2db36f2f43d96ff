#include "order/misuse.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "order/wording.h"

struct misuse {
    const struct program *program;
    struct findings *findings;
    uint32_t call; /* the first of the statement at hand */
};

/* CALL's statement, and behind it why it is refused. */
static void report(struct misuse *misuse, uint32_t memory, const char *reason)
{
    struct finding *finding = findings_add(misuse->findings, FINDING_MISUSE, misuse->call, NONE, memory);
    if (!finding)
        return;
    struct text text = {0};
    word_call(misuse->program, misuse->call, &text);
    text_append(&text, reason);
    finding->text = memory_copy_string(text_string(&text));
    text_free(&text);
}

static void check_memories(struct misuse *misuse, const struct statement *statement, enum memory_kind refused,
                           const char *reason)
{
    for (uint32_t i = 0; i < statement->span_count; i++) {
        uint32_t memory = misuse->program->spans[statement->first_span + i].memory;
        if (misuse->program->memories[memory].kind == refused)
            report(misuse, memory, reason);
    }
}

/* A kernel goes to the current device. Copies and sets may go to any device's stream (CUDA programming guide,
 * multi-device system, stream and event behavior). */
static void check_launch(struct misuse *misuse, const struct statement *statement)
{
    const struct stream *stream = &misuse->program->streams[statement->stream];
    if (stream->gpu == statement->gpu)
        return;
    char reason[160];
    snprintf(
        reason, sizeof reason,
        " launches on a stream of GPU %u while GPU %u is current: the launch fails, `use gpu %u` before it",
        stream->gpu, statement->gpu, stream->gpu);
    report(misuse, NONE, reason);
}

/* NCCL launches on the communicator's own GPU (NCCL user guide, creating a communicator: each is associated
 * to a fixed rank and CUDA device). */
static void check_communicator(struct misuse *misuse, const struct statement *statement)
{
    const struct program *program = misuse->program;
    const struct stream *stream = &program->streams[statement->stream];
    uint16_t gpu = communicator_gpu(program, statement->communicator, statement->rank);
    if (stream->gpu == gpu)
        return;
    struct text reason = {0};
    text_format(
        &reason,
        " is on %s%s of GPU %u, which communicator %s cannot use: it belongs to GPU %u. Let every rank "
        "make another with `comm`, this rank behind `use gpu %u`, or take a stream of GPU %u",
        stream->is_default ? "the default stream" : "stream ", stream->is_default ? "" : stream->name,
        stream->gpu, program->communicators[statement->communicator].name, gpu, stream->gpu, gpu);
    report(misuse, NONE, text_string(&reason));
    text_free(&reason);
}

/* Event and stream have to be of one GPU (CUDA runtime API, cudaEventRecord). */
static void check_record(struct misuse *misuse, const struct statement *statement)
{
    const struct program *program = misuse->program;
    uint16_t gpu = program->events[statement->event].gpu, other = program->streams[statement->stream].gpu;
    if (other == gpu)
        return;
    char reason[160];
    snprintf(reason, sizeof reason,
             " is on a stream of GPU %u, but the event belongs to GPU %u, where it is recorded first: take "
             "another event",
             other, gpu);
    report(misuse, NONE, reason);
}

/* The runtime takes the size from one side only: what is larger than its destination runs over it. */
static void check_copy(struct misuse *misuse, const struct statement *statement)
{
    const struct span *spans = &misuse->program->spans[statement->first_span];
    if (span_bytes(misuse->program, &spans[0]) > span_bytes(misuse->program, &spans[1]))
        report(misuse, spans[1].memory, " copies more bytes than its destination has");
}

static void check_statement(struct misuse *misuse, const struct statement *statement)
{
    switch (statement->kind) {
    case CALL_READ:
    case CALL_WRITE:
        check_memories(misuse, statement, MEMORY_DEVICE,
                       " lets the host touch device memory: copy it to host memory first");
        break;
    case CALL_LAUNCH:
        check_memories(misuse, statement, MEMORY_PAGEABLE,
                       " gives a kernel pageable host memory, which few systems let a GPU reach");
        check_launch(misuse, statement);
        break;
    case CALL_SET:
        check_memories(misuse, statement, MEMORY_PAGEABLE,
                       " sets pageable host memory on a GPU, which few systems let it reach");
        break;
    case CALL_SEND:
    case CALL_RECV:
    case CALL_ALLREDUCE:
    case CALL_BROADCAST:
        check_memories(misuse, statement, MEMORY_PAGEABLE,
                       " gives NCCL pageable host memory, which few systems let a GPU reach");
        check_communicator(misuse, statement);
        break;
    case CALL_RECORD:
        check_record(misuse, statement);
        break;
    case CALL_COPY:
        check_copy(misuse, statement);
        break;
    default:
        break;
    }
}

void find_misuse(const struct program *program, struct findings *findings)
{
    bool *seen = memory_zeroed(program->statement_count, sizeof *seen);
    for (uint32_t call = 0; call < program->call_count; call++) {
        struct misuse misuse = {.program = program, .findings = findings, .call = call};
        bool *statement_seen = &seen[program->calls[call].statement];
        if (!*statement_seen)
            check_statement(&misuse, call_statement(program, call));
        *statement_seen = true;
    }
    free(seen);
}
