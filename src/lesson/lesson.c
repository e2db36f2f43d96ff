#include "lesson/lesson.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lesson/challenge.h"
#include "lesson/filter.h"
#include "lesson/markdown.h"
#include "lesson/until.h"

/* What a paragraph is to the question beside it. */
enum role { ROLE_PROSE, ROLE_QUESTION, ROLE_REASON };

struct reader {
    struct lesson *lesson;
    struct markdown markdown;
    struct diagnostics *diagnostics;
    enum role role; /* of the block at hand */
    unsigned list;  /* the list that the last answer stood in; 0 after any other block */
    struct text notes;
    struct challenge *challenge; /* that the blocks belong to; NULL: they are a step's */
};

static size_t fault_count(const struct diagnostics *diagnostics)
{
    return diagnostics->count + diagnostics->left_out;
}

/* Makes room for one more thing behind COUNT of them: the room doubles at each power of two. */
static void *one_more(void *array, size_t count, size_t size)
{
    return (count & (count - 1)) == 0 ? memory_resize(array, count ? count * 2 : 1, size) : array;
}

static struct step *last_step(struct lesson *lesson)
{
    return lesson->step_count ? &lesson->steps[lesson->step_count - 1] : NULL;
}

static struct question *last_question(struct step *step)
{
    return step->question_count ? &step->questions[step->question_count - 1] : NULL;
}

static char *plain_text(const struct prose_block *block)
{
    struct text text = {0};
    for (size_t i = 0; i < block->run_count; i++)
        text_append(&text, block->runs[i].text);
    char *copy = memory_copy_string(text_string(&text));
    text_free(&text);
    return copy;
}

/* Takes the one schedule block, before everything else: until blocks and titles name its variants. */
static void read_schedule(struct reader *reader)
{
    struct lesson *lesson = reader->lesson;
    bool found = false;
    for (size_t i = 0; i < reader->markdown.count; i++) {
        const struct markdown_block *block = &reader->markdown.blocks[i];
        if (block->kind != MARKDOWN_CODE || strcmp(block->language, "schedule") != 0)
            continue;
        if (found) {
            diagnostics_add(reader->diagnostics, block->place, "a second schedule block; a lesson has one");
            continue;
        }
        found = true;
        lesson->schedule = schedule_parse(lesson->text + block->content, block->content_length,
                                          block->place.line + 1, reader->diagnostics);
    }
    if (!found)
        diagnostics_add(reader->diagnostics, (struct place){1, 1},
                        "the lesson has no schedule; expected a block ```schedule");
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A comment that begins with "present:" speaks to the presenter; any other is nobody's business. */
static void take_comment(struct reader *reader, const struct markdown_block *block)
{
    static const char word[] = "present:";
    const char *at = reader->lesson->text + block->content, *end = at + block->content_length;
    while (at < end && is_space(*at))
        at++;
    if ((size_t)(end - at) < strlen(word) || memcmp(at, word, strlen(word)) != 0)
        return;
    at += strlen(word);
    if (!last_step(reader->lesson)) {
        diagnostics_add(reader->diagnostics, block->place, "a presenter's note before the first step");
        return;
    }
    while (at < end) {
        const char *begin = at;
        while (at < end && !is_space(*at))
            at++;
        if (at > begin && reader->notes.length > 0)
            text_append(&reader->notes, " ");
        text_append_visible(&reader->notes, begin, (size_t)(at - begin));
        while (at < end && is_space(*at))
            at++;
    }
}

static void end_question(struct reader *reader, const struct question *question)
{
    size_t right = 0;
    for (size_t i = 0; i < question->answer_count; i++)
        right += question->answers[i].right;
    if (question->answer_count < 2)
        diagnostics_add(reader->diagnostics, question->place,
                        "the question has one answer; expected two or more");
    else if (right == 0)
        diagnostics_add(reader->diagnostics, question->place,
                        "the question has no right answer; expected one marked - [x]");
    else if (right == question->answer_count)
        diagnostics_add(reader->diagnostics, question->place, "the question has no wrong answer");
    if (question->reason_count == 0)
        diagnostics_add(reader->diagnostics, question->place,
                        "the question has no reason; expected a paragraph after the answers");
}

static void end_step(struct reader *reader)
{
    struct step *step = last_step(reader->lesson);
    if (!step)
        return;
    if (step->prose_count == 0)
        diagnostics_add(reader->diagnostics, step->place, "the step has no text");
    for (size_t i = 0; i < step->question_count; i++)
        end_question(reader, &step->questions[i]);
    free(step->notes);
    step->notes = memory_copy_string(text_string(&reader->notes));
    text_clear(&reader->notes);
}

static void begin_step(struct reader *reader, struct markdown_block *block)
{
    struct lesson *lesson = reader->lesson;
    if (!reader->challenge)
        end_step(reader);
    reader->challenge = NULL;
    if (lesson->step_count == LESSON_MAX_STEPS)
        diagnostics_add(reader->diagnostics, block->place, "more than %d steps", LESSON_MAX_STEPS);
    lesson->steps = one_more(lesson->steps, lesson->step_count, sizeof *lesson->steps);
    struct step *step = &lesson->steps[lesson->step_count++];
    *step = (struct step){.place = block->place, .title = plain_text(&block->text)};
    size_t length = strlen(step->title);
    step->filter = filter_read(step->title, &length, block->place, lesson->schedule, reader->diagnostics);
    step->title[length] = '\0';
    if (length == 0)
        diagnostics_add(reader->diagnostics, block->place, "the step has no title; expected words after ##");
}

/* What a title begins with that is a challenge's. */
static const char challenge_word[] = "Challenge:";

static bool is_challenge(const struct markdown_block *block)
{
    char *title = plain_text(&block->text);
    bool found = strncmp(title, challenge_word, strlen(challenge_word)) == 0;
    free(title);
    return found;
}

static void begin_challenge(struct reader *reader, const struct markdown_block *block)
{
    struct lesson *lesson = reader->lesson;
    if (!reader->challenge)
        end_step(reader);
    if (lesson->challenge_count == LESSON_MAX_CHALLENGES)
        diagnostics_add(reader->diagnostics, block->place, "more than %d challenges", LESSON_MAX_CHALLENGES);
    lesson->challenges = one_more(lesson->challenges, lesson->challenge_count, sizeof *lesson->challenges);
    reader->challenge = &lesson->challenges[lesson->challenge_count++];
    *reader->challenge = (struct challenge){.place = block->place, .name = plain_text(&block->text)};
    char *name = reader->challenge->name;
    size_t skipped = strlen(challenge_word) + strspn(name + strlen(challenge_word), " ");
    memmove(name, name + skipped, strlen(name + skipped) + 1);
    if (name[0] == '\0')
        diagnostics_add(reader->diagnostics, block->place, "the challenge has no name");
    for (size_t i = 0; i + 1 < lesson->challenge_count; i++)
        if (strcmp(lesson->challenges[i].name, name) == 0)
            diagnostics_add(reader->diagnostics, block->place, "a second challenge of this name");
}

static void take_heading(struct reader *reader, struct markdown_block *block)
{
    struct lesson *lesson = reader->lesson;
    if (block->level == 2 && is_challenge(block)) {
        begin_challenge(reader, block);
    } else if (block->level == 2) {
        begin_step(reader, block);
    } else if (block->level > 2) {
        diagnostics_add(reader->diagnostics, block->place,
                        "a heading of level %u; a lesson has one # title and ## steps", block->level);
    } else if (lesson->title) {
        diagnostics_add(reader->diagnostics, block->place, "a second title; steps begin with ##");
    } else {
        lesson->title = plain_text(&block->text);
        if (lesson->title[0] == '\0')
            diagnostics_add(reader->diagnostics, block->place, "the title is empty; expected words after #");
    }
}

static void take_until(struct reader *reader, const struct markdown_block *block)
{
    struct lesson *lesson = reader->lesson;
    struct step *step = last_step(lesson);
    struct until *until = until_parse(lesson->text + block->content, block->content_length,
                                      block->place.line + 1, lesson->schedule, reader->diagnostics);
    if (!step)
        diagnostics_add(reader->diagnostics, block->place, "an until block before the first step");
    else if (step->until)
        diagnostics_add(reader->diagnostics, block->place, "a second until block in this step");
    else {
        step->until = until;
        return;
    }
    until_free(until);
}

static void take_prose(struct reader *reader, struct markdown_block *block)
{
    struct step *step = last_step(reader->lesson);
    struct question *question = step ? last_question(step) : NULL;
    if (!step)
        prose_move(&reader->lesson->prose, &reader->lesson->prose_count, block);
    else if (reader->role == ROLE_REASON && question)
        prose_move(&question->reason, &question->reason_count, block);
    else
        prose_move(&step->prose, &step->prose_count, block);
}

static void begin_question(struct reader *reader, struct markdown_block *block)
{
    struct step *step = last_step(reader->lesson);
    if (!step)
        return;
    if (step->question_count == LESSON_MAX_QUESTIONS)
        diagnostics_add(reader->diagnostics, block->place, "more than %d questions in a step",
                        LESSON_MAX_QUESTIONS);
    step->questions = one_more(step->questions, step->question_count, sizeof *step->questions);
    struct question *question = &step->questions[step->question_count++];
    *question = (struct question){.place = block->place, .text = block->text};
    block->text = (struct prose_block){0};
}

/* PREVIOUS is the block before: the list's question, where it is a paragraph. */
static void take_answer(struct reader *reader, struct markdown_block *previous, struct markdown_block *block)
{
    struct step *step = last_step(reader->lesson);
    if (!step) {
        if (block->list != reader->list)
            diagnostics_add(reader->diagnostics, block->place, "a question before the first step");
        return;
    }
    if (block->list != reader->list && (!previous || previous->kind != MARKDOWN_PARAGRAPH)) {
        diagnostics_add(reader->diagnostics, block->place,
                        "answers without a question; expected a paragraph right before them");
        begin_question(reader, &(struct markdown_block){.place = block->place});
    }
    struct question *question = last_question(step);
    if (question->answer_count == LESSON_MAX_ANSWERS)
        diagnostics_add(reader->diagnostics, block->place, "more than %d answers", LESSON_MAX_ANSWERS);
    if (block->text.run_count == 0)
        diagnostics_add(reader->diagnostics, block->place, "the answer is empty");
    question->answers = one_more(question->answers, question->answer_count, sizeof *question->answers);
    question->answers[question->answer_count++] =
        (struct answer){.text = block->text, .right = block->checked};
    block->text = (struct prose_block){0};
}

static void take_block(struct reader *reader, struct markdown_block *previous, struct markdown_block *block)
{
    switch (block->kind) {
    case MARKDOWN_HEADING:
        take_heading(reader, block);
        break;
    case MARKDOWN_PARAGRAPH:
        if (reader->role == ROLE_QUESTION)
            begin_question(reader, block);
        else
            take_prose(reader, block);
        break;
    case MARKDOWN_ITEM:
        if (previous && previous->kind == MARKDOWN_TASK && previous->list == block->list)
            diagnostics_add(reader->diagnostics, block->place,
                            "an item without a box among answers; expected - [ ] or - [x]");
        take_prose(reader, block);
        break;
    case MARKDOWN_TASK:
        take_answer(reader, previous, block);
        break;
    case MARKDOWN_CODE:
        if (strcmp(block->language, "until") == 0)
            take_until(reader, block);
        else if (strcmp(block->language, "schedule") != 0)
            take_prose(reader, block);
        break;
    case MARKDOWN_COMMENT:
        take_comment(reader, block);
        break;
    }
}

static void read_blocks(struct reader *reader)
{
    struct markdown *markdown = &reader->markdown;
    bool after_answers = false;
    for (size_t i = 0; i < markdown->count; i++) {
        struct markdown_block *block = &markdown->blocks[i];
        if (reader->challenge && block->kind != MARKDOWN_HEADING) {
            challenge_take_block(reader->challenge, reader->lesson, block, reader->diagnostics);
            continue;
        }
        bool asks = block->kind == MARKDOWN_PARAGRAPH && i + 1 < markdown->count &&
                    block[1].kind == MARKDOWN_TASK && last_step(reader->lesson);
        after_answers = block->kind == MARKDOWN_TASK || (after_answers && block->kind == MARKDOWN_PARAGRAPH);
        reader->role = asks ? ROLE_QUESTION : after_answers ? ROLE_REASON : ROLE_PROSE;
        take_block(reader, i > 0 ? block - 1 : NULL, block);
        reader->list = block->kind == MARKDOWN_TASK ? block->list : 0;
    }
    if (!reader->challenge)
        end_step(reader);
    if (!reader->lesson->title)
        diagnostics_add(reader->diagnostics, (struct place){1, 1},
                        "the lesson has no title; expected a first line # and words");
    if (reader->lesson->step_count == 0)
        diagnostics_add(reader->diagnostics, (struct place){1, 1},
                        "the lesson has no steps; expected headings ##");
}

/* Resolves the schedule as it is with VARIANTS, and holds every step of that walk against it. */
static void check_variant(struct reader *reader, uint32_t variants)
{
    const struct lesson *lesson = reader->lesson;
    struct program *program = program_resolve(lesson->schedule, variants, reader->diagnostics);
    if (!program)
        return;
    for (size_t i = 0; i < lesson->step_count; i++) {
        const struct step *step = &lesson->steps[i];
        if (step->until && variant_filter_passes(step->filter, variants))
            until_check(step->until, program, reader->diagnostics);
    }
    program_free(program);
}

static void check_variants(struct reader *reader)
{
    size_t before = fault_count(reader->diagnostics);
    check_variant(reader, 0);
    /* A fault of the plain schedule would only be repeated by the variants. */
    size_t count = schedule_variant_count(reader->lesson->schedule);
    for (size_t i = 0; i < count && fault_count(reader->diagnostics) == before; i++)
        check_variant(reader, (uint32_t)1 << i);
}

static char *lesson_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *begin = slash ? slash + 1 : file;
    size_t digits = strspn(begin, "0123456789");
    if (digits > 0 && begin[digits] == '-')
        begin += digits + 1;
    struct text name = {0};
    const char *ending = strrchr(begin, '.');
    text_append_visible(&name, begin, ending && ending > begin ? (size_t)(ending - begin) : strlen(begin));
    char *copy = memory_copy_string(text_string(&name));
    text_free(&name);
    return copy;
}

/* A carriage return that ends a line by itself would be a line for Markdown and none for anyone else. */
static bool is_readable(const char *text, size_t length, struct diagnostics *diagnostics)
{
    if (length > LESSON_MAX_BYTES) {
        diagnostics_add(diagnostics, (struct place){1, 1}, "the lesson has %zu bytes; the most is %d", length,
                        LESSON_MAX_BYTES);
        return false;
    }
    struct place place = {1, 1};
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\r' && (i + 1 == length || text[i + 1] != '\n')) {
            diagnostics_add(diagnostics, place, "a carriage return without a newline behind it");
            return false;
        }
        place.column++;
        if (text[i] == '\n')
            place = (struct place){place.line + 1, 1};
    }
    return true;
}

struct lesson *lesson_parse(const char *file, const char *text, size_t length,
                            struct diagnostics *diagnostics)
{
    size_t before = fault_count(diagnostics);
    if (!is_readable(text, length, diagnostics))
        return NULL;
    struct lesson *lesson = memory_zeroed(1, sizeof *lesson);
    lesson->name = lesson_name(file);
    lesson->length = length;
    lesson->text = memory_zeroed(length + 1, 1);
    if (length > 0)
        memcpy(lesson->text, text, length);
    struct reader reader = {.lesson = lesson, .diagnostics = diagnostics};
    markdown_read(&reader.markdown, lesson->text, length, diagnostics);
    read_schedule(&reader);
    read_blocks(&reader);
    if (fault_count(diagnostics) == before)
        check_variants(&reader);
    for (size_t i = 0; fault_count(diagnostics) == before && i < lesson->challenge_count; i++)
        challenge_check(&lesson->challenges[i], lesson->schedule, diagnostics);
    markdown_free(&reader.markdown);
    text_free(&reader.notes);
    if (fault_count(diagnostics) == before)
        return lesson;
    lesson_free(lesson);
    return NULL;
}

static void free_prose(struct prose_block *prose, size_t count)
{
    for (size_t i = 0; i < count; i++)
        prose_block_free(&prose[i]);
    free(prose);
}

static void free_question(struct question *question)
{
    prose_block_free(&question->text);
    for (size_t i = 0; i < question->answer_count; i++)
        prose_block_free(&question->answers[i].text);
    free(question->answers);
    free_prose(question->reason, question->reason_count);
}

void lesson_free(struct lesson *lesson)
{
    if (!lesson)
        return;
    for (size_t i = 0; i < lesson->step_count; i++) {
        struct step *step = &lesson->steps[i];
        free(step->title);
        free(step->notes);
        free_prose(step->prose, step->prose_count);
        for (size_t k = 0; k < step->question_count; k++)
            free_question(&step->questions[k]);
        free(step->questions);
        until_free(step->until);
    }
    free(lesson->steps);
    for (size_t i = 0; i < lesson->challenge_count; i++)
        challenge_free(&lesson->challenges[i]);
    free(lesson->challenges);
    free_prose(lesson->prose, lesson->prose_count);
    if (lesson->schedule)
        schedule_free(lesson->schedule);
    free(lesson->name);
    free(lesson->title);
    free(lesson->text);
    free(lesson);
}

size_t lesson_walk(const struct lesson *lesson, uint32_t variants, size_t *indices)
{
    size_t count = 0;
    for (size_t i = 0; i < lesson->step_count; i++)
        if (variant_filter_passes(lesson->steps[i].filter, variants))
            indices[count++] = i;
    return count;
}
