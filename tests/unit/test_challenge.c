#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command/solve.h"

/* Lines 1 to 21: a lesson of one step. Alone, y is made from an x that has come. */
#define HEAD                                                                                                 \
    "# Title\n\n```schedule\nvariant apart \"B is alone\"\nrank 0\n  buffer x float32[4]\n  stream S\n"      \
    "  launch A -> x on S takes 10ms\n  sync S\n  launch B x -> x on S [only apart]\n```\n\n"                \
    "## Step\n\nText.\n\n```until\nfinished\n```\n\n"

static struct lesson *parse(const char *text, struct diagnostics *faults)
{
    return lesson_parse("lessons/3-tiny.md", text, strlen(text), faults);
}

static void a_challenge_is_read(void **state)
{
    (void)state;
    struct diagnostics faults = {0};
    struct lesson *lesson =
        parse(HEAD "## Challenge: Not so\n\nDo it.\n\n- and that\n\n1. First.\n2. Second.\n\n"
                   "```goal\nvariant apart\nrank 0 x is not 1 2\nwaits <= 3\n```\n\n```solution\n"
                   "release rank 0 host all\nrelease rank 0 S 2\n```\n\n## Last step\n\nText.\n",
              &faults);
    assert_non_null(lesson);
    assert_int_equal(lesson->step_count, 2);
    assert_int_equal(lesson->challenge_count, 1);
    const struct challenge *challenge = &lesson->challenges[0];
    assert_string_equal(challenge->name, "Not so");
    assert_int_equal(challenge->prose_count, 2);
    assert_int_equal(challenge->hint_count, 2);
    assert_int_equal(challenge->variants, 1);
    assert_int_equal(challenge->kind, CHALLENGE_RELEASE);
    assert_int_equal(challenge->move_count, 2);
    assert_int_equal(challenge->moves[0].count, MOVE_ALL);
    assert_int_equal(challenge->moves[1].count, 2);
    lesson_free(lesson);
}

static void check_faults(const char *challenge, const char *expected)
{
    struct diagnostics diagnostics = {0};
    struct text text = {0}, faults = {0};
    text_append(&text, HEAD);
    text_append(&text, challenge);
    assert_null(parse(text_string(&text), &diagnostics));
    diagnostics_print(&diagnostics, "L", &faults);
    assert_string_equal(text_string(&faults), expected);
    text_free(&text);
    text_free(&faults);
    diagnostics_free(&diagnostics);
}

#define GOAL "```goal\nfinished\n```\n\n"
#define SOLUTION "```solution\nremove 7\n```\n\n"

static void faults_have_their_lines(void **state)
{
    (void)state;
    check_faults("## Challenge: A\n\n" GOAL SOLUTION,
                 "L:21:1: error: the challenge does not say in words what to do\n");
    check_faults("## Challenge: A\n\nText.\n",
                 "L:21:1: error: the challenge has no goal; expected a block ```goal\n"
                 "L:21:1: error: the challenge has no solution; expected a block ```solution\n");
    check_faults("## Challenge:\n\nText.\n\n" GOAL SOLUTION, "L:21:1: error: the challenge has no name\n");
    check_faults("## Challenge: A\n\nText.\n\n```goal\nfinishd\n```\n\n" SOLUTION,
                 "L:26:1: error: unknown word `finishd`; did you mean `finished`?\n");
    check_faults("## Challenge: A\n\nText.\n\n```goal\nvariant apart\n```\n\n" SOLUTION,
                 "L:26:1: error: the goal has no condition\n");
    check_faults("## Challenge: A\n\nText.\n\n```goal\nvariant aprt\nsafe\n```\n\n" SOLUTION,
                 "L:26:9: error: unknown variant `aprt`; did you mean `apart`?\n");
    check_faults(
        "## Challenge: A\n\nText.\n\n```goal\nrank 0 z is 1\nrank 0 x is 1 2 3 4 5\n```\n\n" SOLUTION,
        "L:26:1: error: rank 0 has no buffer z\n"
        "L:27:1: error: x has 4 elements, and the goal names 5\n");
    check_faults("## Challenge: A\n\nText.\n\n```goal\nwaits < 3\ndone within 3\n```\n\n" SOLUTION,
                 "L:26:7: error: expected `<=`, found `<`\n"
                 "L:27:13: error: expected a time in milliseconds, such as 70ms, found `3`\n");
    check_faults("## Challenge: A\n\nText.\n\n" GOAL "```solution\nrelease rank 0 S\nremove 3\n```\n",
                 "L:31:1: error: a solution either releases operations or changes lines, not both\n");
    check_faults("## Challenge: A\n\nText.\n\n" GOAL
                 "```solution\nrelease rank 0 T\nrelease rank 1 host\n```\n",
                 "L:30:1: error: rank 0 has no stream T\n"
                 "L:31:1: error: rank 1 has no stream host\n");
    check_faults("## Challenge: A\n\nText.\n\n" GOAL "```solution\nreplace 70 sync S\nremove 3 x\n```\n",
                 "L:31:10: error: expected the end of the line, found `x`\n");
    check_faults("## Challenge: A\n\n- [ ] a\n- [x] b\n\nText.\n\n" GOAL SOLUTION,
                 "L:23:3: error: a question within a challenge\n"
                 "L:24:3: error: a question within a challenge\n");
}

/* What is said of the challenge with this goal and this solution, or how that begins. */
static void judge(const char *goal, const char *solution, const char *expected)
{
    struct diagnostics faults = {0};
    struct text text = {0}, why = {0};
    text_format(&text, HEAD "## Challenge: A\n\nText.\n\n```goal\n%s\n```\n\n```solution\n%s\n```\n", goal,
                solution);
    struct lesson *lesson = parse(text_string(&text), &faults);
    assert_non_null(lesson);
    bool solved = solve_challenge(lesson, &lesson->challenges[0], &why);
    text_clear(&text);
    text_append_bytes(&text, text_string(&why), strnlen(text_string(&why), strlen(expected)));
    assert_string_equal(text_string(&text), expected);
    assert_int_equal(solved, expected[0] == '\0');
    assert_int_equal(solved, why.length == 0);
    lesson_free(lesson);
    text_free(&text);
    text_free(&why);
}

static void solutions_are_run_and_judged(void **state)
{
    (void)state;
    judge("rank 0 x is 1 2 3 4\nfinished\nsafe\nwaits <= 1\ndone within 11ms", "replace 6 sync device", "");
    judge("rank 0 x is . . . .", "remove 5", "");
    judge("rank 0 x is 2 4", "remove 6", "x of rank 0 is 1 2, and should be 2 4. ");
    judge("rank 0 x is not 1 2", "remove 6", "x of rank 0 is 1 2, and should not be that. ");
    judge("variant apart\nrank 0 x is 2 4 6 8", "remove 6", "");
    judge("waits <= 1\nstuck", "insert 6 sync S",
          "There are 2 waits; at most 1 are wanted. The run does not get stuck. ");
    judge("done within 9ms", "remove 6", "The last operation was done after 10.");
    judge("safe", "insert 6 free x\n", "The order is not safe in every execution: c says why. ");
    judge("rank 0 x is 1 2", "replace 4 bufer x float32[4]",
          "the schedule with the solution:4:3: error: found `bufer`, expected a statement");
    judge("rank 0 x is 1 2", "release rank 0 S",
          "line 30: after 0 released: rank 0: launch A -> x on S takes 10ms was not submitted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_challenge_is_read),
        cmocka_unit_test(faults_have_their_lines),
        cmocka_unit_test(solutions_are_run_and_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
