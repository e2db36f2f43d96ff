#include "order/check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "order/deadlock.h"
#include "order/hazard.h"
#include "order/misuse.h"
#include "order/near.h"
#include "order/pairing.h"
#include "order/severed.h"
#include "order/vain.h"
#include "order/wording.h"

/* A plain copy that has returned and is not done surprises; so it is said (rule 9). */
static void word_copy_return(const struct program *program, uint32_t call, struct text *out)
{
    const struct statement *statement = call_statement(program, call);
    if (statement->kind != CALL_COPY || statement->has_stream)
        return;
    if (copy_direction(program, statement) == COPY_HOST_TO_DEVICE)
        text_append(out,
                    ". The copy returned when its pageable source was staged; its last part may still be "
                    "on its way");
    else if (copy_direction(program, statement) == COPY_DEVICE_TO_DEVICE)
        text_append(out, ". A copy from device to device returns when it is submitted");
}

/* EARLIER, a call of CALL's rank that was made before it. What stands on a later line comes from another
 * round of a `repeat`. */
static void word_earlier(const struct program *program, uint32_t earlier, uint32_t call, struct text *out)
{
    word_call_of_rank(program, earlier, out);
    if (call_statement(program, earlier)->line >= call_statement(program, call)->line)
        text_append(out, " of an earlier round");
}

static void word_race(const struct finding *finding, const struct order *order, struct near_search *search,
                      struct text *out)
{
    static const char *const names[] = {"read-after-write", "write-after-read", "write-after-write"};
    static const char *const verbs[] = {" reads what ", " writes over what ", " writes over what "};
    static const char *const earlier_verbs[] = {" writes", " reads", " writes"};
    const struct program *program = order->program;
    struct span shared = {0};
    enum hazard hazard = READ_AFTER_WRITE;
    calls_conflict(program, finding->other, finding->call, finding->memory, &shared, &hazard);
    text_append(out, names[hazard]);
    text_append(out, " on ");
    word_elements(program, finding->memory, shared.first, shared.count, out);
    text_append(out, ": ");
    word_call(program, finding->call, out);
    text_append(out, verbs[hazard]);
    word_earlier(program, finding->other, finding->call, out);
    text_append(out, earlier_verbs[hazard]);
    text_append(out, ", and nothing makes it wait for the end of that");
    word_copy_return(program, finding->other, out);
    vain_words(order, finding->other, finding->call, out);
    near_words(search, finding->other, finding->call, out);
}

static void word_use_after_free(const struct finding *finding, const struct order *order,
                                struct near_search *search, struct text *out)
{
    const struct program *program = order->program;
    const char *name = program->memories[finding->memory].name;
    bool freed_first = call_statement(program, finding->call)->kind != CALL_FREE;
    word_call(program, finding->call, out);
    if (freed_first || call_statement(program, finding->other)->kind == CALL_FREE) {
        text_format(out, freed_first ? " uses %s after " : " frees %s again after ", name);
        word_earlier(program, finding->other, finding->call, out);
        return;
    }
    text_format(out, " may free %s while ", name);
    word_earlier(program, finding->other, finding->call, out);
    text_append(out,
                " uses it: free may wait for the GPU and may not, so it proves no order, and nothing else "
                "makes it wait");
    vain_words(order, finding->other, finding->call, out);
    near_words(search, finding->other, finding->call, out);
}

static void word_uninitialized(const struct finding *finding, const struct order *order, struct text *out)
{
    const struct program *program = order->program;
    const struct statement *statement = call_statement(program, finding->call);
    word_call(program, finding->call, out);
    text_append(out, " reads ");
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        if (span->memory != finding->memory || span->access == ACCESS_WRITE)
            continue;
        word_elements(program, span->memory, span->first, span->count, out);
        break;
    }
    text_append(out, ", and nothing has written all of it before");
}

static void word_finding(struct finding *finding, const struct order *order, struct near_search *search)
{
    struct text text = {0};
    if (finding->text)
        return;
    switch (finding->kind) {
    case FINDING_RACE:
        word_race(finding, order, search, &text);
        break;
    case FINDING_USE_AFTER_FREE:
        word_use_after_free(finding, order, search, &text);
        break;
    case FINDING_UNINITIALIZED:
        word_uninitialized(finding, order, &text);
        break;
    case FINDING_DEADLOCK:
        word_deadlock(order, finding, &text);
        break;
    default:
        break;
    }
    finding->text = memory_copy_string(text_string(&text));
    text_free(&text);
}

static void word_findings(struct findings *findings, const struct order *order)
{
    struct machine *machine = NULL;
    struct near_search *search = NULL;
    if (findings->totals[FINDING_RACE] > 0 || findings->totals[FINDING_USE_AFTER_FREE] > 0) {
        machine = machine_open(order, CHOICE_GUARANTEED);
        search = near_open(machine);
    }
    for (uint32_t i = 0; i < findings->count; i++)
        word_finding(&findings->items[i], order, search);
    if (search)
        near_close(search);
    machine_close(machine);
}

struct findings order_check(const struct order *order)
{
    struct findings findings = {0};
    uint32_t *ended = find_ended_communicators(order->program);
    find_misuse(order->program, &findings);
    find_unpaired(order, ended, &findings);
    find_severed(order, ended, &findings);
    bool all_end = find_deadlocks(order, ended, &findings);
    find_hazards(order, all_end, &findings);
    word_findings(&findings, order);
    findings_sort(&findings, order->program);
    free(ended);
    return findings;
}
