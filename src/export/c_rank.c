/* A rank's host program as a function. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/c_inside.h"
#include "export/c_rounds.h"

struct writer {
    struct c_export *export;
    const struct program *program;
    uint32_t rank;
    struct text *out;
    struct c_step *steps;
    uint32_t step_count;
    struct c_loop *loops;
    uint32_t loop_count;
    const char *
        *turn_names; /* by source of turns: the variable that counts them; NULL where none is needed */
};

/* Where turns come from: host writes, or kernel k as k + 1. */
static uint32_t source_of_turns(const struct statement *statement)
{
    return statement->kind == CALL_LAUNCH ? statement->kernel + 1 : 0;
}

static bool takes_turns(const struct writer *writer, uint32_t step)
{
    return strchr(writer->steps[step].code, C_TURN[0]) != NULL;
}

static void make_steps(struct writer *writer)
{
    const struct rank *rank = &writer->program->ranks[writer->rank];
    struct c_reasons *reasons = c_reasons_open(writer->export->order);
    writer->step_count = rank->call_count;
    writer->steps = memory_zeroed(rank->call_count, sizeof *writer->steps);
    for (uint32_t i = 0; i < rank->call_count; i++) {
        struct text code = {0}, reason = {0};
        uint32_t call = rank->first_call + i;
        c_write_call(writer->export, call, &code);
        c_reasons_write(reasons, call, &reason);
        writer->steps[i] = (struct c_step){
            .code = memory_copy_string(text_string(&code)),
            .reason = memory_copy_string(text_string(&reason)),
            .call = call,
            .line = call_statement(writer->program, call)->line,
        };
        text_free(&code);
        text_free(&reason);
    }
    c_reasons_close(reasons);
}

static void free_steps(struct writer *writer)
{
    for (uint32_t i = 0; i < writer->step_count; i++) {
        free(writer->steps[i].code);
        free(writer->steps[i].reason);
    }
    free(writer->steps);
    free(writer->loops);
    free(writer->turn_names);
}

/* A source of turns that stands in a loop needs a variable. */
static void name_turns(struct writer *writer)
{
    writer->turn_names = memory_zeroed(writer->program->kernel_count + 1, sizeof *writer->turn_names);
    for (uint32_t l = 0; l < writer->loop_count; l++) {
        for (uint32_t i = 0; i < writer->loops[l].length; i++) {
            uint32_t step = writer->loops[l].first + i;
            const struct statement *statement = call_statement(writer->program, writer->steps[step].call);
            uint32_t source = source_of_turns(statement);
            if (!takes_turns(writer, step) || writer->turn_names[source])
                continue;
            struct text name = {0};
            text_format(&name, "%s_turn", source == 0 ? "write" : writer->program->kernels[source - 1]);
            writer->turn_names[source] = c_names_take(&writer->export->names, text_string(&name), "s", false);
            text_free(&name);
        }
    }
}

static bool has_communicator(const struct writer *writer, uint32_t communicator)
{
    if (!c_uses_communicator(writer->export, communicator))
        return false;
    bool has = writer->program->communicators[communicator].from_start;
    for (uint32_t i = 0; i < writer->step_count && !has; i++) {
        const struct statement *statement = call_statement(writer->program, writer->steps[i].call);
        has = statement->kind == CALL_COMM && statement->communicator == communicator;
    }
    return has;
}

enum { LIST_WIDTH = 100 };

/* A list of declarations of one type: "float *x, *y;". */
struct list {
    struct text text;
    size_t line; /* where the text's last line begins */
};

static void list_add(struct list *list, const char *type, const char *star, const char *name)
{
    if (list->text.length == 0)
        text_format(&list->text, "    %s %s%s", type, star, name);
    else if (list->text.length - list->line + strlen(name) + 4 > LIST_WIDTH) {
        text_append(&list->text, ",\n");
        list->line = list->text.length;
        text_format(&list->text, "        %s%s", star, name);
    } else
        text_format(&list->text, ", %s%s", star, name);
}

static void list_end(struct list *list, struct text *out)
{
    if (list->text.length > 0)
        text_format(out, "%s;\n", text_string(&list->text));
    text_free(&list->text);
    *list = (struct list){0};
}

static void declare_memories(const struct writer *writer)
{
    const struct program *program = writer->program;
    struct list list = {0};
    for (enum element_type type = 0; type < TYPE_COUNT; type++) {
        for (uint32_t i = 0; i < program->memory_count; i++)
            if (program->memories[i].rank == writer->rank && program->memories[i].type == type &&
                !writer->export->names.shares[i])
                list_add(&list, c_type(type), "*", writer->export->names.memories[i]);
        list_end(&list, writer->out);
    }
}

static void declare(const struct writer *writer)
{
    const struct program *program = writer->program;
    const struct c_names *names = &writer->export->names;
    struct list list = {0};
    for (uint32_t i = 0; i < program->communicator_count; i++)
        if (has_communicator(writer, i))
            list_add(&list, "ncclComm_t", "", names->communicators[i]);
    list_end(&list, writer->out);
    declare_memories(writer);
    for (uint32_t i = 0; i < program->stream_count; i++)
        if (program->streams[i].rank == writer->rank && !program->streams[i].is_default)
            list_add(&list, "cudaStream_t", "", names->streams[i]);
    list_end(&list, writer->out);
    for (uint32_t i = 0; i < program->event_count; i++)
        if (program->events[i].rank == writer->rank)
            list_add(&list, "cudaEvent_t", "", names->events[i]);
    list_end(&list, writer->out);
    for (uint32_t i = 0; i <= program->kernel_count; i++)
        if (writer->turn_names[i])
            text_format(writer->out, "    size_t %s = 0;\n", writer->turn_names[i]);
}

static void mark(struct c_export *export, size_t offset, uint32_t call)
{
    ARRAY_RESERVE(export->marks, export->mark_count, export->mark_capacity);
    export->marks[export->mark_count++] = (struct c_mark){offset, call};
}

static void indent(struct text *out, unsigned depth)
{
    for (unsigned i = 0; i <= depth; i++)
        text_append(out, "    ");
}

/* The lines of CODE, each indented; where it names a turn, TURN stands. */
static void append_code(struct text *out, unsigned depth, const char *code, const char *turn)
{
    while (*code) {
        size_t length = strcspn(code, "\n"), before = strcspn(code, C_TURN "\n");
        indent(out, depth);
        text_append_bytes(out, code, before);
        if (before < length) {
            text_append(out, turn);
            text_append_bytes(out, code + before + 1, length - before - 1);
        }
        text_append(out, "\n");
        code += length + 1;
    }
}

static void append_step(const struct writer *writer, uint32_t number, unsigned depth)
{
    const struct c_step *step = &writer->steps[number];
    const struct statement *statement = call_statement(writer->program, step->call);
    const char *variable = writer->turn_names[source_of_turns(statement)];
    struct text turn = {0};
    if (variable)
        text_format(&turn, "%s++", variable);
    else
        text_format(&turn, "%u", writer->program->calls[step->call].turn);
    append_code(writer->out, depth, step->code, text_string(&turn));
    text_free(&turn);
}

/* What is asked for before any work stands in a block of its own. */
static bool makes_something(const struct statement *statement)
{
    return statement->kind == CALL_BUFFER || statement->kind == CALL_HOST ||
           statement->kind == CALL_MANAGED || statement->kind == CALL_STREAM ||
           statement->kind == CALL_COMM || statement->kind == CALL_USE_GPU;
}

static bool begins_paragraph(const struct writer *writer, uint32_t step)
{
    if (step == 0)
        return true;
    const struct c_step *steps = writer->steps;
    return makes_something(call_statement(writer->program, steps[step].call)) !=
           makes_something(call_statement(writer->program, steps[step - 1].call));
}

static void append_steps(struct writer *writer)
{
    struct c_export *export = writer->export;
    uint32_t next_loop = 0, ends[SCHEDULE_MAX_NESTING * 2];
    unsigned depth = 0;
    for (uint32_t i = 0; i < writer->step_count; i++) {
        struct c_step *step = &writer->steps[i];
        if (step->same != i) {
            export->stands_for[step->call] = export->stands_for[writer->steps[step->same].call];
            continue;
        }
        if (begins_paragraph(writer, i))
            text_append(writer->out, "\n");
        for (; next_loop < writer->loop_count && writer->loops[next_loop].first == i; next_loop++) {
            const struct c_loop *loop = &writer->loops[next_loop];
            indent(writer->out, depth);
            text_format(writer->out, "for (int round = 0; round < %u; round++) {\n", loop->rounds);
            ends[depth++] = loop->first + loop->length;
        }
        if (step->reason[0] != '\0') {
            indent(writer->out, depth);
            text_format(writer->out, "/* %s */\n", step->reason);
        }
        if (step->code[0] != '\0') {
            export->stands_for[step->call] = step->call;
            mark(export, writer->out->length, step->call);
            append_step(writer, i, depth);
            mark(export, writer->out->length, NONE);
        }
        while (depth > 0 && ends[depth - 1] == i + 1) {
            indent(writer->out, --depth);
            text_append(writer->out, "}\n");
        }
    }
}

static void append_line(const struct writer *writer, const char *line)
{
    text_format(writer->out, "    %s", line);
}

static void append_gpu(const struct writer *writer, uint16_t gpu)
{
    text_append(writer->out, "    ");
    c_write_gpu(gpu, writer->out);
}

static void begin(const struct writer *writer)
{
    const struct program *program = writer->program;
    uint16_t own = program->ranks[writer->rank].gpu, current = own;
    c_write_peers(program, writer->rank, writer->out);
    append_gpu(writer, own);
    for (uint32_t i = 0; i < program->communicator_count; i++) {
        if (!c_is_made_at_start(writer->export, i))
            continue;
        struct text code = {0};
        c_write_connection(writer->export, i, writer->rank, &code);
        append_code(writer->out, 0, text_string(&code), "");
        text_free(&code);
    }
    for (uint32_t i = 0; i < program->event_count; i++) {
        if (program->events[i].rank != writer->rank)
            continue;
        uint16_t gpu = program->events[i].gpu;
        if (gpu != current)
            append_gpu(writer, gpu);
        current = gpu;
        text_format(writer->out, "    CUDA(cudaEventCreateWithFlags(&%s, cudaEventDisableTiming));\n",
                    writer->export->names.events[i]);
    }
    if (current != own)
        append_gpu(writer, own);
}

/* Whether a call of the rank with this kind has the thing, which FIELD of its statement names. */
static bool is_ended(const struct writer *writer, enum call_kind kind, uint32_t thing)
{
    for (uint32_t i = 0; i < writer->step_count; i++) {
        const struct statement *statement = call_statement(writer->program, writer->steps[i].call);
        uint32_t ended = kind == CALL_FREE ? statement->memory : statement->communicator;
        if (statement->kind == kind && ended == thing)
            return true;
    }
    return false;
}

/* By memory: whether the rank has it and does not free it. */
static bool *find_live_memories(const struct writer *writer)
{
    const struct program *program = writer->program;
    bool *live = memory_zeroed(program->memory_count, sizeof *live);
    for (uint32_t i = 0; i < program->memory_count; i++)
        live[i] = program->memories[i].rank == writer->rank;
    for (uint32_t i = 0; i < writer->step_count; i++) {
        const struct statement *statement = call_statement(writer->program, writer->steps[i].call);
        if (statement->kind == CALL_FREE)
            live[statement->memory] = false;
    }
    return live;
}

static void finish_work(const struct writer *writer)
{
    const struct program *program = writer->program;
    bool used[SCHEDULE_MAX_GPUS] = {false};
    unsigned gpus = 1;
    enum call_kind last = CALL_KIND_COUNT;
    used[program->ranks[writer->rank].gpu] = true;
    for (uint32_t i = 0; i < writer->step_count; i++) {
        const struct statement *statement = call_statement(program, writer->steps[i].call);
        gpus += !used[statement->gpu];
        used[statement->gpu] = true;
        last = (enum call_kind)statement->kind;
    }
    if (gpus == 1 && last != CALL_SYNC_DEVICE)
        append_line(writer, "CUDA(cudaDeviceSynchronize());\n");
    for (uint16_t gpu = 0; gpu < SCHEDULE_MAX_GPUS && gpus > 1; gpu++) {
        if (!used[gpu])
            continue;
        append_gpu(writer, gpu);
        append_line(writer, "CUDA(cudaDeviceSynchronize());\n");
    }
}

static void print_memories(const struct writer *writer, const bool *live)
{
    const struct program *program = writer->program;
    for (uint32_t i = 0; i < program->memory_count; i++)
        if (live[i])
            text_format(writer->out, "    print_buffer(\"%s\", %s, %u);\n", program->memories[i].name,
                        writer->export->names.memories[i], program->memories[i].count);
}

static void clean_up(const struct writer *writer, const bool *live)
{
    const struct program *program = writer->program;
    const struct c_names *names = &writer->export->names;
    for (uint32_t i = 0; i < program->event_count; i++)
        if (program->events[i].rank == writer->rank)
            text_format(writer->out, "    CUDA(cudaEventDestroy(%s));\n", names->events[i]);
    for (uint32_t i = 0; i < program->stream_count; i++)
        if (program->streams[i].rank == writer->rank && !program->streams[i].is_default)
            text_format(writer->out, "    CUDA(cudaStreamDestroy(%s));\n", names->streams[i]);
    for (uint32_t i = 0; i < program->memory_count; i++) {
        struct text code = {0};
        if (live[i])
            c_write_free(writer->export, i, &code);
        append_code(writer->out, 0, text_string(&code), "");
        text_free(&code);
    }
    for (uint32_t i = 0; i < program->communicator_count; i++)
        if (has_communicator(writer, i) && !is_ended(writer, CALL_DESTROY, i) &&
            !is_ended(writer, CALL_ABORT, i))
            text_format(writer->out, "    NCCL(ncclCommDestroy(%s));\n", names->communicators[i]);
}

static void append_end(const struct writer *writer)
{
    bool *live = find_live_memories(writer);
    text_append(writer->out, "\n");
    finish_work(writer);
    print_memories(writer, live);
    clean_up(writer, live);
    free(live);
}

static const char *parameter(const struct c_export *export)
{
    if (!export->communicates)
        return "void";
    return export->communicator_count == 1 ? "ncclUniqueId id" : "const ncclUniqueId *ids";
}

void c_write_rank(struct c_export *export, uint32_t rank, struct text *out)
{
    struct writer writer = {.export = export, .program = export->program, .rank = rank, .out = out};
    c_names_begin_rank(&export->names, export->program, rank);
    make_steps(&writer);
    writer.loops = c_fold_rounds(writer.steps, writer.step_count, &writer.loop_count);
    name_turns(&writer);
    text_format(out, "static void rank_%u(%s)\n{\n", rank, parameter(export));
    size_t declared = out->length;
    declare(&writer);
    if (out->length > declared)
        text_append(out, "\n");
    begin(&writer);
    append_steps(&writer);
    append_end(&writer);
    text_append(out, "}\n\n");
    free_steps(&writer);
}
