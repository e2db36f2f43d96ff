/* The log's records in the order of the simulation, held back where a worker still has to report what stands
 * in between: values, errors. So the log does not depend on how fast a worker is. */
#ifndef HANDOFF_DEVICE_SIM_JOURNAL_H
#define HANDOFF_DEVICE_SIM_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "log/record.h"

enum { JOURNAL_RANKS = 64, JOURNAL_LIMIT = 1024 };

/* A record, or the place for all that RANK reports up to its next REPORT_ANSWERED. */
struct journal_entry {
    struct record record; /* of a place: time and rank */
    bool awaits;
};

/* What came from a rank before its turn. */
struct journal_report {
    struct record record;
    char *bytes;
};
struct journal_reports {
    struct journal_report *items;
    size_t first, count, capacity; /* from FIRST on, COUNT of them */
};

struct journal {
    void (*say)(void *context, const struct record *record);
    void *context;
    struct journal_entry *entries;
    size_t first, count, capacity; /* from FIRST on, COUNT of them */
    struct journal_reports reports[JOURNAL_RANKS];
    bool lost[JOURNAL_RANKS];
    int64_t lost_at; /* when the last of them was */
};

void journal_free(struct journal *journal);

/* The record must not hold bytes. */
void journal_say(struct journal *journal, const struct record *record);
/* What RANK was told to answer goes here. It gets TIME. */
void journal_await(struct journal *journal, uint32_t rank, int64_t time);
void journal_report(struct journal *journal, uint32_t rank, const struct record *record);
/* The rank reports no more. What it had reported and nothing awaited gets TIME. */
void journal_lose(struct journal *journal, uint32_t rank, int64_t time);

static inline bool journal_is_awaiting(const struct journal *journal)
{
    return journal->count > 0;
}

#endif
