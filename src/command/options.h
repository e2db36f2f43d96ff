/* The arguments of a command. Strict: an option that the command does not know is an error. */
#ifndef HANDOFF_COMMAND_OPTIONS_H
#define HANDOFF_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "process/session.h"

/* "--NAME VALUE" or "--NAME=VALUE" where VALUE is set, else "--NAME". Exactly one of VALUE and FLAG is. */
struct option {
    const char *name; /* with its dashes */
    const char **value;
    bool *flag;
};

struct arguments {
    const char *command; /* for messages */
    const struct option *options;
    size_t option_count;
    const char **operands; /* room for OPERAND_LIMIT; those not given stay as they were */
    size_t operand_limit;
};

/* False where an argument is wrong: the reason was printed, and the command's status is EXIT_BAD_INPUT. "--"
 * ends the options. */
bool arguments_parse(const struct arguments *arguments, int argc, char **argv);

/* What every command that makes a run takes. */
struct run_options {
    const char *variants, *backend, *gpus;
    bool eager, ascii;
};
#define RUN_OPTIONS(run)                                                                                     \
    {"--variant", &(run)->variants, NULL}, {"--backend", &(run)->backend, NULL},                             \
        {"--gpus", &(run)->gpus, NULL}, {"--eager", NULL, &(run)->eager},                                    \
    {                                                                                                        \
        "--ascii", NULL, &(run)->ascii                                                                       \
    }
#define RUN_OPTIONS_USAGE                                                                                    \
    "  --variant V[,V]  switch variants of the schedule on (`handoff list` names a lesson's)\n"              \
    "  --eager          sends of up to 4 MiB are done without their receive, and communication takes no\n"   \
    "                   turns: the simulator's lenient side\n"                                               \
    "  --backend B      auto (default), sim or cuda\n"                                                       \
    "  --gpus G[,G]     the machine's GPU for each GPU number of the schedule, such as 1,0\n"                \
    "  --ascii          ASCII only; also taken from the locale\n"

/* What every command says of a FILE that it reads once. */
#define INPUT_USAGE "FILE may be a pipe, such as <(generate), and - is a schedule on standard input.\n"

/* Reads the value of --backend; NULL is auto. */
bool backend_from_name(const char *command, const char *name, enum backend *backend);
/* Whether --gpus is a list, as far as that goes without looking at the machine; NULL is one. */
bool gpus_are_numbers(const char *command, const char *gpus);

/* Whether output may hold more than ASCII: the locale's characters are UTF-8, and --ascii was not given. */
bool output_is_utf8(bool ascii);

#endif
