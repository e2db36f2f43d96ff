#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lesson/lesson.h"

/* Lines 1 to 16 of most lessons here: a title, a schedule with one variant, and no step. */
#define HEAD                                                                                                 \
    "# Title\n"                                                                                              \
    "\n"                                                                                                     \
    "```schedule\n"                                                                                          \
    "variant alone \"nobody sends\"\n"                                                                       \
    "rank 0\n"                                                                                               \
    "  buffer x float32[4]\n"                                                                                \
    "  stream S0\n"                                                                                          \
    "  launch A -> x on S0\n"                                                                                \
    "  send x to 1 on S0  [not alone]\n"                                                                     \
    "rank 1\n"                                                                                               \
    "  buffer x float32[4]\n"                                                                                \
    "  stream S1\n"                                                                                          \
    "  recv x from 0 on S1\n"                                                                                \
    "  sync S1\n"                                                                                            \
    "```\n"                                                                                                  \
    "\n"

static struct lesson *parse(const char *text)
{
    struct diagnostics diagnostics = {0};
    struct lesson *lesson = lesson_parse("lessons/3-tiny.md", text, strlen(text), &diagnostics);
    struct text faults = {0};
    diagnostics_print(&diagnostics, "L", &faults);
    assert_string_equal(text_string(&faults), "");
    assert_non_null(lesson);
    text_free(&faults);
    diagnostics_free(&diagnostics);
    return lesson;
}

static void check_faults_of(const char *text, size_t length, const char *expected)
{
    struct diagnostics diagnostics = {0};
    struct lesson *lesson = lesson_parse("L", text, length, &diagnostics);
    struct text faults = {0};
    diagnostics_print(&diagnostics, "L", &faults);
    assert_string_equal(text_string(&faults), expected);
    assert_null(lesson);
    text_free(&faults);
    diagnostics_free(&diagnostics);
}

static void check_faults(const char *text, const char *expected)
{
    check_faults_of(text, strlen(text), expected);
}

static void check_left_out(const char *text, size_t left_out)
{
    struct diagnostics diagnostics = {0};
    assert_null(lesson_parse("L", text, strlen(text), &diagnostics));
    assert_int_equal(diagnostics.count, DIAGNOSTIC_LIMIT);
    assert_int_equal(diagnostics.left_out, left_out);
    diagnostics_free(&diagnostics);
}

static void check_text(const struct prose_block *block, const char *expected)
{
    struct text text = {0};
    for (size_t i = 0; i < block->run_count; i++)
        text_append(&text, block->runs[i].text);
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
}

static void test_a_whole_lesson(void **state)
{
    (void)state;
    struct lesson *lesson = parse(HEAD "## First\n"
                                       "One *two* **three**\n"
                                       "`four`.\n"
                                       "\n"
                                       "1. one\n"
                                       "2. two\n"
                                       "\n"
                                       "What now?\n"
                                       "\n"
                                       "- [ ] this\n"
                                       "- [x] that\n"
                                       "\n"
                                       "Because.\n"
                                       "\n"
                                       "And so.\n"
                                       "\n"
                                       "```until\n"
                                       "rank 1 recv waiting\n"
                                       "```\n"
                                       "<!-- present: say\n"
                                       "     it -->\n"
                                       "\n"
                                       "## Second\n"
                                       "The end.\n");
    assert_string_equal(lesson->name, "tiny");
    assert_string_equal(lesson->title, "Title");
    assert_int_equal(lesson->prose_count, 0);
    assert_int_equal(lesson->step_count, 2);

    const struct step *step = &lesson->steps[0];
    assert_string_equal(step->title, "First");
    assert_int_equal(step->place.line, 17);
    assert_string_equal(step->notes, "say it");
    assert_non_null(step->until);
    assert_int_equal(step->prose_count, 3);
    check_text(&step->prose[0], "One two three four.");
    assert_int_equal(step->prose[0].run_count, 7);
    assert_int_equal(step->prose[0].runs[1].style, PROSE_EMPHASIS);
    assert_int_equal(step->prose[0].runs[3].style, PROSE_STRONG);
    assert_int_equal(step->prose[0].runs[5].style, PROSE_CODE);
    assert_int_equal(step->prose[2].kind, BLOCK_LIST_ITEM);
    assert_int_equal(step->prose[2].number, 2);

    assert_int_equal(step->question_count, 1);
    const struct question *question = &step->questions[0];
    check_text(&question->text, "What now?");
    assert_int_equal(question->answer_count, 2);
    check_text(&question->answers[0].text, "this");
    assert_false(question->answers[0].right);
    assert_true(question->answers[1].right);
    assert_int_equal(question->reason_count, 2);
    check_text(&question->reason[1], "And so.");

    assert_null(lesson->steps[1].until);
    assert_string_equal(lesson->steps[1].notes, "");
    lesson_free(lesson);
}

static void test_two_questions_in_a_row(void **state)
{
    (void)state;
    struct lesson *lesson = parse(HEAD "## Step\nProse.\n\nOne?\n\n- [x] a\n- [ ] b\n\nReason one.\n\n"
                                       "Two?\n\n- [x] c\n- [x] d\n- [ ] e\n\nReason two.\n");
    const struct step *step = &lesson->steps[0];
    assert_int_equal(step->question_count, 2);
    assert_int_equal(step->questions[0].reason_count, 1);
    check_text(&step->questions[0].reason[0], "Reason one.");
    check_text(&step->questions[1].text, "Two?");
    assert_int_equal(step->questions[1].answer_count, 3);
    lesson_free(lesson);
}

static void test_each_variant_walks_its_own_steps(void **state)
{
    (void)state;
    struct lesson *lesson = parse(HEAD "## All\nText.\n"
                                       "## Plain [not alone]\nText.\n"
                                       "## Broken [only alone]\nText.\n"
                                       "## Brackets [x]\nText.\n");
    size_t indices[4];
    assert_int_equal(lesson_walk(lesson, 0, indices), 3);
    assert_int_equal(indices[1], 1);
    assert_int_equal(lesson_walk(lesson, 1, indices), 3);
    assert_int_equal(indices[1], 2);
    assert_string_equal(lesson->steps[1].title, "Plain");
    assert_string_equal(lesson->steps[2].title, "Broken");
    assert_string_equal(lesson->steps[3].title, "Brackets [x]");
    lesson_free(lesson);
}

static void test_text_is_visible(void **state)
{
    (void)state;
    struct lesson *lesson =
        parse(HEAD "## A\x1b[2J\nB\x1b]0;c\x07 &lt;d&gt; <https://e>\n\n    f\tg\n    h\x1b\n\n"
                   "<!-- present: i\x1b[m -->\n");
    const struct step *step = &lesson->steps[0];
    assert_string_equal(step->title, "A\\x1B[2J");
    check_text(&step->prose[0], "B\\x1B]0;c\\x07 <d> https://e");
    assert_int_equal(step->prose[1].kind, BLOCK_CODE);
    check_text(&step->prose[1], "f    g\nh\\x1B\n");
    assert_string_equal(step->notes, "i\\x1B[m");
    lesson_free(lesson);
}

static void test_faults_of_the_whole(void **state)
{
    (void)state;
    check_faults("", "L:1:1: error: the lesson has no schedule; expected a block ```schedule\n"
                     "L:1:1: error: the lesson has no title; expected a first line # and words\n"
                     "L:1:1: error: the lesson has no steps; expected headings ##\n");
    check_faults(HEAD "## Step\nText.\n# Again\n\n```schedule\nranks 1\n```\n### Deep\n",
                 "L:19:1: error: a second title; steps begin with ##\n"
                 "L:21:1: error: a second schedule block; a lesson has one\n"
                 "L:24:1: error: a heading of level 3; a lesson has one # title and ## steps\n");
    check_faults(HEAD "##\nText.\n## Silent\n",
                 "L:17:1: error: the step has no title; expected words after ##\n"
                 "L:19:1: error: the step has no text\n");
    check_faults(HEAD "## Step\nText.\n\n```until\nfinished\n",
                 "L:20:1: error: the block is not closed; a line ``` has to end it\n");
    check_faults("# T\r## S\r", "L:1:4: error: a carriage return without a newline behind it\n");
}

static void test_faults_of_the_schedule_have_lines_of_the_lesson(void **state)
{
    (void)state;
    struct diagnostics diagnostics = {0};
    static const char text[] = "# Title\n\n```schedule\nrank 0\n  bufer x float32[4]\n```\n## S\nT.\n";
    assert_null(lesson_parse("L", text, strlen(text), &diagnostics));
    assert_int_equal(diagnostics.count, 1);
    assert_int_equal(diagnostics.items[0].place.line, 5);
    assert_int_equal(diagnostics.items[0].place.column, 3);
    diagnostics_free(&diagnostics);
}

static void test_faults_of_questions(void **state)
{
    (void)state;
    check_faults(HEAD "## Step\nText.\n\nWhich?\n\n- [ ] a\n- [ ] b\n\nReason.\n",
                 "L:20:1: error: the question has no right answer; expected one marked - [x]\n");
    check_faults(HEAD "## Step\nText.\n\nWhich?\n\n- [x] a\n- [x] b\n\nReason.\n",
                 "L:20:1: error: the question has no wrong answer\n");
    check_faults(HEAD "## Step\nText.\n\nWhich?\n\n- [x] a\n",
                 "L:20:1: error: the question has one answer; expected two or more\n"
                 "L:20:1: error: the question has no reason; expected a paragraph after the answers\n");
    check_faults(HEAD "## Step\n- [x] a\n- [ ] b\n- c\n\nReason.\n",
                 "L:18:3: error: answers without a question; expected a paragraph right before them\n"
                 "L:18:3: error: the question has no reason; expected a paragraph after the answers\n"
                 "L:20:3: error: an item without a box among answers; expected - [ ] or - [x]\n");
    check_faults(HEAD "Which?\n\n- [x] a\n- [ ] b\n\n## Step\nText.\n",
                 "L:19:3: error: a question before the first step\n");
}

static void test_faults_of_what_is_not_shown(void **state)
{
    (void)state;
    check_faults(HEAD "## Step\nText ![i](j) <b>.\n\n> quoted\n\n---\n\n<div>\n\n- a\n  - b\n\n&copy;\n",
                 "L:18:6: error: an image is not shown\n"
                 "L:18:14: error: raw HTML within a line is not shown; a comment has to begin its own line\n"
                 "L:20:1: error: a quotation is not shown\n"
                 "L:22:1: error: a line across the page is not shown\n"
                 "L:24:1: error: raw HTML is not shown; only a comment may stand here\n"
                 "L:27:3: error: a list within a list is not shown\n"
                 "L:29:1: error: of HTML's entities only &amp; &lt; &gt; &quot; &nbsp; are known\n");
    check_faults(HEAD "## Step\nText.\n\n<!-- present: no end\n",
                 "L:20:1: error: the comment has to end with --> and nothing behind it on the line\n");
}

static void test_faults_of_until_blocks(void **state)
{
    (void)state;
    check_faults(HEAD "## Step\nText.\n\n```until\n"
                      "rank 1 recieve done\n"
                      "rank 9 recv done\n"
                      "rank 1 recv dome\n"
                      "rank 1 recv x #0 done\n"
                      "rank one recv done\n"
                      "rank 1 recv done now\n"
                      "finishd\n"
                      "rank 1 recv done [only alon]\n"
                      "```\n",
                 "L:21:8: error: unknown word `recieve`\n"
                 "L:23:13: error: unknown state `dome`; did you mean `done`?\n"
                 "L:24:15: error: expected a number from 1 behind #\n"
                 "L:25:6: error: expected a rank's number, found `one`\n"
                 "L:26:18: error: expected the end of the line, found `now`\n"
                 "L:27:1: error: unknown word `finishd`; did you mean `finished`?\n"
                 "L:28:1: error: unknown variant `alon`; did you mean `alone`?\n");
    check_faults(HEAD "## Step\nText.\n\n```until\n\n```\n\n```until\nfinished\n```\n",
                 "L:21:1: error: the until block is empty; without one, nothing runs in the step\n");
    check_faults(HEAD "## Step\nText.\n\n```until\nstuck\n```\n\n```until\nfinished\n```\n",
                 "L:24:1: error: a second until block in this step\n");
}

static void test_until_blocks_are_held_against_every_variant(void **state)
{
    (void)state;
    check_faults(
        HEAD "## Step\nText.\n\n```until\nrank 0 send done\n```\n",
        "L:21:1: error: rank 0 makes no such call in this variant; [only NAME] or [not NAME] behind the "
        "line leaves it out of one\n");
    check_faults(HEAD "## Step [not alone]\nText.\n\n```until\nrank 0 recv done\nrank 7 send done\n"
                      "rank 1 sync started\nrank 0 send #2 done\n```\n",
                 "L:21:1: error: rank 0 makes no such call\n"
                 "L:22:1: error: there is no rank 7\n"
                 "L:23:1: error: this is the host's own call and never `started`; it is called, waiting or "
                 "returned\n"
                 "L:24:1: error: rank 0 makes no such call\n");
    lesson_free(parse(
        HEAD "## Step\nText.\n\n```until\nrank 0 send x done [not alone]\nrank 1 line 11 called\n```\n"));
}

static void test_limits(void **state)
{
    (void)state;
    struct text text = {0};
    text_append(&text, HEAD);
    for (int i = 0; i < LESSON_MAX_STEPS + 1; i++)
        text_append(&text, "## S\nT.\n");
    check_faults(text.bytes, "L:215:1: error: more than 99 steps\n");
    text_clear(&text);
    while (text.length <= LESSON_MAX_BYTES)
        text_append(&text, "0123456789abcdef");
    check_faults(text.bytes, "L:1:1: error: the lesson has 262160 bytes; the most is 262144\n");
    text_free(&text);
}

static void test_hostile_bytes(void **state)
{
    (void)state;
    struct diagnostics diagnostics = {0};
    struct text text = {0};
    text_append_bytes(&text, "\0\xff\xc3", 3);
    while (text.length < LESSON_MAX_BYTES)
        text_append(&text, text.length % 3 ? "> - [x] ![" : "\n`<");
    assert_null(lesson_parse("L", text.bytes, LESSON_MAX_BYTES, &diagnostics));
    assert_int_not_equal(diagnostics.count, 0);
    diagnostics_free(&diagnostics);

    text_clear(&text);
    text_append(&text, HEAD "## Step\nText.\n\n");
    for (int i = 0; i < DIAGNOSTIC_LIMIT + 7; i++)
        text_append(&text, "<b>\n\n");
    check_left_out(text.bytes, 7);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_lesson),
        cmocka_unit_test(test_two_questions_in_a_row),
        cmocka_unit_test(test_each_variant_walks_its_own_steps),
        cmocka_unit_test(test_text_is_visible),
        cmocka_unit_test(test_faults_of_the_whole),
        cmocka_unit_test(test_faults_of_the_schedule_have_lines_of_the_lesson),
        cmocka_unit_test(test_faults_of_questions),
        cmocka_unit_test(test_faults_of_what_is_not_shown),
        cmocka_unit_test(test_faults_of_until_blocks),
        cmocka_unit_test(test_until_blocks_are_held_against_every_variant),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_hostile_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
