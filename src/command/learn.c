/* `handoff learn`: a lesson or a schedule in full screen. */
#include "command/command.h"
#include "command/walking.h"

static int learn_run(int argc, char **argv)
{
    struct live_options live = {.command = "learn"};
    return walking_run(&live, argc, argv);
}

const struct command command_learn = {
    .name = "learn",
    .summary = "walk through a lesson or a schedule, step by step",
    .usage = "usage: handoff learn [LESSON or FILE] [OPTION ...]\n"
             "\n"
             "Walks through a lesson (by name or number) or a schedule of one's own, in full screen. Without "
             "one:\n"
             "the menu of lessons. FILE may be a pipe, such as <(generate), but not standard input.\n"
             "\n" WALKING_OPTIONS_USAGE "  --challenge NAME begin with a challenge of the lesson\n"
             "  --name NAME      show the walk to your other terminals under this "
             "name: handoff follow NAME\n" RUN_OPTIONS_USAGE "\n"
             "Keys: n next, b back, space releases one operation, r runs and pauses, v chooses variants, c "
             "says\n"
             "what can go wrong, e edits a copy, C lists challenges, R begins anew, m messages, ? help, q "
             "leaves.\n"
             "\n"
             "Exit status: 0 left by q, 1 the run could not begin, 2 bad input or no terminal, 3 no such "
             "backend.\n",
    .run = learn_run,
};
