#include "schedule/storage.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_BYTES = 16384 };

struct storage {
    struct storage *next;
    size_t used;
    char bytes[BLOCK_BYTES];
};
_Static_assert(SCHEDULE_MAX_NAME + 1 <= BLOCK_BYTES, "a name fits into a block");

const char *storage_name(struct program *program, struct word word)
{
    struct storage *block = program->storage;
    if (!block || block->used + word.length + 1 > BLOCK_BYTES) {
        block = memory_resize(NULL, 1, sizeof *block);
        block->next = program->storage;
        block->used = 0;
        program->storage = block;
    }
    char *name = block->bytes + block->used;
    memcpy(name, word.at, word.length);
    name[word.length] = '\0';
    block->used += word.length + 1;
    return name;
}

void storage_free(struct program *program)
{
    struct storage *block = program->storage;
    while (block) {
        struct storage *next = block->next;
        free(block);
        block = next;
    }
    program->storage = NULL;
}
