#include "export/cast.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/cast_screen.h"
#include "lesson/until.h"
#include "screen/frame.h"

/* Seconds. A fast reader's pace: who wants more time pauses the player. */
static const double WORDS_A_SECOND = 4, LEAST = 2, MOST = 14, BETWEEN_MOMENTS = 0.15, LONGEST_MOTION = 4,
                    TURNING_A_PAGE = 3;

struct cast {
    const struct cast_options *options;
    struct text *out;
    struct cast_screen screen;
    struct log all; /* the run with the lesson's steps in it */
    struct log log; /* what has happened of it so far; borrows from ALL */
    struct walk walk;
    double time;
};

static int append_to_text(const char *bytes, size_t length, void *text)
{
    text_append_bytes(text, bytes, length);
    return 0;
}

static void write_line(struct cast *cast, json_t *value)
{
    json_dump_callback(value, append_to_text, cast->out, JSON_COMPACT | JSON_REAL_PRECISION(9));
    text_append(cast->out, "\n");
    json_decref(value);
}

/* Milliseconds are enough. */
static double rounded(double seconds)
{
    return (double)(long long)(seconds * 1000 + 0.5) / 1000;
}

static void write_event(struct cast *cast, const char *kind, const char *data)
{
    write_line(cast, json_pack("[f, s, s]", rounded(cast->time), kind, data));
}

/* Draws the walk, and says whether that changed anything on the screen. */
static bool show(struct cast *cast)
{
    struct text data = {0};
    canvas_clear(&cast->screen.next);
    frame_draw(&cast->walk, &cast->screen.next);
    bool changed = cast_screen_show(&cast->screen, &data);
    if (changed)
        write_event(cast, "o", text_string(&data));
    text_free(&data);
    return changed;
}

/* The log again, with other pids: those of one run are not those of the next. */
static void append_record(struct cast *cast, struct view *tip, const struct record *record)
{
    enum { FIRST_PID = 4101 };
    struct record copy = *record;
    if (record->kind == RECORD_FORKED)
        copy.number = FIRST_PID + record->rank;
    log_append(&cast->all, &copy);
    view_apply(tip, &copy);
}

static void append_step(struct cast *cast, struct view *tip, size_t step)
{
    const struct record record = {.kind = RECORD_STEP,
                                  .time = tip->now,
                                  .rank = NONE,
                                  .call = NONE,
                                  .point = NONE,
                                  .memory = NONE,
                                  .number = (int64_t)step};
    append_record(cast, tip, &record);
}

/* As a reader does who goes from step to step: each begins where the one before has ended, and runs until its
 * condition holds. */
static void put_steps_in(struct cast *cast, const struct export_run *run)
{
    struct view *tip = view_open(run->order);
    const struct lesson *lesson = cast->options->lesson;
    size_t next = 0;
    for (size_t i = 0; i < cast->walk.step_count; i++) {
        const struct until *until = lesson->steps[cast->walk.steps[i]].until;
        append_step(cast, tip, cast->walk.steps[i]);
        while (until && next < run->log->count && !until_holds(until, tip))
            append_record(cast, tip, &run->log->records[next++]);
    }
    while (next < run->log->count)
        append_record(cast, tip, &run->log->records[next++]);
    view_close(tip);
}

static size_t count_words(const struct prose_block *blocks, size_t count)
{
    size_t words = 0;
    for (size_t b = 0; b < count; b++)
        for (size_t r = 0; r < blocks[b].run_count; r++) {
            const char *text = blocks[b].runs[r].text;
            while (*text) {
                text += strspn(text, " \n");
                words += *text != '\0';
                text += strcspn(text, " \n");
            }
        }
    return words;
}

static double reading_time(size_t words)
{
    double seconds = (double)words / WORDS_A_SECOND;
    return seconds < LEAST ? LEAST : seconds > MOST ? MOST : seconds;
}

/* Lets time pass for a text, and turns its pages where it is longer than the panel. */
static void read_on(struct cast *cast, size_t words)
{
    cast->time += reading_time(words);
    for (walk_key(&cast->walk, KEYS_PAGE_DOWN); show(cast); walk_key(&cast->walk, KEYS_PAGE_DOWN))
        cast->time += TURNING_A_PAGE;
    cast->walk.scroll[PANEL_PROSE] = 0;
}

static uint32_t right_key(const struct question *question)
{
    size_t answer = 0;
    while (answer + 1 < question->answer_count && !question->answers[answer].right)
        answer++;
    return '1' + (uint32_t)answer;
}

static void answer_questions(struct cast *cast)
{
    size_t index;
    const struct question *question;
    while ((question = walk_open_question(&cast->walk, &index))) {
        walk_key(&cast->walk, right_key(question));
        show(cast);
        read_on(cast, count_words(question->reason, question->reason_count));
    }
}

/* Shows the log on to POSITION, moment by moment. */
static void move_to(struct cast *cast, size_t position)
{
    struct walk *walk = &cast->walk;
    size_t moments = 0;
    double start = cast->time;
    for (size_t i = walk->position; i < position; i++)
        moments += i == walk->position || cast->all.records[i].time != cast->all.records[i - 1].time;
    double between = BETWEEN_MOMENTS;
    if ((double)moments * between > LONGEST_MOTION)
        between = LONGEST_MOTION / (double)moments;
    cast->log.count = position;
    walk->is_paced = true;
    walk->paced_to = position;
    while (walk->position < position) {
        walk_seek(walk, walk_moment_after(walk));
        show(cast);
        cast->time += between;
    }
    walk->is_paced = false;
    cast->time = rounded(cast->time > start ? cast->time : start);
}

/* Where the step ends that begins where the walk stands. */
static size_t end_of_step(const struct cast *cast)
{
    size_t end = cast->walk.position + 1;
    while (end < cast->all.count && cast->all.records[end].kind != RECORD_STEP)
        end++;
    return end;
}

static void skip_step(struct cast *cast)
{
    cast->log.count = end_of_step(cast);
    walk_seek(&cast->walk, cast->log.count);
}

static void show_step(struct cast *cast, size_t number)
{
    const struct step *step = &cast->options->lesson->steps[cast->walk.steps[number]];
    size_t words = count_words(step->prose, step->prose_count);
    for (size_t i = 0; i < step->question_count; i++)
        words += count_words(&step->questions[i].text, 1);
    struct text label = {0};
    text_format(&label, "%zu/%zu %s", number + 1, cast->walk.step_count, step->title);
    write_event(cast, "m", text_string(&label));
    text_free(&label);
    move_to(cast, end_of_step(cast));
    show(cast);
    read_on(cast, words);
    answer_questions(cast);
}

static void write_header(struct cast *cast)
{
    const struct cast_options *options = cast->options;
    write_line(cast, json_pack("{s:i, s:i, s:i, s:s, s:{s:s}}", "version", 2, "width", options->columns,
                               "height", options->rows, "title", text_string(&cast->walk.title), "env",
                               "TERM", "xterm-256color"));
}

void export_cast(const struct export_run *run, const struct cast_options *options, struct text *out)
{
    struct cast cast = {.options = options, .out = out};
    walk_open(&cast.walk, options->file, options->lesson, run->order->program->schedule);
    cast_screen_open(&cast.screen, options->rows, options->columns, options->ascii);
    walk_begin_run(&cast.walk, run->order, &cast.log, run->order->program->variants);
    put_steps_in(&cast, run);
    cast.log = (struct log){.header = run->log->header, .records = cast.all.records};
    cast.walk.focus = PANEL_PROSE;
    write_header(&cast);
    size_t number = 1;
    for (; number < (size_t)options->first && number <= cast.walk.step_count; number++)
        skip_step(&cast);
    show(&cast);
    cast.time += LEAST;
    for (; number <= (size_t)options->last && number <= cast.walk.step_count; number++)
        show_step(&cast, number - 1);
    if (number > cast.walk.step_count)
        move_to(&cast, cast.all.count);
    show(&cast);
    cast.time += LEAST;
    write_event(&cast, "o", "\x1b[0m\x1b[?25h\r\n");
    cast_screen_close(&cast.screen);
    walk_close(&cast.walk);
    log_free(&cast.all);
}
