/* A lesson under one choice of variants, run in the simulator and walked: what `lint` compares. */
#ifndef HANDOFF_COMMAND_LINT_RUN_H
#define HANDOFF_COMMAND_LINT_RUN_H

#include "lesson/lesson.h"
#include "log/record.h"

struct lint_run {
    struct text log;     /* the ranks' GPUs, and all records but pids and notes, a line each */
    struct text verdict; /* the checker's findings */
    enum outcome outcome;
    size_t *steps; /* of the walk: indices into the lesson's */
    size_t step_count;
    bool *reached;          /* by place in the walk: the run came to where the step ends */
    bool ends_in_last_step; /* when the last step has been reached, no work is left: at most the run's end */
};

/* False and ERROR where it cannot be run: then only the verdict is there. Freed by lint_run_free(), also
 * after that. */
bool lint_run_make(struct lint_run *run, const struct lesson *lesson, uint32_t variants, struct error *error);
void lint_run_free(struct lint_run *run);

#endif
