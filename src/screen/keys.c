#include "screen/keys.h"

#include <stddef.h>

const struct key_binding key_bindings[] = {
    {{'n'},
     ACTION_NEXT,
     "n",
     "next",
     "Next step: go on until what the step is about has happened. Once more: at once.",
     false},
    {{'b'}, ACTION_BACK, "b", "back", "Back to the end of the step before, as far as the beginning.", false},
    {{' '},
     ACTION_RELEASE,
     "space",
     "release",
     "Hold everything, and release one operation (or call) of the chosen track.",
     true},
    {{'r'}, ACTION_RUN, "r", "run", "Run on, and pause.", false},
    {{'v'},
     ACTION_VARIANTS,
     "v",
     "variants",
     "Choose variants of the program; it begins anew with them.",
     true},
    {{'R'}, ACTION_RESET, "R", "reset", "Begin anew with new processes.", true},
    {{'m'}, ACTION_MESSAGES, "m", "messages", "What the processes and the launcher said.", false},
    {{'?', 'h'}, ACTION_HELP, "?", "help", "This page.", false},
    {{'q'}, ACTION_QUIT, "q", "quit", "Leave.", false},
    {{KEYS_LEFT}, ACTION_EARLIER, "left", NULL, "One moment back.", false},
    {{KEYS_RIGHT}, ACTION_LATER, "right", NULL, "One moment on, within what has happened.", false},
    {{KEYS_HOME, 'g'}, ACTION_BEGINNING, "Home", NULL, "To the beginning.", false},
    {{KEYS_END, 'G'}, ACTION_LIVE_END, "End", NULL, "To the end of what has happened.", false},
    {{KEYS_UP, 'k'}, ACTION_UP, "up", NULL, "The track above; in another panel: scroll.", false},
    {{KEYS_DOWN, 'j'}, ACTION_DOWN, "down", NULL, "The track below; in another panel: scroll.", false},
    {{KEYS_TAB}, ACTION_NEXT_PANEL, "Tab", NULL, "The next panel; its title is marked.", false},
    {{KEYS_BACK_TAB}, ACTION_PREVIOUS_PANEL, "Shift-Tab", NULL, "The panel before.", false},
    {{KEYS_PAGE_DOWN}, ACTION_PAGE_DOWN, "PgDn", NULL, "On in the text (or the chosen panel).", false},
    {{KEYS_PAGE_UP}, ACTION_PAGE_UP, "PgUp", NULL, "Back in the text (or the chosen panel).", false},
    {{'+', '='}, ACTION_FASTER, "+", NULL, "Faster.", false},
    {{'-'}, ACTION_SLOWER, "-", NULL, "Slower.", false},
    {{KEYS_ENTER, KEYS_ESCAPE}, ACTION_CLOSE, "Esc", NULL, "Close what lies over the screen.", false},
    {{KEYS_REDRAW}, ACTION_REDRAW, "Ctrl-L", NULL, "Draw everything anew.", false},
};
const int key_binding_count = sizeof key_bindings / sizeof *key_bindings;

enum action key_action(uint32_t key)
{
    if (key >= '1' && key <= '9')
        return ACTION_ANSWER;
    for (int i = 0; i < key_binding_count; i++)
        if (key_bindings[i].keys[0] == key ||
            (key_bindings[i].keys[1] != 0 && key_bindings[i].keys[1] == key))
            return key_bindings[i].action;
    return ACTION_NONE;
}
