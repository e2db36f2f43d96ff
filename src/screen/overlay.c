#include "screen/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "screen/line.h"
#include "screen/page.h"
#include "screen/review.h"
#include "screen/timeline.h"
#include "screen/timeline_panel.h"

enum { BOX_MAX_COLUMNS = 92, KEY_COLUMNS = 10 };

struct rectangle frame_box(struct canvas *canvas, struct rectangle area, const char *title)
{
    int bottom = area.rows - 1, right = area.columns - 1;
    for (int row = 0; row < area.rows; row++)
        for (int column = 0; column < area.columns; column++)
            canvas_text(canvas, area, row, column, STYLE_PLAIN, " ");
    canvas_glyphs(canvas, area, 0, 0, area.columns, STYLE_FRAME, GLYPH_HORIZONTAL);
    canvas_glyphs(canvas, area, bottom, 0, area.columns, STYLE_FRAME, GLYPH_HORIZONTAL);
    for (int row = 0; row < area.rows; row++) {
        canvas_glyph(canvas, area, row, 0, STYLE_FRAME, GLYPH_VERTICAL);
        canvas_glyph(canvas, area, row, right, STYLE_FRAME, GLYPH_VERTICAL);
    }
    canvas_glyph(canvas, area, 0, 0, STYLE_FRAME, GLYPH_CORNER_TOP_LEFT);
    canvas_glyph(canvas, area, 0, right, STYLE_FRAME, GLYPH_CORNER_TOP_RIGHT);
    canvas_glyph(canvas, area, bottom, 0, STYLE_FRAME, GLYPH_CORNER_BOTTOM_LEFT);
    canvas_glyph(canvas, area, bottom, right, STYLE_FRAME, GLYPH_CORNER_BOTTOM_RIGHT);
    struct line line = {canvas, area, 0, 2};
    line_format(&line, STYLE_TITLE, " %s ", title);
    return rectangle_within(area, (struct rectangle){1, 2, area.rows - 2, area.columns - 4});
}

/* A box in the middle, high enough for ROWS where that fits. */
static struct rectangle centre_box(struct rectangle body, int rows)
{
    int height = rows + 2 < body.rows ? rows + 2 : body.rows;
    int width = body.columns - 4 < BOX_MAX_COLUMNS ? body.columns - 4 : BOX_MAX_COLUMNS;
    return rectangle_within(
        body, (struct rectangle){(body.rows - height) / 2, (body.columns - width) / 2, height, width});
}

static void draw_page_box(const struct walk *walk, struct page *page, struct canvas *canvas,
                          struct rectangle body, const char *title)
{
    struct rectangle box = centre_box(body, (int)page->line_count);
    struct rectangle inside = frame_box(canvas, box, title);
    static const char more[] = " PgDn: more ";
    if (page_draw(page, canvas, inside, walk->overlay_scroll) > 0)
        canvas_text(canvas, box, box.rows - 1, box.columns - (int)sizeof more - 1, STYLE_KEY, more);
}

static struct page open_page(const struct canvas *canvas, struct rectangle body)
{
    return (struct page){.width = centre_box(body, 1).columns - 4, .ascii = canvas->ascii};
}

static void add_binding(struct page *page, const char *name, const char *help)
{
    struct text text = {0};
    text_format(&text, "%-*s %s", KEY_COLUMNS, name, help);
    page_text(page, 0, KEY_COLUMNS + 1, STYLE_PLAIN, text_string(&text));
    text_free(&text);
}

/* One of the help's lines about marks: the glyphs are those that the panels draw. */
struct legend {
    const char *words;
    enum glyph glyph;
};

static void add_legend(struct page *page, const struct legend *legend, size_t count)
{
    struct canvas one;
    struct text text = {0};
    canvas_open(&one, 1, 1, page->ascii);
    for (size_t i = 0; i < count; i++) {
        struct text glyph = {0};
        canvas_glyph(&one, (struct rectangle){0, 0, 1, 1}, 0, 0, STYLE_PLAIN, legend[i].glyph);
        canvas_to_text(&one, &glyph);
        text_append_bytes(&text, glyph.bytes, glyph.length - 1); /* without its newline */
        text_format(&text, " %s  ", legend[i].words);
        text_free(&glyph);
    }
    page_text(page, 0, KEY_COLUMNS + 1, STYLE_PLAIN, text_string(&text));
    text_free(&text);
    canvas_free(&one);
}

static void add_legends(struct page *page)
{
    static const struct legend operations[] = {{"done", GLYPH_DONE},
                                               {"running", GLYPH_RUNNING},
                                               {"waiting", GLYPH_WAITING},
                                               {"held at its gate", GLYPH_HELD},
                                               {"submitted", GLYPH_PENDING}};
    static const struct legend cells[] = {{"never written", GLYPH_NEVER},
                                          {"being written", GLYPH_ARRIVES},
                                          {"being read", GLYPH_LEAVES},
                                          {"torn", GLYPH_TORN}};
    static const struct legend bars[] = {
        {"kernel", GLYPH_BAR_FULL}, {"transfer", GLYPH_BAR_LIGHT}, {"waiting", GLYPH_BAR_WAIT}};
    static const struct legend uses[] = {{"use of a buffer: written", GLYPH_BAR_FULL},
                                         {"read", GLYPH_BAR_LIGHT}};
    add_legend(page, operations, sizeof operations / sizeof *operations);
    add_legend(page, cells, sizeof cells / sizeof *cells);
    add_legend(page, bars, sizeof bars / sizeof *bars);
    add_legend(page, uses, sizeof uses / sizeof *uses);
    page_text(page, 0, 0, STYLE_PLAIN,
              "Calls by letter: kernel, event, s send, r recv, w wait, c copy, S sync");
}

static void draw_help(const struct walk *walk, struct canvas *canvas, struct rectangle body)
{
    struct page page = open_page(canvas, body);
    for (int i = 0; i < key_binding_count; i++) {
        const struct key_binding *binding = &key_bindings[i];
        const char *help = binding->help;
        if (binding->action == ACTION_QUIT && walk->is_from_menu)
            help = "back to the menu of lessons";
        if (help && walk_offers(walk, binding))
            add_binding(&page, binding->name, help);
    }
    add_binding(&page, "1 to 9", "answer the question");
    add_legends(&page);
    draw_page_box(walk, &page, canvas, body, "Keys and marks");
    page_free(&page);
}

static void draw_messages(const struct walk *walk, struct canvas *canvas, struct rectangle body)
{
    struct page page = open_page(canvas, body);
    if (walk->view->message_count == 0)
        page_text(&page, 0, 0, STYLE_DIM, "Nobody said anything so far.");
    for (size_t i = walk->view->message_count; i > 0; i--) {
        const struct view_message *message = &walk->view->messages[i - 1];
        struct text text = {0};
        format_time(message->time, &text);
        if (message->rank == NONE)
            text_append(&text, "  launcher: ");
        else
            text_format(&text, "  rank %u: ", (unsigned)message->rank);
        text_append(&text, message->text);
        page_text(&page, 0, 4, message->is_error ? STYLE_ERROR : STYLE_PLAIN, text_string(&text));
        text_free(&text);
    }
    draw_page_box(walk, &page, canvas, body, "Messages, newest first");
    page_free(&page);
}

static void draw_variants(const struct walk *walk, struct canvas *canvas, struct rectangle body)
{
    int count = (int)schedule_variant_count(walk->schedule);
    struct rectangle inside =
        frame_box(canvas, centre_box(body, count), "Variants: space chooses, Enter begins anew with them");
    int first = (int)walk->overlay_chosen - inside.rows + 1;
    if (first < 0)
        first = 0;
    for (int i = first; i < count && i - first < inside.rows; i++) {
        const struct variant *variant = schedule_variant(walk->schedule, (size_t)i);
        bool chosen = i == (int)walk->overlay_chosen;
        struct line line = {canvas, inside, i - first, 0};
        if (chosen)
            line_glyph(&line, STYLE_SELECTED, GLYPH_POINTER);
        line_to(&line, 1);
        line_text(&line, chosen ? STYLE_SELECTED : STYLE_PLAIN,
                  walk->overlay_variants >> i & 1 ? " [x] " : " [ ] ");
        line_text(&line, chosen ? STYLE_SELECTED : STYLE_STRONG, variant->name);
        line.column += 2;
        line_text(&line, STYLE_PLAIN, variant->description);
    }
}

/* Each finding as a heading; the chosen one with its words. */
static void draw_findings(const struct walk *walk, struct canvas *canvas, struct rectangle body)
{
    const struct findings *findings = walk->findings;
    struct page page = open_page(canvas, body);
    int chosen_line = 0;
    if (findings->count == 0)
        page_text(
            &page, 0, 0, STYLE_DONE,
            "Nothing: every execution that the rules allow comes to its end, and no two operations of which "
            "one writes touch the same bytes without an order.");
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        bool chosen = i == walk->overlay_chosen;
        struct text heading = {0};
        text_format(&heading, "%c %s: %s, line %u", chosen ? '>' : ' ',
                    severity_name(finding_severity(finding->kind)), finding_kind_name(finding->kind),
                    (unsigned)call_statement(walk->program, finding->call)->line);
        if (chosen)
            chosen_line = (int)page.line_count;
        page_text(&page, 0, 2, chosen ? STYLE_SELECTED : STYLE_STRONG, text_string(&heading));
        if (chosen)
            page_text(&page, 2, 0, STYLE_PLAIN, finding->text);
        text_free(&heading);
    }
    struct rectangle box = centre_box(body, (int)page.line_count);
    struct rectangle inside = frame_box(
        canvas, box, findings->count > 0 ? "What can go wrong. Enter: show me" : "What can go wrong");
    page_draw(&page, canvas, inside, chosen_line);
    page_free(&page);
}

static void draw_challenges(const struct walk *walk, struct canvas *canvas, struct rectangle body)
{
    const struct lesson *lesson = walk->lesson;
    struct page page = open_page(canvas, body);
    for (size_t i = 0; i < lesson->challenge_count; i++) {
        struct text line = {0};
        bool chosen = i == walk->overlay_chosen;
        text_format(&line, "%c %zu %s%s", chosen ? '>' : ' ', i + 1, lesson->challenges[i].name,
                    walk->solved[i] ? " (solved)" : "");
        page_text(&page, 0, 4, chosen ? STYLE_SELECTED : STYLE_PLAIN, text_string(&line));
        text_free(&line);
    }
    draw_page_box(walk, &page, canvas, body, "Challenges: Enter begins one");
    page_free(&page);
}

/* Lines of the schedule, and below each, set in, what is wrong with it. */
static void draw_faults(const struct walk *walk, struct canvas *canvas, struct rectangle body)
{
    struct page page = open_page(canvas, body);
    char *copy = memory_copy_string(text_string(&walk->faults)), *rest = copy;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (*line == '\t')
            page_text(&page, 6, 0, STYLE_ERROR, line + 1);
        else if (*line)
            page_text(&page, 0, 6, STYLE_CODE, line);
    draw_page_box(walk, &page, canvas, body, "Your schedule cannot be read. e: edit it again");
    free(copy);
    page_free(&page);
}

static void draw_review(const struct walk *walk, struct canvas *canvas, struct rectangle body)
{
    struct page page = open_page(canvas, body);
    const char *title = review_write(walk, &page);
    draw_page_box(walk, &page, canvas, body, title);
    page_free(&page);
}

void overlay_draw(const struct walk *walk, struct canvas *canvas, struct rectangle body)
{
    switch (walk->overlay) {
    case OVERLAY_HELP:
        draw_help(walk, canvas, body);
        break;
    case OVERLAY_MESSAGES:
        draw_messages(walk, canvas, body);
        break;
    case OVERLAY_VARIANTS:
        draw_variants(walk, canvas, body);
        break;
    case OVERLAY_FINDINGS:
        draw_findings(walk, canvas, body);
        break;
    case OVERLAY_CHALLENGES:
        draw_challenges(walk, canvas, body);
        break;
    case OVERLAY_FAULTS:
        draw_faults(walk, canvas, body);
        break;
    case OVERLAY_COMPARE:
        timeline_compare_draw(walk, canvas,
                              frame_box(canvas, body, "On one scale. o: the next variant, Esc: back"));
        break;
    case OVERLAY_REVIEW:
        draw_review(walk, canvas, body);
        break;
    case OVERLAY_NONE:
        break;
    }
}
