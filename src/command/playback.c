#include "command/playback.h"

#include "base/memory.h"
#include "command/fullscreen.h"
#include "command/witness.h"

void playback_obey(struct walk *walk, enum action action, const char *at_the_end)
{
    bool was_paced = walk->is_paced, has_aim = was_paced && walk->paced_to != SIZE_MAX;
    walk->is_paced = false;
    if (walk_is_live(walk))
        walk_notice(walk, false, "%s", at_the_end);
    else if (action == ACTION_NEXT)
        walk_seek(walk, has_aim ? walk->paced_to : walk_step_after(walk));
    else if (action == ACTION_RUN && !was_paced)
        fullscreen_play(walk, SIZE_MAX);
}

static void obey(void *context, enum action action)
{
    playback_obey(context, action, "This is the end of the log. b and Home go back.");
}

int playback_run(struct walk *walk)
{
    const struct steering steering = {.context = walk, .obey = obey};
    return fullscreen_run(walk, &steering);
}

static void take_record(void *context, const struct record *record)
{
    log_append(context, record);
}

/* The position at which the first of what the finding is about begins; where none does, the host programs. */
static size_t beginning(const struct walk *walk, const struct log *log)
{
    size_t called = 0;
    for (size_t i = log->count; i > 0; i--)
        if (log->records[i - 1].kind == RECORD_CALLED)
            called = i - 1;
    for (size_t i = 0; i < log->count; i++)
        if (log->records[i].kind == RECORD_STARTED && walk_marks(walk, log->records[i].call))
            return i;
    return called;
}

/* The position at which all that the finding is about has begun, as far as it does. */
static size_t meeting(const struct walk *walk, const struct log *log)
{
    size_t position = log->count;
    for (size_t i = 0; i < log->count; i++)
        if ((log->records[i].kind == RECORD_STARTED || log->records[i].kind == RECORD_RETURNED) &&
            walk_marks(walk, log->records[i].call))
            position = i + 1;
    return position;
}

int playback_finding(struct walk *over, const struct order *order, const struct finding *finding)
{
    struct error error;
    struct log log = {.header = {.backend = memory_copy_string("simulated"),
                                 .eager = witness_is_eager(finding),
                                 .gpu_count = SCHEDULE_MAX_GPUS}};
    for (int gpu = 0; gpu < SCHEDULE_MAX_GPUS; gpu++)
        log.header.gpus[gpu] = (uint16_t)gpu;
    const struct witness_options options = {
        .order = order, .finding = finding, .sink = take_record, .context = &log};
    int signal = 0;
    if (witness_play(&options, &error)) {
        struct walk walk;
        walk_open(&walk, text_string(&over->title), NULL, order->program->schedule);
        walk.is_replay = true;
        walk.finding = finding;
        walk.speed = over->speed;
        walk_begin_run(&walk, order, &log, over->variants);
        walk_seek(&walk, beginning(&walk, &log));
        fullscreen_play(&walk, meeting(&walk, &log));
        signal = playback_run(&walk);
        walk_close(&walk);
    } else {
        walk_notice(over, true, "%s", error.message);
    }
    log_free(&log);
    return signal;
}
