/* A hash table from three numbers to one. */
#ifndef HANDOFF_ORDER_KEY_TABLE_H
#define HANDOFF_ORDER_KEY_TABLE_H

#include <stdint.h>

struct key {
    uint32_t parts[3]; /* not all of them NONE */
};

struct key_slot {
    struct key key;
    uint32_t value;
};

/* Zero-initialise; free SLOTS. */
struct key_table {
    struct key_slot *slots;
    uint32_t count, capacity; /* a power of two */
};

/* The value of the key: NONE, and the caller's to set, where the key was not in the table before. Valid until
 * the next call. */
uint32_t *key_table_at(struct key_table *table, struct key key);

#endif
