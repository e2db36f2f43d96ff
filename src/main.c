/* The arguments, then a command. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/message.h"
#include "schedule/diagnostic.h"

static const struct command *const commands[] = {
    &command_learn,  &command_present, &command_follow,   &command_notes,  &command_run,
    &command_replay, &command_check,   &command_explore,  &command_export, &command_lint,
    &command_bench,  &command_list,    &command_progress, &command_doctor,
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(void)
{
    fputs("usage: handoff [COMMAND] [ARGUMENT ...]\n"
          "\n"
          "Watch, steer and check how a value goes from one GPU to another. Without a command: the menu of\n"
          "lessons.\n"
          "\n",
          stdout);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n"
          "`handoff COMMAND --help` says more about each; `handoff --version` names the version.\n",
          stdout);
}

static const struct command *find_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
        names[i] = commands[i]->name;
    }
    const char *nearest = nearest_name(name, names, COMMAND_COUNT);
    const char *what = name[0] == '-' ? "option" : "command";
    if (nearest)
        complain(NULL, "no %s %s: did you mean %s?", what, name, nearest);
    else
        complain(NULL, "no %s %s (see handoff --help)", what, name);
    return NULL;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    if (!asks_for_help(argc, argv))
        return command->run(argc, argv);
    fputs(command->usage, stdout);
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return command_menu.run(argc, argv);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return EXIT_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("handoff " HANDOFF_VERSION);
        return EXIT_FINE;
    }
    const struct command *command = find_command(argv[1]);
    return command ? run_command(command, argc - 1, argv + 1) : EXIT_BAD_INPUT;
}

/* So that no file that is opened later takes the place of a standard stream that was closed: what is written
 * to one fails then. */
static void occupy_standard_descriptors(void)
{
    int descriptor;
    do
        descriptor = open("/dev/null", O_RDONLY);
    while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor > STDERR_FILENO)
        close(descriptor);
}

int main(int argc, char **argv)
{
    occupy_standard_descriptors();
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    signal(SIGPIPE, SIG_IGN);
    int status = run(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno != EPIPE)
        complain(NULL, "standard output cannot be written");
    return status == EXIT_FINE ? EXIT_HAZARD : status;
}
