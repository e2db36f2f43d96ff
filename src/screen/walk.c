#include "screen/walk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/operation.h"

/* A deadlock may go through more calls; those are not marked. */
enum { MARKS_MAX = 64 };

static void open_answers(struct walk *walk)
{
    size_t steps = walk->lesson ? walk->lesson->step_count : 0;
    walk->answers = memory_zeroed(steps + 1, sizeof *walk->answers);
    walk->wrong = memory_zeroed(steps + 1, sizeof *walk->wrong);
    for (size_t step = 0; step < steps; step++) {
        size_t questions = walk->lesson->steps[step].question_count;
        walk->answers[step] = memory_zeroed(questions + 1, sizeof **walk->answers);
        walk->wrong[step] = memory_zeroed(questions + 1, sizeof **walk->wrong);
        for (size_t i = 0; i < questions; i++)
            walk->answers[step][i] = -1;
    }
}

static void append_title(struct text *title, const char *file)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char *ending = strrchr(name, '.');
    size_t digits = strspn(name, "0123456789"), length = strlen(name);
    if (ending && strcmp(ending, ".md") == 0)
        length = (size_t)(ending - name);
    if (digits > 0 && name[digits] == '-' && digits < length) {
        text_append_bytes(title, name, digits);
        text_append(title, " ");
        name += digits + 1;
        length -= digits + 1;
    }
    text_append_bytes(title, name, length);
}

void walk_open(struct walk *walk, const char *file, const struct lesson *lesson,
               const struct schedule *schedule)
{
    *walk = (struct walk){.lesson = lesson, .schedule = schedule};
    append_title(&walk->title, file);
    open_answers(walk);
    walk->solved = memory_zeroed(lesson ? lesson->challenge_count : 0, sizeof *walk->solved);
    walk->steps = memory_zeroed(lesson ? lesson->step_count : 0, sizeof *walk->steps);
}

void walk_close(struct walk *walk)
{
    for (size_t step = 0; walk->lesson && step < walk->lesson->step_count; step++) {
        free(walk->answers[step]);
        free(walk->wrong[step]);
    }
    free(walk->answers);
    free(walk->wrong);
    free(walk->review);
    free(walk->steps);
    free(walk->tracks);
    free(walk->lines.lines);
    view_close(walk->view);
    text_free(&walk->title);
    text_free(&walk->notice);
    text_free(&walk->verdict);
    text_free(&walk->faults);
    for (int i = 0; i < COMPARED; i++)
        text_free(&walk->compared[i].name);
    free(walk->solved);
    *walk = (struct walk){0};
}

/* For each rank its host program, then its streams that the program puts work on. */
static void find_tracks(struct walk *walk)
{
    const struct program *program = walk->program;
    free(walk->tracks);
    walk->tracks = memory_zeroed(program->rank_count + program->stream_count, sizeof *walk->tracks);
    walk->track_count = 0;
    bool *used = streams_used(program);
    for (uint32_t rank = 0; rank < program->rank_count; rank++) {
        walk->tracks[walk->track_count++] = (struct track){rank, NONE};
        for (uint32_t stream = 0; stream < program->stream_count; stream++)
            if (program->streams[stream].rank == rank && used[stream])
                walk->tracks[walk->track_count++] = (struct track){rank, stream};
    }
    free(used);
    if (walk->chosen >= walk->track_count)
        walk->chosen = 0;
}

void walk_begin_run(struct walk *walk, const struct order *order, const struct log *log, uint32_t variants)
{
    view_close(walk->view);
    walk->program = order->program;
    walk->view = view_open(order);
    walk->position = 0;
    walk->log = log;
    walk->variants = variants;
    walk->first_time = walk->first_work = TIME_NONE;
    walk->is_paced = walk->is_held = walk->is_under_way = walk->is_judged = false;
    walk->step_count = walk->lesson ? lesson_walk(walk->lesson, variants, walk->steps) : 0;
    find_tracks(walk);
    program_lines_find(&walk->lines, walk->schedule, variants);
}

void walk_seek(struct walk *walk, size_t position)
{
    int64_t step = walk->view->step;
    if (position > walk->log->count)
        position = walk->log->count;
    if (position < walk->position) {
        const struct order *order = walk->view->order;
        view_close(walk->view);
        walk->view = view_open(order);
        walk->position = 0;
    }
    for (; walk->position < position; walk->position++) {
        const struct record *record = &walk->log->records[walk->position];
        view_apply(walk->view, record);
        if (walk->first_time == TIME_NONE && record->kind != RECORD_STEP)
            walk->first_time = record->time;
        if (walk->first_work == TIME_NONE && record->kind == RECORD_CALLED &&
            call_is_operation(call_statement(walk->program, record->call)))
            walk->first_work = record->time;
    }
    if (walk->view->step != step)
        walk->scroll[PANEL_PROSE] = 0;
}

void walk_pass_time(struct walk *walk, double share)
{
    if (walk->position == 0 || walk->position == walk->log->count)
        return;
    int64_t from = walk->log->records[walk->position - 1].time, to = walk->log->records[walk->position].time;
    if (from != TIME_NONE && to > from)
        walk->view->now = from + (int64_t)(share * (double)(to - from));
}

bool walk_is_live(const struct walk *walk)
{
    return walk->position == walk->log->count;
}

bool walk_has_arrived(const struct walk *walk)
{
    return walk_is_live(walk) && !walk->is_under_way;
}

size_t walk_moment_after(const struct walk *walk)
{
    const struct log *log = walk->log;
    size_t position = walk->position;
    if (position == log->count)
        return position;
    int64_t time = log->records[position].time;
    while (position < log->count && log->records[position].time == time)
        position++;
    return position;
}

size_t walk_moment_before(const struct walk *walk)
{
    const struct log *log = walk->log;
    size_t position = walk->position;
    if (position == 0)
        return 0;
    int64_t time = log->records[position - 1].time;
    while (position > 0 && log->records[position - 1].time == time)
        position--;
    return position;
}

size_t walk_step_after(const struct walk *walk)
{
    const struct log *log = walk->log;
    if (!walk->lesson)
        return walk_moment_after(walk);
    size_t position = walk->position;
    while (position < log->count && log->records[position].kind != RECORD_STEP)
        position++;
    if (position < log->count && position == walk->position)
        position++;
    while (position < log->count && log->records[position].kind != RECORD_STEP)
        position++;
    return position;
}

size_t walk_step_before(const struct walk *walk)
{
    const struct log *log = walk->log;
    if (!walk->lesson)
        return walk_moment_before(walk);
    size_t position = walk->position;
    while (position > 0 && log->records[position - 1].kind != RECORD_STEP)
        position--;
    return position > 0 ? position - 1 : 0;
}

const struct step *walk_step(const struct walk *walk)
{
    if (!walk->lesson || walk->view->step < 0 || (uint64_t)walk->view->step >= walk->lesson->step_count)
        return NULL;
    return &walk->lesson->steps[walk->view->step];
}

size_t walk_step_number(const struct walk *walk, int64_t step)
{
    size_t number = 0;
    while (number < walk->step_count && (int64_t)walk->steps[number] <= step)
        number++;
    return number;
}

bool walk_asks(const struct walk *walk)
{
    bool looks_back = !walk_is_live(walk) && !walk->is_paced;
    return walk_has_arrived(walk) || walk->is_replay || (walk->is_presented && looks_back);
}

const struct question *walk_open_question(const struct walk *walk, size_t *index)
{
    const struct step *step = walk_step(walk);
    if (!step || !walk_asks(walk))
        return NULL;
    for (size_t i = 0; i < step->question_count; i++)
        if (walk->answers[walk->view->step][i] < 0) {
            *index = i;
            return &step->questions[i];
        }
    return NULL;
}

size_t walk_answered(const struct walk *walk)
{
    const struct step *step = walk_step(walk);
    size_t count = 0;
    while (step && count < step->question_count && walk->answers[walk->view->step][count] >= 0)
        count++;
    return count;
}

void walk_reveal(struct walk *walk, size_t count)
{
    const struct step *step = walk_step(walk);
    for (size_t i = 0; step && i < step->question_count && i < count; i++) {
        int *answer = &walk->answers[walk->view->step][i];
        for (int k = 0; *answer < 0; k++)
            if (step->questions[i].answers[k].right)
                *answer = k;
    }
}

const struct track *walk_chosen_track(const struct walk *walk)
{
    return walk->chosen < walk->track_count ? &walk->tracks[walk->chosen] : NULL;
}

bool walk_is_hazard(const struct walk *walk)
{
    return walk->findings && findings_error_count(walk->findings) > 0;
}

bool walk_marks(const struct walk *walk, uint32_t call)
{
    uint32_t calls[MARKS_MAX];
    uint32_t count = walk->finding ? finding_calls(walk->finding, calls, MARKS_MAX) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (calls[i] == call)
            return true;
    return false;
}

void walk_notice(struct walk *walk, bool is_error, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_clear(&walk->notice);
    text_append(&walk->notice, text);
    walk->notice_is_error = is_error;
}
