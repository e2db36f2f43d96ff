/* The file behind the progress: a JSON object that several sessions add to. */
#ifndef HANDOFF_PROGRESS_STORE_H
#define HANDOFF_PROGRESS_STORE_H

#include <jansson.h>

#include "base/text.h"

struct store {
    struct text folder; /* empty: nothing is kept */
    struct text notice; /* said once */
    bool is_foreign;    /* a later version wrote the file: it stays as it is */
};

void store_open(struct store *store);
void store_close(struct store *store);

/* The object in the file; an empty one where there is none. What is no such object is put aside. */
json_t *store_read(struct store *store);

/* Merges CHANGE into the file's object, and gives back the result; NULL where the file cannot be written, or
 * another session holds the lock. FORGET names a lesson that is taken out first; NULL. */
json_t *store_merge(struct store *store, json_t *change, const char *forget, struct error *error);

#endif
