/* The list of lessons as a whole screen. Pure. */
#ifndef HANDOFF_SCREEN_MENU_H
#define HANDOFF_SCREEN_MENU_H

#include "lesson/library.h"
#include "progress/study.h"
#include "screen/canvas.h"

struct menu {
    const struct lesson_library *library;
    struct study *progress;              /* NULL: nobody's */
    const struct lesson_library *copies; /* schedules of one's own, behind the lessons; NULL */
    size_t chosen;
    struct text notice; /* one line, until the next key */
};

/* How many there are to choose from, and the chosen one; NULL where there is none. */
size_t menu_count(const struct menu *menu);
const struct lesson_entry *menu_entry(const struct menu *menu, size_t index);

void menu_draw(const struct menu *menu, struct canvas *canvas);

/* Moves the choice; true where the key opens the chosen lesson. */
bool menu_key(struct menu *menu, uint32_t key);

#endif
