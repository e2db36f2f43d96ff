"""`handoff lint`: every fault of a lesson with its line, and none in the lessons that come with the program. Speaks TAP.

usage: lint.py HANDOFF
"""
import re
import sys

from handoff import SOURCE, Handoff, Results

LESSON = """# Fill

```schedule
variant slow "A takes longer"
rank 0
  buffer x float32[4]
  stream S
  launch A -> x on S takes 10ms  [not slow]
  launch A -> x on S takes 20ms  [only slow]
  sync S
```

## A runs

The kernel has started.

```until
rank 0 launch A started
```

What comes next?

- [x] x is written
- [ ] nothing

A writes x.

<!-- present: Point at x. -->

## x is there

All four cells are written.

```until
finished
```

<!-- present: Read them aloud. -->
"""


def line_of(text, words):
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


def main():
    handoff, results = Handoff(sys.argv[1]), Results()

    def lint(what, text, status, *expected):
        """EXPECTED: (line, kind, words of it), all that is said, in this order."""
        run = handoff.run("lint", handoff.file("fill.md", text))
        said = re.findall(r"^fill\.md:(\d+):\d+: (error|warning): (.*)$", run.stdout, re.MULTILINE)
        fine = len(said) == len(expected) and (not said or len(said) == len(run.stdout.splitlines())) and all(
            int(line) == number and kind == wanted and words in text
            for (line, kind, text), (number, wanted, words) in zip(said, expected))
        results.check(fine and run.returncode == status, what, run.stdout, run.stderr, run.returncode)

    def changed(old, new):
        assert old in LESSON
        return LESSON.replace(old, new)

    clean = handoff.run("lint", handoff.file("fill.md", LESSON))
    results.check(clean.returncode == 0 and clean.stdout == "fill.md: nothing to say\n", "a lesson without a fault", clean.stdout)

    text = changed("\nA writes x.\n", "")
    lint("a question without a reason", text, 1, (line_of(text, "What comes next?"), "error", "no reason"))
    text = changed("takes 20ms", "takes 10ms")
    lint("a variant that changes nothing", text, 1, (line_of(text, "variant slow"), "error", "variant slow changes"))
    def unreached(condition):
        """The second step ends where a receive that nobody sends to is over."""
        text = changed("finished", "rank 0 sync returned").replace("  sync S\n", f"  recv x from 1 on S {condition}\n  sync S\nrank 1\n  buffer x float32[4]\n")
        return text.replace("takes 20ms", "takes 10ms")

    text = unreached("")
    lint("a step that the run never comes to the end of", text, 1,
         (line_of(text, "variant slow"), "error", "variant slow changes"),
         (line_of(text, "## x is there"), "error", "never comes to where this step ends"),
         (line_of(text, "## x is there"), "error", "never comes to where this step ends with variant slow"))
    text = unreached("[only slow]")
    lint("one in a variant's walk", text, 1,
         (line_of(text, "## x is there"), "error", "never comes to where this step ends with variant slow"))
    challenge = "\n## Challenge: Half\n\nLeave half of x alone.\n\n{}```goal\nrank 0 x is {}\n```\n\n```solution\nremove 5\n```\n"
    lint("a challenge that its solution solves", LESSON + challenge.format("1. How?\n\n", ". ."), 0)
    text = LESSON + challenge.format("", "1 2")
    lint("one that is solved already, and not by its solution", text, 1,
         (line_of(text, "## Challenge"), "error", "the solution does not solve the challenge: x of rank 0 is . ., and should be 1 2"),
         (line_of(text, "## Challenge"), "error", "reached without doing anything"),
         (line_of(text, "## Challenge"), "warning", "no hint"))
    text = changed("<!-- present: Point at x. -->", "")
    lint("a step without a note", text, 0, (line_of(text, "## A runs"), "warning", "no note for the presenter"))
    text = changed("```until\nfinished\n```\n", "")
    lint("a step in which nothing runs, and a walk that ends while work is left", text, 0,
         (line_of(text, "## x is there"), "warning", "nothing runs in this step"),
         (line_of(text, "## x is there"), "warning", "ends with this step, and work is left"),
         (line_of(text, "## x is there"), "warning", "with variant slow ends with this step"))
    lint("a walk that ends behind the last work", changed("finished", "rank 0 launch A done"), 0)
    text = changed("launch A -> x on S takes 20ms  [only slow]", "recv x from 1 on S  [only slow]")
    text = text.replace("  sync S\n", "  sync S\nrank 1\n").replace("rank 0 launch A started", "rank 0 sync called")
    text = text.replace("finished", "rank 0 launch A done  [not slow]\nrank 0 recv waiting   [only slow]")
    lint("one that ends before its run gets stuck", text, 0,
         (line_of(text, "## x is there"), "warning", "with variant slow ends with this step, and work is left"))
    asks = "\nWhere?\n\n- [x] here\n- [ ] there\n\nHere.\n"
    text = LESSON.replace("## x is there", f"## A word\n\nOf x.\n{asks}\n<!-- present: Ask. -->\n\n## x is there")
    lint("a step in which nothing runs, but something is asked", text, 0)
    for item in "1. After A", "- or so":
        text = changed("All four cells are written.", f"All four cells hold more than\n{item} they are written.")
        lint(f"a paragraph's line that begins with {item[:2]}", text, 0, (line_of(text, item), "warning", "in the middle of a paragraph"))
    lint("a list with a blank line before it", changed("All four cells are written.", "Two things:\n\n1. x\n2. y\n\n- z"), 0)
    text = changed("All four cells are written.", "All four cells are written. " * 40)
    lint("a text that is too long", text, 0, (line_of(text, "## x is there"), "warning", "lines on a screen of 80x24"))
    lint("one before the first step", changed("# Fill\n", "# Fill\n\n" + "A writes x, and nobody reads it. " * 12), 0,
         (1, "warning", "lines on a screen of 80x24"))
    text = changed("launch A -> x on S takes 10ms", "lunch A -> x on S takes 10ms")
    lint("what the schedule's reader finds", text, 1, (line_of(text, "lunch"), "error", "launch"))
    lint("escape sequences stay out of the terminal", changed("## A runs", "## A \x1b[31mruns").replace("<!-- present: Point at x. -->", ""),
         0, (13, "warning", "no note"))

    lessons = sorted(str(path) for path in (SOURCE / "lessons").glob("*.md"))
    run = handoff.run("lint", *lessons)
    results.check(run.returncode == 0 and run.stdout == "".join(f"{lesson}: nothing to say\n" for lesson in lessons),
                  "the lessons that come with the program", run.stdout)
    results.check(handoff.run("lint", "no-such.md").returncode == 2, "a lesson that is not there")
    handoff.file("bare.schedule", "rank 0\n  sync device\n")
    results.check(handoff.run("lint", "bare.schedule").returncode == 2, "a schedule is no lesson")
    results.check(handoff.run("lint").returncode == 2, "no lesson at all")

    page = (SOURCE / "docs" / "writing-lessons.md").read_text()
    example = re.search(r"^~~~~markdown\n(.*?)^~~~~$", page, re.MULTILINE | re.DOTALL)[1]
    run = handoff.run("lint", handoff.file("9-bounce.md", example))
    results.check(run.returncode == 0 and run.stdout == "9-bounce.md: nothing to say\n", "the example of docs/writing-lessons.md", run.stdout, run.stderr)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
