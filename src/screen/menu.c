#include "screen/menu.h"

#include <string.h>

#include "screen/frame.h"
#include "screen/key_bar.h"
#include "screen/keys.h"
#include "screen/layout.h"
#include "screen/line.h"
#include "screen/page.h"

enum { MENU_MAX_COLUMNS = 76, NAME_COLUMNS = 12 };

size_t menu_count(const struct menu *menu)
{
    return menu->library->count + (menu->copies ? menu->copies->count : 0);
}

const struct lesson_entry *menu_entry(const struct menu *menu, size_t index)
{
    size_t lessons = menu->library->count;
    if (index >= menu_count(menu))
        return NULL;
    return index < lessons ? &menu->library->entries[index] : &menu->copies->entries[index - lessons];
}

/* What is done, and what was begun. */
static void write_progress(const struct study *progress, const struct lesson_entry *entry, struct line *line)
{
    if (study_is_finished(progress, entry->name))
        line_glyph(line, STYLE_DONE, GLYPH_DONE);
    else if (study_place(progress, entry->name))
        line_glyph(line, STYLE_RUNNING, GLYPH_RUNNING);
}

static void draw_entry(const struct menu *menu, const struct lesson_entry *entry, bool chosen,
                       struct line *line)
{
    if (chosen)
        line_glyph(line, STYLE_SELECTED, GLYPH_POINTER);
    line_to(line, 1);
    line_text(line, chosen ? STYLE_SELECTED : STYLE_PLAIN, " ");
    if (entry->number > 0)
        line_format(line, chosen ? STYLE_SELECTED : STYLE_KEY, "%2u", entry->number);
    line_text(line, chosen ? STYLE_SELECTED : STYLE_PLAIN, "  ");
    if (menu->progress && entry->number > 0)
        write_progress(menu->progress, entry, &(struct line){line->canvas, line->area, line->row, 5});
    line_to(line, 7);
    struct line name = *line;
    name.area.columns = 7 + NAME_COLUMNS;
    line_text(&name, chosen ? STYLE_SELECTED : STYLE_STRONG, entry->name);
    line_to(line, 8 + NAME_COLUMNS);
    line_text(line, STYLE_PLAIN, entry->title);
}

static void draw_entries(const struct menu *menu, struct canvas *canvas, struct rectangle area)
{
    int count = (int)menu_count(menu);
    int first = (int)menu->chosen - area.rows + 1;
    for (int i = first > 0 ? first : 0, row = 0; i < count && row < area.rows; i++, row++) {
        struct line line = {canvas, area, row, 0};
        draw_entry(menu, menu_entry(menu, (size_t)i), i == (int)menu->chosen, &line);
    }
}

static int draw_introduction(struct canvas *canvas, struct rectangle area)
{
    struct page page = {.width = area.columns, .ascii = canvas->ascii};
    page_text(&page, 0, 0, STYLE_TITLE, "Moving a value from one GPU to another");
    page_gap(&page);
    page_text(&page, 0, 0, STYLE_PLAIN,
              "Kernel A makes x on GPU 0, NCCL carries it over, kernel B uses it on GPU 1. Each lesson walks "
              "through a "
              "part of that, one step at a time, with two real processes.");
    page_gap(&page);
    page_draw(&page, canvas, area, 0);
    int rows = (int)page.line_count;
    page_free(&page);
    return rows;
}

/* Where the reader was in the chosen lesson. */
static void draw_status(const struct menu *menu, struct line *line)
{
    const struct lesson_entry *entry = menu_entry(menu, menu->chosen);
    bool is_lesson = menu->chosen < menu->library->count;
    const char *lesson = entry && is_lesson ? entry->name : "";
    const char *place = menu->progress ? study_place(menu->progress, lesson) : NULL;
    struct text text = {0};
    if (menu->notice.length > 0) {
        line_text(line, STYLE_ERROR, text_string(&menu->notice));
    } else if (place && study_is_finished(menu->progress, lesson)) {
        line_text(line, STYLE_DONE, "Done. Enter walks it again.");
    } else if (place) {
        const char *variants = study_variants(menu->progress, lesson);
        text_append(&text, place);
        if (variants[0])
            text_format(&text, " (variant %s)", variants);
        line_text(line, STYLE_STRONG, "Enter goes on where you were: ");
        line_text(line, STYLE_PLAIN, text_string(&text));
    }
    if (entry && !is_lesson && menu->notice.length == 0) {
        text_append_visible(&text, entry->path, strlen(entry->path));
        line_text(line, STYLE_DIM, text_string(&text));
    }
    text_free(&text);
}

void menu_draw(const struct menu *menu, struct canvas *canvas)
{
    canvas_clear(canvas);
    if (canvas->rows < LAYOUT_MIN_ROWS || canvas->columns < LAYOUT_MIN_COLUMNS) {
        draw_too_small(canvas);
        return;
    }
    struct rectangle screen = {0, 0, canvas->rows, canvas->columns};
    canvas_glyphs(canvas, screen, 0, 0, screen.columns, STYLE_FRAME, GLYPH_HORIZONTAL);
    struct line title = {canvas, screen, 0, 0};
    line_text(&title, STYLE_TITLE, "handoff ");

    int width = screen.columns - 4 < MENU_MAX_COLUMNS ? screen.columns - 4 : MENU_MAX_COLUMNS;
    struct rectangle body = {2, (screen.columns - width) / 2, screen.rows - 5, width};
    int used = draw_introduction(canvas, body);
    draw_entries(menu, canvas, (struct rectangle){body.row + used, body.column, body.rows - used, width});

    draw_status(menu, &(struct line){canvas, screen, screen.rows - 2, 1});
    struct key_bar keys = {0};
    key_bar_add(&keys, "Enter", "walk", KEY_BAR_STAYS);
    key_bar_add(&keys, "up down", "choose", KEY_BAR_STAYS);
    if (menu->chosen >= menu->library->count) /* lessons are edited from their walks */
        key_bar_add(&keys, "e", "edit", KEY_BAR_STAYS);
    key_bar_add(&keys, "q", "quit", KEY_BAR_STAYS);
    key_bar_draw(&keys, canvas, (struct rectangle){screen.rows - 1, 0, 1, screen.columns});
}

bool menu_key(struct menu *menu, uint32_t key)
{
    size_t count = menu_count(menu), lessons = menu->library->count;
    enum action action = key_action(key);
    text_clear(&menu->notice);
    if (action == ACTION_UP && menu->chosen > 0)
        menu->chosen--;
    else if (action == ACTION_DOWN && menu->chosen + 1 < count)
        menu->chosen++;
    else if (action == ACTION_BEGINNING)
        menu->chosen = 0;
    else if (action == ACTION_LIVE_END && count > 0)
        menu->chosen = count - 1;
    else if (action == ACTION_ANSWER)
        for (size_t i = 0; i < lessons; i++)
            if (menu->library->entries[i].number == key - '0')
                menu->chosen = i;
    return (key == KEYS_ENTER || action == ACTION_LATER || action == ACTION_NEXT) && count > 0;
}
