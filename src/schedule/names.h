/* What the names of one rank, or those that all ranks share, stand for. */
#ifndef HANDOFF_SCHEDULE_NAMES_H
#define HANDOFF_SCHEDULE_NAMES_H

#include "schedule/source.h"

/* A name of each sort may be the same. */
enum sort { SORT_MEMORY, SORT_STREAM, SORT_EVENT, SORT_COMMUNICATOR, SORT_KERNEL };

struct name {
    struct word word;
    uint32_t hash;
    uint32_t thing;    /* the index of what the name stands for now; NONE: nothing yet */
    uint32_t line;     /* that declares it */
    uint32_t off_line; /* that would declare it under other variants; 0: none */
    uint8_t sort;
    bool faulty; /* a line with a fault declares it */
    bool freed;  /* and not declared again */
};

/* Zero-initialise; owned by whoever declares it. */
struct names {
    struct name *items;
    uint32_t count, capacity;
    uint32_t *slots; /* open addressing: an index into items plus 1; a power of two */
    uint32_t slot_count;
};

/* The index of the name, which is added (standing for nothing) where it is new. */
uint32_t names_find(struct names *names, enum sort sort, struct word word);
void names_clear(struct names *names);
void names_free(struct names *names);

/* The name of this sort that WORD most likely misspells, of those that are declared somewhere; or NULL. */
const struct name *names_nearest(const struct names *names, enum sort sort, struct word word);

#endif
