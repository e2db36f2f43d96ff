/* The inside of the CUDA backend's driver. It lives in the launcher and touches nothing of CUDA: it grants
 * calls, opens the board's `go` words, and merges what the workers report.
 *
 * A free run grants everything and merges. A stepped run has a plan: the simulator's driver runs beside it,
 * without workers, obeys the session's gates and goals, and says what is to happen next; the run grants that
 * to the host programs and streams and goes on when the GPUs have done it. So a walk stops at the same places
 * on hardware and in the simulator. */
#ifndef HANDOFF_DEVICE_CUDA_RUN_H
#define HANDOFF_DEVICE_CUDA_RUN_H

#include "device/cuda/arrivals.h"
#include "device/driver.h"

enum { RUN_RANKS = SCHEDULE_MAX_RANKS };

/* Where setting up begins in the log, whose 0 is its end: nobody knows when that is while it lasts. */
#define SETUP_BEGINS_NS INT64_C(-1000000000)

enum run_stage {
    RUN_SETTING_UP, /* ids and communicators */
    RUN_GOING,
    RUN_ENDING, /* every worker was told to leave */
    RUN_ENDED,
};

struct run_rank {
    uint32_t answered; /* grants of the setting up that were answered */
    uint32_t next;     /* the next call to grant */
    uint32_t planned;  /* stepped runs: the plan has gone on up to this call */
    uint32_t current;  /* the call that was entered last; NONE */
    bool gone, left;
};

struct plan {
    struct driver *simulated;    /* NULL in a free run */
    struct board *board;         /* the session's gates, as the plan sees them */
    uint32_t answers[RUN_RANKS]; /* that the simulated workers still have to give */
    uint32_t *expected;          /* the points that the run waits for the GPUs and host programs to reach */
    uint32_t expected_count, expected_capacity;
    int64_t expected_since;
    int64_t planned, real; /* the plan's time when it went on last, and the log's time then */
    bool over;             /* nothing more is planned */
};

struct driver {
    struct driver_setup setup;
    const struct program *program;
    const struct order *order;
    enum run_stage stage;
    enum outcome outcome;
    struct run_rank ranks[RUN_RANKS];
    struct arrivals arrivals;
    struct plan plan;
    uint8_t *reached;    /* by point: it was reported */
    uint8_t *said;       /* by point: it is in the log */
    uint32_t *wait_said; /* by point: one more than the number of the wait that was said of it last */
    uint32_t returned, done, operations; /* said so far; operations in all */
    int64_t busy_until; /* host clock: until then what has started may take as long as it was told to */
    int64_t opened, zero, last_said; /* host clock; the log's */
    int64_t progressed, ending;      /* host clock */
    int64_t advanced;                /* host clock: when it last did something, or nothing could be done */
    bool awaited;                    /* and then it had to wait */
    int64_t rested;                  /* ns that are to be left out of the log's time */
};

int64_t cuda_run_clock(void); /* the host's, ns */

static inline const struct statement *statement_in(const struct driver *run, uint32_t call)
{
    return call_statement(run->program, call);
}

/* say.c: into the log, with what follows from it. */
void cuda_run_arrive(struct driver *run, const struct record *record);
/* NCCL 2.28 comes back from ncclCommDestroy without the other ranks when they meet over sockets
 * (docs/measured.md). A program must not count on that, so the language has it wait; a log may show that it
 * did not. WAIT is of POINT, and for a point. */
bool cuda_run_may_pass(const struct program *program, uint32_t point, const struct wait *wait);
/* Says the earliest record if it is no later than UNTIL (host clock), and nothing of what the rules put
 * before it is still to be reported, unless it waited for that long enough. INT64_MAX: whatever it is. */
bool cuda_run_say_next(struct driver *run, int64_t until);
/* Says what each operation and call that cannot go on waits for. */
void cuda_run_say_waits(struct driver *run);

/* grant.c */
void cuda_run_grant(struct driver *run, uint32_t rank, enum grant_kind kind, uint32_t index);
/* Grants the rank's calls up to its next barrier, and no further than a plan has gone. */
void cuda_run_grant_calls(struct driver *run, uint32_t rank);
void cuda_run_leave(struct driver *run, enum outcome outcome);
void cuda_run_let_all_go(struct driver *run);

/* plan.c */
void cuda_plan_open(struct driver *run);
/* The real setting up is over: leaves the plan's own behind. */
void cuda_plan_begin(struct driver *run);
void cuda_plan_close(struct plan *plan);
void cuda_plan_mirror_gates(struct driver *run);
enum advance cuda_plan_advance(struct driver *run, int64_t until);
int64_t cuda_plan_next_due(const struct driver *run); /* in the log's time; TIME_NONE */
/* Whether the points that are expected were reached, or are not worth waiting for any longer. */
bool cuda_plan_expectations_are_over(struct driver *run);

#endif
