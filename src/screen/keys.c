#include "screen/keys.h"

#include <stddef.h>

const struct key_binding key_bindings[] = {
    {{'n'}, ACTION_NEXT, "n", "next", "next step: goes on until it has happened; n again: at once", false},
    {{'b'}, ACTION_BACK, "b", "back", "back to the step before, as far as the beginning", false},
    {{'a'}, ACTION_REVEAL, "a", "answer", "show the answer to the question", false},
    {{' '}, ACTION_RELEASE, "space", "release", "hold everything, and release one of the chosen track", true},
    {{'r'}, ACTION_RUN, "r", "run", "run on by itself, and pause", false},
    {{'+', '='}, ACTION_FASTER, "+ -", NULL, "faster, slower", false},
    {{'-'}, ACTION_SLOWER, NULL, NULL, NULL, false},
    {{'v'}, ACTION_VARIANTS, "v", "variants", "choose variants of the program; it begins anew", true},
    {{'R'}, ACTION_RESET, "R", "reset", "begin anew, with new processes", true},
    {{'m'}, ACTION_MESSAGES, "m", "messages", "what the processes and the launcher said", false},
    {{'?', 'h'}, ACTION_HELP, "?", "help", NULL, false},
    {{'q'}, ACTION_QUIT, "q", "quit", NULL, false},
    {{KEYS_LEFT},
     ACTION_EARLIER,
     "left right",
     NULL,
     "one moment back and on, within what has happened",
     false},
    {{KEYS_RIGHT}, ACTION_LATER, NULL, NULL, NULL, false},
    {{KEYS_HOME, 'g'},
     ACTION_BEGINNING,
     "Home End",
     NULL,
     "to the beginning, to the end of what has happened",
     false},
    {{KEYS_END, 'G'}, ACTION_LIVE_END, NULL, NULL, NULL, false},
    {{KEYS_UP, 'k'}, ACTION_UP, "up down", NULL, "choose a track; in another panel: scroll", false},
    {{KEYS_DOWN, 'j'}, ACTION_DOWN, NULL, NULL, NULL, false},
    {{KEYS_TAB}, ACTION_NEXT_PANEL, "Tab", NULL, "the next panel: ranks, text, program, timeline", false},
    {{KEYS_BACK_TAB}, ACTION_PREVIOUS_PANEL, NULL, NULL, NULL, false},
    {{KEYS_PAGE_DOWN}, ACTION_PAGE_DOWN, "PgUp PgDn", NULL, "scroll the text, or the chosen panel", false},
    {{KEYS_PAGE_UP}, ACTION_PAGE_UP, NULL, NULL, NULL, false},
    {{KEYS_ENTER, KEYS_ESCAPE}, ACTION_CLOSE, NULL, NULL, NULL, false},
    {{KEYS_REDRAW}, ACTION_REDRAW, NULL, NULL, NULL, false},
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
