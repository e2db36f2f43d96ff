/* What a worker prints, cut into lines. However much it prints: little is kept, and it never waits long. */
#ifndef HANDOFF_PROCESS_OUTPUT_H
#define HANDOFF_PROCESS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OUTPUT_LINE = 1024,       /* bytes; what is beyond is left out */
    OUTPUT_LINES = 1000,      /* of one worker; the rest is counted */
    OUTPUT_AT_ONCE = 1 << 18, /* bytes read in one go */
};

struct output {
    int descriptor; /* does not block; -1 once it has ended */
    char line[OUTPUT_LINE];
    size_t length;
    bool any; /* whether there is something of a line, if only what was left out */
    uint64_t lines;
};

/* Reads what is there and gives each line, without its newline, to SINK. */
void output_read(struct output *output, void (*sink)(void *context, const char *line, size_t length),
                 void *context);
/* Reads the rest, says how many lines were left out, and closes. */
void output_end(struct output *output, void (*sink)(void *context, const char *line, size_t length),
                void *context);

#endif
