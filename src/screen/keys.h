/* The keys of the full screen: one table that the key bar, the help and the tests read. */
#ifndef HANDOFF_SCREEN_KEYS_H
#define HANDOFF_SCREEN_KEYS_H

#include <stdbool.h>
#include <stdint.h>

/* Keys that are no characters; a character is its code point. */
enum {
    KEYS_NONE = 0,
    KEYS_UP = 0x110000,
    KEYS_DOWN,
    KEYS_LEFT,
    KEYS_RIGHT,
    KEYS_PAGE_UP,
    KEYS_PAGE_DOWN,
    KEYS_HOME,
    KEYS_END,
    KEYS_BACK_TAB,
    KEYS_TAB = '\t',
    KEYS_ENTER = '\n',
    KEYS_ESCAPE = 0x1B,
    KEYS_REDRAW = 0x0C, /* Ctrl-L */
};

enum action {
    ACTION_NONE,
    ACTION_NEXT,
    ACTION_BACK,
    ACTION_RELEASE,
    ACTION_RUN,
    ACTION_FASTER,
    ACTION_SLOWER,
    ACTION_VARIANTS,
    ACTION_TAKE_VARIANTS, /* the ones in walk.overlay_variants */
    ACTION_RESET,
    ACTION_MESSAGES,
    ACTION_HELP,
    ACTION_QUIT,
    ACTION_REDRAW,
    ACTION_LATER,
    ACTION_EARLIER,
    ACTION_BEGINNING,
    ACTION_LIVE_END,
    ACTION_UP,
    ACTION_DOWN,
    ACTION_PAGE_UP,
    ACTION_PAGE_DOWN,
    ACTION_NEXT_PANEL,
    ACTION_PREVIOUS_PANEL,
    ACTION_ANSWER,
    ACTION_REVEAL,
    ACTION_CLOSE,
    ACTION_REVIEW,
    ACTION_HINT,
    ACTION_CHALLENGES,
    ACTION_CHALLENGE, /* the one in walk.overlay_chosen */
    ACTION_EDIT,
    ACTION_CODE,
    ACTION_COMPARE,
    ACTION_ZOOM_IN,
    ACTION_ZOOM_OUT,
    ACTION_PAN_LEFT,
    ACTION_PAN_RIGHT,
    ACTION_CHECK,
    ACTION_SHOW_FINDING, /* the one chosen in walk.overlay_chosen */
};

enum key_use {
    KEY_LIVE = 1, /* needs a run that goes on: not in a replay */
};

struct key_binding {
    uint32_t keys[2];
    enum action action;
    const char *name;  /* as the help writes it */
    const char *brief; /* for the key bar; NULL: only in the help */
    const char *help;  /* NULL: not in the help */
    unsigned use;      /* bits of enum key_use */
};

extern const struct key_binding key_bindings[];
extern const int key_binding_count;

enum action key_action(uint32_t key);

#endif
