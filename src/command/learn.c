/* `handoff learn`: a lesson or a schedule in full screen. */
#include <stdlib.h>

#include "command/choose.h"
#include "command/command.h"
#include "command/fullscreen.h"
#include "command/live.h"
#include "command/message.h"
#include "screen/terminal.h"

static bool read_step(const char *text, size_t *step)
{
    char *end;
    unsigned long number = text ? strtoul(text, &end, 10) : 0;
    *step = number;
    if (!text || (*text >= '1' && *text <= '9' && *end == '\0' && number <= LESSON_MAX_STEPS))
        return true;
    complain("learn", "--step %s: a step's number, from 1 on, is expected", text);
    return false;
}

/* Whether the walk has the step that was asked for. */
static bool check_step(const struct prepared *prepared, size_t step)
{
    const struct lesson *lesson = prepared->source.lesson;
    if (step == 0)
        return true;
    if (!lesson) {
        complain("learn", "--step: %s is no lesson and has no steps", prepared->source.file);
        return false;
    }
    size_t *steps = calloc(lesson->step_count + 1, sizeof *steps);
    size_t count = steps ? lesson_walk(lesson, prepared->variants, steps) : 0;
    free(steps);
    if (step > count)
        complain("learn", "--step %zu: this walk of %s has %zu steps", step, lesson->name, count);
    return step <= count;
}

static int learn_run(int argc, char **argv)
{
    const char *file = NULL, *step = NULL;
    struct live_options live = {.command = "learn"};
    const struct option options[] = {RUN_OPTIONS(&live.run), {"--step", &step, NULL}};
    const struct arguments arguments = {"learn", options, sizeof options / sizeof *options, &file, 1};
    if (!arguments_parse(&arguments, argc, argv) || !read_step(step, &live.step) ||
        !backend_from_name("learn", live.run.backend, &live.backend))
        return EXIT_BAD_INPUT;
    if (!file)
        return choose_and_walk(&live);
    struct prepared prepared;
    int status = EXIT_BAD_INPUT;
    if (prepare(&prepared, "learn", file, live.run.variants) && check_step(&prepared, live.step) &&
        fullscreen_open("learn", "run", file, live.run.ascii)) {
        status = live_walk(&prepared, &live);
        terminal_close();
    }
    prepared_free(&prepared);
    return status;
}

const struct command command_learn = {
    .name = "learn",
    .summary = "walk through a lesson or a schedule, step by step",
    .usage = "usage: handoff learn [LESSON or FILE] [OPTION ...]\n"
             "\n"
             "Walks through a lesson (by name or number) or a schedule of one's own, in full screen. Without "
             "one:\n"
             "the menu of lessons.\n"
             "\n"
             "  --step N         begin where step N has been reached\n" RUN_OPTIONS_USAGE "\n"
             "Keys: n next, b back, space releases one operation, r runs and pauses, v chooses variants, R "
             "begins\n"
             "anew, m messages, ? help, q leaves.\n"
             "\n"
             "Exit status: 0 left by q, 1 the run could not begin, 2 bad input or no terminal, 3 no such "
             "backend.\n",
    .run = learn_run,
};
