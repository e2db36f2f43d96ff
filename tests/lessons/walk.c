/* usage: walk LOG
 * Walks through the lesson in a log as the screen does, and prints a JSON object for each step: where in time
 * its run stopped, whether the run had ended by then, and what every buffer held. A cell is its value, with ~
 * behind it where it is torn; "." where nothing was ever written, ">" where an operation is about to write,
 * "x" once freed. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lesson/lesson.h"
#include "lesson/until.h"
#include "log/log.h"

static json_t *cell_json(const struct view *view, uint32_t memory, uint32_t element)
{
    struct text text = {0};
    switch (view_cell(view, memory, element)) {
    case CELL_NEVER_WRITTEN:
        text_append(&text, ".");
        break;
    case CELL_BEING_WRITTEN:
        text_append(&text, ">");
        break;
    case CELL_FREED:
        text_append(&text, "x");
        break;
    case CELL_TORN:
        view_format_value(view, memory, element, &text);
        text_append(&text, "~");
        break;
    case CELL_VALUE:
        view_format_value(view, memory, element, &text);
        break;
    }
    json_t *json = json_string(text_string(&text));
    text_free(&text);
    return json;
}

static json_t *buffers_json(const struct view *view)
{
    json_t *buffers = json_object();
    for (uint32_t i = 0; i < view->program->memory_count; i++) {
        const struct memory *memory = &view->program->memories[i];
        json_t *cells = json_array();
        for (uint32_t element = 0; element < view->memories[i].kept; element++)
            json_array_append_new(cells, cell_json(view, i, element));
        struct text name = {0};
        text_format(&name, "%u.%s", (unsigned)memory->rank, memory->name);
        json_object_set_new(buffers, text_string(&name), cells);
        text_free(&name);
    }
    return buffers;
}

static void walk(const struct lesson *lesson, const struct log_input *input)
{
    struct view *view = view_open(input->order);
    size_t *indices = memory_zeroed(lesson->step_count, sizeof *indices);
    size_t count = lesson_walk(lesson, input->program->variants, indices), next = 0;
    for (size_t i = 0; i < count; i++) {
        const struct step *step = &lesson->steps[indices[i]];
        while (step->until && !until_holds(step->until, view) && next < input->log.count)
            view_apply(view, &input->log.records[next++]);
        json_t *json =
            json_pack("{s:s, s:b, s:o, s:b, s:o}", "title", step->title, "runs", step->until != NULL, "time",
                      view->now == TIME_NONE ? json_null() : json_integer(view->now), "ended",
                      view->outcome != OUTCOME_NONE, "buffers", buffers_json(view));
        json_dumpf(json, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(json);
    }
    free(indices);
    view_close(view);
}

int main(int argc, char **argv)
{
    struct log_input input = {0};
    struct error error = {0};
    if (argc != 2 || !log_read(&input, argv[1], &error) || !input.log.header.lesson) {
        fprintf(stderr, "walk: %s\n", error.message[0] ? error.message : "expected the log of a lesson");
        return 2;
    }
    struct diagnostics diagnostics = {0};
    struct lesson *lesson =
        lesson_parse("lesson", input.log.header.lesson, input.log.header.lesson_length, &diagnostics);
    if (!lesson)
        return 2;
    walk(lesson, &input);
    lesson_free(lesson);
    log_input_free(&input);
    return 0;
}
