/* An execution that shows a finding: a run of the simulator whose gates are opened in such an order that the
 * two operations meet, or one that gets stuck by itself. */
#ifndef HANDOFF_COMMAND_WITNESS_H
#define HANDOFF_COMMAND_WITNESS_H

#include "log/record.h"
#include "order/finding.h"

struct witness_options {
    const struct order *order;
    const struct finding *finding;
    void (*sink)(void *context, const struct record *record); /* the records of the run, in order */
    void *context;
};

/* Whether the run that shows the finding is one of the lenient side (`run --eager`): for the log's header. */
bool witness_is_eager(const struct finding *finding);

/* Plays it to the run's outcome. False and ERROR where the run cannot be made, or where the simulator, which
 * has only some of the executions that the rules allow, does not come to the place. */
bool witness_play(const struct witness_options *options, struct error *error);

#endif
