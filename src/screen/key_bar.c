#include "screen/key_bar.h"

#include <stdio.h>
#include <string.h>

#include "screen/line.h"

enum { BAR_MAX_KEYS = 32 };

/* Left out where it gets narrow, in this order. What is not here stays: ways out, answers, and the help,
 * which has the others. */
static const enum action left_out[] = {
    ACTION_MESSAGES, ACTION_EDIT,  ACTION_RUN,  ACTION_CHECK,  ACTION_VARIANTS, ACTION_RELEASE,
    ACTION_HINT,     ACTION_RESET, ACTION_BACK, ACTION_REVEAL, ACTION_NEXT,
};
enum { STAYS = sizeof left_out / sizeof *left_out };

struct bar_key {
    const char *name, *brief;
    int worth;
};

struct bar {
    struct bar_key keys[BAR_MAX_KEYS];
    size_t count;
    char answers[16], messages[32];
};

static void add(struct bar *bar, const char *name, const char *brief, int worth)
{
    if (bar->count < BAR_MAX_KEYS)
        bar->keys[bar->count++] = (struct bar_key){name, brief, worth};
}

static int worth(enum action action)
{
    int place = 0;
    while (place < STAYS && left_out[place] != action)
        place++;
    return place;
}

static const char *brief_here(struct bar *bar, const struct walk *walk, const struct key_binding *binding)
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

static void add_keys_of_walk(struct bar *bar, const struct walk *walk)
{
    size_t index;
    const struct question *question = walk_open_question(walk, &index);
    if (question) {
        snprintf(bar->answers, sizeof bar->answers, "1-%zu", question->answer_count);
        add(bar, bar->answers, "answer", STAYS);
    }
    if (walk_lies_over(walk))
        add(bar, "Esc", walk->finding ? "leave this run" : "leave", STAYS);
    for (int i = 0; i < key_binding_count; i++)
        if (key_bindings[i].brief && walk_offers(walk, &key_bindings[i]))
            add(bar, key_bindings[i].name, brief_here(bar, walk, &key_bindings[i]),
                worth(key_bindings[i].action));
}

/* What lies over the walk takes its keys. */
static void add_keys_of_overlay(struct bar *bar, const struct walk *walk)
{
    switch (walk->overlay) {
    case OVERLAY_HELP:
    case OVERLAY_MESSAGES:
        add(bar, "up down", "scroll", 0);
        break;
    case OVERLAY_VARIANTS:
        add(bar, "up down", "choose", 0);
        add(bar, "space", "on and off", 0);
        add(bar, "Enter", "begin anew with them", 0);
        break;
    case OVERLAY_FINDINGS:
        if (walk->findings->count > 0) {
            add(bar, "up down", "choose", 0);
            add(bar, "Enter", "show a run of it", 0);
        }
        break;
    case OVERLAY_REVIEW:
        add(bar, "1-9", "answer", 0);
        add(bar, "n", "next", 0);
        add(bar, "b", "back", 0);
        break;
    case OVERLAY_CHALLENGES:
        add(bar, "up down", "choose", 0);
        add(bar, "Enter", "begin", 0);
        break;
    case OVERLAY_FAULTS:
        add(bar, "e", "edit again", 0);
        break;
    case OVERLAY_COMPARE:
        add(bar, "o", "next variant", 0);
        break;
    case OVERLAY_NONE:
        break;
    }
    add(bar, "Esc", "close", STAYS);
}

static void leave_out(struct bar *bar, int room)
{
    for (;;) {
        int columns = -LINE_KEY_GAP;
        size_t least = 0;
        for (size_t i = 0; i < bar->count; i++) {
            columns += line_key_columns(bar->keys[i].name, bar->keys[i].brief);
            least = bar->keys[i].worth < bar->keys[least].worth ? i : least;
        }
        if (columns <= room || bar->keys[least].worth == STAYS)
            return;
        bar->count--;
        memmove(&bar->keys[least], &bar->keys[least + 1], (bar->count - least) * sizeof *bar->keys);
    }
}

void key_bar_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area)
{
    struct line line = {canvas, area, 0, 1};
    struct bar bar = {0};
    if (walk->overlay == OVERLAY_NONE)
        add_keys_of_walk(&bar, walk);
    else
        add_keys_of_overlay(&bar, walk);
    leave_out(&bar, line_room(&line));
    for (size_t i = 0; i < bar.count; i++)
        line_key(&line, bar.keys[i].name, bar.keys[i].brief);
}
