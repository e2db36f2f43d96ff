/* What `handoff bench` measures, and how: each figure comes from a schedule that is run on the GPUs. */
#ifndef HANDOFF_COMMAND_BENCH_H
#define HANDOFF_COMMAND_BENCH_H

#include "base/text.h"
#include "log/view.h"

/* A schedule that was run on the GPUs to its end, and all times of it. */
struct benched {
    struct schedule *schedule;
    struct program *program;
    struct order *order;
    struct view *view;
    struct text backend; /* the machine in words */
};
/* UNWATCHED: without marks, so that operations have no times. False and ERROR where the run did not finish.
 */
bool bench_run(struct benched *benched, const char *text, const char *gpus, bool unwatched,
               struct error *error);
void benched_free(struct benched *benched);

/* The INDEX-th call of the kind in the rank; NULL where there are not so many. */
const struct view_call *benched_call(const struct benched *benched, uint32_t rank, enum call_kind kind,
                                     uint32_t index);

int64_t bench_median(int64_t *values, size_t count); /* sorts them */

/* A median, and between what the true one lies with 95 %. */
struct estimate {
    int64_t median, low, high;
};
/* Sorts the values: at least six. Takes nothing for granted of how they scatter. */
struct estimate bench_estimate(int64_t *values, size_t count);

/* The overlap at one size; times in ns. */
struct overlap_figures {
    uint64_t bytes;
    int64_t receive, c, b;             /* each by itself, in one stream */
    int64_t serial, overlapped, bound; /* bound: max(receive, C) + B */
    double bandwidth;                  /* of back-to-back receives, bytes/s */
};
bool bench_overlap(uint64_t bytes, const char *gpus, struct overlap_figures *figures, struct error *error);

/* What marks cost: the same free run with and without them, of transfers and kernels or of kernels alone. */
struct mark_figures {
    uint64_t bytes;
    bool transfers;
    uint32_t operations;
    int64_t marked, unmarked; /* the whole run, ns: the median of several */
    struct estimate cost;     /* of the whole run, ns: of the differences of neighbouring runs */
};
bool bench_marks(uint64_t bytes, bool transfers, const char *gpus, struct mark_figures *figures,
                 struct error *error);

/* From the launcher's opening of a gate to its seeing the mark behind it, ns. */
struct gate_figures {
    uint32_t count;
    int64_t least, median, mean, most;
};
/* On the GPU of rank 0. */
bool bench_gates(const char *gpus, struct gate_figures *figures, struct error *error);

#endif
