#include "lesson/until.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lesson/filter.h"
#include "lesson/phrase.h"

enum subject {
    SUBJECT_CALL,
    SUBJECT_LINE,
    SUBJECT_FORKED,
    SUBJECT_ID,
    SUBJECT_INITIALISING,
    SUBJECT_READY,
    SUBJECT_EXITED,
    SUBJECT_END,
};

enum call_state {
    STATE_CALLED,
    STATE_SUBMITTED,
    STATE_RETURNED,
    STATE_STARTED,
    STATE_WAITING,
    STATE_DONE,
    STATE_COUNT
};

static const char *const state_names[STATE_COUNT] = {"called",  "submitted", "returned",
                                                     "started", "waiting",   "done"};

struct condition {
    struct place place;
    struct variant_filter filter;
    enum subject subject;
    uint32_t rank;
    const char *kind; /* a word of the language */
    char *name;       /* that the call mentions; NULL: any */
    uint32_t turn;    /* which of the calls that fit, from 0 */
    uint32_t line;
    enum call_state state;
};

struct until {
    struct condition *conditions;
    size_t count, capacity;
};

static bool read_state(struct phrase *phrase, struct condition *condition, struct diagnostics *diagnostics)
{
    struct place place = phrase_place(phrase);
    const char *word = phrase_next(phrase);
    if (!word)
        return phrase_expected(phrase, "called, submitted, returned, started, waiting or done", diagnostics);
    for (size_t i = 0; i < STATE_COUNT; i++)
        if (strcmp(word, state_names[i]) == 0) {
            condition->state = (enum call_state)i;
            return true;
        }
    unknown_name(diagnostics, place, "state", word, state_names, STATE_COUNT);
    return false;
}

static bool is_state(const char *word)
{
    for (size_t i = 0; i < STATE_COUNT; i++)
        if (strcmp(word, state_names[i]) == 0)
            return true;
    return false;
}

/* [NAME] [#N] STATE */
static bool read_call(struct phrase *phrase, struct condition *condition, struct diagnostics *diagnostics)
{
    const char *word = phrase->used < phrase->count ? phrase->words[phrase->used] : NULL;
    if (word && word[0] != '#' && !is_state(word) && phrase->used + 1 < phrase->count) {
        condition->name = memory_copy_string(word);
        phrase->used++;
        word = phrase->words[phrase->used];
    }
    if (word && word[0] == '#') {
        memmove(phrase->words[phrase->used], word + 1, strlen(word));
        if (!phrase_number(phrase, "a number from 1 behind #", SCHEDULE_MAX_CALLS, &condition->turn,
                           diagnostics))
            return false;
        if (condition->turn-- == 0) {
            diagnostics_add(diagnostics, phrase->places[phrase->used - 1],
                            "expected a number from 1 behind #");
            return false;
        }
    }
    return read_state(phrase, condition, diagnostics);
}

/* What may follow "rank R" and is no call. */
static const struct {
    const char *word;
    enum subject subject;
} rank_subjects[] = {{"line", SUBJECT_LINE},   {"forked", SUBJECT_FORKED},
                     {"id", SUBJECT_ID},       {"initialising", SUBJECT_INITIALISING},
                     {"ready", SUBJECT_READY}, {"exited", SUBJECT_EXITED}};
enum { RANK_SUBJECTS = sizeof rank_subjects / sizeof *rank_subjects };

static bool read_rank(struct phrase *phrase, struct condition *condition, struct diagnostics *diagnostics)
{
    if (!phrase_number(phrase, "a rank's number", SCHEDULE_MAX_RANKS - 1, &condition->rank, diagnostics))
        return false;
    struct place place = phrase_place(phrase);
    const char *word = phrase_next(phrase);
    if (!word)
        return phrase_expected(
            phrase, "a call such as recv or launch, or line, forked, id, initialising, ready or exited",
            diagnostics);
    const char *known[RANK_SUBJECTS + CALL_KIND_COUNT];
    size_t count = 0;
    for (; count < RANK_SUBJECTS; count++) {
        known[count] = rank_subjects[count].word;
        if (strcmp(word, known[count]) != 0)
            continue;
        condition->subject = rank_subjects[count].subject;
        return condition->subject != SUBJECT_LINE ||
               (phrase_number(phrase, "a line's number", UINT32_MAX / 16, &condition->line, diagnostics) &&
                read_call(phrase, condition, diagnostics));
    }
    for (int kind = 0; kind < CALL_KIND_COUNT; kind++) {
        known[count++] = call_kind_name((enum call_kind)kind);
        if (strcmp(word, known[count - 1]) == 0) {
            condition->subject = SUBJECT_CALL;
            condition->kind = known[count - 1];
            return read_call(phrase, condition, diagnostics);
        }
    }
    unknown_name(diagnostics, place, "word", word, known, count);
    return false;
}

static bool read_condition(struct phrase *phrase, struct condition *condition,
                           struct diagnostics *diagnostics)
{
    static const char *const known[] = {"rank", "finished", "stuck"};
    const char *word = phrase_next(phrase);
    bool read = true;
    if (strcmp(word, "rank") == 0) {
        read = read_rank(phrase, condition, diagnostics);
    } else if (strcmp(word, "finished") == 0 || strcmp(word, "stuck") == 0) {
        condition->subject = SUBJECT_END;
    } else {
        unknown_name(diagnostics, phrase->places[0], "word", word, known, 3);
        return false;
    }
    return read &&
           (phrase->used == phrase->count || phrase_expected(phrase, "the end of the line", diagnostics));
}

/* What a block is read into. */
struct reading {
    struct until *until;
    const struct schedule *schedule;
    struct diagnostics *diagnostics;
};

static void read_line(void *context, const char *text, size_t length, struct place place)
{
    const struct reading *reading = context;
    struct until *until = reading->until;
    struct condition condition = {.place = place};
    condition.filter = filter_read(text, &length, place, reading->schedule, reading->diagnostics);
    struct phrase phrase;
    if (phrase_read(&phrase, text, length, place, reading->diagnostics) && phrase.count > 0) {
        condition.place = phrase.places[0];
        if (read_condition(&phrase, &condition, reading->diagnostics)) {
            ARRAY_RESERVE(until->conditions, until->count, until->capacity);
            until->conditions[until->count++] = condition;
        } else {
            free(condition.name);
        }
    }
    phrase_free(&phrase);
}

struct until *until_parse(const char *text, size_t length, uint32_t first_line,
                          const struct schedule *schedule, struct diagnostics *diagnostics)
{
    struct until *until = memory_zeroed(1, sizeof *until);
    size_t faults = diagnostics->count + diagnostics->left_out;
    phrase_lines(text, length, first_line, read_line, &(struct reading){until, schedule, diagnostics});
    bool faulty = diagnostics->count + diagnostics->left_out > faults;
    if (!faulty && until->count == 0) {
        diagnostics_add(diagnostics, (struct place){.line = first_line, .column = 1},
                        "the until block is empty; without one, nothing runs in the step");
        faulty = true;
    }
    if (faulty) {
        until_free(until);
        return NULL;
    }
    return until;
}

void until_free(struct until *until)
{
    if (!until)
        return;
    for (size_t i = 0; i < until->count; i++)
        free(until->conditions[i].name);
    free(until->conditions);
    free(until);
}

static bool is_name(const char *name, const char *wanted)
{
    return name && strcmp(name, wanted) == 0;
}

static bool mentions(const struct program *program, const struct statement *statement, const char *name)
{
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = &program->spans[statement->first_span + i];
        if (is_name(program->memories[span->memory].name, name))
            return true;
    }
    switch (statement->kind) {
    case CALL_LAUNCH:
        return is_name(program->kernels[statement->kernel], name);
    case CALL_BUFFER:
    case CALL_HOST:
    case CALL_MANAGED:
    case CALL_FREE:
        return is_name(program->memories[statement->memory].name, name);
    case CALL_STREAM:
    case CALL_SYNC_STREAM:
    case CALL_POLL_STREAM:
    case CALL_QUERY_STREAM:
        return is_name(program->streams[statement->stream].name, name);
    case CALL_RECORD:
    case CALL_WAIT:
    case CALL_SYNC_EVENT:
    case CALL_POLL_EVENT:
    case CALL_QUERY_EVENT:
        return is_name(program->events[statement->event].name, name);
    case CALL_COMM:
    case CALL_DESTROY:
    case CALL_ABORT:
        return is_name(program->communicators[statement->communicator].name, name);
    case CALL_SYNC_DEVICE:
        return strcmp(name, "device") == 0;
    default:
        return false;
    }
}

/* The call that a condition means; NONE where the program has none. */
static uint32_t find_call(const struct condition *condition, const struct program *program)
{
    if (condition->rank >= program->rank_count)
        return NONE;
    const struct rank *rank = &program->ranks[condition->rank];
    uint32_t turn = 0;
    for (uint32_t call = rank->first_call; call < rank->first_call + rank->call_count; call++) {
        const struct statement *statement = call_statement(program, call);
        bool fits = condition->subject == SUBJECT_LINE
                        ? statement->line == condition->line
                        : strcmp(call_kind_name(statement->kind), condition->kind) == 0;
        if (fits && condition->name)
            fits = mentions(program, statement, condition->name);
        if (fits && turn++ == condition->turn)
            return call;
    }
    return NONE;
}

static bool call_holds(const struct condition *condition, const struct view *view)
{
    uint32_t number = find_call(condition, view->program);
    if (number == NONE)
        return false;
    const struct view_call *call = &view->calls[number];
    switch (condition->state) {
    case STATE_CALLED:
        return call->called != TIME_NONE;
    case STATE_SUBMITTED:
        return call->submitted != TIME_NONE;
    case STATE_RETURNED:
        return call->returned != TIME_NONE;
    case STATE_STARTED:
        return call->started != TIME_NONE;
    case STATE_WAITING:
        return call->waiting || call->done != TIME_NONE ||
               (call->returned != TIME_NONE && !call_is_operation(call_statement(view->program, number)));
    case STATE_DONE:
        return call->done != TIME_NONE;
    default:
        return false;
    }
}

static bool condition_holds(const struct condition *condition, const struct view *view)
{
    if (condition->subject == SUBJECT_CALL || condition->subject == SUBJECT_LINE)
        return call_holds(condition, view);
    if (condition->subject == SUBJECT_END)
        return view->outcome != OUTCOME_NONE;
    if (condition->rank >= view->program->rank_count)
        return false;
    const struct view_rank *rank = &view->ranks[condition->rank];
    switch (condition->subject) {
    case SUBJECT_FORKED:
        return rank->forked;
    case SUBJECT_ID:
        return rank->has_id;
    case SUBJECT_INITIALISING:
        return rank->initialising || rank->ready;
    case SUBJECT_READY:
        return rank->ready;
    case SUBJECT_EXITED:
        return rank->exited;
    default:
        return false;
    }
}

bool until_is_met(const struct until *until, const struct view *view)
{
    for (size_t i = 0; i < until->count; i++) {
        const struct condition *condition = &until->conditions[i];
        if (variant_filter_passes(condition->filter, view->program->variants) &&
            !condition_holds(condition, view))
            return false;
    }
    return true;
}

bool until_holds(const struct until *until, const struct view *view)
{
    return view->outcome != OUTCOME_NONE || until_is_met(until, view);
}

static void check_condition(const struct condition *condition, const struct program *program,
                            struct diagnostics *diagnostics)
{
    if (condition->subject == SUBJECT_END)
        return;
    if (condition->rank >= program->rank_count) {
        diagnostics_add(diagnostics, condition->place, "there is no rank %u", (unsigned)condition->rank);
        return;
    }
    if (condition->subject != SUBJECT_CALL && condition->subject != SUBJECT_LINE)
        return;
    uint32_t call = find_call(condition, program);
    struct text text = {0};
    if (call == NONE) {
        text_format(&text, "rank %u makes no such call", (unsigned)condition->rank);
    } else if (!call_is_operation(call_statement(program, call)) &&
               (condition->state == STATE_SUBMITTED || condition->state == STATE_STARTED ||
                condition->state == STATE_DONE)) {
        text_format(&text, "this is the host's own call and never `%s`; it is called, waiting or returned",
                    state_names[condition->state]);
    }
    if (text.length > 0 && program->variants != 0)
        text_append(&text,
                    " in this variant; [only NAME] or [not NAME] behind the line leaves it out of one");
    if (text.length > 0)
        diagnostics_add(diagnostics, condition->place, "%s", text_string(&text));
    text_free(&text);
}

void until_check(const struct until *until, const struct program *program, struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < until->count; i++)
        if (variant_filter_passes(until->conditions[i].filter, program->variants))
            check_condition(&until->conditions[i], program, diagnostics);
}
