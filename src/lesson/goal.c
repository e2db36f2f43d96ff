#include "lesson/goal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lesson/filter.h"
#include "lesson/phrase.h"

enum goal_kind { GOAL_VALUES, GOAL_FINISHED, GOAL_STUCK, GOAL_SAFE, GOAL_WAITS, GOAL_WITHIN, GOAL_KINDS };

struct goal_condition {
    enum goal_kind kind;
    struct place place;
    uint32_t rank, number; /* of waits; of milliseconds */
    bool is_not;
    char *memory;
    char **values;
    size_t value_count;
};

struct goal {
    struct goal_condition *conditions;
    size_t count, capacity;
};

/* What a block is read into. */
struct reading {
    struct goal *goal;
    const struct schedule *schedule;
    uint32_t *variants;
    struct diagnostics *diagnostics;
};

static void condition_free(struct goal_condition *condition)
{
    for (size_t i = 0; i < condition->value_count; i++)
        free(condition->values[i]);
    free(condition->values);
    free(condition->memory);
}

static bool take_word(struct phrase *phrase, const char *word, struct diagnostics *diagnostics)
{
    if (phrase->used < phrase->count && strcmp(phrase->words[phrase->used], word) == 0) {
        phrase->used++;
        return true;
    }
    struct text what = {0};
    text_format(&what, "`%s`", word);
    phrase_expected(phrase, text_string(&what), diagnostics);
    text_free(&what);
    return false;
}

static bool read_values(struct phrase *phrase, struct goal_condition *condition,
                        struct diagnostics *diagnostics)
{
    if (!phrase_number(phrase, "a rank's number", SCHEDULE_MAX_RANKS - 1, &condition->rank, diagnostics))
        return false;
    const char *memory = phrase_next(phrase);
    if (!memory)
        return phrase_expected(phrase, "a buffer's name", diagnostics);
    condition->memory = memory_copy_string(memory);
    if (!take_word(phrase, "is", diagnostics))
        return false;
    condition->is_not = phrase->used < phrase->count && strcmp(phrase->words[phrase->used], "not") == 0;
    phrase->used += condition->is_not;
    if (phrase->used == phrase->count)
        return phrase_expected(phrase, "the values of the first elements", diagnostics);
    condition->values = memory_zeroed(phrase->count, sizeof *condition->values);
    while (phrase->used < phrase->count)
        condition->values[condition->value_count++] = memory_copy_string(phrase_next(phrase));
    return true;
}

/* "70ms" */
static bool read_within(struct phrase *phrase, struct goal_condition *condition,
                        struct diagnostics *diagnostics)
{
    if (!take_word(phrase, "within", diagnostics))
        return false;
    char *word = phrase->used < phrase->count ? phrase->words[phrase->used] : NULL;
    size_t length = word ? strlen(word) : 0;
    if (length < 3 || strcmp(word + length - 2, "ms") != 0)
        return phrase_expected(phrase, "a time in milliseconds, such as 70ms", diagnostics);
    word[length - 2] = '\0';
    return phrase_number(phrase, "a time in milliseconds, such as 70ms", SCHEDULE_MAX_SECONDS * 1000,
                         &condition->number, diagnostics);
}

static bool read_variants(struct phrase *phrase, const struct reading *reading)
{
    size_t count = schedule_variant_count(reading->schedule);
    const char *known[SCHEDULE_MAX_VARIANTS];
    for (size_t i = 0; i < count; i++)
        known[i] = schedule_variant(reading->schedule, i)->name;
    if (phrase->used == phrase->count)
        return phrase_expected(phrase, "a variant's name", reading->diagnostics);
    for (struct place place = phrase_place(phrase); phrase->used < phrase->count;
         place = phrase_place(phrase)) {
        const char *name = phrase_next(phrase);
        size_t found = 0;
        while (found < count && strcmp(known[found], name) != 0)
            found++;
        if (found < count)
            *reading->variants |= (uint32_t)1 << found;
        else
            unknown_name(reading->diagnostics, place, "variant", name, known, count);
    }
    return false; /* no condition */
}

/* Whether the line is a condition, and was read. */
static bool read_condition(struct phrase *phrase, struct goal_condition *condition,
                           const struct reading *reading)
{
    static const char *const known[GOAL_KINDS + 1] = {"rank",  "finished", "stuck",  "safe",
                                                      "waits", "done",     "variant"};
    struct diagnostics *diagnostics = reading->diagnostics;
    const char *word = phrase_next(phrase);
    size_t kind = 0;
    while (kind <= GOAL_KINDS && strcmp(word, known[kind]) != 0)
        kind++;
    if (kind > GOAL_KINDS) {
        unknown_name(diagnostics, condition->place, "word", word, known, GOAL_KINDS + 1);
        return false;
    }
    if (kind == GOAL_KINDS)
        return read_variants(phrase, reading);
    condition->kind = (enum goal_kind)kind;
    if (kind == GOAL_VALUES && !read_values(phrase, condition, diagnostics))
        return false;
    if (kind == GOAL_WAITS &&
        !(take_word(phrase, "<=", diagnostics) &&
          phrase_number(phrase, "how many waits", UINT32_MAX / 16, &condition->number, diagnostics)))
        return false;
    if (kind == GOAL_WITHIN && !read_within(phrase, condition, diagnostics))
        return false;
    return phrase->used == phrase->count || phrase_expected(phrase, "the end of the line", diagnostics);
}

static void read_line(void *context, const char *text, size_t length, struct place place)
{
    const struct reading *reading = context;
    struct phrase phrase;
    struct goal_condition condition = {.place = place};
    if (phrase_read(&phrase, text, length, place, reading->diagnostics) && phrase.count > 0) {
        condition.place = phrase.places[0];
        if (read_condition(&phrase, &condition, reading)) {
            ARRAY_RESERVE(reading->goal->conditions, reading->goal->count, reading->goal->capacity);
            reading->goal->conditions[reading->goal->count++] = condition;
        } else {
            condition_free(&condition);
        }
    }
    phrase_free(&phrase);
}

struct goal *goal_parse(const char *text, size_t length, uint32_t first_line, const struct schedule *schedule,
                        uint32_t *variants, struct diagnostics *diagnostics)
{
    struct goal *goal = memory_zeroed(1, sizeof *goal);
    size_t faults = diagnostics->count + diagnostics->left_out;
    phrase_lines(text, length, first_line, read_line,
                 &(struct reading){goal, schedule, variants, diagnostics});
    if (diagnostics->count + diagnostics->left_out == faults && goal->count == 0)
        diagnostics_add(diagnostics, (struct place){first_line, 1}, "the goal has no condition");
    if (diagnostics->count + diagnostics->left_out == faults)
        return goal;
    goal_free(goal);
    return NULL;
}

void goal_free(struct goal *goal)
{
    if (!goal)
        return;
    for (size_t i = 0; i < goal->count; i++)
        condition_free(&goal->conditions[i]);
    free(goal->conditions);
    free(goal);
}

/* The rank's last memory of that name; NONE. */
static uint32_t find_memory(const struct program *program, const struct goal_condition *condition)
{
    uint32_t found = NONE;
    for (uint32_t i = 0; i < program->memory_count; i++)
        if (program->memories[i].rank == condition->rank &&
            strcmp(program->memories[i].name, condition->memory) == 0)
            found = i;
    return found;
}

void goal_check(const struct goal *goal, const struct program *program, struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < goal->count; i++) {
        const struct goal_condition *condition = &goal->conditions[i];
        if (condition->kind != GOAL_VALUES)
            continue;
        uint32_t memory = find_memory(program, condition);
        if (memory == NONE)
            diagnostics_add(diagnostics, condition->place, "rank %u has no buffer %s",
                            (unsigned)condition->rank, condition->memory);
        else if (condition->value_count > program->memories[memory].count)
            diagnostics_add(diagnostics, condition->place, "%s has %u elements, and the goal names %zu",
                            condition->memory, (unsigned)program->memories[memory].count,
                            condition->value_count);
    }
}

/* The first elements as the view has them: "." for one that nothing wrote. */
static void append_values(const struct view *view, uint32_t memory, size_t count, struct text *out)
{
    for (uint32_t i = 0; i < count && i < view->memories[memory].kept; i++) {
        text_append(out, i > 0 ? " " : "");
        if (view->memories[memory].cells[i] == CELL_NEVER_WRITTEN)
            text_append(out, ".");
        else
            view_format_value(view, memory, i, out);
    }
}

static bool judge_values(const struct goal_condition *condition, const struct view *view, struct text *why)
{
    uint32_t memory = find_memory(view->program, condition);
    struct text found = {0}, wanted = {0};
    if (memory == NONE) {
        text_format(why, "Rank %u has no buffer %s. ", (unsigned)condition->rank, condition->memory);
        return false;
    }
    append_values(view, memory, condition->value_count, &found);
    for (size_t i = 0; i < condition->value_count; i++)
        text_format(&wanted, "%s%s", i > 0 ? " " : "", condition->values[i]);
    bool holds = (strcmp(text_string(&found), text_string(&wanted)) == 0) != condition->is_not;
    if (!holds)
        text_format(why, "%s of rank %u is %s, and should %sbe %s. ", condition->memory,
                    (unsigned)condition->rank, text_string(&found), condition->is_not ? "not " : "",
                    condition->is_not ? "that" : text_string(&wanted));
    text_free(&found);
    text_free(&wanted);
    return holds;
}

static uint32_t count_waits(const struct program *program)
{
    uint32_t count = 0;
    for (uint32_t call = 0; call < program->call_count; call++)
        switch (call_statement(program, call)->kind) {
        case CALL_WAIT:
        case CALL_SYNC_STREAM:
        case CALL_SYNC_EVENT:
        case CALL_SYNC_DEVICE:
        case CALL_POLL_STREAM:
        case CALL_POLL_EVENT:
        case CALL_BARRIER:
            count++;
            break;
        default:
            break;
        }
    return count;
}

static int64_t last_done(const struct view *view)
{
    int64_t last = 0;
    for (uint32_t call = 0; call < view->program->call_count; call++)
        if (view->calls[call].done > last)
            last = view->calls[call].done;
    return last;
}

static bool judge(const struct goal_condition *condition, const struct view *view, bool is_safe,
                  struct text *why)
{
    uint32_t waits = count_waits(view->program);
    int64_t done = last_done(view), most = (int64_t)condition->number * 1000000;
    switch (condition->kind) {
    case GOAL_VALUES:
        return judge_values(condition, view, why);
    case GOAL_FINISHED:
        if (view->outcome == OUTCOME_FINISHED)
            return true;
        text_append(why, "The run does not come to its end. ");
        return false;
    case GOAL_STUCK:
        if (view->outcome == OUTCOME_STUCK)
            return true;
        text_append(why, "The run does not get stuck. ");
        return false;
    case GOAL_SAFE:
        if (!is_safe)
            text_append(why, "The order is not safe in every execution: c says why. ");
        return is_safe;
    case GOAL_WAITS:
        if (waits <= condition->number)
            return true;
        text_format(why, "There are %u waits; at most %u are wanted. ", (unsigned)waits,
                    (unsigned)condition->number);
        return false;
    case GOAL_WITHIN:
    case GOAL_KINDS:
        break;
    }
    if (done <= most)
        return true;
    text_format(why, "The last operation was done after %.1f ms; %u ms are wanted. ", (double)done / 1e6,
                (unsigned)condition->number);
    return false;
}

bool goal_judge(const struct goal *goal, const struct view *view, bool is_safe, struct text *why)
{
    bool holds = true;
    for (size_t i = 0; i < goal->count; i++)
        holds = judge(&goal->conditions[i], view, is_safe, why) && holds;
    return holds;
}
