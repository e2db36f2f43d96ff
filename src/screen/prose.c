#include "screen/prose.h"

#include "screen/layout.h"
#include "screen/review.h"

static void add_blocks(struct page *page, const struct prose_block *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text marker = {0};
        bool is_item = blocks[i].kind == BLOCK_LIST_ITEM;
        if (!is_item || i == 0 || blocks[i - 1].kind != BLOCK_LIST_ITEM)
            page_gap(page);
        if (is_item && blocks[i].number > 0)
            text_format(&marker, "%u. ", blocks[i].number);
        else if (is_item)
            text_append(&marker, page->ascii ? "* " : "• ");
        page_block(page, 0, text_string(&marker), &blocks[i]);
        text_free(&marker);
    }
}

/* What was answered, whether that is right, and why. */
static void add_feedback(struct page *page, const struct question *question, int answered)
{
    page_gap(page);
    if (question->answers[answered].right)
        page_text(page, 0, 0, STYLE_DONE, page->ascii ? "* Right." : "✔ Right.");
    else
        page_text(page, 0, 0, STYLE_ERROR, page->ascii ? "x Not so." : "✗ Not so.");
    add_blocks(page, question->reason, question->reason_count);
}

void prose_add_question(struct page *page, const struct question *question, int answered)
{
    page_gap(page);
    page_block(page, 0, "? ", &question->text);
    for (size_t i = 0; i < question->answer_count; i++) {
        struct text marker = {0};
        bool is_right = answered >= 0 && question->answers[i].right;
        const char *mark = is_right             ? (page->ascii ? "*" : "✔")
                           : answered == (int)i ? (page->ascii ? "x" : "✗")
                                                : " ";
        text_format(&marker, "%s%zu) ", mark, i + 1);
        page_block(page, 0, text_string(&marker), &question->answers[i].text);
        text_free(&marker);
    }
    if (answered >= 0)
        add_feedback(page, question, answered);
}

/* The line at which the question that waits for an answer, or was answered last, begins; -1. */
static int add_questions(const struct walk *walk, const struct step *step, struct page *page)
{
    int begins = -1;
    for (size_t i = 0; i < step->question_count; i++) {
        int answered = walk->answers[walk->view->step][i];
        if (i > 0 && walk->answers[walk->view->step][i - 1] < 0)
            break;
        int line = (int)page->line_count;
        prose_add_question(page, &step->questions[i], answered);
        begins = answered >= 0 || i > 0 ? line : begins;
    }
    return begins;
}

static void add_introduction(struct page *page, const struct lesson *lesson, enum style title,
                             const char *how_to_begin)
{
    page_text(page, 0, 0, title, lesson->title);
    add_blocks(page, lesson->prose, lesson->prose_count);
    page_gap(page);
    page_text(page, 0, 0, STYLE_KEY, how_to_begin);
}

static const char press_n[] = "Press n to begin.";

int prose_rows(const struct lesson *lesson, const struct step *step)
{
    struct page page = {.width = layout_left_columns(LAYOUT_MIN_COLUMNS) - 2};
    if (step) {
        page_text(&page, 0, 0, STYLE_TITLE, step->title);
        add_blocks(&page, step->prose, step->prose_count);
    } else {
        add_introduction(&page, lesson, STYLE_TITLE, press_n);
    }
    int rows = (int)page.line_count;
    page_free(&page);
    return rows;
}

int prose_room(const struct lesson *lesson)
{
    struct layout layout;
    const struct layout_content content = {.has_prose = true,
                                           .program_lines = (int)schedule_line_count(lesson->schedule)};
    layout_make(&layout, LAYOUT_MIN_ROWS, LAYOUT_MIN_COLUMNS, &content);
    return layout.prose.rows;
}

/* At the lesson's end. */
static void add_review_offer(const struct walk *walk, struct page *page)
{
    size_t count = review_size(walk);
    struct text offer = {0};
    if (count == 0 || walk->is_replay || walk_step_number(walk, walk->view->step) < walk->step_count)
        return;
    text_format(&offer, "w: look again at %zu question%s that you answered otherwise.", count,
                count == 1 ? "" : "s");
    page_gap(page);
    page_text(page, 0, 0, STYLE_KEY, text_string(&offer));
    text_free(&offer);
}

/* What is behind the last step. */
static void add_challenge_offer(const struct walk *walk, struct page *page)
{
    size_t left = 0;
    struct text offer = {0};
    for (size_t i = 0; i < walk->lesson->challenge_count; i++)
        left += !walk->solved[i];
    if (left == 0 || walk->is_replay || walk_step_number(walk, walk->view->step) < walk->step_count)
        return;
    if (left == 1)
        text_append(&offer, "C: a challenge is left for you.");
    else
        text_format(&offer, "C: %zu challenges are left for you.", left);
    page_gap(page);
    page_text(page, 0, 0, STYLE_KEY, text_string(&offer));
    text_free(&offer);
}

/* What the run beside it shows. */
static void add_finding(struct page *page, const struct finding *finding)
{
    struct text title = {0};
    text_format(&title, "A run that shows the %s", finding_kind_name(finding->kind));
    page_text(page, 0, 0, STYLE_TITLE, text_string(&title));
    page_gap(page);
    page_text(page, 0, 0, STYLE_PLAIN, finding->text);
    text_free(&title);
}

/* A line for the room at the back. */
static void add_counter(const struct walk *walk, struct page *page)
{
    struct text counter = {0};
    text_format(&counter, "Step %zu of %zu", walk_step_number(walk, walk->view->step), walk->step_count);
    page_text(page, 0, 0, STYLE_KEY, text_string(&counter));
    text_free(&counter);
}

static void add_verdict(const struct walk *walk, struct page *page)
{
    page_gap(page);
    if (walk->is_solved) {
        page_text(page, 0, 0, STYLE_DONE, page->ascii ? "* Solved." : "✔ Solved.");
    } else {
        page_text(page, 0, 0, STYLE_ERROR, page->ascii ? "x Not yet." : "✗ Not yet.");
        page_text(page, 0, 0, STYLE_PLAIN, text_string(&walk->verdict));
    }
}

static void add_challenge(const struct walk *walk, struct page *page)
{
    const struct challenge *challenge = walk->challenge;
    page_text(page, 0, 0, STYLE_TITLE, challenge->name);
    if (walk->is_judged)
        add_verdict(walk, page);
    add_blocks(page, challenge->prose, challenge->prose_count);
    for (size_t i = 0; i < walk->hints; i++) {
        page_gap(page);
        page_block(page, 0, "Hint: ", &challenge->hints[i]);
    }
    page_gap(page);
    page_text(page, 0, 0, STYLE_KEY,
              challenge->kind == CHALLENGE_EDIT
                  ? "e edits a copy of the program and runs it; h is a hint."
                  : "space releases one, r lets the rest go, R begins anew; h is a hint.");
}

/* Returns the line at which the text should begin to be seen, where it does not fit: add_questions(). */
static int add_step(const struct walk *walk, const struct step *step, struct page *page)
{
    int begins = -1;
    if (walk->is_presented)
        add_counter(walk, page);
    page_text(page, 0, 0, walk->focus == PANEL_PROSE ? STYLE_SELECTED : STYLE_TITLE, step->title);
    add_blocks(page, step->prose, step->prose_count);
    if (walk_asks(walk))
        begins = add_questions(walk, step, page);
    if (walk->view->outcome != OUTCOME_NONE && walk_is_hazard(walk)) {
        page_gap(page);
        page_text(page, 0, 0, STYLE_KEY, "c: why this goes wrong, and a run that shows it.");
    }
    add_review_offer(walk, page);
    add_challenge_offer(walk, page);
    return begins;
}

bool prose_is_there(const struct walk *walk)
{
    return walk->lesson || walk->finding || walk->challenge;
}

/* Whatever there is to read. Returns as add_step(). */
static int fill(const struct walk *walk, struct page *page)
{
    const struct step *step = walk_step(walk);
    if (walk->finding)
        add_finding(page, walk->finding);
    else if (walk->challenge)
        add_challenge(walk, page);
    else if (step)
        return add_step(walk, step, page);
    else
        add_introduction(page, walk->lesson, walk->focus == PANEL_PROSE ? STYLE_SELECTED : STYLE_TITLE,
                         walk->is_led ? "The presenter has not begun." : press_n);
    return -1;
}

int prose_panel_rows(const struct walk *walk, int columns, bool ascii)
{
    struct page page = {.width = columns - 1, .ascii = ascii};
    if (prose_is_there(walk))
        fill(walk, &page);
    int rows = (int)page.line_count;
    page_free(&page);
    return rows;
}

int prose_panel_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    if (area.rows <= 0 || !prose_is_there(walk))
        return 0;
    struct page page = {.width = area.columns - 1, .ascii = canvas->ascii};
    int begins = fill(walk, &page);
    if (walk->is_presented && 2 * (int)page.line_count - 1 <= area.rows)
        page_spread(&page);
    int last = page_last_start(&page, area.rows);
    int start = begins > last ? last : begins > 0 && last > 0 ? begins : 0;
    int below = page_draw(&page, canvas, area, start + walk->scroll[PANEL_PROSE]);
    page_free(&page);
    return below;
}
