/* A log as text: what `run` and `replay` print. Everything untrusted in it is visible already. */
#ifndef HANDOFF_LOG_PRINT_H
#define HANDOFF_LOG_PRINT_H

#include "log/view.h"

struct print {
    const struct view *view;
    bool ascii;
    int call_width; /* columns for the words of a call */
};

struct print print_open(const struct view *view, bool ascii);

/* Appends the record as a line: time, rank, call, what happened. The view was folded up to it. */
void print_record(const struct print *print, const struct record *record, struct text *out);

/* Appends the record as a sentence: "0.468 ms, rank 0: launch A -> x on S0 started." */
void print_sentence(const struct print *print, const struct record *record, struct text *out);

/* Appends what the memory holds: "Rank 1: y (float32[4]) holds 2 4 6 8." */
void print_memory_sentence(const struct print *print, uint32_t index, struct text *out);

/* Appends what print_waiting() does, a sentence a line. */
void print_waiting_sentences(const struct print *print, struct text *out);

/* Appends a line for each call and operation that was begun or submitted and does not go on, and what it
 * waits for. */
void print_waiting(const struct print *print, struct text *out);

/* Appends every rank's buffers. GPUS: as in the log's header. */
void print_buffers(const struct print *print, const uint16_t *gpus, size_t gpu_count, struct text *out);

/* "finished at 6.200 ms" */
void print_outcome(enum outcome outcome, int64_t time, struct text *out);

#endif
