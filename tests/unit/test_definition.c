/* Findings against their definition, on random programs. Of a memory: two accesses that conflict, and neither
 * ends before the other begins in the transitive closure of what is guaranteed. A deadlock: a strict run
 * stops, and among the waits of what is left there is a cycle. */
#include <stdlib.h>

#include "base/memory.h"
#include "order/deadlock.h"
#include "order/hazard.h"
#include "order/machine.h"
#include "ordered.h"

enum { PROGRAMS = 4000, RANKS = 2, STREAMS = 4, STATEMENTS = 12 };

/* xorshift64: the same programs everywhere. */
static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 20) % limit);
}

static const char *random_part(void)
{
    static const char *const parts[] = {"", "", "[0:2]", "[2:4]", "[1:3]", "[3]"};
    return parts[random_below(sizeof parts / sizeof *parts)];
}

static const char *random_buffer(void)
{
    static const char *const buffers[] = {"x", "y", "m"};
    return buffers[random_below(sizeof buffers / sizeof *buffers)];
}

static const char *random_stream(void)
{
    static const char *const streams[STREAMS] = {"a", "n", "o", "default"};
    return streams[random_below(STREAMS)];
}

static void append_transfer(uint32_t rank, struct text *out)
{
    if (random_below(2))
        text_format(out, "send %s%s to %u on %s\n", random_buffer(), random_part(), 1 - rank,
                    random_stream());
    else
        text_format(out, "recv %s%s from %u on %s\n", random_buffer(), random_part(), 1 - rank,
                    random_stream());
}

static void append_group(uint32_t rank, struct text *out)
{
    text_append(out, "group\n");
    for (uint32_t i = 1 + random_below(3); i > 0; i--)
        append_transfer(rank, out);
    if (random_below(4) == 0)
        text_format(out, "launch k -> %s on %s\n", random_buffer(), random_stream());
    text_append(out, "end\n");
}

static void append_statement(uint32_t rank, struct text *out)
{
    const char *stream = random_stream();
    switch (random_below(16)) {
    case 0:
        append_group(rank, out);
        break;
    case 1:
        append_transfer(rank, out);
        break;
    case 2:
        text_format(out, "allreduce %s on %s\n", random_buffer(), stream);
        break;
    case 3:
        text_format(out, "record %c on %s\n", "EF"[random_below(2)], stream);
        break;
    case 4:
        text_format(out, "wait %c on %s\n", "EF"[random_below(2)], stream);
        break;
    case 5:
        text_format(out, "sync %s\n", stream);
        break;
    case 6:
        text_format(out, "sync event %c\n", "EF"[random_below(2)]);
        break;
    case 7:
        text_append(out, random_below(2) ? "barrier\n" : "sync device\n");
        break;
    case 8:
        text_format(out, random_below(2) ? "read m%s\n" : "write m%s\n", random_part());
        break;
    case 9:
        text_append(out, random_below(2) ? "copy p to x\n" : "write p\n");
        break;
    case 10:
        text_append(out, random_below(2) ? "copy x to h\n" : "read h\n");
        break;
    case 11:
        text_format(out, "launch c ~> %s%s on %s\n", random_buffer(), random_part(), stream);
        break;
    case 12:
        text_format(out, "launch w -> %s%s on %s\n", random_buffer(), random_part(), stream);
        break;
    default:
        text_format(out, "launch k %s%s -> %s%s on %s\n", random_buffer(), random_part(), random_buffer(),
                    random_part(), stream);
        break;
    }
}

static void append_rank(uint32_t rank, struct text *out)
{
    text_format(out,
                "rank %u\n"
                "buffer x float32[4]\n"
                "buffer y float32[4]\n"
                "managed m float32[4]\n"
                "host h float32[4]\n"
                "host p float32[4] pageable\n"
                "stream a\n"
                "stream n nonblocking\n"
                "stream o nonblocking\n",
                rank);
    for (uint32_t i = 0; i < STATEMENTS; i++)
        append_statement(rank, out);
    if (random_below(3) == 0)
        text_format(out, "free %s\n", random_buffer());
}

/* By point: whether it happens, and which points are behind it when it does. */
struct closure {
    const struct order *order;
    uint8_t *happens;
    uint8_t *behind; /* point_count by point_count */
};

static void happen(struct closure *closure, uint32_t point)
{
    const struct order *order = closure->order;
    size_t count = order->point_count;
    closure->happens[point] = 1;
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++) {
        if (order->waits[w].strength != ALWAYS)
            continue;
        uint32_t before = order->waits[w].point;
        closure->behind[point * count + before] = 1;
        for (size_t p = 0; p < count; p++)
            closure->behind[point * count + p] |= closure->behind[before * count + p];
    }
}

static struct closure close_order(const struct order *order)
{
    struct closure closure = {.order = order};
    closure.happens = memory_zeroed(order->point_count, 1);
    closure.behind = memory_zeroed((size_t)order->point_count * order->point_count, 1);
    struct machine *machine = machine_open(order, CHOICE_GUARANTEED);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t point = 0; point < order->point_count; point++)
            if (machine_may_happen(machine, point)) {
                happen(&closure, point);
                machine_happen(machine, point, NULL, NULL);
                moved = true;
            }
    }
    machine_close(machine);
    return closure;
}

static bool is_operation(const struct closure *closure, uint32_t call)
{
    return order_has_point(closure->order, point_of(call, STARTED));
}

/* Where what a call does with a memory begins and ends. */
static uint32_t begin_of(const struct closure *closure, uint32_t call)
{
    return point_of(call, is_operation(closure, call) ? STARTED : ENTERED);
}

static uint32_t end_of(const struct closure *closure, uint32_t call, uint32_t memory)
{
    const struct program *program = closure->order->program;
    const struct statement *statement = call_statement(program, call);
    bool staged = statement->kind == CALL_COPY && program->memories[memory].kind == MEMORY_PAGEABLE;
    return point_of(call, is_operation(closure, call) && !staged ? DONE : RETURNED);
}

/* What starts and never ends moves nothing. */
static bool happens(const struct closure *closure, uint32_t call)
{
    return closure->happens[is_operation(closure, call) ? point_of(call, DONE) : point_of(call, ENTERED)];
}

static bool comes_before(const struct closure *closure, uint32_t first, uint32_t second, uint32_t memory)
{
    return closure->behind[(size_t)begin_of(closure, second) * closure->order->point_count +
                           end_of(closure, first, memory)];
}

static bool is_race(const struct closure *closure, uint32_t a, uint32_t b, uint32_t memory)
{
    struct span shared;
    enum hazard hazard;
    return happens(closure, a) && happens(closure, b) &&
           calls_conflict(closure->order->program, a, b, memory, &shared, &hazard) &&
           !comes_before(closure, a, b, memory) && !comes_before(closure, b, a, memory);
}

static bool uses(const struct program *program, uint32_t call, uint32_t memory)
{
    const struct statement *statement = call_statement(program, call);
    for (uint32_t i = 0; i < statement->span_count; i++)
        if (program->spans[statement->first_span + i].memory == memory)
            return true;
    return false;
}

static bool any_race(const struct closure *closure, uint32_t memory)
{
    for (uint32_t a = 0; a < closure->order->program->call_count; a++)
        for (uint32_t b = a + 1; b < closure->order->program->call_count; b++)
            if (is_race(closure, a, b, memory))
                return true;
    return false;
}

/* Whether the free of the memory, if it is reached, is not behind all that uses it. */
static bool any_use_after_free(const struct closure *closure, uint32_t memory)
{
    const struct program *program = closure->order->program;
    for (uint32_t f = 0; f < program->call_count; f++) {
        const struct statement *statement = call_statement(program, f);
        if (statement->kind != CALL_FREE || statement->memory != memory ||
            !closure->happens[point_of(f, ENTERED)])
            continue;
        for (uint32_t call = 0; call < program->call_count; call++)
            if (uses(program, call, memory) && happens(closure, call) &&
                !closure->behind[(size_t)point_of(f, ENTERED) * closure->order->point_count +
                                 end_of(closure, call, memory)])
                return true;
    }
    return false;
}

static bool is_found(const struct findings *findings, enum finding_kind kind, uint32_t memory)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->items[i].kind == kind && findings->items[i].memory == memory)
            return true;
    return false;
}

/* Every race that is named has to be one. */
static void check_named(const struct closure *closure, const struct findings *findings, const char *text)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->kind == FINDING_RACE &&
            !is_race(closure, finding->other, finding->call, finding->memory))
            fail_msg("no race of lines %u and %u in\n%s",
                     call_statement(closure->order->program, finding->other)->line,
                     call_statement(closure->order->program, finding->call)->line, text);
    }
}

static struct machine *run_strictly(const struct order *order)
{
    struct machine *machine = machine_open(order, CHOICE_STRICT);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t point = 0; point < order->point_count; point++)
            if (machine_may_happen(machine, point)) {
                machine_happen(machine, point, NULL, NULL);
                moved = true;
            }
    }
    return machine;
}

/* Whether a wait of POINT is on another point that is LEFT. */
static bool waits_for_left(const struct order *order, uint32_t point, const bool *left)
{
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
        if (order->waits[w].point != NONE && left[order->waits[w].point])
            return true;
    return false;
}

/* Takes away what waits for nothing that is left, again and again: only cycles, and what waits for them,
 * stay. */
static bool has_cycle(const struct order *order)
{
    struct machine *machine = run_strictly(order);
    bool *left = memory_zeroed(order->point_count, sizeof *left);
    bool any = false;
    for (uint32_t point = 0; point < order->point_count; point++)
        left[point] = !machine->happened[point] && order_has_point(order, point);
    for (bool moved = true; moved;) {
        moved = false;
        any = false;
        for (uint32_t point = 0; point < order->point_count; point++) {
            bool stays = left[point] && waits_for_left(order, point, left);
            moved |= left[point] && !stays;
            any |= stays;
            left[point] = stays;
        }
    }
    free(left);
    machine_close(machine);
    return any;
}

static bool waits_for(const struct order *order, uint32_t point, uint32_t other)
{
    for (uint32_t w = order->first_wait[point]; w < order->first_wait[point + 1]; w++)
        if (order->waits[w].point == other)
            return true;
    return false;
}

static void check_deadlocks(const struct order *order, const char *text)
{
    struct findings findings = {0};
    find_deadlocks(order, NULL, &findings);
    if (has_cycle(order) != (findings.count > 0))
        fail_msg("found %u deadlocks in\n%s", findings.count, text);
    for (uint32_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        for (uint32_t p = 0; p < finding->cycle_length; p++)
            assert_true(waits_for(order, finding->cycle[p], finding->cycle[(p + 1) % finding->cycle_length]));
    }
    findings_free(&findings);
}

static void check_program(const char *text)
{
    struct fixture fixture = fixture_of(text);
    const struct program *program = fixture.program;
    const struct order *order = fixture.order;
    struct closure closure = close_order(order);
    struct findings findings = {0};
    find_hazards(order, false, &findings);
    for (uint32_t memory = 0; memory < program->memory_count; memory++) {
        if (any_race(&closure, memory) != is_found(&findings, FINDING_RACE, memory))
            fail_msg("race on %s of rank %u: found %d in\n%s", program->memories[memory].name,
                     program->memories[memory].rank, is_found(&findings, FINDING_RACE, memory), text);
        if (any_use_after_free(&closure, memory) != is_found(&findings, FINDING_USE_AFTER_FREE, memory))
            fail_msg("use after free of %s of rank %u: found %d in\n%s", program->memories[memory].name,
                     program->memories[memory].rank, is_found(&findings, FINDING_USE_AFTER_FREE, memory),
                     text);
    }
    check_named(&closure, &findings, text);
    check_deadlocks(order, text);
    free(closure.happens);
    free(closure.behind);
    findings_free(&findings);
    free_fixture(&fixture);
}

static void test_against_the_definition(void **state)
{
    (void)state;
    struct text text = {0};
    for (uint32_t number = 1; number <= PROGRAMS; number++) {
        random_state = number * UINT64_C(0x9E3779B97F4A7C15);
        text_clear(&text);
        for (uint32_t rank = 0; rank < RANKS; rank++)
            append_rank(rank, &text);
        check_program(text_string(&text));
    }
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
