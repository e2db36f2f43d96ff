#include "command/options.h"

#include <langinfo.h>
#include <string.h>

#include "command/message.h"
#include "device/cuda/module.h"
#include "schedule/diagnostic.h"

enum { OPTIONS_MAX = 32 };

static bool unknown_option(const struct arguments *arguments, const char *argument)
{
    const char *known[OPTIONS_MAX];
    size_t count = 0;
    for (; count < arguments->option_count && count < OPTIONS_MAX - 1; count++)
        known[count] = arguments->options[count].name;
    known[count++] = "--help";
    const char *nearest = nearest_name(argument, known, count);
    if (nearest)
        complain(arguments->command, "no option %s: did you mean %s?", argument, nearest);
    else
        complain(arguments->command, "no option %s (see handoff %s --help)", argument, arguments->command);
    return false;
}

/* Reads the option that ARGV[0] is. Returns how many arguments it took, 0 for an error. */
static int parse_option(const struct arguments *arguments, int argc, char **argv)
{
    size_t name_length = strcspn(argv[0], "=");
    const char *attached = argv[0][name_length] == '=' ? argv[0] + name_length + 1 : NULL;
    for (size_t i = 0; i < arguments->option_count; i++) {
        const struct option *option = &arguments->options[i];
        if (strlen(option->name) != name_length || strncmp(option->name, argv[0], name_length) != 0)
            continue;
        if (option->flag && attached) {
            complain(arguments->command, "%s takes no value", option->name);
            return 0;
        }
        if (option->flag) {
            *option->flag = true;
            return 1;
        }
        if (*option->value) {
            complain(arguments->command, "%s was given twice", option->name);
            return 0;
        }
        if (!attached && argc < 2) {
            complain(arguments->command, "%s needs a value", option->name);
            return 0;
        }
        *option->value = attached ? attached : argv[1];
        return attached ? 1 : 2;
    }
    unknown_option(arguments, argv[0]);
    return 0;
}

bool arguments_parse(const struct arguments *arguments, int argc, char **argv)
{
    size_t operand_count = 0;
    bool options_ended = false;
    for (int i = 1; i < argc;) {
        if (!options_ended && strcmp(argv[i], "--") == 0) {
            options_ended = true;
            i++;
        } else if (!options_ended && argv[i][0] == '-' && argv[i][1] != '\0') {
            int taken = parse_option(arguments, argc - i, argv + i);
            if (taken == 0)
                return false;
            i += taken;
        } else if (operand_count < arguments->operand_limit) {
            arguments->operands[operand_count++] = argv[i++];
        } else {
            complain(arguments->command, "one argument too many: %s", argv[i]);
            return false;
        }
    }
    return true;
}

bool backend_from_name(const char *command, const char *name, enum backend *backend)
{
    static const char *const names[] = {
        [BACKEND_AUTO] = "auto", [BACKEND_SIM] = "sim", [BACKEND_CUDA] = "cuda"};
    *backend = BACKEND_AUTO;
    if (!name)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *backend = (enum backend)i;
            return true;
        }
    }
    complain(command, "--backend %s: expected auto, sim or cuda", name);
    return false;
}

bool gpus_are_numbers(const char *command, const char *gpus)
{
    uint16_t numbers[SCHEDULE_MAX_GPUS];
    struct error error;
    if (!gpus || cuda_choose_gpus(gpus, SCHEDULE_MAX_GPUS, numbers, &error))
        return true;
    complain(command, "%s", error.message);
    return false;
}

bool output_is_utf8(bool ascii)
{
    return !ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
