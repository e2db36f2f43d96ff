/* `handoff list`: the lessons. */
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "command/message.h"
#include "command/options.h"
#include "lesson/library.h"

static void append_variants(const struct schedule *schedule, struct text *out)
{
    size_t width = 0;
    for (size_t v = 0; v < schedule_variant_count(schedule); v++) {
        size_t length = strlen(schedule_variant(schedule, v)->name);
        width = length > width ? length : width;
    }
    for (size_t v = 0; v < schedule_variant_count(schedule); v++) {
        const struct variant *variant = schedule_variant(schedule, v);
        text_format(out, "       --variant %-*s  ", (int)width, variant->name);
        text_append_visible(out, variant->description, strlen(variant->description));
        text_append(out, "\n");
    }
}

/* The lesson's line and its variants. False where it has errors, which were printed. */
static bool append_lesson(const struct lesson_entry *entry, struct text *out)
{
    struct source source;
    struct diagnostics faults = {0};
    struct error error = {0};
    if (entry->number > 0)
        text_format(out, "%3u  ", entry->number);
    else
        text_append(out, "     ");
    text_append_visible(out, entry->name, strlen(entry->name));
    text_format(out, "  %s\n", entry->title);
    bool fine = source_open(&source, entry->path, &faults, &error);
    struct text lines = {0};
    if (fine)
        append_variants(source.schedule, out);
    else if (faults.count > 0)
        diagnostics_print(&faults, entry->path, &lines);
    else
        complain("list", "%s", error.message);
    fputs(text_string(&lines), stderr);
    text_free(&lines);
    diagnostics_free(&faults);
    source_free(&source);
    return fine;
}

static int list_run(int argc, char **argv)
{
    const struct arguments arguments = {.command = "list"};
    struct lesson_library library;
    struct error error;
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    if (!library_open(&library, &error)) {
        complain("list", "%s", error.message);
        return EXIT_BAD_INPUT;
    }
    struct text out = {0};
    bool fine = true;
    for (size_t i = 0; i < library.count; i++)
        fine = append_lesson(&library.entries[i], &out) && fine;
    fputs(text_string(&out), stdout);
    text_free(&out);
    library_free(&library);
    return fine ? EXIT_FINE : EXIT_BAD_INPUT;
}

const struct command command_list = {
    .name = "list",
    .summary = "the lessons and their variants",
    .usage = "usage: handoff list\n"
             "\n"
             "Lists the lessons by number, name and title, each with its variants.\n"
             "\n"
             "Exit status: 0, or 2 where the lessons cannot be found or one has errors.\n",
    .run = list_run,
};
