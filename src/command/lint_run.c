#include "command/lint_run.h"

#include <stdlib.h>

#include "base/memory.h"
#include "lesson/until.h"
#include "log/log.h"
#include "order/check.h"
#include "process/session.h"

struct walked {
    struct lint_run *run;
    const struct lesson *lesson;
    struct view *view;
    size_t at; /* the step that is to be reached */
};

static void compare_by(struct lint_run *run, const struct record *record)
{
    struct record shown = *record;
    if (shown.kind == RECORD_NOTE)
        return;
    if (shown.kind == RECORD_FORKED)
        shown.number = 0;
    log_record_to_json(&shown, &run->log);
    text_append(&run->log, "\n");
}

/* On to the first step that the run has not come to the end of. */
static void walk_on(struct walked *walked)
{
    struct lint_run *run = walked->run;
    for (; walked->at < run->step_count; walked->at++) {
        const struct step *step = &walked->lesson->steps[run->steps[walked->at]];
        if (step->until && !until_is_met(step->until, walked->view))
            return;
        run->reached[walked->at] = true;
    }
    run->ends_in_last_step = true;
}

static void take_record(void *context, const struct record *record)
{
    struct walked *walked = context;
    bool was_through = walked->at == walked->run->step_count;
    view_apply(walked->view, record);
    compare_by(walked->run, record);
    /* What hosts do behind the last work, such as giving memory back, need not be shown; getting stuck does.
     */
    if (!was_through)
        walk_on(walked);
    else if (record->kind == RECORD_STARTED || record->kind == RECORD_DONE ||
             walked->view->outcome == OUTCOME_STUCK)
        walked->run->ends_in_last_step = false;
}

static bool run_to_the_end(struct lint_run *run, const struct lesson *lesson, const struct order *order,
                           struct error *error)
{
    struct walked walked = {.run = run, .lesson = lesson, .view = view_open(order)};
    const struct session_options options = {
        .backend = BACKEND_SIM, .report_values = true, .sink = take_record, .context = &walked};
    const struct session_goal end = {.kind = GOAL_END};
    walk_on(&walked);
    struct session *session = session_open(order, &options, error);
    if (session) {
        session_set_goal(session, &end);
        session_wait(session);
        run->outcome = walked.view->outcome;
    }
    session_close(session);
    view_close(walked.view);
    return session != NULL;
}

/* Which GPU each rank has is on the screen, and in no record. */
static void compare_by_gpus(struct lint_run *run, const struct program *program)
{
    for (uint32_t rank = 0; rank < program->rank_count; rank++)
        text_format(&run->log, "rank %u on gpu %u\n", rank, (unsigned)program->ranks[rank].gpu);
}

static void take_verdict(struct lint_run *run, const struct order *order)
{
    struct findings findings = order_check(order);
    for (uint32_t i = 0; i < findings.count; i++)
        text_format(&run->verdict, "%s: %s\n", finding_kind_name(findings.items[i].kind),
                    findings.items[i].text);
    findings_free(&findings);
}

bool lint_run_make(struct lint_run *run, const struct lesson *lesson, uint32_t variants, struct error *error)
{
    struct diagnostics faults = {0};
    *run = (struct lint_run){0};
    run->steps = memory_zeroed(lesson->step_count, sizeof *run->steps);
    run->reached = memory_zeroed(lesson->step_count, sizeof *run->reached);
    run->step_count = lesson_walk(lesson, variants, run->steps);
    struct program *program = program_resolve(lesson->schedule, variants, &faults);
    struct order *order = program ? order_build(program) : NULL;
    bool fine = order != NULL;
    if (!fine)
        error_set(error, "%s", faults.count > 0 ? faults.items[0].text : "the schedule cannot be read");
    if (fine && program->rank_count > RUN_MAX_RANKS)
        fine = error_set(error, "a run takes at most %d ranks", RUN_MAX_RANKS);
    if (order) {
        compare_by_gpus(run, program);
        take_verdict(run, order);
    }
    fine = fine && run_to_the_end(run, lesson, order, error);
    order_free(order);
    program_free(program);
    diagnostics_free(&faults);
    return fine;
}

void lint_run_free(struct lint_run *run)
{
    text_free(&run->log);
    text_free(&run->verdict);
    free(run->steps);
    free(run->reached);
    *run = (struct lint_run){0};
}
