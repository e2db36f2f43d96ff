/* `handoff present`: a lesson before a room, and on other terminals. */
#include "command/command.h"
#include "command/walking.h"

static int present_run(int argc, char **argv)
{
    struct live_options live = {.command = "present", .is_presented = true};
    return walking_run(&live, argc, argv);
}

const struct command command_present = {
    .name = "present",
    .summary = "walk through a lesson before others",
    .usage =
        "usage: handoff present [LESSON or FILE] [OPTION ...]\n"
        "\n"
        "The walk of `handoff learn`, for a room: with more space, and without the answers to questions "
        "until\n"
        "you ask for them (a). Other terminals of yours show it live with `handoff follow`, and `handoff "
        "notes`\n"
        "shows your notes and drives it. Nobody else sees it, unless you open it to a group.\n"
        "\n" WALKING_OPTIONS_USAGE "  --name NAME      what followers call it; without, the lesson and the "
        "process: overlap-4101\n" RUN_OPTIONS_USAGE "\n"
        "With --share, members of the group read, live, what you show, and the lesson's whole file with its\n"
        "notes and answers. They cannot type anything into the session, and `notes` stays yours alone.\n"
        "\n"
        "Exit status: 0 left by q, 1 the run could not begin, 2 bad input or no terminal, 3 no such "
        "backend.\n",
    .run = present_run,
};
