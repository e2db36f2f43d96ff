/* usage: agree [COUNT [SEED]]
 *        agree --long MINUTES [SEED]
 *
 * Compares the checker's verdicts on random small schedules with the truth, and shows the smallest schedule
 * on which the two differ. COUNT is 20,000 where none is given. --long goes on for so many minutes. Ends with
 * status 1 where something differs, or where a kind of statement or of verdict no longer comes up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agree.h"
#include "order/check.h"

struct tally {
    uint64_t schedules, judged, all_states, enumerated;
    uint64_t races, frees, stuck, neither;
    uint64_t kinds[CALL_KIND_COUNT];
};

struct subject {
    struct schedule *schedule;
    struct program *program;
    struct order *order;
};

static void subject_free(struct subject *subject)
{
    order_free(subject->order);
    program_free(subject->program);
    schedule_free(subject->schedule);
    *subject = (struct subject){0};
}

/* VARIANTS: a set. False where the text is no schedule. */
static bool read_subject(const char *text, uint32_t variants, struct subject *subject)
{
    struct diagnostics faults = {0};
    *subject = (struct subject){0};
    subject->schedule = schedule_parse(text, strlen(text), 1, &faults);
    if (subject->schedule)
        subject->program = program_resolve(
            subject->schedule, schedule_variant_count(subject->schedule) > 0 ? variants : 0, &faults);
    if (subject->program)
        subject->order = order_build(subject->program);
    diagnostics_free(&faults);
    if (!subject->order)
        subject_free(subject);
    return subject->order;
}

struct verdict {
    bool raced[TRUTH_MEMORIES], gone[TRUTH_MEMORIES];
    bool deadlock, unmatched;
    bool after_end; /* work on a communicator that its rank has ended */
};

static bool is_after_end(const struct program *program, const struct finding *finding)
{
    if (finding->kind != FINDING_USE_AFTER_FREE || finding->other == NONE)
        return false;
    uint8_t ended_by = call_statement(program, finding->other)->kind;
    return ended_by == CALL_DESTROY || ended_by == CALL_ABORT;
}

static struct verdict verdict_of(const struct order *order)
{
    struct verdict verdict = {0};
    struct findings findings = order_check(order);
    for (uint32_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        if (finding->kind == FINDING_RACE)
            verdict.raced[finding->memory] = true;
        if (is_after_end(order->program, finding))
            verdict.after_end = true;
        else if (finding->kind == FINDING_USE_AFTER_FREE)
            verdict.gone[finding->memory] = true;
        verdict.deadlock |= finding->kind == FINDING_DEADLOCK;
        verdict.unmatched |= finding->kind == FINDING_UNMATCHED;
    }
    findings_free(&findings);
    return verdict;
}

static bool has_kind(const struct program *program, uint8_t kind)
{
    for (uint32_t call = 0; call < program->call_count; call++)
        if (call_statement(program, call)->kind == kind)
            return true;
    return false;
}

static const char *compare_memory(const struct verdict *verdict, const struct truth *truth, uint32_t memory)
{
    if (verdict->gone[memory] && !truth->gone[memory])
        return "the checker says use-after-free, and every execution frees last";
    if (truth->gone[memory] && !verdict->gone[memory])
        return "some execution uses memory that was freed, and the checker does not say so";
    if (verdict->raced[memory] && !truth->raced[memory])
        return "the checker says race, and no two accesses meet or change places";
    /* What is used after a free is not said to race as well. */
    if (truth->raced[memory] && !verdict->raced[memory] && !truth->gone[memory])
        return "some executions race, and the checker does not say so";
    return NULL;
}

static const char *compare_stuck(const struct program *program, const struct verdict *verdict,
                                 const struct truth *truth)
{
    if (verdict->deadlock && !truth->circular)
        return "the checker says deadlock, and no waits go round";
    if (truth->stuck && !verdict->deadlock && !verdict->unmatched && !verdict->after_end)
        return "strict runs get stuck, and the checker does not say so";
    if (truth->circular && !verdict->deadlock && !verdict->after_end)
        return "waits go round, and the checker does not say so";
    if (truth->waits_for_nothing && !verdict->unmatched && !verdict->after_end)
        return "something waits for what never comes, and the checker says nothing unmatched";
    if (verdict->unmatched && !truth->stuck && !has_kind(program, CALL_ABORT))
        return "the checker says unmatched, and strict runs finish";
    return NULL;
}

/* How the verdict and the truth differ; NULL where they agree, or the schedule is too large to be judged. */
static const char *compare(const struct order *order, struct verdict *verdict, struct truth *truth,
                           bool *enumerated)
{
    *enumerated = false;
    find_truth(order, truth);
    if (!truth->fits || truth->contradiction)
        return truth->contradiction;
    *verdict = verdict_of(order);
    for (uint32_t memory = 0; memory < order->program->memory_count; memory++) {
        const char *difference = compare_memory(verdict, truth, memory);
        if (difference)
            return difference;
    }
    const char *difference = compare_stuck(order->program, verdict, truth);
    if (!difference)
        difference = compare_endings(order, truth, enumerated);
    return difference ? difference : compare_cut_off(order);
}

static const char *compare_text(const char *text, uint32_t variants)
{
    struct subject subject;
    struct verdict verdict;
    struct truth truth;
    bool enumerated;
    if (!read_subject(text, variants, &subject))
        return NULL;
    const char *difference = compare(subject.order, &verdict, &truth, &enumerated);
    subject_free(&subject);
    return difference;
}

/* Shrinking. */

/* The text without lines FIRST and SECOND (which may be the same). */
static void append_without(const char *text, uint32_t first, uint32_t second, struct text *out)
{
    for (uint32_t line = 0; *text; line++) {
        size_t length = strcspn(text, "\n") + 1;
        if (line != first && line != second)
            text_append_bytes(out, text, length);
        text += length;
    }
}

static uint32_t count_lines(const char *text)
{
    uint32_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static bool drop_lines(struct text *text, uint32_t variants, uint32_t first, uint32_t second)
{
    struct text shorter = {0};
    append_without(text_string(text), first, second, &shorter);
    bool differs = compare_text(text_string(&shorter), variants);
    if (differs) {
        text_clear(text);
        text_append(text, text_string(&shorter));
    }
    text_free(&shorter);
    return differs;
}

/* Drops lines, one or two at once, as long as the difference stays. */
static void shrink(struct text *text, uint32_t variants)
{
    bool shrunk = true;
    while (shrunk) {
        shrunk = false;
        for (uint32_t first = 0; first < count_lines(text_string(text)); first++)
            for (uint32_t second = first; second < count_lines(text_string(text)); second++)
                shrunk |= drop_lines(text, variants, first, second);
    }
}

static void show_difference(uint64_t seed, uint32_t variants, const struct text *text)
{
    struct text smallest = {0};
    text_append(&smallest, text_string(text));
    shrink(&smallest, variants);
    printf("schedule %llu%s: %s\n%s", (unsigned long long)seed, variants ? " with its variant" : "",
           compare_text(text_string(&smallest), variants), text_string(&smallest));
    text_free(&smallest);
}

/* Counting. */

static void count(struct tally *tally, const struct program *program, const struct truth *truth)
{
    bool raced = false, gone = false;
    tally->judged += truth->fits;
    tally->all_states += truth->all_states;
    if (!truth->fits)
        return;
    for (uint32_t memory = 0; memory < program->memory_count; memory++) {
        raced |= truth->raced[memory];
        gone |= truth->gone[memory];
    }
    tally->races += raced;
    tally->frees += gone;
    tally->stuck += truth->stuck;
    tally->neither += !raced && !gone && !truth->stuck;
    for (int kind = 0; kind < CALL_KIND_COUNT; kind++)
        tally->kinds[kind] += has_kind(program, (uint8_t)kind);
}

/* Whether the verdicts on one schedule hold. */
static bool try_schedule(uint64_t seed, struct tally *tally)
{
    struct text text = {0};
    bool holds = true, enumerated;
    uint32_t variants = seed % 2;
    struct subject subject;
    struct verdict verdict;
    struct truth truth;
    generate(seed, &text);
    tally->schedules++;
    if (!read_subject(text_string(&text), variants, &subject)) {
        printf("schedule %llu cannot be read\n%s", (unsigned long long)seed, text_string(&text));
        holds = false;
    } else {
        holds = !compare(subject.order, &verdict, &truth, &enumerated);
        tally->enumerated += enumerated;
        count(tally, subject.program, &truth);
        subject_free(&subject);
        if (!holds)
            show_difference(seed, variants, &text);
    }
    text_free(&text);
    return holds;
}

/* Whether one in SHARE of the schedules at least shows it. */
static bool comes_up(const struct tally *tally, const char *what, uint64_t times, uint64_t share)
{
    if (times * share >= tally->schedules)
        return true;
    printf("too few of the schedules have: %s (%llu)\n", what, (unsigned long long)times);
    return false;
}

static bool print_tally(const struct tally *tally)
{
    printf("%llu schedules, %llu judged, %llu of them by all states and %llu by all executions: race in "
           "%llu, use-after-free in %llu, stuck %llu, nothing in %llu\n",
           (unsigned long long)tally->schedules, (unsigned long long)tally->judged,
           (unsigned long long)tally->all_states, (unsigned long long)tally->enumerated,
           (unsigned long long)tally->races, (unsigned long long)tally->frees,
           (unsigned long long)tally->stuck, (unsigned long long)tally->neither);
    bool fine = comes_up(tally, "races", tally->races, 10);
    fine &= comes_up(tally, "uses after free", tally->frees, 50);
    fine &= comes_up(tally, "stuck runs", tally->stuck, 10);
    fine &= comes_up(tally, "nothing", tally->neither, 10);
    fine &= comes_up(tally, "a judgement by all states", tally->all_states, 2);
    fine &= comes_up(tally, "a judgement by all executions", tally->enumerated, 4);
    for (int kind = 0; kind < CALL_KIND_COUNT; kind++)
        fine &= comes_up(tally, call_kind_name((enum call_kind)kind), tally->kinds[kind], 100);
    return fine;
}

enum { FEW_DIFFERENCES = 5 };

int main(int argc, char **argv)
{
    bool is_long = argc > 2 && strcmp(argv[1], "--long") == 0;
    argc -= is_long;
    argv += is_long;
    uint64_t limit = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    time_t end = time(NULL) + (time_t)limit * 60;
    struct tally tally = {0};
    uint32_t differences = 0;
    while (differences < FEW_DIFFERENCES && (is_long ? time(NULL) < end : tally.schedules < limit))
        differences += !try_schedule(seed++, &tally);
    bool fine = print_tally(&tally) && differences == 0;
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
