#include "command/walking.h"

#include <stdlib.h>
#include <string.h>

#include "command/choose.h"
#include "command/command.h"
#include "command/fullscreen.h"
#include "command/learner.h"
#include "command/message.h"
#include "lesson/challenge.h"
#include "screen/terminal.h"

static bool read_step(const char *command, const char *text, size_t *step)
{
    char *end;
    unsigned long number = text ? strtoul(text, &end, 10) : 0;
    *step = number;
    if (!text || (*text >= '1' && *text <= '9' && *end == '\0' && number <= LESSON_MAX_STEPS))
        return true;
    complain(command, "--step %s: a step's number, from 1 on, is expected", text);
    return false;
}

/* Whether the walk has the step that was asked for. */
static bool check_step(const char *command, const struct prepared *prepared, size_t step)
{
    const struct lesson *lesson = prepared->source.lesson;
    if (step == 0)
        return true;
    if (!lesson) {
        complain(command, "--step: %s is no lesson and has no steps", prepared->source.file);
        return false;
    }
    size_t *steps = calloc(lesson->step_count + 1, sizeof *steps);
    size_t count = steps ? lesson_walk(lesson, prepared->variants, steps) : 0;
    free(steps);
    if (step > count)
        complain(command, "--step %zu: this walk of %s has %zu steps", step, lesson->name, count);
    return step <= count;
}

/* Whether the lesson has the challenge that was asked for. */
static bool check_challenge(const char *command, const struct prepared *prepared, const char *name)
{
    const struct lesson *lesson = prepared->source.lesson;
    const char *known[LESSON_MAX_CHALLENGES];
    size_t count = lesson ? lesson->challenge_count : 0;
    for (size_t i = 0; i < count; i++)
        known[i] = lesson->challenges[i].name;
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(known[i], name) == 0)
            return true;
    if (!name)
        return true;
    const char *nearest = nearest_name(name, known, count);
    if (nearest)
        complain(command, "no challenge %s: did you mean %s?", name, nearest);
    else
        complain(command, "no challenge %s in %s", name, prepared->source.file);
    return false;
}

int walking_run(struct live_options *live, int argc, char **argv)
{
    bool no_mouse = false;
    const char *file = NULL, *step = NULL, **challenge = &live->begin_with;
    const struct option options[] = {RUN_OPTIONS(&live->run),
                                     {"--step", &step, NULL},
                                     SHARING_OPTIONS(&live->sharing),
                                     {"--no-mouse", NULL, &no_mouse},
                                     {"--challenge", challenge, NULL}};
    const struct arguments arguments = {live->command, options,
                                        sizeof options / sizeof *options - live->is_presented, &file, 1};
    if (!arguments_parse(&arguments, argc, argv) || !read_step(live->command, step, &live->step) ||
        !backend_from_name(live->command, live->run.backend, &live->backend) ||
        !gpus_are_numbers(live->command, live->run.gpus))
        return EXIT_BAD_INPUT;
    live->sharing.is_shared = live->is_presented || live->sharing.name || live->sharing.group;
    terminal_use_mouse(!no_mouse);
    if (!file)
        return choose_and_walk(live);
    if (source_is_standard_input(file)) {
        complain(live->command, "the keyboard steers a walk, so its schedule comes from a file and not from "
                                "standard input; `handoff run -` takes it from there");
        return EXIT_BAD_INPUT;
    }
    struct prepared prepared;
    int status = EXIT_BAD_INPUT;
    if (prepare(&prepared, live->command, file, live->run.variants) &&
        check_step(live->command, &prepared, live->step) &&
        check_challenge(live->command, &prepared, live->begin_with) &&
        fullscreen_open(live->command, "run", file, live->run.ascii)) {
        if (!live->is_presented)
            live->progress = study_open();
        status = live_walk(&prepared, live);
        terminal_close();
        learner_keep(live->progress, live->command);
    }
    prepared_free(&prepared);
    return status;
}
