#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/bind.h"
#include "schedule/storage.h"

enum { UNREAD_RANK = UINT16_MAX };

/* The lines from a `rank` that is on to the next one. */
struct block {
    uint32_t line, past;
    uint16_t rank;
    uint32_t gpu; /* NONE: not given */
};

struct walk {
    struct binder binder;
    struct block *blocks;
    size_t block_count, block_capacity;
    uint32_t *kernel_turns; /* by kernel, of the current rank */
    uint32_t kernel_turn_count;
    uint32_t write_turn;
    bool ranks_are_unsure; /* their number could not be read; the program is not used */
    bool stopped;          /* a limit was passed: what follows is not looked at */
};

static size_t fault_count(const struct walk *walk)
{
    const struct binder *binder = &walk->binder;
    return binder->diagnostics->count + binder->diagnostics->left_out + binder->unknown_count;
}

static void read_line(struct walk *walk, uint32_t number)
{
    line_read(walk->binder.schedule, number, &walk->binder.line, NULL);
}

static uint32_t next_kernel_turn(struct walk *walk, uint32_t kernel)
{
    if (kernel >= walk->kernel_turn_count) {
        uint32_t count = walk->binder.kernel_capacity;
        walk->kernel_turns = memory_resize(walk->kernel_turns, count, sizeof *walk->kernel_turns);
        memset(walk->kernel_turns + walk->kernel_turn_count, 0,
               (count - walk->kernel_turn_count) * sizeof *walk->kernel_turns);
        walk->kernel_turn_count = count;
    }
    return walk->kernel_turns[kernel]++;
}

static void add_call(struct walk *walk, uint32_t index)
{
    struct program *program = walk->binder.program;
    const struct statement *statement = &program->statements[index];
    struct call call = {.statement = index};
    if (statement->kind == CALL_LAUNCH)
        call.turn = next_kernel_turn(walk, statement->kernel);
    else if (statement->kind == CALL_WRITE)
        call.turn = walk->write_turn++;
    ARRAY_RESERVE(program->calls, program->call_count, walk->binder.call_capacity);
    program->calls[program->call_count++] = call;
}

static void stop(struct walk *walk, const char *at, uint64_t calls)
{
    binder_fault(&walk->binder, at, "found %llu calls up to here, expected at most %d in all",
                 (unsigned long long)calls, SCHEDULE_MAX_CALLS);
    walk->stopped = true;
}

static void run_call(struct walk *walk)
{
    struct binder *binder = &walk->binder;
    uint32_t statement = bind_line(binder);
    if (binder->program->call_count == SCHEDULE_MAX_CALLS)
        stop(walk, binder->line.keyword.at, (uint64_t)SCHEDULE_MAX_CALLS + 1);
    else if (statement != NONE)
        add_call(walk, statement);
}

static uint32_t run_lines(struct walk *walk, uint32_t number, uint32_t past, unsigned depth);

/* Goes through the lines after a `group` or `repeat` up to its `end`, whose number it returns, or PAST. */
static uint32_t run_inner(struct walk *walk, uint32_t opening, uint32_t past, unsigned depth)
{
    struct binder *binder = &walk->binder;
    if (depth == SCHEDULE_MAX_NESTING) {
        binder_fault(binder, binder->line.keyword.at,
                     "found `%.*s` in %d others, expected at most %d in one another",
                     (int)binder->line.keyword.length, binder->line.keyword.at, SCHEDULE_MAX_NESTING,
                     SCHEDULE_MAX_NESTING);
        walk->stopped = true;
        return past;
    }
    uint32_t end = run_lines(walk, opening + 1, past, depth + 1);
    if (end == past && !walk->stopped) {
        read_line(walk, opening);
        binder_fault(
            binder, binder->line.keyword.at,
            "found no `end` for this `%.*s`, expected one before the next `rank` and the end of the text",
            (int)binder->line.keyword.length, binder->line.keyword.at);
    }
    return end;
}

static uint32_t run_group(struct walk *walk, uint32_t opening, uint32_t past, unsigned depth)
{
    struct binder *binder = &walk->binder;
    run_call(walk);
    binder->group_depth++;
    uint32_t end = run_inner(walk, opening, past, depth);
    binder->group_depth--;
    if (end < past)
        run_call(walk);
    return end;
}

static void begin_line_statements(struct binder *binder)
{
    if (binder->line_statements)
        return;
    size_t count = binder->schedule->line_count;
    binder->line_statements = memory_resize(NULL, count, sizeof *binder->line_statements);
    memset(binder->line_statements, 0xFF, count * sizeof *binder->line_statements);
}

/* Adds the calls from FIRST on TIMES more times. */
static void add_again(struct walk *walk, uint32_t first, uint32_t times)
{
    struct program *program = walk->binder.program;
    uint32_t past = program->call_count;
    for (uint32_t time = 0; time < times; time++) {
        for (uint32_t call = first; call < past; call++)
            add_call(walk, program->calls[call].statement);
    }
}

/* Binds the lines twice, for names may stand for something else the second time; the third and later times
 * are like the second, because what a pass over the same lines leaves behind does not change any more. */
static uint32_t run_repeat(struct walk *walk, uint32_t opening, uint32_t past, unsigned depth)
{
    struct binder *binder = &walk->binder;
    struct program *program = binder->program;
    uint32_t times = binder->line.quantity, first = program->call_count;
    struct word word = binder->line.quantity_word;
    size_t faults = fault_count(walk);
    if (times > 1)
        begin_line_statements(binder);
    uint32_t end = run_inner(walk, opening, past, depth);
    if (end == past || times < 2 || fault_count(walk) > faults)
        return end;
    uint64_t total = first + (uint64_t)(program->call_count - first) * times;
    if (total > SCHEDULE_MAX_CALLS) {
        read_line(walk, opening);
        stop(walk, word.at, total);
        return end;
    }
    first = program->call_count;
    run_inner(walk, opening, past, depth);
    if (fault_count(walk) == faults)
        add_again(walk, first, times - 2);
    return end;
}

/* Goes through the lines from NUMBER on up to the `end` of what was opened before them, whose number it
 * returns, or PAST. */
static uint32_t run_lines(struct walk *walk, uint32_t number, uint32_t past, unsigned depth)
{
    struct binder *binder = &walk->binder;
    for (; number < past && !walk->stopped; number++) {
        read_line(walk, number);
        const struct line *line = &binder->line;
        if (line->kind == LINE_BLANK)
            continue;
        if (!line_is_on(line, binder->variants))
            bind_off_line(binder);
        else if (line->kind == LINE_REPEAT)
            number = run_repeat(walk, number, past, depth);
        else if (line->kind == CALL_GROUP)
            number = run_group(walk, number, past, depth);
        else if (line->kind == CALL_GROUP_END && depth > 0)
            return number;
        else if (line->kind == CALL_GROUP_END)
            binder_fault(binder, line->keyword.at, "found `end`, expected a `group` or `repeat` before it");
        else if (line->kind < CALL_KIND_COUNT)
            run_call(walk);
        else if (line->kind == LINE_UNKNOWN)
            bind_unknown_line(binder);
    }
    return past;
}

static void run_rank(struct walk *walk, uint16_t rank)
{
    struct binder *binder = &walk->binder;
    struct program *program = binder->program;
    bind_begin_rank(binder, rank);
    walk->write_turn = 0;
    if (walk->kernel_turns)
        memset(walk->kernel_turns, 0, walk->kernel_turn_count * sizeof *walk->kernel_turns);
    program->ranks[rank] = (struct rank){.first_call = program->call_count, .gpu = rank};
    bool begun = false;
    for (size_t i = 0; i < walk->block_count && !walk->stopped; i++) {
        const struct block *block = &walk->blocks[i];
        if (block->rank != rank)
            continue;
        if (!begun && block->gpu != NONE)
            program->ranks[rank].gpu = (uint16_t)block->gpu;
        if (!begun)
            bind_use_gpu(binder, program->ranks[rank].gpu);
        begun = true;
        run_lines(walk, block->line + 1, block->past, 0);
    }
    if (!begun)
        bind_use_gpu(binder, rank);
    if (!walk->stopped)
        bind_end_rank(binder);
    program->ranks[rank].call_count = program->call_count - program->ranks[rank].first_call;
}

/* Notes where each rank's lines are. A `rank` that is off leaves its lines to the one before it. */
static void find_blocks(struct walk *walk)
{
    struct binder *binder = &walk->binder;
    const struct schedule *schedule = binder->schedule;
    for (size_t i = 0; i < schedule->rank_line_count; i++) {
        uint32_t number = schedule->rank_lines[i];
        read_line(walk, number);
        if (!line_is_on(&binder->line, binder->variants))
            continue;
        walk->ranks_are_unsure |= binder->line.quantity == NONE;
        if (walk->block_count > 0)
            walk->blocks[walk->block_count - 1].past = number;
        ARRAY_RESERVE(walk->blocks, walk->block_count, walk->block_capacity);
        walk->blocks[walk->block_count++] = (struct block){.line = number,
                                                           .past = schedule->line_count + 1,
                                                           .rank = (uint16_t)binder->line.quantity,
                                                           .gpu = binder->line.gpu};
    }
}

/* How many ranks the `ranks` line says there are; 0 where there is none. */
static uint32_t stated_rank_count(struct walk *walk)
{
    struct binder *binder = &walk->binder;
    const struct schedule *schedule = binder->schedule;
    uint32_t count = 0;
    for (size_t i = 0; i < schedule->count_line_count; i++) {
        read_line(walk, schedule->count_lines[i]);
        if (!line_is_on(&binder->line, binder->variants))
            continue;
        if (count > 0)
            binder_fault(binder, binder->line.keyword.at, "found a second `ranks`, expected one");
        count = binder->line.quantity;
        walk->ranks_are_unsure |= count == NONE;
    }
    return count;
}

static void count_ranks(struct walk *walk)
{
    struct binder *binder = &walk->binder;
    uint32_t stated = stated_rank_count(walk), named = 0;
    for (size_t i = 0; i < walk->block_count; i++) {
        if (walk->blocks[i].rank != UNREAD_RANK && walk->blocks[i].rank >= named)
            named = walk->blocks[i].rank + 1u;
    }
    if (walk->ranks_are_unsure)
        stated = SCHEDULE_MAX_RANKS;
    binder->program->rank_count = stated ? stated : named;
    if (binder->program->rank_count == 0 && binder->diagnostics->count == 0) {
        struct place begin = {.line = binder->schedule->first_line, .column = 1};
        diagnostics_add(binder->diagnostics, begin, "found no `rank`, expected `rank 0` and its statements");
    }
}

static void check_blocks(struct walk *walk)
{
    struct binder *binder = &walk->binder;
    uint32_t rank_count = binder->program->rank_count;
    uint32_t gpus[SCHEDULE_MAX_RANKS];
    memset(gpus, 0xFF, sizeof gpus);
    for (size_t i = 0; i < walk->block_count; i++) {
        const struct block *block = &walk->blocks[i];
        if (block->rank == UNREAD_RANK)
            continue;
        read_line(walk, block->line);
        if (block->rank >= rank_count)
            binder_fault(binder, binder->line.quantity_word.at,
                         "found rank %u, expected 0 to %u: `ranks` says %u", block->rank, rank_count - 1,
                         rank_count);
        uint32_t *gpu = &gpus[block->rank];
        if (*gpu != NONE && block->gpu != NONE && *gpu != block->gpu)
            binder_fault(binder, binder->line.keyword.at,
                         "found rank %u on GPU %u, expected GPU %u, on which it began", block->rank,
                         block->gpu, *gpu);
        if (*gpu == NONE)
            *gpu = block->gpu != NONE ? block->gpu : block->rank;
    }
}

/* What stands before the first rank: communicators, and nothing that a rank does. */
static void run_preface(struct walk *walk)
{
    struct binder *binder = &walk->binder;
    uint32_t past = walk->block_count > 0 ? walk->blocks[0].line : binder->schedule->line_count + 1;
    bool said = false;
    for (uint32_t number = 1; number < past; number++) {
        read_line(walk, number);
        const struct line *line = &binder->line;
        if (line->kind == CALL_COMM) {
            bind_communicator_from_start(binder);
        } else if ((line->kind < CALL_KIND_COUNT || line->kind == LINE_REPEAT) && !said &&
                   line_is_on(line, binder->variants)) {
            binder_fault(binder, line->keyword.at,
                         "found `%.*s` outside a rank, expected a line `rank R` before it",
                         (int)line->keyword.length, line->keyword.at);
            said = true;
        }
    }
}

static void note_communicator_gpus(struct program *program)
{
    size_t count = (size_t)program->communicator_count * program->rank_count;
    program->communicator_gpus = memory_resize(NULL, count, sizeof *program->communicator_gpus);
    for (size_t i = 0; i < count; i++)
        program->communicator_gpus[i] = program->ranks[i % program->rank_count].gpu;
    for (uint32_t i = 0; i < program->statement_count; i++) {
        const struct statement *made = &program->statements[i];
        if (made->kind == CALL_COMM)
            program->communicator_gpus[(size_t)made->communicator * program->rank_count + made->rank] =
                made->gpu;
    }
}

static void note_event_gpus(struct program *program)
{
    for (uint32_t i = 0; i < program->event_count; i++)
        program->events[i].gpu = program->ranks[program->events[i].rank].gpu;
    for (uint32_t i = program->statement_count; i-- > 0;) { /* the first stays */
        const struct statement *statement = &program->statements[i];
        if (statement->kind == CALL_RECORD)
            program->events[statement->event].gpu = program->streams[statement->stream].gpu;
    }
}

static void give_back_rest(struct program *program)
{
    program->calls = memory_resize(program->calls, program->call_count, sizeof *program->calls);
    program->statements =
        memory_resize(program->statements, program->statement_count, sizeof *program->statements);
    program->spans = memory_resize(program->spans, program->span_count, sizeof *program->spans);
}

struct program *program_resolve(const struct schedule *schedule, uint32_t variants,
                                struct diagnostics *diagnostics)
{
    struct program *program = memory_zeroed(1, sizeof *program);
    program->schedule = schedule;
    program->variants = variants;
    struct walk walk = {
        .binder = {
            .schedule = schedule, .program = program, .diagnostics = diagnostics, .variants = variants}};
    size_t faults = fault_count(&walk);
    bind_world(&walk.binder);
    find_blocks(&walk);
    run_preface(&walk);
    count_ranks(&walk);
    check_blocks(&walk);
    program->ranks = memory_zeroed(program->rank_count, sizeof *program->ranks);
    for (uint32_t rank = 0; rank < program->rank_count && !walk.stopped; rank++)
        run_rank(&walk, (uint16_t)rank);
    bool fine = fault_count(&walk) == faults && !walk.binder.is_incomplete;
    binder_free(&walk.binder);
    free(walk.blocks);
    free(walk.kernel_turns);
    if (!fine) {
        program_free(program);
        return NULL;
    }
    note_communicator_gpus(program);
    note_event_gpus(program);
    give_back_rest(program);
    return program;
}

void program_free(struct program *program)
{
    if (!program)
        return;
    storage_free(program);
    free(program->ranks);
    free(program->calls);
    free(program->statements);
    free(program->spans);
    free(program->memories);
    free(program->streams);
    free(program->events);
    free(program->communicators);
    free(program->communicator_gpus);
    free(program->kernels);
    free(program);
}
