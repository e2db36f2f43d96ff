/* What clicks do within a walk. */
#include "screen/walk.h"

#include "screen/operation.h"

/* Chooses the track that the call belongs to: its stream, or its rank's host program. */
static void choose_track_of(struct walk *walk, uint32_t call)
{
    const struct statement *statement = call_statement(walk->program, call);
    uint32_t stream = call_is_operation(statement) ? statement->stream : NONE;
    for (size_t i = 0; i < walk->track_count; i++)
        if (walk->tracks[i].rank == statement->rank && walk->tracks[i].stream == stream)
            walk->chosen = i;
}

static enum action click_call(struct walk *walk, uint32_t call)
{
    choose_track_of(walk, call);
    if (walk->is_replay || view_operation(walk->view, call) == OPERATION_DONE)
        return ACTION_NONE;
    return ACTION_RELEASE;
}

/* Of the line's calls the one that was made last, or the first. */
static uint32_t call_on(const struct walk *walk, uint32_t line)
{
    uint32_t found = NONE;
    for (uint32_t call = 0; call < walk->program->call_count; call++)
        if (call_statement(walk->program, call)->line == line &&
            (found == NONE || walk->view->calls[call].called != TIME_NONE))
            found = call;
    return found;
}

static const char *state_in_words(const struct view *view, uint32_t call)
{
    static const char *const words[] = {[OPERATION_NOT_SUBMITTED] = "not asked for yet",
                                        [OPERATION_SUBMITTED] = "submitted",
                                        [OPERATION_HELD] = "held at its gate",
                                        [OPERATION_RUNNING] = "running",
                                        [OPERATION_WAITING] = "waiting",
                                        [OPERATION_DONE] = "done"};
    return words[view_operation(view, call)];
}

static void click_line(struct walk *walk, uint32_t line)
{
    uint32_t call = call_on(walk, line);
    struct text text = {0};
    if (call == NONE)
        return;
    choose_track_of(walk, call);
    call_describe(walk->program, call, &text);
    text_format(&text, ": %s ", state_in_words(walk->view, call));
    if (view_operation(walk->view, call) != OPERATION_DONE)
        view_explain_wait(walk->view, call, &text);
    walk_notice(walk, false, "line %u, %s", (unsigned)line, text_string(&text));
    text_free(&text);
}

static void click_time(struct walk *walk, int64_t time)
{
    size_t position = 0;
    while (position < walk->log->count && walk->log->records[position].time <= time)
        position++;
    walk->is_paced = false;
    walk_seek(walk, position);
}

enum action walk_click(struct walk *walk, struct target target)
{
    text_clear(&walk->notice);
    if (walk->overlay != OVERLAY_NONE)
        return ACTION_NONE;
    switch (target.kind) {
    case TARGET_TRACK:
        walk->chosen = (size_t)target.value;
        break;
    case TARGET_CALL:
        return click_call(walk, (uint32_t)target.value);
    case TARGET_LINE:
        click_line(walk, (uint32_t)target.value);
        break;
    case TARGET_TIME:
        click_time(walk, target.value);
        break;
    case TARGET_NONE:
        break;
    }
    return ACTION_NONE;
}
