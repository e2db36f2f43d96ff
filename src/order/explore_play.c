/* One execution again, with what it does told. */
#include "order/explore.h"
#include "order/explore_choices.h"

struct play {
    const struct play_observer *observer;
    struct step_table *table;
    struct choices choices;
    struct run run;
};

static void tell_point(void *context, uint32_t point)
{
    const struct play *play = context;
    play->observer->happened(play->observer->context, point);
}

/* Whether the step changed nothing because what it takes never came. */
static bool takes_what_was_lost(const struct play *play, const struct step *step)
{
    for (uint32_t i = 0; i < step->source_count; i++)
        if (contents_is_lost(&play->run.contents, play->table->sources[step->first_source + i]))
            return true;
    return false;
}

static void tell_written(const struct play *play, const struct step *step)
{
    const struct contents *contents = &play->run.contents;
    for (uint32_t i = 0; i < step->access_count; i++) {
        const struct step_access *access = &play->table->accesses[step->first_access + i];
        if (!(access->access & ACCESS_CHANGE) || contents->state[contents->first_freed + access->memory])
            continue;
        uint32_t size = element_size(contents->program->memories[access->memory].type);
        uint32_t first = access->begin / size, end = (access->end + size - 1) / size;
        play->observer->wrote(play->observer->context, step->call, access->memory, first, end - first,
                              contents->state + contents->first_byte[access->memory] + (size_t)first * size);
    }
}

static void tell_step(void *context, uint32_t number)
{
    const struct play *play = context;
    const struct step *step = &play->table->steps[number];
    const struct step_access *access = &play->table->accesses[step->first_access];
    const struct contents *contents = &play->run.contents;
    const struct statement *statement = call_statement(contents->program, step->call);
    switch ((enum step_kind)step->kind) {
    case STEP_HOST_WRITE:
    case STEP_WRITE_OUTPUTS:
    case STEP_COPY:
    case STEP_TAKE:
        if (!takes_what_was_lost(play, step))
            tell_written(play, step);
        break;
    case STEP_HOST_READ: {
        const struct span *span = &contents->program->spans[statement->first_span];
        play->observer->found(play->observer->context, step->call, span->memory, span->first, span->count,
                              contents->state + contents->first_kept + step->kept_at);
        break;
    }
    case STEP_FREE:
        play->observer->freed(play->observer->context, step->call, access->memory);
        break;
    default:
        break;
    }
}

/* Goes the way to the ending. */
static void play_open(struct play *play, const struct exploration *exploration, const struct ending *ending,
                      const struct run_observer *observer)
{
    enum choice choice = ending->strict ? CHOICE_STRICT : CHOICE_EAGER;
    struct error unlikely; /* the search that came to this ending had the same choices */
    play->table = steps_build(exploration->order);
    choices_find(&play->choices, play->table, choice, &unlikely);
    run_open(&play->run, play->table, choice, play->choices.of_step, play->choices.count, observer);
    for (uint32_t i = 0; i < ending->path_length; i++)
        run_choose(&play->run, ending->path[i]);
}

static void play_close(struct play *play)
{
    run_close(&play->run);
    choices_free(&play->choices);
    steps_free(play->table);
}

void explore_play(const struct exploration *exploration, const struct ending *ending,
                  const struct play_observer *observer)
{
    struct play play = {.observer = observer};
    const struct run_observer run_observer = {tell_point, tell_step, &play};
    play_open(&play, exploration, ending, &run_observer);
    play_close(&play);
}

void explore_stuck_points(const struct exploration *exploration, const struct ending *ending,
                          void (*each)(void *context, uint32_t point, const struct wait *wait), void *context)
{
    struct play play = {0};
    play_open(&play, exploration, ending, NULL);
    const struct machine *machine = play.run.machine;
    for (uint32_t call = 0; call < exploration->order->program->call_count; call++)
        for (enum phase phase = RETURNED; phase <= DONE; phase += DONE - RETURNED) {
            uint32_t point = point_of(call, phase);
            uint32_t before = point_of(call, phase == RETURNED ? ENTERED : STARTED);
            const struct wait *wait = machine_held_by(machine, point);
            if (machine->happened[before] && !machine->happened[point] && wait)
                each(context, point, wait);
        }
    play_close(&play);
}
