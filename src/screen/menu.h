/* The list of lessons as a whole screen. Pure. */
#ifndef HANDOFF_SCREEN_MENU_H
#define HANDOFF_SCREEN_MENU_H

#include "lesson/library.h"
#include "progress/study.h"
#include "screen/canvas.h"

struct menu {
    const struct lesson_library *library;
    struct study *progress; /* NULL: nobody's */
    size_t chosen;
    struct text notice; /* one line, until the next key */
};

void menu_draw(const struct menu *menu, struct canvas *canvas);

/* Moves the choice; true where the key opens the chosen lesson. */
bool menu_key(struct menu *menu, uint32_t key);

#endif
