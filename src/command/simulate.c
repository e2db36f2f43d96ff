#include "command/simulate.h"

#include "process/session.h"

static void keep_record(void *context, const struct record *record)
{
    log_append(context, record);
}

bool simulate(const struct prepared *prepared, const char *variants, bool eager, struct log *log,
              struct error *error)
{
    const struct session_options options = {
        .backend = BACKEND_SIM, .eager = eager, .report_values = true, .sink = keep_record, .context = log};
    *log = (struct log){0};
    struct session *session = session_open(prepared->order, &options, error);
    if (!session)
        return false;
    log->header = prepared_header(prepared, variants, session_backend(session), eager);
    log->header.gpu_count = session_gpus(session, log->header.gpus);
    session_set_goal(session, &(struct session_goal){.kind = GOAL_END});
    session_wait(session);
    session_close(session);
    return true;
}
