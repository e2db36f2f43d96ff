#include "screen/keys.h"

#include <stddef.h>

const struct key_binding key_bindings[] = {
    {{'n'}, ACTION_NEXT, "n", "next", "next step: at once to where it ends", 0},
    {{'b'}, ACTION_BACK, "b", "back", "back to the step before, as far as the beginning", 0},
    {{'a'}, ACTION_REVEAL, "a", "reveal", "show the answer to the question", 0},
    {{' '},
     ACTION_RELEASE,
     "space",
     "release",
     "hold everything, and release one of the chosen track",
     KEY_LIVE},
    {{'r'}, ACTION_RUN, "r", "run", "run on by itself, and pause; + and - change the speed", 0},
    {{'+', '='}, ACTION_FASTER, NULL, NULL, NULL, 0},
    {{'-'}, ACTION_SLOWER, NULL, NULL, NULL, 0},
    {{'v'}, ACTION_VARIANTS, "v", "variants", "choose variants of the program; it begins anew", KEY_LIVE},
    {{'c'}, ACTION_CHECK, "c", "check", "what can go wrong in any order that the rules allow", KEY_LIVE},
    {{'w'}, ACTION_REVIEW, "w", NULL, "look again at the questions that you answered otherwise", KEY_LIVE},
    {{'h'}, ACTION_HINT, "h", "hint", "in a challenge: one hint more", KEY_LIVE},
    {{'e'},
     ACTION_EDIT,
     "e",
     "edit",
     "edit a copy of the program in $VISUAL or $EDITOR, and run it",
     KEY_LIVE},
    {{'x'}, ACTION_CODE, "x", NULL, "the program as CUDA and NCCL calls in C, and back", KEY_LIVE},
    {{'o'}, ACTION_COMPARE, "o", NULL, "other variants' timelines beside this one's, on one scale", KEY_LIVE},
    {{'z'}, ACTION_ZOOM_IN, "z Z [ ]", NULL, "timeline: closer, further, earlier, later", 0},
    {{'Z'}, ACTION_ZOOM_OUT, NULL, NULL, NULL, 0},
    {{'['}, ACTION_PAN_LEFT, NULL, NULL, NULL, 0},
    {{']'}, ACTION_PAN_RIGHT, NULL, NULL, NULL, 0},
    {{'C'}, ACTION_CHALLENGES, "C", NULL, "the lesson's challenges", KEY_LIVE},
    {{'R'}, ACTION_RESET, "R", "reset", "begin anew, with new processes", KEY_LIVE},
    {{'?'}, ACTION_HELP, "?", "help", NULL, 0},
    {{'m'}, ACTION_MESSAGES, "m", "messages", "what the processes and the launcher said", 0},
    {{'q'}, ACTION_QUIT, "q", "quit", "leave handoff", 0},
    {{KEYS_LEFT}, ACTION_EARLIER, "left right", NULL, "one moment back and on, within what has happened", 0},
    {{KEYS_RIGHT}, ACTION_LATER, NULL, NULL, NULL, 0},
    {{KEYS_HOME, 'g'},
     ACTION_BEGINNING,
     "Home End",
     NULL,
     "to the beginning, to the end of what has happened",
     0},
    {{KEYS_END, 'G'}, ACTION_LIVE_END, NULL, NULL, NULL, 0},
    {{KEYS_UP, 'k'}, ACTION_UP, "up down", NULL, "choose a track; in another panel: scroll", 0},
    {{KEYS_DOWN, 'j'}, ACTION_DOWN, NULL, NULL, NULL, 0},
    {{KEYS_TAB}, ACTION_NEXT_PANEL, "Tab", NULL, "the next panel: ranks, text, program, timeline", 0},
    {{KEYS_BACK_TAB}, ACTION_PREVIOUS_PANEL, NULL, NULL, NULL, 0},
    {{KEYS_PAGE_DOWN}, ACTION_PAGE_DOWN, "PgUp PgDn", NULL, "scroll the text, or the chosen panel", 0},
    {{KEYS_PAGE_UP}, ACTION_PAGE_UP, NULL, NULL, NULL, 0},
    {{KEYS_ENTER, KEYS_ESCAPE}, ACTION_CLOSE, NULL, NULL, NULL, 0},
    {{KEYS_REDRAW}, ACTION_REDRAW, NULL, NULL, NULL, 0},
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
