/* What the checker found, as data; check.h makes it. */
#ifndef HANDOFF_ORDER_FINDING_H
#define HANDOFF_ORDER_FINDING_H

#include "order/order.h"

enum finding_kind {
    FINDING_RACE,
    FINDING_DEADLOCK,
    FINDING_UNMATCHED,
    FINDING_MISMATCH,
    FINDING_USE_AFTER_FREE,
    FINDING_UNINITIALIZED,
    FINDING_UNRECORDED,
    FINDING_MISUSE,
    FINDING_UNPORTABLE,
    FINDING_REDUNDANT,
    FINDING_SERIAL,
    FINDING_KIND_COUNT
};

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE };

/* Of each kind so many are kept; the rest is counted, up to a number that is as good as any. */
enum { FINDING_LIMIT = 100, FINDING_COUNT_LIMIT = 100000 };

struct finding {
    enum finding_kind kind;
    uint32_t call;   /* where it is reported: of two that conflict the later one */
    uint32_t other;  /* the earlier one, the partner, what was freed; NONE */
    uint32_t memory; /* NONE */
    uint32_t *cycle; /* deadlock: points, each waiting for the next and the last for the first */
    uint32_t cycle_length;
    char *text; /* one line, ASCII */
};

struct findings {
    struct finding *items;
    uint32_t count, capacity;
    uint32_t totals[FINDING_KIND_COUNT]; /* those not kept included; at most FINDING_COUNT_LIMIT */
};

const char *finding_kind_name(enum finding_kind kind);
enum severity finding_severity(enum finding_kind kind);
const char *severity_name(enum severity severity);

/* Adds a finding without its text; NULL where enough of the kind are kept. Valid until the next one. */
struct finding *findings_add(struct findings *findings, enum finding_kind kind, uint32_t call, uint32_t other,
                             uint32_t memory);
uint32_t findings_error_count(const struct findings *findings);
void findings_sort(struct findings *findings, const struct program *program);
void findings_free(struct findings *findings);

/* The calls that a finding is about, the reported one first. Returns how many; CALLS has room for LIMIT. */
uint32_t finding_calls(const struct finding *finding, uint32_t *calls, uint32_t limit);

#endif
