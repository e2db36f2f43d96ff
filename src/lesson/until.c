#include "lesson/until.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lesson/filter.h"

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

enum { MAX_WORDS = 7 };

/* A line cut into words. */
struct words {
    char *word[MAX_WORDS];
    struct place place[MAX_WORDS];
    struct place end;
    size_t count, used;
};

static void words_free(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
}

static bool split(struct words *words, const char *text, size_t length, struct place place,
                  struct diagnostics *diagnostics)
{
    *words = (struct words){.end = place};
    for (size_t at = 0; at < length;) {
        uint32_t code_point;
        size_t begin = at;
        bool blank = strchr(" \t\r", text[at]) && text[at] != '\0';
        struct place start = words->end;
        while (at < length && (text[at] != '\0' && strchr(" \t\r", text[at]) != NULL) == blank) {
            size_t size = text_decode(text + at, length - at, &code_point);
            at += size ? size : 1;
            words->end.column++;
        }
        if (blank)
            continue;
        if (words->count == MAX_WORDS) {
            diagnostics_add(diagnostics, start, "more words than a condition has");
            return false;
        }
        struct text word = {0};
        text_append_visible(&word, text + begin, at - begin);
        words->place[words->count] = start;
        words->word[words->count++] = memory_copy_string(text_string(&word));
        text_free(&word);
    }
    return true;
}

static const char *next(struct words *words)
{
    return words->used < words->count ? words->word[words->used++] : NULL;
}

static struct place next_place(const struct words *words)
{
    return words->used < words->count ? words->place[words->used] : words->end;
}

static bool expected(const struct words *words, const char *what, struct diagnostics *diagnostics)
{
    struct text text = {0};
    text_format(&text, "expected %s", what);
    if (words->used < words->count)
        text_format(&text, ", found `%s`", words->word[words->used]);
    diagnostics_add(diagnostics, next_place(words), "%s", text_string(&text));
    text_free(&text);
    return false;
}

static bool read_number(struct words *words, const char *what, uint32_t most, uint32_t *number,
                        struct diagnostics *diagnostics)
{
    const char *word = words->used < words->count ? words->word[words->used] : "";
    uint32_t value = 0;
    size_t digits = 0;
    for (; word[digits] >= '0' && word[digits] <= '9' && value <= most; digits++)
        value = value * 10 + (uint32_t)(word[digits] - '0');
    if (digits == 0 || word[digits] != '\0' || value > most)
        return expected(words, what, diagnostics);
    *number = value;
    words->used++;
    return true;
}

static bool read_state(struct words *words, struct condition *condition, struct diagnostics *diagnostics)
{
    struct place place = next_place(words);
    const char *word = next(words);
    if (!word)
        return expected(words, "called, submitted, returned, started, waiting or done", diagnostics);
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
static bool read_call(struct words *words, struct condition *condition, struct diagnostics *diagnostics)
{
    const char *word = words->used < words->count ? words->word[words->used] : NULL;
    if (word && word[0] != '#' && !is_state(word) && words->used + 1 < words->count) {
        condition->name = memory_copy_string(word);
        words->used++;
        word = words->word[words->used];
    }
    if (word && word[0] == '#') {
        memmove(words->word[words->used], word + 1, strlen(word));
        if (!read_number(words, "a number from 1 behind #", SCHEDULE_MAX_CALLS, &condition->turn,
                         diagnostics))
            return false;
        if (condition->turn-- == 0) {
            diagnostics_add(diagnostics, words->place[words->used - 1], "expected a number from 1 behind #");
            return false;
        }
    }
    return read_state(words, condition, diagnostics);
}

/* What may follow "rank R" and is no call. */
static const struct {
    const char *word;
    enum subject subject;
} rank_subjects[] = {{"line", SUBJECT_LINE},   {"forked", SUBJECT_FORKED},
                     {"id", SUBJECT_ID},       {"initialising", SUBJECT_INITIALISING},
                     {"ready", SUBJECT_READY}, {"exited", SUBJECT_EXITED}};
enum { RANK_SUBJECTS = sizeof rank_subjects / sizeof *rank_subjects };

static bool read_rank(struct words *words, struct condition *condition, struct diagnostics *diagnostics)
{
    if (!read_number(words, "a rank's number", SCHEDULE_MAX_RANKS - 1, &condition->rank, diagnostics))
        return false;
    struct place place = next_place(words);
    const char *word = next(words);
    if (!word)
        return expected(words,
                        "a call such as recv or launch, or line, forked, id, initialising, ready or exited",
                        diagnostics);
    const char *known[RANK_SUBJECTS + CALL_KIND_COUNT];
    size_t count = 0;
    for (; count < RANK_SUBJECTS; count++) {
        known[count] = rank_subjects[count].word;
        if (strcmp(word, known[count]) != 0)
            continue;
        condition->subject = rank_subjects[count].subject;
        return condition->subject != SUBJECT_LINE ||
               (read_number(words, "a line's number", UINT32_MAX / 16, &condition->line, diagnostics) &&
                read_call(words, condition, diagnostics));
    }
    for (int kind = 0; kind < CALL_KIND_COUNT; kind++) {
        known[count++] = call_kind_name((enum call_kind)kind);
        if (strcmp(word, known[count - 1]) == 0) {
            condition->subject = SUBJECT_CALL;
            condition->kind = known[count - 1];
            return read_call(words, condition, diagnostics);
        }
    }
    unknown_name(diagnostics, place, "word", word, known, count);
    return false;
}

static bool read_condition(struct words *words, struct condition *condition, struct diagnostics *diagnostics)
{
    static const char *const known[] = {"rank", "finished", "stuck"};
    const char *word = next(words);
    bool read = true;
    if (strcmp(word, "rank") == 0) {
        read = read_rank(words, condition, diagnostics);
    } else if (strcmp(word, "finished") == 0 || strcmp(word, "stuck") == 0) {
        condition->subject = SUBJECT_END;
    } else {
        unknown_name(diagnostics, words->place[0], "word", word, known, 3);
        return false;
    }
    return read && (words->used == words->count || expected(words, "the end of the line", diagnostics));
}

static void read_line(struct until *until, const char *text, size_t length, uint32_t line,
                      const struct schedule *schedule, struct diagnostics *diagnostics)
{
    struct place place = {.line = line, .column = 1};
    struct condition condition = {.place = place};
    condition.filter = filter_read(text, &length, place, schedule, diagnostics);
    struct words words;
    if (split(&words, text, length, place, diagnostics) && words.count > 0) {
        condition.place = words.place[0];
        if (read_condition(&words, &condition, diagnostics)) {
            ARRAY_RESERVE(until->conditions, until->count, until->capacity);
            until->conditions[until->count++] = condition;
        } else {
            free(condition.name);
        }
    }
    words_free(&words);
}

struct until *until_parse(const char *text, size_t length, uint32_t first_line,
                          const struct schedule *schedule, struct diagnostics *diagnostics)
{
    struct until *until = memory_zeroed(1, sizeof *until);
    size_t faults = diagnostics->count + diagnostics->left_out;
    uint32_t line = first_line;
    for (size_t at = 0; at < length; line++) {
        const char *newline = memchr(text + at, '\n', length - at);
        size_t end = newline ? (size_t)(newline - text) : length;
        read_line(until, text + at, end - at, line, schedule, diagnostics);
        at = end + 1;
    }
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
