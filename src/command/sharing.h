/* The walk of this terminal, shown to others while it goes on. */
#ifndef HANDOFF_COMMAND_SHARING_H
#define HANDOFF_COMMAND_SHARING_H

#include "command/fullscreen.h"
#include "command/prepare.h"
#include "screen/walk.h"

struct sharing_options {
    bool is_shared;    /* everything here is about that */
    const char *name;  /* NULL: by lesson and process */
    const char *group; /* who else may follow; NULL: nobody */
};
#define SHARING_OPTIONS(sharing)                                                                             \
    {"--name", &(sharing)->name, NULL},                                                                      \
    {                                                                                                        \
        "--share", &(sharing)->group, NULL                                                                   \
    }

struct sharing;

/* NULL and ERROR where it cannot be shared. */
struct sharing *sharing_open(const struct sharing_options *options, const struct prepared *prepared,
                             struct error *error);
void sharing_close(struct sharing *sharing);

/* For the reader: under which name it is shared, and with whom. */
void sharing_describe(const struct sharing *sharing, struct text *out);

/* A run begins anew: it is told from its beginning. */
void sharing_begin(struct sharing *sharing);
/* Tells the others what the walk shows by now. */
void sharing_show(struct sharing *sharing, const struct prepared *prepared, bool eager, struct walk *walk);

/* Who comes and goes is seen to by every loop (fullscreen_serve). Whether that changes what WALK shows. */
bool sharing_take_followers(const struct sharing *sharing, struct walk *walk);
/* A key that the presenter's notes ask for; 0 for none. */
uint32_t sharing_key(struct sharing *sharing);

#endif
