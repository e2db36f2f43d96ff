#include "command/pace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command/command.h"
#include "command/message.h"
#include "command/report.h"
#include "lesson/until.h"
#include "log/print.h"
#include "screen/page.h"

enum { HANDOUT_WIDTH = 78, INDENT = 2, PROGRAM_INDENT = 4 };

struct pace {
    const struct prepared *prepared;
    const struct lesson *lesson; /* NULL for a bare schedule */
    struct session *session;
    struct view *view;
    struct print print;
    struct page page;         /* what is not printed yet */
    const struct step *step;  /* whose run goes on; NULL before the first and behind the last */
    bool says_what_happens;   /* the heading of the events is there */
    const struct step *asked; /* its questions wait for their answers; NULL */
    size_t asked_number;
};

static void print_page(struct pace *pace)
{
    struct canvas canvas;
    struct text out = {0};
    int width = pace->page.width, rows = (int)pace->page.line_count;
    if (rows > 0) {
        canvas_open(&canvas, rows, width, pace->page.ascii);
        page_draw(&pace->page, &canvas, (struct rectangle){0, 0, rows, width}, 0);
        canvas_to_text(&canvas, &out);
        canvas_free(&canvas);
        fputs(text_string(&out), stdout);
        fputs("\n", stdout);
    }
    text_free(&out);
    bool ascii = pace->page.ascii;
    page_free(&pace->page);
    pace->page = (struct page){.width = width, .ascii = ascii};
}

static void add_line(struct pace *pace, int indent, const char *text)
{
    page_text(&pace->page, indent, INDENT, STYLE_PLAIN, text);
}

static void add_blocks(struct pace *pace, int indent, const struct prose_block *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text marker = {0};
        if (blocks[i].kind == BLOCK_LIST_ITEM && blocks[i].number > 0)
            text_format(&marker, "%u. ", blocks[i].number);
        else if (blocks[i].kind == BLOCK_LIST_ITEM)
            text_append(&marker, "- ");
        else
            page_gap(&pace->page);
        page_block(&pace->page, indent, text_string(&marker), &blocks[i]);
        text_free(&marker);
    }
}

static void add_program(struct pace *pace)
{
    const struct schedule *schedule = pace->prepared->source.schedule;
    page_gap(&pace->page);
    add_line(pace, 0, "The program:");
    page_gap(&pace->page);
    for (uint32_t line = 1; line <= schedule_line_count(schedule); line++) {
        size_t length;
        struct text visible = {0};
        const char *bytes = schedule_line(schedule, line, &length);
        text_append_visible(&visible, bytes, length);
        if (schedule_line_is_on(schedule, line, pace->prepared->variants) && visible.length > 0) {
            size_t blanks = strspn(visible.bytes, " ");
            page_text(&pace->page, PROGRAM_INDENT + (blanks < 8 ? (int)blanks : 8), INDENT, STYLE_PLAIN,
                      visible.bytes + blanks);
        }
        text_free(&visible);
    }
}

/* Whether the event is worth a sentence: that a call was entered, or that its operation stands in its stream,
 * goes without saying. */
static bool is_told(const struct record *record)
{
    switch (record->kind) {
    case RECORD_CALLED:
    case RECORD_SUBMITTED:
    case RECORD_HELD:
    case RECORD_RELEASED:
    case RECORD_STEP:
    case RECORD_NOTE:
        return false;
    default:
        return true;
    }
}

static void take_record(void *context, const struct record *record)
{
    struct pace *pace = context;
    view_apply(pace->view, record);
    if (!is_told(record))
        return;
    struct text sentence = {0};
    if (!pace->says_what_happens) {
        page_gap(&pace->page);
        add_line(pace, 0, "What happens:");
        page_gap(&pace->page);
    }
    pace->says_what_happens = true;
    print_sentence(&pace->print, record, &sentence);
    add_line(pace, INDENT, text_string(&sentence));
    text_free(&sentence);
}

static bool step_holds(void *context)
{
    const struct pace *pace = context;
    return until_holds(pace->step->until, pace->view);
}

static void run_on(struct pace *pace)
{
    struct session_goal goal = {.kind = GOAL_END};
    if (session_state(pace->session) == SESSION_ENDED ||
        (pace->step && (!pace->step->until || step_holds(pace))))
        return;
    if (pace->step)
        goal = (struct session_goal){.kind = GOAL_UNTIL, .holds = step_holds, .context = pace};
    session_set_goal(pace->session, &goal);
    session_wait(pace->session);
}

static void add_questions(struct pace *pace, const struct step *step)
{
    for (size_t i = 0; i < step->question_count; i++) {
        const struct question *question = &step->questions[i];
        page_gap(&pace->page);
        page_block(&pace->page, 0, "Question: ", &question->text);
        for (size_t k = 0; k < question->answer_count; k++) {
            struct text marker = {0};
            text_format(&marker, "%zu. ", k + 1);
            page_block(&pace->page, INDENT, text_string(&marker), &question->answers[k].text);
            text_free(&marker);
        }
    }
}

/* What the last step asked. */
static void add_answers(struct pace *pace)
{
    const struct step *step = pace->asked;
    for (size_t i = 0; step && i < step->question_count; i++) {
        const struct question *question = &step->questions[i];
        size_t right = 0;
        page_gap(&pace->page);
        for (size_t k = 0; k < question->answer_count; k++) {
            struct text marker = {0};
            if (!question->answers[k].right)
                continue;
            if (right++ == 0)
                text_format(&marker, "Answer to step %zu: ", pace->asked_number);
            text_format(&marker, "%s%zu. ", right > 1 ? "And " : "", k + 1);
            page_block(&pace->page, 0, text_string(&marker), &question->answers[k].text);
            text_free(&marker);
        }
        add_blocks(pace, 0, question->reason, question->reason_count);
    }
    pace->asked = NULL;
}

static void tell_step(struct pace *pace, const struct step *step, size_t number, size_t count)
{
    struct text heading = {0};
    text_format(&heading, "Step %zu of %zu: %s", number, count, step->title);
    add_line(pace, 0, text_string(&heading));
    text_free(&heading);
    pace->step = step;
    pace->says_what_happens = false;
    run_on(pace);
    add_answers(pace);
    add_blocks(pace, 0, step->prose, step->prose_count);
    add_questions(pace, step);
    if (step->question_count > 0) {
        pace->asked = step;
        pace->asked_number = number;
    }
    print_page(pace);
}

static void tell_buffers(struct pace *pace)
{
    const struct program *program = pace->view->program;
    page_gap(&pace->page);
    add_line(pace, 0, "What the buffers hold at the end:");
    page_gap(&pace->page);
    for (uint32_t m = 0; m < program->memory_count; m++) {
        struct text sentence = {0};
        print_memory_sentence(&pace->print, m, &sentence);
        add_line(pace, INDENT, text_string(&sentence));
        text_free(&sentence);
    }
}

static void tell_end(struct pace *pace)
{
    struct text waiting = {0};
    pace->step = NULL;
    pace->says_what_happens = false;
    bool goes_on = session_state(pace->session) != SESSION_ENDED;
    if (goes_on && pace->lesson)
        add_line(pace, 0, "Then the run goes on to its end.");
    run_on(pace);
    add_answers(pace);
    if (pace->view->outcome != OUTCOME_FINISHED) {
        page_gap(&pace->page);
        add_line(pace, 0, "It cannot go on. What waits, and for what:");
        page_gap(&pace->page);
        print_waiting_sentences(&pace->print, &waiting);
        for (char *rest = waiting.bytes, *line; rest && (line = strtok_r(rest, "\n", &rest));)
            add_line(pace, INDENT, line);
    }
    text_free(&waiting);
    tell_buffers(pace);
    print_page(pace);
}

static void tell_beginning(struct pace *pace)
{
    struct text title = {0};
    if (pace->lesson)
        text_append(&title, pace->lesson->title);
    else
        text_append_visible(&title, pace->prepared->source.file, strlen(pace->prepared->source.file));
    add_line(pace, 0, text_string(&title));
    text_free(&title);
    if (pace->lesson)
        add_blocks(pace, 0, pace->lesson->prose, pace->lesson->prose_count);
    add_program(pace);
    print_page(pace);
}

static void tell_all(struct pace *pace)
{
    tell_beginning(pace);
    size_t *steps = memory_zeroed(pace->lesson ? pace->lesson->step_count : 0, sizeof *steps);
    size_t count = pace->lesson ? lesson_walk(pace->lesson, pace->prepared->variants, steps) : 0;
    for (size_t i = 0; i < count && !ferror(stdout); i++)
        tell_step(pace, &pace->lesson->steps[steps[i]], i + 1, count);
    free(steps);
    tell_end(pace);
}

int pace_print(const struct prepared *prepared, const struct run_options *options, enum backend backend)
{
    struct pace pace = {.prepared = prepared, .lesson = prepared->source.lesson};
    struct error error;
    const struct session_options session_options = {.backend = backend,
                                                    .eager = options->eager,
                                                    .report_values = true,
                                                    .stepped = true,
                                                    .gpus = options->gpus,
                                                    .sink = take_record,
                                                    .context = &pace};
    pace.view = view_open(prepared->order);
    pace.print = print_open(pace.view, !output_is_utf8(options->ascii));
    pace.page = (struct page){.width = report_width(HANDOUT_WIDTH), .ascii = pace.print.ascii};
    pace.session = session_open(prepared->order, &session_options, &error);
    int status = backend == BACKEND_CUDA ? EXIT_NO_BACKEND : EXIT_HAZARD;
    if (pace.session) {
        tell_all(&pace);
        if (!session_is_unavailable(pace.session))
            status = pace.view->outcome == OUTCOME_FINISHED ? EXIT_FINE : EXIT_HAZARD;
    } else {
        complain("run", "%s", error.message);
    }
    session_close(pace.session);
    view_close(pace.view);
    page_free(&pace.page);
    return status;
}
