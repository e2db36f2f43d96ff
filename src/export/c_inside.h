/* Inside the C export: what its parts share. */
#ifndef HANDOFF_EXPORT_C_INSIDE_H
#define HANDOFF_EXPORT_C_INSIDE_H

#include "export/c.h"
#include "export/c_names.h"

/* A __global__ function: every launch with the same parameters and the same body calls it. */
struct c_kernel {
    const char *name;
    uint32_t kernel;  /* of the program */
    bool takes_turns; /* the launch says which turn it is */
    bool passes_input_counts;
    char *parameters, *body; /* the text between the parentheses, and between the braces */
};

/* Lines of the text that stand for a call. */
struct c_mark {
    size_t offset; /* of the first line's first byte */
    uint32_t call; /* NONE: from here on lines stand for none */
};

struct c_export {
    const struct order *order;
    const struct program *program;
    struct c_names names;
    struct c_kernel *kernels;
    uint32_t kernel_count, kernel_capacity;
    uint32_t *kernel_of; /* by statement: a launch's kernel */
    struct c_mark *marks;
    size_t mark_count, mark_capacity;
    uint32_t *stands_for; /* by call: the call whose lines stand for it; NONE */

    /* What the program needs. */
    bool communicates, transfers, collects, meets, delays, asks, allocates, adds_to_bytes, reaches;
    bool printed[TYPE_COUNT], written[TYPE_COUNT];
    bool *uses_communicator;
    uint32_t communicator_count; /* those that are used */
};

const char *c_type(enum element_type type);

/* Appends EXPRESSION, a whole number, as an element of the type. */
void c_element(enum element_type type, const char *expression, struct text *out);

/* c_kernels.c: finds the functions that the launches need, and appends them. */
void c_collect_kernels(struct c_export *export);
void c_write_kernels(const struct c_export *export, struct text *out);

/* c_call.c: appends the lines of a call, without indentation; nothing where it needs none. Where the text
 * names a turn, it has C_TURN instead. */
#define C_TURN "\x01"
void c_write_call(const struct c_export *export, uint32_t call, struct text *out);
void c_write_free(const struct c_export *export, uint32_t memory, struct text *out);
void c_write_gpu(uint16_t gpu, struct text *out); /* makes it current */
/* A rank makes the communicator. */
void c_write_connection(const struct c_export *export, uint32_t communicator, uint32_t rank,
                        struct text *out);

/* c_gpus.c: what a rank with several GPUs needs besides. */
bool c_reaches_peers(const struct program *program);
/* Appends a line for each pair of GPUs of which one works on the other's memory. */
void c_write_peers(const struct program *program, uint32_t rank, struct text *out);

/* c_reason.c: why a call finds what it needs done. */
struct c_reasons;
struct c_reasons *c_reasons_open(const struct order *order);
void c_reasons_close(struct c_reasons *reasons);
/* Appends a sentence, or nothing. Calls of a rank are to be given in their order. */
void c_reasons_write(struct c_reasons *reasons, uint32_t call, struct text *out);

/* c_rank.c: appends the function of a rank. */
void c_write_rank(struct c_export *export, uint32_t rank, struct text *out);

/* c_frame.c: what every such program has. */
void c_write_head(const struct c_export *export, const char *file, struct text *out);
void c_write_helpers(const struct c_export *export, struct text *out);
void c_write_main(const struct c_export *export, struct text *out);

/* Whether the communicator is there when the ranks begin, and somebody uses it. */
bool c_is_made_at_start(const struct c_export *export, uint32_t communicator);
bool c_uses_communicator(const struct c_export *export, uint32_t communicator);

#endif
