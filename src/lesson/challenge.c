#include "lesson/challenge.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lesson/filter.h"
#include "lesson/phrase.h"
#include "schedule/edit.h"

enum { MOVES_MAX = 999 };

struct reading {
    struct challenge *challenge;
    struct diagnostics *diagnostics;
};

static bool read_release(struct phrase *phrase, struct move *move, struct diagnostics *diagnostics)
{
    const char *word = phrase_next(phrase);
    if (!word || strcmp(word, "rank") != 0)
        return phrase_expected(phrase, "`rank` behind release", diagnostics);
    if (!phrase_number(phrase, "a rank's number", SCHEDULE_MAX_RANKS - 1, &move->rank, diagnostics))
        return false;
    const char *track = phrase_next(phrase);
    if (!track)
        return phrase_expected(phrase, "host or a stream's name", diagnostics);
    move->track = memory_copy_string(track);
    move->count = 1;
    if (phrase->used < phrase->count && strcmp(phrase->words[phrase->used], "all") == 0) {
        move->count = MOVE_ALL;
        phrase->used++;
    } else if (phrase->used < phrase->count &&
               !phrase_number(phrase, "how many, or all", UINT16_MAX, &move->count, diagnostics)) {
        return false;
    }
    return phrase->used == phrase->count || phrase_expected(phrase, "the end of the line", diagnostics);
}

/* The line's number, and the words of the statement. */
static bool read_edit(struct phrase *phrase, struct move *move, struct diagnostics *diagnostics)
{
    struct text words = {0};
    if (!phrase_number(phrase, "a line of the schedule", UINT32_MAX / 16, &move->line, diagnostics))
        return false;
    if (move->kind == MOVE_REMOVE)
        return phrase->used == phrase->count || phrase_expected(phrase, "the end of the line", diagnostics);
    while (phrase->used < phrase->count) {
        text_append(&words, words.length > 0 ? " " : "");
        text_append(&words, phrase_next(phrase));
    }
    move->words = memory_copy_string(text_string(&words));
    bool has_words = words.length > 0;
    text_free(&words);
    return has_words || phrase_expected(phrase, "a statement", diagnostics);
}

static bool read_move(struct phrase *phrase, struct move *move, struct diagnostics *diagnostics)
{
    static const char *const known[] = {"release", "insert", "replace", "remove"};
    enum { KNOWN = sizeof known / sizeof *known };
    const char *word = phrase_next(phrase);
    size_t kind = 0;
    while (kind < KNOWN && strcmp(word, known[kind]) != 0)
        kind++;
    if (kind == KNOWN) {
        unknown_name(diagnostics, move->place, "word", word, known, KNOWN);
        return false;
    }
    move->kind = (enum move_kind)kind;
    return kind == MOVE_RELEASE ? read_release(phrase, move, diagnostics)
                                : read_edit(phrase, move, diagnostics);
}

static void move_free(struct move *move)
{
    free(move->track);
    free(move->words);
}

static void read_line(void *context, const char *text, size_t length, struct place place)
{
    const struct reading *reading = context;
    struct challenge *challenge = reading->challenge;
    struct phrase phrase;
    struct move move = {.place = place};
    if (phrase_read(&phrase, text, length, place, reading->diagnostics) && phrase.count > 0) {
        move.place = phrase.places[0];
        bool fine = read_move(&phrase, &move, reading->diagnostics);
        enum challenge_kind kind = move.kind == MOVE_RELEASE ? CHALLENGE_RELEASE : CHALLENGE_EDIT;
        if (fine && challenge->move_count > 0 && kind != challenge->kind)
            diagnostics_add(reading->diagnostics, move.place,
                            "a solution either releases operations or changes lines, not both");
        if (fine && challenge->move_count < MOVES_MAX) {
            challenge->kind = kind;
            challenge->moves =
                memory_resize(challenge->moves, challenge->move_count + 1, sizeof *challenge->moves);
            challenge->moves[challenge->move_count++] = move;
        } else {
            move_free(&move);
        }
    }
    phrase_free(&phrase);
}

static void take_goal(struct challenge *challenge, const struct lesson *lesson,
                      const struct markdown_block *block, struct diagnostics *diagnostics)
{
    if (challenge->goal)
        diagnostics_add(diagnostics, block->place, "a second goal");
    else if (lesson->schedule)
        challenge->goal =
            goal_parse(lesson->text + block->content, block->content_length, block->place.line + 1,
                       lesson->schedule, &challenge->variants, diagnostics);
}

static void take_solution(struct challenge *challenge, const struct lesson *lesson,
                          const struct markdown_block *block, struct diagnostics *diagnostics)
{
    if (challenge->move_count > 0)
        diagnostics_add(diagnostics, block->place, "a second solution");
    else
        phrase_lines(lesson->text + block->content, block->content_length, block->place.line + 1, read_line,
                     &(struct reading){challenge, diagnostics});
}

static void take_hint(struct challenge *challenge, struct markdown_block *block,
                      struct diagnostics *diagnostics)
{
    if (challenge->hint_count == LESSON_MAX_HINTS)
        diagnostics_add(diagnostics, block->place, "more than %d hints", LESSON_MAX_HINTS);
    else
        prose_move(&challenge->hints, &challenge->hint_count, block);
}

void challenge_take_block(struct challenge *challenge, const struct lesson *lesson,
                          struct markdown_block *block, struct diagnostics *diagnostics)
{
    const char *language = block->kind == MARKDOWN_CODE ? block->language : "";
    if (block->kind == MARKDOWN_TASK)
        diagnostics_add(diagnostics, block->place, "a question within a challenge");
    else if (block->kind == MARKDOWN_ITEM && block->text.number > 0)
        take_hint(challenge, block, diagnostics);
    else if (strcmp(language, "goal") == 0)
        take_goal(challenge, lesson, block, diagnostics);
    else if (strcmp(language, "solution") == 0)
        take_solution(challenge, lesson, block, diagnostics);
    else if (strcmp(language, "until") == 0)
        diagnostics_add(diagnostics, block->place, "an until block within a challenge");
    else if (block->kind != MARKDOWN_COMMENT && strcmp(language, "schedule") != 0)
        prose_move(&challenge->prose, &challenge->prose_count, block);
}

bool challenge_track(const struct move *move, const struct program *program, uint32_t *stream)
{
    *stream = NONE;
    if (move->rank >= program->rank_count)
        return false;
    for (uint32_t i = 0; i < program->stream_count; i++)
        if (program->streams[i].rank == move->rank && strcmp(program->streams[i].name, move->track) == 0)
            *stream = i;
    return *stream != NONE || strcmp(move->track, "host") == 0;
}

static void check_moves(const struct challenge *challenge, const struct program *program,
                        struct diagnostics *diagnostics)
{
    uint32_t lines = schedule_line_count(program->schedule), stream;
    for (size_t i = 0; i < challenge->move_count; i++) {
        const struct move *move = &challenge->moves[i];
        bool is_change = move->kind == MOVE_REPLACE || move->kind == MOVE_REMOVE;
        bool is_line = move->line >= 1 && move->line <= lines + (move->kind == MOVE_INSERT);
        if (move->kind == MOVE_RELEASE && !challenge_track(move, program, &stream))
            diagnostics_add(diagnostics, move->place, "rank %u has no stream %s", (unsigned)move->rank,
                            move->track);
        else if (move->kind != MOVE_RELEASE && !is_line)
            diagnostics_add(diagnostics, move->place, "the schedule has no line %u", (unsigned)move->line);
        for (size_t k = 0; is_change && k < i; k++)
            if (challenge->moves[k].line == move->line && challenge->moves[k].kind != MOVE_INSERT)
                diagnostics_add(diagnostics, move->place, "line %u is changed twice", (unsigned)move->line);
    }
}

void challenge_check(const struct challenge *challenge, const struct schedule *schedule,
                     struct diagnostics *diagnostics)
{
    if (challenge->prose_count == 0)
        diagnostics_add(diagnostics, challenge->place, "the challenge does not say in words what to do");
    if (!challenge->goal)
        diagnostics_add(diagnostics, challenge->place, "the challenge has no goal; expected a block ```goal");
    if (challenge->move_count == 0)
        diagnostics_add(diagnostics, challenge->place,
                        "the challenge has no solution; expected a block ```solution");
    if (!challenge->goal || challenge->move_count == 0)
        return;
    struct program *program = program_resolve(schedule, challenge->variants, diagnostics);
    if (!program)
        return;
    goal_check(challenge->goal, program, diagnostics);
    check_moves(challenge, program, diagnostics);
    program_free(program);
}

void challenge_free(struct challenge *challenge)
{
    for (size_t i = 0; i < challenge->move_count; i++)
        move_free(&challenge->moves[i]);
    for (size_t i = 0; i < challenge->prose_count; i++)
        prose_block_free(&challenge->prose[i]);
    for (size_t i = 0; i < challenge->hint_count; i++)
        prose_block_free(&challenge->hints[i]);
    free(challenge->moves);
    free(challenge->prose);
    free(challenge->hints);
    free(challenge->name);
    goal_free(challenge->goal);
}

void challenge_solved_text(const struct challenge *challenge, const struct schedule *schedule,
                           struct text *out)
{
    static const enum edit_kind kinds[] = {
        [MOVE_INSERT] = EDIT_INSERT, [MOVE_REPLACE] = EDIT_REPLACE, [MOVE_REMOVE] = EDIT_REMOVE};
    struct edit *edits = memory_zeroed(challenge->move_count + 1, sizeof *edits);
    size_t count = 0;
    for (size_t i = 0; i < challenge->move_count; i++) {
        const struct move *move = &challenge->moves[i];
        if (move->kind != MOVE_RELEASE)
            edits[count++] = (struct edit){.kind = kinds[move->kind],
                                           .line = move->line,
                                           .words = move->kind == MOVE_REMOVE ? NULL : move->words};
    }
    schedule_edit(schedule, edits, count, out);
    free(edits);
}
