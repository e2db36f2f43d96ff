/* `handoff export`: a schedule or a run as something to use elsewhere. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "command/command.h"
#include "command/message.h"
#include "command/options.h"
#include "command/prepare.h"
#include "export/c.h"
#include "order/check.h"

struct export
{
    const char *file, *output;
    const char *variants;
    struct prepared prepared;
    struct text out;
};

/* One format. MAKE appends it to the export's text; where it fails, it says why and returns the command's
 * status. */
struct format {
    const char *name;
    int (*make)(struct export *export);
};

/* What is exported will do the same as the schedule: whoever takes it away should know. */
static void warn_of_hazards(const struct export *export)
{
    struct findings findings = order_check(export->prepared.order);
    for (uint32_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        if (finding_severity(finding->kind) == SEVERITY_ERROR)
            complain("export", "warning: the program will have a %s: %s", finding_kind_name(finding->kind),
                     finding->text);
    }
    findings_free(&findings);
}

static int make_c(struct export *export)
{
    if (!prepare(&export->prepared, "export", export->file, export->variants))
        return EXIT_BAD_INPUT;
    warn_of_hazards(export);
    export_c(export->prepared.order, export->prepared.source.file, &export->out, NULL);
    return EXIT_FINE;
}

static const struct format formats[] = {
    {"c", make_c},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static const struct format *find_format(const char *name)
{
    const char *names[FORMAT_COUNT];
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(name, formats[i].name) == 0)
            return &formats[i];
        names[i] = formats[i].name;
    }
    const char *nearest = nearest_name(name, names, FORMAT_COUNT);
    if (nearest)
        complain("export", "no format %s: did you mean %s?", name, nearest);
    else
        complain("export", "no format %s (see handoff export --help)", name);
    return NULL;
}

/* To the file that was named; to standard output where none was, or "-". */
static bool write_output(const struct export *export)
{
    struct error error;
    if (!export->output || strcmp(export->output, "-") == 0) {
        fwrite(text_string(&export->out), 1, export->out.length, stdout);
        return true; /* main() looks whether it could be written */
    }
    if (file_replace(export->output, text_string(&export->out), export->out.length, &error))
        return true;
    complain("export", "%s", error.message);
    return false;
}

static int export_as(struct export *export, const struct format *format)
{
    int status = format->make(export);
    if (status == EXIT_FINE && !write_output(export))
        status = EXIT_HAZARD;
    prepared_free(&export->prepared);
    text_free(&export->out);
    return status;
}

static int export_run(int argc, char **argv)
{
    struct export export = {0};
    const char *operands[2] = {NULL, NULL};
    const struct option options[] = {
        {"--variant", &export.variants, NULL},
        {"-o", &export.output, NULL},
    };
    const struct arguments arguments = {"export", options, sizeof options / sizeof *options, operands, 2};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    const struct format *format = operands[0] ? find_format(operands[0]) : NULL;
    if (operands[0] && !format)
        return EXIT_BAD_INPUT;
    export.file = operands[1];
    if (!export.file) {
        complain("export", "%s is missing (see handoff export --help)",
                 format ? "a lesson or a file" : "a format");
        return EXIT_BAD_INPUT;
    }
    return export_as(&export, format);
}

const struct command command_export = {
    .name = "export",
    .summary = "take a schedule or a run elsewhere: a CUDA program, a picture, a trace",
    .usage = "usage: handoff export FORMAT LESSON or FILE [OPTION ...]\n"
             "\n"
             "Formats:\n"
             "  c        a complete CUDA and NCCL program for exactly this schedule; name it .cu for nvcc\n"
             "\n"
             "  -o FILE          write to FILE; to standard output without it, or where FILE is -\n"
             "  --variant V[,V]  switch variants of the schedule on\n"
             "\n"
             "Exit status: 0 fine, 1 it could not be written, 2 bad input.\n",
    .run = export_run,
};
