/* What a rank with several GPUs needs besides. */
#include "export/c_inside.h"

/* By GPU of a stream and GPU of memory: whether work on the one touches the other. */
typedef bool peers[SCHEDULE_MAX_GPUS][SCHEDULE_MAX_GPUS];

/* A copy finds its way between GPUs by itself. */
static bool add_peers(const struct program *program, const struct statement *statement, peers touched)
{
    bool any = false;
    if (!call_is_operation(statement) || statement->kind == CALL_COPY)
        return false;
    uint16_t gpu = program->streams[statement->stream].gpu;
    for (uint32_t s = 0; s < statement->span_count; s++) {
        const struct memory *memory = &program->memories[program->spans[statement->first_span + s].memory];
        if (memory->kind != MEMORY_DEVICE || memory->gpu == gpu)
            continue;
        touched[gpu][memory->gpu] = true;
        any = true;
    }
    return any;
}

bool c_reaches_peers(const struct program *program)
{
    peers touched = {{false}};
    for (uint32_t i = 0; i < program->statement_count; i++)
        if (add_peers(program, &program->statements[i], touched))
            return true;
    return false;
}

void c_write_peers(const struct program *program, uint32_t rank, struct text *out)
{
    peers touched = {{false}};
    for (uint32_t i = 0; i < program->statement_count; i++)
        if (program->statements[i].rank == rank)
            add_peers(program, &program->statements[i], touched);
    for (unsigned from = 0; from < SCHEDULE_MAX_GPUS; from++)
        for (unsigned to = 0; to < SCHEDULE_MAX_GPUS; to++)
            if (touched[from][to])
                text_format(out, "    enable_peer(%u, %u);\n", from, to);
}
