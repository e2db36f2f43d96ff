/* What the things of a schedule are called in the C text: their own names, unless those would be code. */
#ifndef HANDOFF_EXPORT_C_NAMES_H
#define HANDOFF_EXPORT_C_NAMES_H

#include "schedule/names.h"

/* Strings are owned by the struct. Communicators are named alike in every rank; memories of one name and type
 * within a rank share a variable, since only one of them lives at a time. */
struct c_names {
    const char **memories, **streams, **events, **communicators; /* by index in the program */
    bool *shares;        /* by memory: its variable is an earlier memory's */
    struct names shared; /* taken in every rank */
    struct names rank;   /* taken in the rank at hand */
    char **owned;
    size_t owned_count, owned_capacity;
};

void c_names_open(struct c_names *names, const struct program *program);
void c_names_close(struct c_names *names);

/* NAME, or where it is taken or means something else, NAME with SUFFIX ("_stream") and a number if need be.
 * SHARED: for the whole program, else within the rank at hand. */
const char *c_names_take(struct c_names *names, const char *name, const char *suffix, bool shared);

/* The names of the rank's memories, streams and events are taken from here on. */
void c_names_begin_rank(struct c_names *names, const struct program *program, uint32_t rank);

/* Whether a variable of this name would not compile, or hide what the program needs. */
bool c_name_is_reserved(const char *name);

#endif
