/* The last row of a full screen: what keys do there. Pure. */
#ifndef HANDOFF_SCREEN_KEY_BAR_H
#define HANDOFF_SCREEN_KEY_BAR_H

#include "screen/canvas.h"
#include "screen/walk.h"

enum { KEY_BAR_MAX = 32, KEY_BAR_STAYS = 100 };

struct key_bar {
    struct {
        const char *name, *brief;
        int worth; /* where there is no room for all of them, what is worth least goes; KEY_BAR_STAYS never */
    } keys[KEY_BAR_MAX];
    size_t count;
};

void key_bar_add(struct key_bar *bar, const char *name, const char *brief, int worth);
void key_bar_draw(struct key_bar *bar, struct canvas *canvas, struct rectangle area);

/* The keys of a walk, or of what lies over it; a way out is always among them. */
void walk_bar_draw(const struct walk *walk, struct canvas *canvas, struct rectangle area);

#endif
