#include "command/witness.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/severed.h"
#include "process/session.h"

/* Steps are made one by one: a longer program has to be cut down first. */
enum { CALL_LIMIT = 5000 };

struct witness {
    const struct witness_options *options;
    const struct order *order;
    const struct program *program;
    struct session *session;
    uint32_t earlier, later; /* the later one has to be over before the earlier one is */
    uint32_t partner;        /* must not be over before, either; NONE */
    uint32_t *next_calls;    /* by rank: what its host program has not called yet */
    uint32_t *active;        /* operations that stand in their streams and are not done */
    uint32_t active_count, active_capacity;
    uint64_t steps; /* of the run so far */
    bool earlier_started, later_over, is_stuck;
};

static const struct statement *statement_of(const struct witness *witness, uint32_t call)
{
    return call_statement(witness->program, call);
}

static bool is_operation(const struct witness *witness, uint32_t call)
{
    return order_has_point(witness->order, point_of(call, STARTED));
}

static void remove_active(struct witness *witness, uint32_t call)
{
    for (uint32_t i = 0; i < witness->active_count; i++)
        if (witness->active[i] == call)
            witness->active[i--] = witness->active[--witness->active_count];
}

static void follow(struct witness *witness, const struct record *record)
{
    switch (record->kind) {
    case RECORD_CALLED:
        witness->next_calls[record->rank] = record->call + 1;
        break;
    case RECORD_SUBMITTED:
        ARRAY_RESERVE(witness->active, witness->active_count, witness->active_capacity);
        witness->active[witness->active_count++] = record->call;
        break;
    case RECORD_STARTED:
        witness->earlier_started |= record->call == witness->earlier;
        break;
    case RECORD_DONE:
        remove_active(witness, record->call);
        witness->later_over |= record->call == witness->later;
        break;
    case RECORD_RETURNED:
        witness->later_over |= record->call == witness->later && !is_operation(witness, record->call);
        break;
    case RECORD_OUTCOME:
        witness->is_stuck = record->number == OUTCOME_STUCK;
        return;
    default:
        return;
    }
    witness->steps++;
}

static void take_record(void *context, const struct record *record)
{
    struct witness *witness = context;
    follow(witness, record);
    witness->options->sink(witness->options->context, record);
}

/* Whether the two go together when gates open: members of one group on one stream. */
static bool same_unit(const struct witness *witness, uint32_t call, uint32_t other)
{
    const uint32_t *bound = witness->order->bound;
    const struct statement *a = statement_of(witness, call), *b = statement_of(witness, other);
    return call == other || (call_is_communication(a) && call_is_communication(b) && a->stream == b->stream &&
                             bound[call] != NONE && bound[call] == bound[other]);
}

/* What must not go on yet: the earlier one to its end, and the later one before the earlier one has begun. */
static bool is_kept_back(const struct witness *witness, uint32_t call, bool keep_later)
{
    return (same_unit(witness, call, witness->earlier) && witness->earlier_started) ||
           (witness->partner != NONE && same_unit(witness, call, witness->partner)) ||
           (keep_later && same_unit(witness, call, witness->later));
}

/* Opens the gates of all that may go on. */
static void release_all(struct witness *witness, bool keep_later)
{
    struct error refused; /* what has to wait is tried again */
    for (uint32_t i = 0; i < witness->active_count; i++)
        if (!is_kept_back(witness, witness->active[i], keep_later))
            session_release_call(witness->session, witness->active[i], &refused);
    for (uint32_t rank = 0; rank < witness->program->rank_count; rank++) {
        const struct rank *calls = &witness->program->ranks[rank];
        uint32_t next = witness->next_calls[rank];
        bool is_later = next == witness->later && !is_operation(witness, next);
        if (next < calls->first_call + calls->call_count && !(keep_later && is_later))
            session_release_call(witness->session, next, &refused);
    }
}

static bool move(struct witness *witness, int kind)
{
    session_set_goal(witness->session, &(struct session_goal){.kind = kind});
    return session_wait(witness->session) != SESSION_ENDED;
}

/* Goes on until UNTIL is set or nothing moves any more. Returns whether it is. */
static bool go_on(struct witness *witness, bool keep_later, const bool *until)
{
    uint64_t steps;
    do {
        steps = witness->steps;
        release_all(witness, keep_later);
    } while (!*until && move(witness, GOAL_SETTLE) && !*until && witness->steps > steps);
    return *until;
}

static bool comes_to_nothing(struct error *error)
{
    return error_set(error, "the simulator does not come to an execution that shows it");
}

/* The later one is over while the earlier one still runs, or before it has begun. */
static bool bring_together(struct witness *witness, struct error *error)
{
    session_hold_all(witness->session, true);
    move(witness, GOAL_SETTLE);
    go_on(witness, true, &witness->earlier_started);
    if (!go_on(witness, false, &witness->later_over))
        return comes_to_nothing(error);
    session_hold_all(witness->session, false);
    return true;
}

/* Members of one group on one stream meet by themselves. */
static bool has_to_be_brought(const struct witness *witness, const struct finding *finding)
{
    if (finding->other == NONE || same_unit(witness, finding->call, finding->other))
        return false;
    return finding->kind == FINDING_RACE || is_severed(finding) ||
           (finding->kind == FINDING_USE_AFTER_FREE && finding->memory != NONE &&
            is_operation(witness, finding->other));
}

bool witness_is_eager(const struct finding *finding)
{
    return finding->kind == FINDING_RACE || finding->kind == FINDING_USE_AFTER_FREE;
}

static bool play(struct witness *witness, struct error *error)
{
    if (has_to_be_brought(witness, witness->options->finding) && !bring_together(witness, error))
        return false;
    move(witness, GOAL_END);
    return !is_severed(witness->options->finding) || witness->is_stuck || comes_to_nothing(error);
}

static bool can_play(const struct program *program, struct error *error)
{
    if (program->rank_count > RUN_MAX_RANKS)
        return error_set(error, "a run takes at most %d ranks, and this schedule has %u", RUN_MAX_RANKS,
                         program->rank_count);
    return program->call_count <= CALL_LIMIT ||
           error_set(error, "a run that shows it is made of at most %d calls, and this schedule has %u",
                     CALL_LIMIT, program->call_count);
}

/* The abort is over before the call is; a send is cut off only before it is received. */
static void put_abort_first(struct witness *witness)
{
    const struct finding *finding = witness->options->finding;
    witness->earlier = finding->call;
    witness->later = finding->other;
    if (statement_of(witness, finding->call)->kind == CALL_SEND)
        witness->partner = severed_partner(witness->order, finding->call, finding->other);
}

bool witness_play(const struct witness_options *options, struct error *error)
{
    if (options->finding->kind == FINDING_UNPORTABLE)
        return error_set(error, "by the rules this does not happen: there is no run that shows it");
    struct witness witness = {.options = options,
                              .order = options->order,
                              .program = options->order->program,
                              .earlier = options->finding->other,
                              .later = options->finding->call,
                              .partner = NONE};
    if (is_severed(options->finding))
        put_abort_first(&witness);
    const struct session_options session = {.backend = BACKEND_SIM,
                                            .eager = witness_is_eager(options->finding),
                                            .report_values = true,
                                            .sink = take_record,
                                            .context = &witness};
    if (!can_play(witness.program, error))
        return false;
    witness.next_calls = memory_resize(NULL, witness.program->rank_count, sizeof *witness.next_calls);
    for (uint32_t rank = 0; rank < witness.program->rank_count; rank++)
        witness.next_calls[rank] = witness.program->ranks[rank].first_call;
    witness.session = session_open(witness.order, &session, error);
    bool fine = witness.session && play(&witness, error);
    if (witness.session)
        session_close(witness.session);
    free(witness.next_calls);
    free(witness.active);
    return fine;
}
