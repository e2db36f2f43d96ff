/* The terminal: the one place that decides what it can do, and gives it back whatever happens. One is open at
 * a time. */
#ifndef HANDOFF_SCREEN_TERMINAL_H
#define HANDOFF_SCREEN_TERMINAL_H

#include <poll.h>

#include "screen/canvas.h"

/* Takes the terminal and catches SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH and what ends a program. ASCII
 * only where it is asked for, or the locale is not UTF-8. Without a fit terminal: false, and ERROR in words
 * for the user. Colours: as many as the terminal has, none with NO_COLOR. */
bool terminal_open(bool ascii, struct error *error);
/* Whether a terminal that is opened from here on reports clicks, where it can; at first it does not. */
void terminal_use_mouse(bool used);
/* Gives it back; does nothing if none is open. */
void terminal_close(void);

/* An empty canvas of the terminal's present size. Drawn on by the caller, shown by terminal_show(). */
struct canvas *terminal_canvas(void);
/* Brings the screen to what the canvas holds; only what differs is sent. */
void terminal_show(void);
/* The next terminal_show() sends everything. */
void terminal_redraw(void);

/* Gives the open terminal to another program for a while, with every signal's usual effect, and takes it
 * back: its size may be another one then. */
void terminal_lend(void);
void terminal_take_back(void);

/* What to poll for. */
enum { TERMINAL_DESCRIPTORS = 2 };
void terminal_descriptors(struct pollfd fds[TERMINAL_DESCRIPTORS]);

enum terminal_event {
    TERMINAL_NOTHING,
    TERMINAL_CLICK,  /* on what terminal_clicked() says */
    TERMINAL_KEY,    /* KEY is a code point or one of screen/keys.h */
    TERMINAL_CHANGE, /* another size, or back from Ctrl-Z: draw anew */
    TERMINAL_GONE,   /* SIGINT, SIGTERM, SIGHUP, or nobody is at the other end: end */
};
/* The next event that is there; never waits. Stops the process itself on Ctrl-Z. */
enum terminal_event terminal_event(uint32_t *key);
/* What the cell of the last click stands for, as it was drawn last. */
struct target terminal_clicked(void);
/* The signal that ended it; 0 where the terminal went away. */
int terminal_signal(void);

#endif
