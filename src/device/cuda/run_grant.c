/* What the run lets workers and GPUs do. */
#include "device/cuda/run.h"

void cuda_run_grant(struct driver *run, uint32_t rank, enum grant_kind kind, uint32_t index)
{
    if (run->ranks[rank].gone)
        return;
    const struct grant grant = {.kind = (uint8_t)kind, .answer = kind != GRANT_CALL, .index = index};
    run->setup.grant(run->setup.context, rank, &grant);
}

/* Whether the rank has come to its next call: a barrier holds a host program until every rank is in its own.
 */
static bool may_go_on(const struct driver *run, uint32_t rank)
{
    uint32_t next = run->ranks[rank].next;
    return next == run->program->ranks[rank].first_call ||
           statement_in(run, next - 1)->kind != CALL_BARRIER || run->reached[point_of(next - 1, RETURNED)];
}

void cuda_run_grant_calls(struct driver *run, uint32_t rank)
{
    const struct rank *program = &run->program->ranks[rank];
    uint32_t end = run->plan.simulated ? run->ranks[rank].planned : program->first_call + program->call_count;
    while (run->ranks[rank].next < end && may_go_on(run, rank))
        cuda_run_grant(run, rank, GRANT_CALL, run->ranks[rank].next++);
}

void cuda_run_let_all_go(struct driver *run)
{
    for (uint32_t call = 0; call < run->program->call_count; call++)
        atomic_store(&run->setup.board->calls[call].go, GATE_OPEN);
}

void cuda_run_leave(struct driver *run, enum outcome outcome)
{
    if (run->stage >= RUN_ENDING)
        return;
    run->stage = RUN_ENDING;
    run->outcome = outcome;
    run->ending = cuda_run_clock();
    if (outcome != OUTCOME_FINISHED) {
        atomic_store(&run->setup.board->interrupted, 1);
        cuda_run_let_all_go(run);
    }
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++)
        cuda_run_grant(run, rank, GRANT_LEAVE, 0);
}
