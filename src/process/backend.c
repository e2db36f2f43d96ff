/* Which backend a run takes, and what becomes known of it while the workers open their devices. */
#include <string.h>

#include "device/cuda/module.h"
#include "process/inside.h"

const struct device_backend *session_load_sim(struct error *error)
{
    (void)error;
    return &sim_backend;
}

const struct device_backend *session_load_cuda(struct error *error)
{
    const struct cuda_module *module = cuda_module_load(error);
    return module ? module->backend : NULL;
}

static void choose(struct session *session, enum backend backend, const char *description)
{
    session->chosen = backend;
    session->driving = backend == BACKEND_CUDA ? &cuda_driver : &sim_driver;
    text_clear(&session->description);
    text_append(&session->description, description);
}

/* Checks --gpus as far as that goes without looking at the machine. */
static bool list_is_sound(const char *list, struct error *error)
{
    uint16_t gpus[SCHEDULE_MAX_GPUS];
    return !list || cuda_choose_gpus(list, SCHEDULE_MAX_GPUS, gpus, error);
}

bool session_choose_backend(struct session *session, struct error *error)
{
    struct error reason = {0};
    if (!list_is_sound(session->options.gpus, error))
        return false;
    for (uint32_t gpu = 0; gpu < SCHEDULE_MAX_GPUS; gpu++)
        session->gpus[gpu] = (uint16_t)gpu;
    bool likely = session->options.backend != BACKEND_SIM && cuda_module_is_likely(&reason);
    if (session->options.backend == BACKEND_CUDA && !likely)
        return error_set(error, "%s", reason.message);
    if (!likely) {
        choose(session, BACKEND_SIM, sim_backend.name);
        if (session->options.backend == BACKEND_AUTO)
            text_format(&session->note, "simulated: %s", reason.message);
        return !session->options.gpus ||
               cuda_choose_gpus(session->options.gpus, SCHEDULE_MAX_GPUS, session->gpus, error);
    }
    choose(session, BACKEND_CUDA, "cuda");
    return true;
}

static bool is_opening(const struct session *session)
{
    return session->chosen == BACKEND_CUDA && session->driving->now(session->driver) < 0;
}

static void refuse(struct session *session, const char *reason, size_t length)
{
    if (session->refusal.length == 0)
        text_append_bytes(&session->refusal, reason, length);
}

bool session_hear(struct session *session, const struct record *record)
{
    if (record->kind == REPORT_GPUS) {
        memcpy(session->gpus, record->bytes, sizeof session->gpus);
        return true;
    }
    if (!is_opening(session))
        return false;
    if (record->kind == REPORT_MACHINE) {
        text_clear(&session->description);
        text_append_bytes(&session->description, record->bytes, record->length);
    } else if (record->kind == RECORD_ERROR) {
        refuse(session, record->bytes, record->length);
        return session->options.backend == BACKEND_AUTO;
    }
    return false;
}

void session_hear_lost(struct session *session, int64_t status)
{
    if (!is_opening(session))
        return;
    struct text reason = {0};
    text_format(&reason, "a process ended with status %d while it opened its GPU", (int)status);
    refuse(session, text_string(&reason), reason.length);
    text_free(&reason);
}

bool session_must_fall_back(const struct session *session)
{
    return session->refusal.length > 0 && session->chosen == BACKEND_CUDA &&
           session->options.backend == BACKEND_AUTO;
}

const char *session_backend(const struct session *session)
{
    return text_string(&session->description);
}

bool session_is_unavailable(const struct session *session)
{
    return session->refusal.length > 0 && session->chosen == BACKEND_CUDA;
}
