/* The state of a run after a prefix of its log: what every screen, text and picture shows. A fold: a record
 * changes the view, and nothing else does. */
#ifndef HANDOFF_LOG_VIEW_H
#define HANDOFF_LOG_VIEW_H

#include "log/record.h"
#include "order/order.h"

/* A call and the operation it submitted; times in ns. */
struct view_call {
    int64_t called, submitted, returned, started, done;
    int64_t waited_until; /* when its last wait ended: from STARTED until then it ran but got nowhere */
    uint32_t waiting_for; /* the point of its last RECORD_WAITING, while that holds; NONE */
    uint8_t waiting_rule;
    bool waiting;          /* entered or started, and held */
    bool held;             /* its gate is closed */
    bool overlapped;       /* a conflicting access ran at the same time */
    bool torn;             /* and that one changed what this one reads or writes: what it wrote may be torn */
    uint32_t active_place; /* where it is in the view's active calls; NONE */
    uint32_t first_waiter, next_waiter, previous_waiter; /* waiting.c's */
};

enum cell_state {
    CELL_NEVER_WRITTEN,
    CELL_BEING_WRITTEN, /* an operation that writes it runs, waits for nothing, and has not come to it yet */
    CELL_VALUE,
    CELL_TORN, /* written by an operation while a conflicting access ran */
    CELL_FREED,
};

struct view_memory {
    uint8_t *bytes;    /* min(count, VIEW_ELEMENTS) elements */
    uint8_t *cells;    /* enum cell_state for each of them, without BEING_WRITTEN: see view_cell() */
    uint32_t *writers; /* the call that last wrote each; NONE */
    uint32_t *makers;  /* the launch of a kernel without a meaning that made its value, before any transfers;
                          NONE */
    uint32_t kept;     /* elements */
    bool allocated, freed;
};

struct view_rank {
    int64_t pid;
    bool forked, exited;
    int64_t exit_status; /* minus the signal that ended it */
    int64_t exit_time;
    bool has_id, initialising, ready;
    uint32_t current_call; /* the last one entered; NONE before the first */
};

/* A line for the message pane, newest last; of very many only the newest stay. TEXT is visible already. */
struct view_message {
    int64_t time;
    uint32_t rank; /* NONE: the launcher */
    bool is_error;
    char *text;
};

struct view {
    const struct order *order;
    const struct program *program;
    int64_t now; /* the time of the last record; TIME_NONE before the first */
    enum outcome outcome;
    int64_t step; /* the lesson's step; -1 before the first */
    struct view_rank *ranks;
    struct view_call *calls;
    struct view_memory *memories;
    struct view_message *messages;
    size_t message_count, message_capacity;
    uint32_t *event_records; /* by event: see view_event_record() */
    uint32_t *active;        /* the operations, and the host's reads and writes, that are running */
    size_t active_count, active_capacity;
    uint8_t *element_bytes; /* what the memories point into */
    uint32_t *element_calls;
};

struct view *view_open(const struct order *order);
void view_close(struct view *view);
void view_apply(struct view *view, const struct record *record);

/* When the point happened; TIME_NONE if it has not. */
int64_t view_point_time(const struct view *view, uint32_t point);

enum cell_state view_cell(const struct view *view, uint32_t memory, uint32_t element);
/* Whether an operation (or a host access) that reads, or one that writes, the element is running, also where
 * it waits for its peer; NONE or its call. */
uint32_t view_reader(const struct view *view, uint32_t memory, uint32_t element);
uint32_t view_writer(const struct view *view, uint32_t memory, uint32_t element);

enum operation_state {
    OPERATION_NOT_SUBMITTED,
    OPERATION_SUBMITTED,
    OPERATION_HELD,
    OPERATION_RUNNING,
    OPERATION_WAITING,
    OPERATION_DONE,
};
enum operation_state view_operation(const struct view *view, uint32_t call);

/* Why a call or operation does not go on, in words: "waits for rank 1 to receive x", "waits for event E",
 * "behind recv x on comm". Appends nothing where nothing holds it. */
void view_explain_wait(const struct view *view, uint32_t call, struct text *out);

/* An event of the program: the call that recorded it last, and whether that is complete. NONE: not recorded.
 */
uint32_t view_event_record(const struct view *view, uint32_t event);

/* An element in figures: "4", "1.5", "-inf"; what an opaque kernel wrote as its name and turn: "k#2". Short.
 */
void view_format_value(const struct view *view, uint32_t memory, uint32_t element, struct text *out);

#endif
