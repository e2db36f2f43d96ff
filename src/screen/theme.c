#include "screen/theme.h"

/* Middle tones of the 256 colours, so that they read on dark and light alike; the nearest of the 8; and
 * attributes alone where there is no colour. */
static const struct {
    short colour256, colour8;
    unsigned attributes, plain_attributes;
} looks[STYLE_COUNT] = {
    [STYLE_PLAIN] = {-1, -1, 0, 0},
    [STYLE_DIM] = {245, -1, 0, LOOK_DIM},
    [STYLE_STRONG] = {-1, -1, LOOK_BOLD, LOOK_BOLD},
    [STYLE_EMPHASIS] = {-1, -1, LOOK_UNDERLINE, LOOK_UNDERLINE},
    [STYLE_TITLE] = {-1, -1, LOOK_BOLD, LOOK_BOLD},
    [STYLE_FRAME] = {242, -1, 0, 0},
    [STYLE_KEY] = {32, 6, LOOK_BOLD, LOOK_BOLD},
    [STYLE_CURRENT] = {32, 4, LOOK_BOLD, LOOK_BOLD},
    [STYLE_RUNNING] = {34, 2, LOOK_BOLD, LOOK_BOLD},
    [STYLE_WAITING] = {172, 3, 0, 0},
    [STYLE_HELD] = {133, 5, 0, LOOK_UNDERLINE},
    [STYLE_DONE] = {71, 2, 0, 0},
    [STYLE_ERROR] = {160, 1, LOOK_BOLD, LOOK_BOLD},
    [STYLE_NEVER_WRITTEN] = {245, -1, 0, LOOK_DIM},
    [STYLE_BEING_WRITTEN] = {32, 4, LOOK_BOLD, LOOK_BOLD},
    [STYLE_READ] = {37, 6, LOOK_UNDERLINE, LOOK_UNDERLINE},
    [STYLE_TORN] = {160, 1, LOOK_BOLD | LOOK_REVERSE, LOOK_REVERSE},
    [STYLE_ADDED] = {34, 2, LOOK_BOLD, LOOK_BOLD},
    [STYLE_REMOVED] = {131, 1, 0, LOOK_DIM},
    [STYLE_SELECTED] = {-1, -1, LOOK_BOLD | LOOK_REVERSE, LOOK_REVERSE},
    [STYLE_ON_RUNNING] = {34, 2, LOOK_BOLD | LOOK_REVERSE, LOOK_BOLD | LOOK_REVERSE},
    [STYLE_ON_DONE] = {71, 2, LOOK_REVERSE, LOOK_REVERSE},
    [STYLE_CODE] = {37, 6, 0, LOOK_BOLD},
};

struct look theme_look(enum style style, int colours)
{
    if (colours >= 256)
        return (struct look){looks[style].colour256, looks[style].attributes};
    if (colours >= 8)
        return (struct look){looks[style].colour8,
                             looks[style].attributes |
                                 (looks[style].colour8 < 0 ? looks[style].plain_attributes : 0)};
    return (struct look){-1, looks[style].plain_attributes};
}
