#include "screen/notes.h"

#include <inttypes.h>

#include "screen/key_bar.h"
#include "screen/line.h"
#include "screen/page.h"

enum { NOTES_MAX_COLUMNS = 90, NARROW_INDENT = 2 };

void format_elapsed(int64_t seconds, struct text *out)
{
    int64_t hours = seconds / 3600, minutes = seconds / 60 % 60;
    if (hours > 0)
        text_format(out, "%" PRId64 ":%02d:%02d", hours, (int)minutes, (int)(seconds % 60));
    else
        text_format(out, "%d:%02d", (int)minutes, (int)(seconds % 60));
}

static void add_heading(struct page *page, const char *text)
{
    page_gap(page);
    page_text(page, 0, 0, STYLE_KEY, text);
}

/* The step's questions, with what is right and why. */
static void add_questions(struct page *page, const struct walk *walk, const struct step *step)
{
    size_t answered = walk_answered(walk);
    for (size_t i = 0; i < step->question_count; i++) {
        const struct question *question = &step->questions[i];
        add_heading(page, i < answered ? "Question, answered" : "Question");
        page_block(page, NARROW_INDENT, "", &question->text);
        for (size_t k = 0; k < question->answer_count; k++) {
            struct text marker = {0};
            text_format(&marker, "%s%zu) ", question->answers[k].right ? (page->ascii ? "*" : "✔") : " ",
                        k + 1);
            page_block(page, NARROW_INDENT, text_string(&marker), &question->answers[k].text);
            text_free(&marker);
        }
        for (size_t k = 0; k < question->reason_count; k++)
            page_block(page, NARROW_INDENT, "", &question->reason[k]);
    }
}

/* The step behind the one that is shown; NULL behind the last. */
static const struct step *next_step(const struct walk *walk)
{
    size_t number = walk_step_number(walk, walk->view->step);
    return number < walk->step_count ? &walk->lesson->steps[walk->steps[number]] : NULL;
}

static void fill(struct page *page, const struct walk *walk)
{
    const struct step *step = walk->lesson ? walk_step(walk) : NULL;
    if (!walk->lesson) {
        page_text(page, 0, 0, STYLE_PLAIN, "A schedule without a lesson has no steps and no notes.");
        return;
    }
    page_text(page, 0, 0, STYLE_TITLE, step ? step->title : walk->lesson->title);
    if (step) {
        add_heading(page, "Notes");
        page_text(page, NARROW_INDENT, 0, STYLE_PLAIN, step->notes[0] ? step->notes : "None for this step.");
        add_questions(page, walk, step);
    }
    const struct step *next = next_step(walk);
    add_heading(page, next ? "Next" : "This is the last step.");
    if (next)
        page_text(page, NARROW_INDENT, 0, STYLE_STRONG, next->title);
    if (next && next->notes[0])
        page_text(page, NARROW_INDENT, 0, STYLE_DIM, next->notes);
}

static void draw_title(const struct notes *notes, struct canvas *canvas, struct rectangle area)
{
    const struct walk *walk = notes->walk;
    struct text elapsed = {0};
    text_append(&elapsed, " ");
    format_elapsed(notes->seconds, &elapsed);
    text_append(&elapsed, " ");
    canvas_glyphs(canvas, area, 0, 0, area.columns, STYLE_FRAME, GLYPH_HORIZONTAL);
    int width = (int)elapsed.length;
    canvas_text(canvas, area, 0, area.columns - width - 2, STYLE_STRONG, text_string(&elapsed));
    text_free(&elapsed);
    struct line line = {canvas, area, 0, 0};
    line.area.columns = area.columns - width - 4;
    line_text(&line, STYLE_TITLE, "notes");
    line_dot(&line);
    line_text(&line, STYLE_TITLE, text_string(&walk->title));
    if (walk->lesson) {
        line_dot(&line);
        line_format(&line, STYLE_PLAIN, "step %zu/%zu", walk_step_number(walk, walk->view->step),
                    walk->step_count);
    }
    line_text(&line, STYLE_PLAIN, " ");
}

/* Without the session's own keys once there is none to hear them. */
static void draw_keys(bool has_ended, struct canvas *canvas, struct rectangle area)
{
    struct key_bar bar = {0};
    if (!has_ended) {
        key_bar_add(&bar, "n", "next", 4);
        key_bar_add(&bar, "b", "back", 3);
        key_bar_add(&bar, "a", "reveal", 2);
        key_bar_add(&bar, "r", "run and pause", 1);
    }
    key_bar_add(&bar, "PgUp PgDn", "scroll", 0);
    key_bar_add(&bar, "q", "close the notes", KEY_BAR_STAYS);
    key_bar_draw(&bar, canvas, area);
}

void notes_draw(const struct notes *notes, struct canvas *canvas)
{
    canvas_clear(canvas);
    struct rectangle screen = {0, 0, canvas->rows, canvas->columns};
    draw_title(notes, canvas, (struct rectangle){0, 0, 1, screen.columns});
    int width = screen.columns - 4 < NOTES_MAX_COLUMNS ? screen.columns - 4 : NOTES_MAX_COLUMNS;
    struct rectangle body = {2, 2, screen.rows - 4, width};
    struct page page = {.width = width, .ascii = canvas->ascii};
    fill(&page, notes->walk);
    int below = page_draw(&page, canvas, body, notes->scroll);
    page_free(&page);
    struct rectangle status = {screen.rows - 2, 0, 1, screen.columns};
    if (notes->end[0] != '\0')
        canvas_text(canvas, status, 0, 1, STYLE_ERROR, notes->end);
    else if (below > 0)
        canvas_text(canvas, status, 0, 1, STYLE_KEY, "PgDn: more");
    draw_keys(notes->end[0] != '\0', canvas, (struct rectangle){screen.rows - 1, 0, 1, screen.columns});
}
