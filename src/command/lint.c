/* `handoff lint`: for people who write lessons. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command/command.h"
#include "command/lint_run.h"
#include "command/message.h"
#include "command/options.h"
#include "command/solve.h"
#include "lesson/library.h"
#include "lesson/line_map.h"
#include "lesson/markdown.h"
#include "screen/prose.h"

enum { LESSONS_MAX = 256 };

struct remark {
    struct place place;
    bool is_warning;
    size_t order; /* as it was found */
    char *text;   /* visible already */
};

struct lint {
    const struct lesson *lesson;
    struct remark *remarks;
    size_t count, capacity;
    struct lint_run plain, variant; /* without a variant, and with the one that is looked at */
};

static void remark(struct lint *lint, struct place place, bool is_warning, const char *text)
{
    for (size_t i = 0; i < lint->count; i++)
        if (lint->remarks[i].place.line == place.line && strcmp(lint->remarks[i].text, text) == 0)
            return;
    ARRAY_RESERVE(lint->remarks, lint->count, lint->capacity);
    lint->remarks[lint->count] = (struct remark){place, is_warning, lint->count, memory_copy_string(text)};
    lint->count++;
}

/* STEP is NULL for what stands before the first. */
static void check_room(struct lint *lint, const struct step *step)
{
    struct text text = {0};
    int rows = prose_rows(lint->lesson, step), room = prose_room(lint->lesson);
    if (rows > room) {
        text_format(&text, "the text takes %d lines on a screen of 80x24, which has room for %d", rows, room);
        remark(lint, step ? step->place : (struct place){1, 1}, true, text_string(&text));
    }
    text_free(&text);
}

/* Each step by itself, whatever runs. */
static void check_steps(struct lint *lint)
{
    check_room(lint, NULL);
    for (size_t i = 0; i < lint->lesson->step_count; i++) {
        const struct step *step = &lint->lesson->steps[i];
        if (step->notes[0] == '\0')
            remark(lint, step->place, true, "the step has no note for the presenter: <!-- present: ... -->");
        if (i > 0 && !step->until && step->question_count == 0)
            remark(lint, step->place, true,
                   "nothing runs in this step and nothing is asked: it has no until block");
        check_room(lint, step);
    }
}

/* A line of a paragraph that begins with "1. " or "- " is a list to Markdown, whether or not that was meant.
 */
static void check_lists(struct lint *lint)
{
    struct markdown markdown;
    struct diagnostics none = {0}; /* what can be read has no faults */
    struct line_map map;
    markdown_read(&markdown, lint->lesson->text, lint->lesson->length, &none);
    line_map_open(&map, lint->lesson->text, lint->lesson->length);
    for (size_t i = 1; i < markdown.count; i++) {
        const struct markdown_block *block = &markdown.blocks[i];
        size_t above = block->place.line - 2; /* counted from 0 */
        if (block->kind == MARKDOWN_ITEM && block[-1].kind == MARKDOWN_PARAGRAPH &&
            !line_map_is_blank(&map, above))
            remark(lint, block->place, true,
                   "a list begins in the middle of a paragraph; a list that is meant has a blank line before "
                   "it");
    }
    line_map_free(&map);
    markdown_free(&markdown);
    diagnostics_free(&none);
}

/* The walk under one choice: every step has to be reached, and the last one should be the end. */
static void check_walk(struct lint *lint, const struct lint_run *run, const char *variant)
{
    struct text with = {0}, text = {0};
    if (variant)
        text_format(&with, " with variant %s", variant);
    for (size_t i = 0; i < run->step_count; i++) {
        if (run->reached[i])
            continue;
        text_format(&text, "the run never comes to where this step ends%s", text_string(&with));
        remark(lint, lint->lesson->steps[run->steps[i]].place, false, text_string(&text));
        break;
    }
    text_clear(&text);
    if (run->step_count > 0 && run->reached[run->step_count - 1] && !run->ends_in_last_step) {
        text_format(&text,
                    "the walk%s ends with this step, and work is left: `until` could say finished or stuck",
                    text_string(&with));
        remark(lint, lint->lesson->steps[run->steps[run->step_count - 1]].place, true, text_string(&text));
    }
    if (run->step_count == 0) {
        text_format(&text, "the walk%s has no steps", text_string(&with));
        remark(lint, (struct place){1, 1}, false, text_string(&text));
    }
    text_free(&text);
    text_free(&with);
}

/* Whether a reader could tell one run from the other. */
static bool are_alike(const struct lint_run *one, const struct lint_run *other)
{
    return strcmp(text_string(&one->log), text_string(&other->log)) == 0 &&
           strcmp(text_string(&one->verdict), text_string(&other->verdict)) == 0;
}

static bool run_one(struct lint *lint, struct lint_run *run, uint32_t variants, struct place place,
                    const char *name)
{
    struct error error = {0};
    if (lint_run_make(run, lint->lesson, variants, &error)) {
        check_walk(lint, run, name);
        return true;
    }
    remark(lint, place, false, error.message);
    return false;
}

static void check_runs(struct lint *lint)
{
    const struct schedule *schedule = lint->lesson->schedule;
    if (!run_one(lint, &lint->plain, 0, (struct place){1, 1}, NULL))
        return;
    for (size_t i = 0; i < schedule_variant_count(schedule); i++) {
        const struct variant *variant = schedule_variant(schedule, i);
        bool has_run = run_one(lint, &lint->variant, (uint32_t)1 << i, variant->place, variant->name);
        if (has_run && are_alike(&lint->plain, &lint->variant)) {
            struct text text = {0};
            text_format(&text, "nobody can see what variant %s changes: the same run, and the same verdict",
                        variant->name);
            remark(lint, variant->place, false, text_string(&text));
            text_free(&text);
        }
        lint_run_free(&lint->variant);
    }
}

/* Each challenge has to be solved by its own solution, and not by doing nothing. */
static void check_challenges(struct lint *lint)
{
    for (size_t i = 0; i < lint->lesson->challenge_count; i++) {
        const struct challenge *challenge = &lint->lesson->challenges[i];
        struct text why = {0}, text = {0};
        if (!solve_challenge(lint->lesson, challenge, &why)) {
            text_format(&text, "the solution does not solve the challenge: %s", text_string(&why));
            remark(lint, challenge->place, false, text_string(&text));
        }
        struct challenge nothing = *challenge;
        nothing.move_count = 0;
        text_clear(&why);
        if (solve_challenge(lint->lesson, &nothing, &why))
            remark(lint, challenge->place, false, "the goal is reached without doing anything");
        if (challenge->hint_count == 0)
            remark(lint, challenge->place, true, "the challenge has no hint; expected a numbered list");
        text_free(&why);
        text_free(&text);
    }
}

/* Everything that is asked of a lesson which can be read. */
static void (*const checks[])(struct lint *) = {check_steps, check_lists, check_runs, check_challenges};

static int compare(const void *a, const void *b)
{
    const struct remark *left = a, *right = b;
    if (left->place.line != right->place.line)
        return left->place.line < right->place.line ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

/* Returns how many of them are errors. */
static size_t print_remarks(const struct lint *lint, const char *file)
{
    size_t errors = 0;
    struct text name = {0};
    text_append_visible(&name, file, strlen(file));
    if (lint->count > 0)
        qsort(lint->remarks, lint->count, sizeof *lint->remarks, compare);
    for (size_t i = 0; i < lint->count; i++) {
        const struct remark *item = &lint->remarks[i];
        errors += !item->is_warning;
        printf("%s:%u:%u: %s: %s\n", text_string(&name), item->place.line, item->place.column,
               item->is_warning ? "warning" : "error", item->text);
    }
    if (lint->count == 0)
        printf("%s: nothing to say\n", text_string(&name));
    text_free(&name);
    return errors;
}

static int lint_lesson(const char *file, const struct lesson *lesson)
{
    struct lint lint = {.lesson = lesson};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        checks[i](&lint);
    size_t errors = print_remarks(&lint, file);
    for (size_t i = 0; i < lint.count; i++)
        free(lint.remarks[i].text);
    free(lint.remarks);
    lint_run_free(&lint.plain);
    return errors > 0 ? EXIT_HAZARD : EXIT_FINE;
}

static int lint_argument(const char *argument)
{
    struct source source;
    struct diagnostics faults = {0};
    struct error error = {0};
    int status = EXIT_BAD_INPUT;
    if (source_is_standard_input(argument)) {
        complain("lint",
                 "standard input is read as a schedule, not as a lesson; `handoff check -` looks at it");
        return EXIT_BAD_INPUT;
    }
    bool is_read = source_open(&source, argument, &faults, &error);
    if (faults.count > 0) {
        struct text lines = {0};
        diagnostics_print(&faults, source.file, &lines);
        fputs(text_string(&lines), stdout);
        text_free(&lines);
        status = EXIT_HAZARD;
    } else if (!is_read) {
        complain("lint", "%s", error.message);
    } else if (!source.lesson) {
        complain("lint", "%s: not a lesson; `handoff check` looks at schedules", source.file);
    } else {
        status = lint_lesson(source.file, source.lesson);
    }
    diagnostics_free(&faults);
    source_free(&source);
    return status;
}

static int lint_run(int argc, char **argv)
{
    const char *lessons[LESSONS_MAX] = {0};
    const struct arguments arguments = {.command = "lint", .operands = lessons, .operand_limit = LESSONS_MAX};
    if (!arguments_parse(&arguments, argc, argv))
        return EXIT_BAD_INPUT;
    if (!lessons[0]) {
        complain("lint", "a lesson is missing (see handoff lint --help)");
        return EXIT_BAD_INPUT;
    }
    int status = EXIT_FINE;
    for (size_t i = 0; i < LESSONS_MAX && lessons[i]; i++) {
        int one = lint_argument(lessons[i]);
        status = one > status ? one : status;
    }
    return status;
}

const struct command command_lint = {
    .name = "lint",
    .summary = "look for faults in lessons, for those who write them",
    .usage =
        "usage: handoff lint LESSON ...\n"
        "\n"
        "Reads lessons (files, or names and numbers of installed ones), runs each of their variants in the\n"
        "simulator, and prints every fault with its place:\n"
        "\n"
        "  error    what the format forbids, such as a question without a reason; a step that the run never\n"
        "           comes to the end of; a variant that changes nothing anybody could see, neither in its\n"
        "           run nor in the checker's verdict; a challenge whose solution does not solve it\n"
        "  warning  a step without a presenter's note, one in which nothing runs and nothing is asked, one\n"
        "           whose text does not fit a screen of 80x24; a list in the middle of a paragraph; a walk\n"
        "           that ends while work is left; a challenge without a hint\n"
        "\n"
        "Exit status: 0 no error, 1 errors, 2 a lesson cannot be read.\n",
    .run = lint_run,
};
