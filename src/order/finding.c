#include "order/finding.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct {
    const char *name;
    enum severity severity;
} kinds[FINDING_KIND_COUNT] = {
    [FINDING_RACE] = {"race", SEVERITY_ERROR},
    [FINDING_DEADLOCK] = {"deadlock", SEVERITY_ERROR},
    [FINDING_UNMATCHED] = {"unmatched", SEVERITY_ERROR},
    [FINDING_MISMATCH] = {"mismatch", SEVERITY_ERROR},
    [FINDING_USE_AFTER_FREE] = {"use-after-free", SEVERITY_ERROR},
    [FINDING_UNINITIALIZED] = {"uninitialized", SEVERITY_WARNING},
    [FINDING_UNRECORDED] = {"unrecorded", SEVERITY_WARNING},
    [FINDING_MISUSE] = {"misuse", SEVERITY_ERROR},
    [FINDING_UNPORTABLE] = {"unportable", SEVERITY_WARNING},
    [FINDING_REDUNDANT] = {"redundant", SEVERITY_NOTE},
    [FINDING_SERIAL] = {"serial", SEVERITY_NOTE},
};

const char *finding_kind_name(enum finding_kind kind)
{
    return kinds[kind].name;
}

enum severity finding_severity(enum finding_kind kind)
{
    return kinds[kind].severity;
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {"error", "warning", "note"};
    return names[severity];
}

struct finding *findings_add(struct findings *findings, enum finding_kind kind, uint32_t call, uint32_t other,
                             uint32_t memory)
{
    if (findings->totals[kind] < FINDING_COUNT_LIMIT)
        findings->totals[kind]++;
    if (findings->totals[kind] > FINDING_LIMIT)
        return NULL;
    ARRAY_RESERVE(findings->items, findings->count, findings->capacity);
    struct finding *finding = &findings->items[findings->count++];
    *finding = (struct finding){.kind = kind, .call = call, .other = other, .memory = memory};
    return finding;
}

uint32_t findings_error_count(const struct findings *findings)
{
    uint32_t count = 0;
    for (enum finding_kind kind = 0; kind < FINDING_KIND_COUNT; kind++)
        if (finding_severity(kind) == SEVERITY_ERROR)
            count += findings->totals[kind];
    return count;
}

/* qsort() hands nothing else to the comparison. */
struct placed_finding {
    uint32_t line;
    struct finding finding;
};

static int compare_places(const void *a, const void *b)
{
    const struct placed_finding *left = a, *right = b;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    if (left->finding.kind != right->finding.kind)
        return left->finding.kind < right->finding.kind ? -1 : 1;
    if (left->finding.call != right->finding.call)
        return left->finding.call < right->finding.call ? -1 : 1;
    if (left->finding.other != right->finding.other)
        return left->finding.other < right->finding.other ? -1 : 1;
    return left->finding.memory < right->finding.memory ? -1 : left->finding.memory > right->finding.memory;
}

void findings_sort(struct findings *findings, const struct program *program)
{
    struct placed_finding *placed = memory_resize(NULL, findings->count, sizeof *placed);
    for (uint32_t i = 0; i < findings->count; i++)
        placed[i] = (struct placed_finding){.line = call_statement(program, findings->items[i].call)->line,
                                            .finding = findings->items[i]};
    qsort(placed, findings->count, sizeof *placed, compare_places);
    for (uint32_t i = 0; i < findings->count; i++)
        findings->items[i] = placed[i].finding;
    free(placed);
}

void findings_free(struct findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        free(findings->items[i].cycle);
        free(findings->items[i].text);
    }
    free(findings->items);
    *findings = (struct findings){0};
}

static uint32_t add_call(uint32_t *calls, uint32_t count, uint32_t limit, uint32_t call)
{
    for (uint32_t i = 0; i < count; i++)
        if (calls[i] == call)
            return count;
    if (count < limit)
        calls[count++] = call;
    return count;
}

uint32_t finding_calls(const struct finding *finding, uint32_t *calls, uint32_t limit)
{
    uint32_t count = add_call(calls, 0, limit, finding->call);
    if (finding->other != NONE)
        count = add_call(calls, count, limit, finding->other);
    for (uint32_t i = 0; i < finding->cycle_length; i++)
        count = add_call(calls, count, limit, point_call(finding->cycle[i]));
    return count;
}
