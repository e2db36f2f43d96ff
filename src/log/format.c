#include "log/format.h"

#define RANK_CALL (FIELD_RANK | FIELD_CALL)

const struct record_format record_formats[RECORD_KIND_COUNT] = {
    [RECORD_FORKED] = {"forked", FIELD_RANK | FIELD_NUMBER, 0, "pid", 1, INT32_MAX},
    [RECORD_EXITED] = {"exited", FIELD_RANK | FIELD_NUMBER, 0, "status", -128, 255},
    [RECORD_ID_MADE] = {"id-made", FIELD_RANK, 0, NULL, 0, 0},
    [RECORD_ID_PASSED] = {"id-passed", FIELD_RANK, 0, NULL, 0, 0},
    [RECORD_INITIALISING] = {"initialising", FIELD_RANK | FIELD_COMMUNICATOR, 0, NULL, 0, 0},
    [RECORD_READY] = {"ready", FIELD_RANK | FIELD_COMMUNICATOR, 0, NULL, 0, 0},
    [RECORD_CALLED] = {"called", RANK_CALL, 0, NULL, 0, 0},
    [RECORD_RETURNED] = {"returned", RANK_CALL, 0, NULL, 0, 0},
    [RECORD_SUBMITTED] = {"submitted", RANK_CALL, 0, NULL, 0, 0},
    [RECORD_STARTED] = {"started", RANK_CALL, 0, NULL, 0, 0},
    [RECORD_WAITING] = {"waiting", RANK_CALL | FIELD_WAIT, 0, NULL, 0, 0},
    [RECORD_DONE] = {"done", RANK_CALL, 0, NULL, 0, 0},
    [RECORD_WRITTEN] = {"written", FIELD_RANK | FIELD_MEMORY | FIELD_VALUES, FIELD_CALL, NULL, 0, 0},
    [RECORD_HOST_READ] = {"host-read", RANK_CALL | FIELD_MEMORY | FIELD_VALUES, 0, NULL, 0, 0},
    [RECORD_FREED] = {"freed", RANK_CALL | FIELD_MEMORY, 0, NULL, 0, 0},
    [RECORD_HELD] = {"held", RANK_CALL, 0, NULL, 0, 0},
    [RECORD_RELEASED] = {"released", RANK_CALL, 0, NULL, 0, 0},
    [RECORD_OUTPUT] = {"output", FIELD_RANK | FIELD_TEXT, 0, NULL, 0, 0},
    [RECORD_ERROR] = {"error", FIELD_TEXT, RANK_CALL, NULL, 0, 0},
    [RECORD_NOTE] = {"note", FIELD_TEXT, 0, NULL, 0, 0},
    [RECORD_STEP] = {"step", FIELD_NUMBER, 0, "step", 0, 1 << 20},
    [RECORD_OUTCOME] = {"outcome", FIELD_NUMBER, 0, "outcome", OUTCOME_FINISHED, OUTCOME_FAILED},
};

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = {"none", "finished", "stuck", "failed"};
    return names[outcome];
}

const char *phase_name(enum phase phase)
{
    static const char *const names[] = {"entered", "returned", "started", "done"};
    return names[phase];
}
