/* `handoff` alone: the menu of lessons. */
#include "command/choose.h"
#include "command/command.h"
#include "screen/terminal.h"

static int menu_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    terminal_use_mouse(true);
    const struct live_options options = {.command = NULL, .backend = BACKEND_AUTO};
    return choose_and_walk(&options);
}

const struct command command_menu = {
    .name = "menu",
    .summary = "the menu of lessons",
    .usage = "usage: handoff\n",
    .run = menu_run,
};
