/* `handoff progress`: what a person has done. */
#include "progress/study.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/message.h"
#include "command/options.h"
#include "lesson/challenge.h"
#include "lesson/library.h"

/* Whether the step is none of the lesson's own: it is walked with a variant on only. */
static bool is_of_variant(const struct step *step)
{
    return !variant_filter_passes(step->filter, 0);
}

struct steps {
    size_t done, count;
};

/* The lesson's own steps, or those of its variants. */
static struct steps count_steps(const struct study *study, const struct lesson *lesson, bool of_variants)
{
    struct steps steps = {0};
    for (size_t i = 0; i < lesson->step_count; i++) {
        if (is_of_variant(&lesson->steps[i]) != of_variants)
            continue;
        steps.count++;
        steps.done += study_has_step(study, lesson->name, lesson->steps[i].title);
    }
    return steps;
}

static size_t wrong_answers(const struct study *study, const struct lesson *lesson)
{
    size_t count = 0;
    for (size_t i = 0; i < lesson->step_count; i++)
        for (size_t k = 0; k < lesson->steps[i].question_count; k++)
            count += study_is_wrong(study, lesson->name, lesson->steps[i].title, (unsigned)k);
    return count;
}

static size_t solved_challenges(const struct study *study, const struct lesson *lesson)
{
    size_t count = 0;
    for (size_t i = 0; i < lesson->challenge_count; i++)
        count += study_has_challenge(study, lesson->name, lesson->challenges[i].name);
    return count;
}

static void print_lesson(const struct study *study, const struct lesson_entry *entry,
                         const struct lesson *lesson)
{
    struct text line = {0};
    const char *place = study_place(study, lesson->name);
    text_format(&line, "%3u  ", entry->number);
    text_append_visible(&line, entry->name, strlen(entry->name));
    struct steps own = count_steps(study, lesson, false), variants = count_steps(study, lesson, true);
    text_format(&line, "  %zu of %zu steps", own.done, own.count);
    if (variants.done > 0)
        text_format(&line, ", %zu of %zu in variants", variants.done, variants.count);
    if (lesson->challenge_count > 0)
        text_format(&line, ", %zu of %zu challenges", solved_challenges(study, lesson),
                    lesson->challenge_count);
    if (study_is_finished(study, lesson->name)) {
        text_append(&line, ", done");
    } else if (place) {
        text_append(&line, ", at: ");
        text_append_visible(&line, place, strlen(place));
    }
    size_t wrong = wrong_answers(study, lesson);
    if (wrong > 0)
        text_format(&line, ", %zu question%s to look at again", wrong, wrong == 1 ? "" : "s");
    puts(text_string(&line));
    text_free(&line);
}

static json_t *lesson_to_json(const struct study *study, const struct lesson *lesson)
{
    json_t *steps = json_array(), *challenges = json_array();
    for (size_t i = 0; i < lesson->challenge_count; i++)
        json_array_append_new(
            challenges, json_pack("{s:s, s:b}", "name", lesson->challenges[i].name, "solved",
                                  (int)study_has_challenge(study, lesson->name, lesson->challenges[i].name)));
    for (size_t i = 0; i < lesson->step_count; i++)
        json_array_append_new(steps,
                              json_pack("{s:s, s:b, s:b}", "name", lesson->steps[i].title, "done",
                                        (int)study_has_step(study, lesson->name, lesson->steps[i].title),
                                        "variant", (int)is_of_variant(&lesson->steps[i])));
    return json_pack("{s:s, s:s, s:b, s:s?, s:s, s:o, s:o, s:i}", "name", lesson->name, "title",
                     lesson->title, "finished", (int)study_is_finished(study, lesson->name), "at",
                     study_place(study, lesson->name), "variants", study_variants(study, lesson->name),
                     "steps", steps, "challenges", challenges, "wrong", (int)wrong_answers(study, lesson));
}

/* Prints what is known of every lesson that can be read. */
static void print_all(const struct study *study, const struct lesson_library *library, bool json)
{
    json_t *lessons = json_array();
    for (size_t i = 0; i < library->count; i++) {
        struct source source;
        struct diagnostics faults = {0};
        struct error error;
        if (!source_open(&source, library->entries[i].path, &faults, &error) || !source.lesson)
            complain("progress", "%s cannot be read as a lesson", library->entries[i].path);
        else if (json)
            json_array_append_new(lessons, lesson_to_json(study, source.lesson));
        else
            print_lesson(study, &library->entries[i], source.lesson);
        diagnostics_free(&faults);
        source_free(&source);
    }
    json_t *all = json_pack("{s:s?, s:o}", "last", study_last_lesson(study), "lessons", lessons);
    char *dump = json ? json_dumps(all, JSON_INDENT(1)) : NULL;
    if (dump)
        puts(dump);
    free(dump);
    json_decref(all);
}

static int reset(struct study *study, const struct lesson_library *library, const char *lesson)
{
    struct error error;
    const char **names = calloc(library->count + 1, sizeof *names);
    bool found = false;
    for (size_t i = 0; names && i < library->count; i++) {
        names[i] = library->entries[i].name;
        found |= strcmp(names[i], lesson) == 0;
    }
    const char *nearest = names ? nearest_name(lesson, names, library->count) : NULL;
    int status = EXIT_BAD_INPUT;
    if (!found && nearest)
        complain("progress", "no lesson %s: did you mean %s?", lesson, nearest);
    else if (!found)
        complain("progress", "no lesson %s (see handoff list)", lesson);
    else if (study_reset(study, lesson, &error))
        status = EXIT_FINE;
    else
        complain("progress", "%s", error.message);
    free(names);
    return status == EXIT_BAD_INPUT && found ? EXIT_HAZARD : status;
}

static int progress_run(int argc, char **argv)
{
    const char *lesson = NULL;
    bool json = false;
    const struct option options[] = {{"--json", NULL, &json}, {"--reset", &lesson, NULL}};
    const struct arguments arguments = {"progress", options, 2, NULL, 0};
    struct lesson_library library;
    struct error error;
    struct text notice = {0};
    int status = EXIT_FINE;
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    if (!library_open(&library, &error)) {
        complain("progress", "%s", error.message);
        library_free(&library);
        return EXIT_BAD_INPUT;
    }
    struct study *study = study_open();
    if (lesson)
        status = reset(study, &library, lesson);
    else
        print_all(study, &library, json);
    study_take_notice(study, &notice);
    if (notice.length > 0)
        complain("progress", "%s", text_string(&notice));
    text_free(&notice);
    study_close(study);
    library_free(&library);
    return status;
}

const struct command command_progress = {
    .name = "progress",
    .summary = "what you have done of the lessons",
    .usage =
        "usage: handoff progress [--json]\n"
        "       handoff progress --reset LESSON\n"
        "\n"
        "Says of each lesson how many of its steps you have seen, those of its variants apart, how many of\n"
        "its challenges you have solved, where you were, and how many questions there are to look at again.\n"
        "It is kept in $XDG_STATE_HOME/handoff, or else in ~/.local/state/handoff.\n"
        "\n"
        "  --json          print one object instead\n"
        "  --reset LESSON  forget what you did in a lesson\n"
        "\n"
        "Exit status: 0, 1 nothing could be changed, 2 bad input.\n",
    .run = progress_run,
};
