/* The sub-commands: a file for each, none knows another. */
#ifndef HANDOFF_COMMAND_COMMAND_H
#define HANDOFF_COMMAND_COMMAND_H

/* Exit statuses (schedule-language.md; issue text of `run`). */
enum { EXIT_FINE = 0, EXIT_HAZARD = 1, EXIT_BAD_INPUT = 2, EXIT_NO_BACKEND = 3 };

struct command {
    const char *name;
    const char *summary;               /* one line for `handoff --help` */
    const char *usage;                 /* `handoff NAME --help`, whole */
    int (*run)(int argc, char **argv); /* argv[0] is the sub-command's name */
};

extern const struct command command_menu; /* no sub-command */
extern const struct command command_learn, command_run, command_replay, command_list, command_progress,
    command_doctor, command_check, command_explore, command_export, command_present, command_follow,
    command_notes, command_bench, command_lint;

#endif
