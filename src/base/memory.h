/* Memory that is there, or the program ends: with one line, after the terminal was given back. */
#ifndef HANDOFF_BASE_MEMORY_H
#define HANDOFF_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed memory for COUNT things of SIZE bytes; free() gives it back. */
void *memory_zeroed(size_t count, size_t size);

/* Memory of all ones: NONE in each uint32_t. */
void *memory_all_ones(size_t count, size_t size);

/* realloc() for COUNT things of SIZE bytes; what is new is not zeroed. */
void *memory_resize(void *old, size_t count, size_t size);

char *memory_copy_string(const char *string);

/* What has to happen before the out-of-memory line is printed; the screen gives the terminal back here. */
void memory_before_exit(void (*restore)(void));

/* Makes room for one more thing at the end of a growing array. CAPACITY doubles, from 16. */
#define ARRAY_RESERVE(array, count, capacity)                                                                \
    do {                                                                                                     \
        if ((count) == (capacity)) {                                                                         \
            (capacity) = (capacity) ? (capacity)*2 : 16;                                                     \
            (array) = memory_resize((array), (capacity), sizeof *(array));                                   \
        }                                                                                                    \
    } while (0)

#endif
