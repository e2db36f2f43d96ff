#include "screen/key_bar.h"

#include <stdio.h>
#include <string.h>

#include "screen/line.h"

enum { GAP = 2 };

void key_bar_add(struct key_bar *bar, const char *name, const char *brief, int worth)
{
    if (bar->count == KEY_BAR_MAX)
        return;
    bar->keys[bar->count].name = name;
    bar->keys[bar->count].brief = brief;
    bar->keys[bar->count++].worth = worth;
}

/* With the gap behind it. */
static int key_columns(const struct key_bar *bar, size_t i)
{
    return (int)(strlen(bar->keys[i].name) + 1 + strlen(bar->keys[i].brief)) + GAP;
}

static void leave_out(struct key_bar *bar, int room)
{
    for (;;) {
        int columns = -GAP;
        size_t least = 0;
        for (size_t i = 0; i < bar->count; i++) {
            columns += key_columns(bar, i);
            least = bar->keys[i].worth < bar->keys[least].worth ? i : least;
        }
        if (columns <= room || bar->keys[least].worth == KEY_BAR_STAYS)
            return;
        bar->count--;
        memmove(&bar->keys[least], &bar->keys[least + 1], (bar->count - least) * sizeof *bar->keys);
    }
}

void key_bar_draw(struct key_bar *bar, struct canvas *canvas, struct rectangle area)
{
    struct line line = {canvas, area, 0, 1};
    leave_out(bar, line_room(&line));
    for (size_t i = 0; i < bar->count; i++) {
        line_text(&line, STYLE_KEY, bar->keys[i].name);
        line.column++;
        line_text(&line, STYLE_PLAIN, bar->keys[i].brief);
        line.column += GAP;
    }
}

/* Of a walk's keys: left out where it gets narrow, in this order. What is not here stays: ways out, answers,
 * and the help, which has the others. */
static const enum action left_out[] = {
    ACTION_MESSAGES, ACTION_EDIT,  ACTION_RUN,  ACTION_CHECK,  ACTION_VARIANTS, ACTION_RELEASE,
    ACTION_HINT,     ACTION_RESET, ACTION_BACK, ACTION_REVEAL, ACTION_NEXT,
};

struct walk_bar {
    struct key_bar bar;
    char answers[16], messages[32];
};

static int worth(enum action action)
{
    for (int place = 0; place < (int)(sizeof left_out / sizeof *left_out); place++)
        if (left_out[place] == action)
            return place;
    return KEY_BAR_STAYS;
}

static const char *brief_here(struct walk_bar *bar, const struct walk *walk,
                              const struct key_binding *binding)
{
    size_t messages = walk->view->message_count;
    if (binding->action == ACTION_CHECK && walk_is_hazard(walk))
        return "why?";
    if (binding->action == ACTION_QUIT && walk->is_from_menu)
        return "menu";
    if (binding->action != ACTION_MESSAGES || messages == 0)
        return binding->brief;
    snprintf(bar->messages, sizeof bar->messages, "%zu message%s", messages, messages == 1 ? "" : "s");
    return bar->messages;
}

static void add_keys_of_walk(struct walk_bar *bar, const struct walk *walk)
{
    size_t index;
    const struct question *question = walk_open_question(walk, &index);
    if (question) {
        snprintf(bar->answers, sizeof bar->answers, "1-%zu", question->answer_count);
        key_bar_add(&bar->bar, bar->answers, "answer", KEY_BAR_STAYS);
    }
    if (walk_lies_over(walk))
        key_bar_add(&bar->bar, "Esc", walk->finding ? "leave this run" : "leave", KEY_BAR_STAYS);
    for (int i = 0; i < key_binding_count; i++)
        if (key_bindings[i].brief && walk_offers(walk, &key_bindings[i]))
            key_bar_add(&bar->bar, key_bindings[i].name, brief_here(bar, walk, &key_bindings[i]),
                        worth(key_bindings[i].action));
}

/* What lies over the walk takes its keys. */
static void add_keys_of_overlay(struct key_bar *bar, const struct walk *walk)
{
    switch (walk->overlay) {
    case OVERLAY_HELP:
    case OVERLAY_MESSAGES:
        key_bar_add(bar, "up down", "scroll", 0);
        break;
    case OVERLAY_VARIANTS:
        key_bar_add(bar, "up down", "choose", 0);
        key_bar_add(bar, "space", "on and off", 0);
        key_bar_add(bar, "Enter", "begin anew with them", 0);
        break;
    case OVERLAY_FINDINGS:
        if (walk->findings->count > 0) {
            key_bar_add(bar, "up down", "choose", 0);
            key_bar_add(bar, "Enter", "show a run of it", 0);
        }
        break;
    case OVERLAY_REVIEW:
        key_bar_add(bar, "1-9", "answer", 0);
        key_bar_add(bar, "n", "next", 0);
        key_bar_add(bar, "b", "back", 0);
        break;
    case OVERLAY_CHALLENGES:
        key_bar_add(bar, "up down", "choose", 0);
        key_bar_add(bar, "Enter", "begin", 0);
        break;
    case OVERLAY_FAULTS:
        key_bar_add(bar, "e", "edit again", 0);
        break;
    case OVERLAY_COMPARE:
        key_bar_add(bar, "o", "next variant", 0);
        break;
    case OVERLAY_NONE:
        break;
    }
    key_bar_add(bar, "Esc", "close", KEY_BAR_STAYS);
}

void walk_bar_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    struct walk_bar bar = {0};
    if (walk->overlay == OVERLAY_NONE)
        add_keys_of_walk(&bar, walk);
    else
        add_keys_of_overlay(&bar.bar, walk);
    key_bar_draw(&bar.bar, canvas, area);
}
