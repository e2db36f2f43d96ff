#include "schedule/bind.h"

#include "base/memory.h"
#include "schedule/storage.h"

static uint32_t add_stream(struct binder *binder, struct stream stream)
{
    struct program *program = binder->program;
    ARRAY_RESERVE(program->streams, program->stream_count, binder->stream_capacity);
    program->streams[program->stream_count] = stream;
    return program->stream_count++;
}

void bind_use_gpu(struct binder *binder, uint16_t gpu)
{
    binder->gpu = gpu;
    if (binder->default_streams[gpu] == NONE) {
        binder->default_streams[gpu] = add_stream(
            binder, (struct stream){.name = "default", .rank = binder->rank, .gpu = gpu, .is_default = true});
    }
}

static uint32_t file_line(const struct binder *binder, uint32_t line)
{
    return binder->schedule->first_line + line - 1;
}

/* Declares a name, unless it stands for something: that is said. */
static bool declare(struct binder *binder, struct name *name, struct word word, const char *remedy)
{
    const struct line *line = &binder->line;
    bool fine = name->thing == NONE || name->freed;
    if (line->faulty) {
        name->faulty = true;
        return false;
    }
    if (!fine && name->line == line->number) {
        binder_fault(binder, word.at, "found `%.*s` declared again by `repeat`, expected %s",
                     (int)word.length, word.at, remedy);
    } else if (!fine) {
        binder_fault(binder, word.at,
                     "found a second declaration of `%.*s` (the first is on line %u), expected %s",
                     (int)word.length, word.at, file_line(binder, name->line), remedy);
    }
    name->line = line->number;
    name->freed = false;
    return fine;
}

static uint32_t add_memory(struct binder *binder)
{
    struct program *program = binder->program;
    const struct line *line = &binder->line;
    const struct statement *earlier = binder_earlier_statement(binder);
    if (earlier && program->memories[earlier->memory].gpu == binder->gpu)
        return earlier->memory;
    ARRAY_RESERVE(program->memories, program->memory_count, binder->memory_capacity);
    program->memories[program->memory_count] = (struct memory){.name = storage_name(program, line->name),
                                                               .declared = program->statement_count,
                                                               .count = line->quantity,
                                                               .rank = binder->rank,
                                                               .gpu = binder->gpu,
                                                               .kind = line->memory_kind,
                                                               .type = line->type};
    return program->memory_count++;
}

void bind_declared_memory(struct binder *binder, struct statement *statement)
{
    struct name *name = binder_name(binder, SORT_MEMORY, binder->line.name);
    if (declare(binder, name, binder->line.name, "another name, or a `free` between the two"))
        statement->memory = name->thing = add_memory(binder);
}

void bind_declared_stream(struct binder *binder, struct statement *statement)
{
    const struct line *line = &binder->line;
    struct name *name = binder_name(binder, SORT_STREAM, line->name);
    if (declare(binder, name, line->name, "another name"))
        statement->stream = name->thing =
            add_stream(binder, (struct stream){.name = storage_name(binder->program, line->name),
                                               .rank = binder->rank,
                                               .gpu = binder->gpu,
                                               .nonblocking = line->nonblocking});
}

static uint32_t add_communicator(struct binder *binder, struct word word, bool from_start)
{
    uint32_t index = names_find(&binder->shared, SORT_COMMUNICATOR, word);
    struct name *name = &binder->shared.items[index];
    struct program *program = binder->program;
    if (name->thing == NONE) {
        ARRAY_RESERVE(program->communicators, program->communicator_count, binder->communicator_capacity);
        program->communicators[program->communicator_count] =
            (struct communicator){.name = storage_name(program, word), .from_start = from_start};
        name->thing = program->communicator_count++;
    }
    return name->thing;
}

void bind_declared_communicator(struct binder *binder, struct statement *statement)
{
    struct word word = binder->line.communicator;
    if (binder_is_from_start(binder, word)) {
        binder_fault(binder, word.at, "found `%.*s`, which is there from the start, expected another name",
                     (int)word.length, word.at);
        return;
    }
    struct name *name = binder_name(binder, SORT_COMMUNICATOR, word);
    if (declare(binder, name, word, "another name"))
        statement->communicator = name->thing = add_communicator(binder, word, false);
}

void bind_world(struct binder *binder)
{
    static const char world[] = "world";
    add_communicator(binder, (struct word){.at = world, .length = sizeof world - 1}, true);
}

void bind_communicator_from_start(struct binder *binder)
{
    const struct line *line = &binder->line;
    if (!line->communicator.at)
        return;
    uint32_t index = names_find(&binder->shared, SORT_COMMUNICATOR, line->communicator);
    struct name *name = &binder->shared.items[index];
    if (!line_is_on(line, binder->variants))
        name->off_line = line->number;
    else if (name->thing != NONE)
        binder_fault(binder, line->communicator.at,
                     "found `%s`, which is there from the start, expected another name",
                     binder->program->communicators[name->thing].name);
    else
        add_communicator(binder, line->communicator, true);
}
