#include "device/sim/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/device.h"

void journal_free(struct journal *journal)
{
    for (size_t rank = 0; rank < JOURNAL_RANKS; rank++) {
        struct journal_reports *reports = &journal->reports[rank];
        for (size_t i = 0; i < reports->count; i++)
            free(reports->items[reports->first + i].bytes);
        free(reports->items);
    }
    free(journal->entries);
}

static void add_entry(struct journal *journal, const struct journal_entry *entry)
{
    if (journal->first + journal->count == journal->capacity && journal->first > journal->count) {
        memmove(journal->entries, journal->entries + journal->first,
                journal->count * sizeof *journal->entries);
        journal->first = 0;
    }
    size_t end = journal->first + journal->count;
    ARRAY_RESERVE(journal->entries, end, journal->capacity);
    journal->entries[end] = *entry;
    journal->count++;
}

static void add_report(struct journal_reports *reports, const struct record *record)
{
    if (reports->first + reports->count == reports->capacity && reports->first > reports->count) {
        memmove(reports->items, reports->items + reports->first, reports->count * sizeof *reports->items);
        reports->first = 0;
    }
    size_t end = reports->first + reports->count;
    ARRAY_RESERVE(reports->items, end, reports->capacity);
    struct journal_report *report = &reports->items[end];
    report->record = *record;
    report->bytes = NULL;
    if (record->length > 0)
        report->bytes = memcpy(memory_resize(NULL, record->length, 1), record->bytes, record->length);
    report->record.bytes = report->bytes;
    reports->count++;
}

/* Says what RANK has reported at TIME, up to the end of an answer. True where that was there. */
static bool say_answer(struct journal *journal, uint32_t rank, int64_t time)
{
    struct journal_reports *reports = &journal->reports[rank];
    bool answered = false;
    while (!answered && reports->count > 0) {
        struct journal_report *report = &reports->items[reports->first++];
        reports->count--;
        answered = report->record.kind == REPORT_ANSWERED;
        report->record.time = time;
        if (!answered)
            journal->say(journal->context, &report->record);
        free(report->bytes);
    }
    if (reports->count == 0)
        reports->first = 0;
    return answered;
}

/* Says all that awaits nothing any more. */
static void go_on(struct journal *journal)
{
    while (journal->count > 0) {
        const struct journal_entry entry = journal->entries[journal->first];
        if (!entry.awaits)
            journal->say(journal->context, &entry.record);
        else if (!say_answer(journal, entry.record.rank, entry.record.time) &&
                 !journal->lost[entry.record.rank])
            return;
        journal->first++;
        journal->count--;
    }
    journal->first = 0;
    for (uint32_t rank = 0; rank < JOURNAL_RANKS; rank++)
        while (journal->lost[rank] && journal->reports[rank].count > 0)
            say_answer(journal, rank, journal->lost_at);
}

void journal_say(struct journal *journal, const struct record *record)
{
    if (journal->count == 0)
        journal->say(journal->context, record);
    else
        add_entry(journal, &(struct journal_entry){.record = *record});
}

void journal_await(struct journal *journal, uint32_t rank, int64_t time)
{
    add_entry(journal, &(struct journal_entry){.record = {.rank = rank, .time = time}, .awaits = true});
}

void journal_report(struct journal *journal, uint32_t rank, const struct record *record)
{
    add_report(&journal->reports[rank], record);
    go_on(journal);
}

void journal_lose(struct journal *journal, uint32_t rank, int64_t time)
{
    journal->lost[rank] = true;
    journal->lost_at = time;
    go_on(journal);
}
