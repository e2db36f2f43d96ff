"""Files and arguments that are wrong: a clear error with status 2, never a crash, a hang or raw bytes. Speaks TAP.

usage: bad_input.py HANDOFF
"""
import os
import random
import re
import sys

from handoff import Handoff, Results

RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd]")
GOOD = "rank 0\n  buffer x float32[4]\n  stream s\n  launch A -> x on s\n  sync s\n"

# name, content, what the exit status may be, what the errors must hold
FILES = [
    ("empty", "", {0, 2}, []),
    ("blank", "\n\n# nothing\n", {0, 2}, []),
    ("random-bytes", random.Random(1).randbytes(5000), {2}, []),
    ("zero-bytes", b"rank 0\n\0\0\0\n", {2}, [":1:1: error: "]),
    ("long-line", "rank 0\n  buffer " + "x" * 1_000_000 + " float32[4]\n", {2}, [":2:"]),
    ("long-comment", "# " + "x" * 1_000_000 + "\n" + GOOD, {0, 2}, []),
    ("many-buffers", "rank 0\n" + "".join(f"  buffer x{i} float32[4]\n" for i in range(10_000)), {0, 2}, []),
    ("count-0", "rank 0\n  buffer x float32[0]\n", {2}, [":2:"]),
    ("count-huge", "rank 0\n  buffer x float32[99999999999999999999]\n", {2}, [":2:"]),
    ("count-negative", "rank 0\n  buffer x float32[-1]\n", {2}, [":2:"]),
    ("broken-utf8", b"rank 0\n  buffer \xc3\x28 float32[4]\n", {2}, [":2:10: error: "]),
    ("broken-utf8-comment", b"# \xff\xfe\xc3\n" + GOOD.encode(), {0, 2}, []),
    ("escape-in-name", "rank 0\n  buffer \x1b[31mx float32[4]\n", {2}, [":2:10: error: ", "\\x1B"]),
    ("escape-in-comment", "# \x1b]0;owned\x07\n" + GOOD, {0}, []),
    ("escape-in-variant", 'variant v "\x1b[2J"\n' + GOOD, {0, 2}, []),
    ("misspelt", GOOD + "  sned x to 0 on s\n", {2}, [":6:3: error: ", "send"]),
    ("misspelt-name", GOOD.replace("-> x", "-> y").replace(" x ", " yy "), {2}, [":4:15: error: ", "yy"]),
    ("every-error", "rank 0\n  bufer x float32[4]\n  stream s\n  lunch A on s\n  sync t\n", {2}, [":2:", ":4:", ":5:"]),
    ("unknown-rank", GOOD + "  send x to 7 on s\nrank 1\n", {2}, [":6:"]),
    ("rank-huge", "rank 4294967296\n", {2}, [":1:"]),
    ("ranks-thousands", "ranks 5000\nrank 0\n  barrier\n", {2}, [":1:"]),
    ("end-alone", "rank 0\n  end\n", {2}, [":2:3: error: "]),
    ("group-open", "rank 0\n  group\n", {2}, []),
    ("repeat-huge", "rank 0\n  stream s\n  repeat 4000000000\n    launch A on s\n  end\n", {2}, [":3:"]),
    ("repeat-nested", "rank 0\n  stream s\n" + "  repeat 1000\n" * 10 + "    launch A on s\n" + "  end\n" * 10, {2}, []),
    ("repeat-deep", "rank 0\n" + "  repeat 1\n" * 1000 + "  barrier\n" + "  end\n" * 1000, {2}, []),
    ("range-outside", GOOD + "  launch B x[3:9] -> x on s\n", {2}, [":6:"]),
    ("type-unknown", "rank 0\n  buffer x float23[4]\n", {2}, [":2:12: error: ", "float32"]),
    ("no-end-of-line", GOOD.rstrip("\n"), {0}, []),
    ("windows-lines", GOOD.replace("\n", "\r\n"), {0, 2}, []),
]

LESSONS = [
    ("empty", "", []),
    ("no-title", "text\n", []),
    ("no-schedule", "# T\n\n## Step\n\ntext\n", []),
    ("bad-schedule", "# T\n\n```schedule\nrank 0\n  bufer x float32[4]\n```\n\n## Step\n\ntext\n", [":5:3: error: ", "buffer"]),
    ("escape", "# T\x1b[31m\n\n```schedule\nrank 0\n  \x1b[31m\n```\n\n## Step\n\ntext\n", [":5:3: error: "]),
    ("random-bytes", random.Random(2).randbytes(5000), []),
]


def is_clear(done, statuses, words):
    """What is wrong with the way in which the program ended; nothing where all is well."""
    output = done.stdout + done.stderr
    if done.returncode not in statuses:
        yield f"exit status {done.returncode}, expected {sorted(statuses)}"
    if RAW.search(output):
        yield f"raw bytes in the output: {RAW.search(output)}"
    if done.returncode == 2 and (not done.stderr or done.stdout):
        yield "errors belong on standard error, and nothing on standard output"
    for word in words:
        if word not in done.stderr:
            yield f"not in the errors: {word}"
    if len(done.stderr) > 200_000:
        yield f"{len(done.stderr)} bytes of errors"


def main():
    handoff, results = Handoff(sys.argv[1]), Results()

    def check(name, statuses, words, *arguments, **others):
        done = handoff.run(*arguments, timeout=20, **others)
        faults = list(is_clear(done, statuses, words))
        results.check(not faults, name, *faults, done.stderr[:2000])

    for name, content, statuses, words in FILES:
        file = handoff.file(f"{name}.schedule", content)
        for command in ("run", "check"):
            places = [f"{file}{word}" if word.startswith(":") else word for word in words]
            check(f"{command} {name}", statuses | ({1} if command == "check" and 0 in statuses else set()), places, command, file)
    for name, content, words in LESSONS:
        file = handoff.file(f"{name}.md", content)
        places = [f"{file}{word}" if word.startswith(":") else word for word in words]
        check(f"run lesson {name}", {2}, places, "run", file)

    handoff.file("good.schedule", 'variant early "sooner"\n' + GOOD)
    os.mkdir(handoff.scratch / "folder.schedule")
    os.mkfifo(handoff.scratch / "fifo.schedule")
    for command in ("run", "check"):
        check(f"{command} a folder", {2}, ["folder.schedule"], command, "folder.schedule")
        check(f"{command} a FIFO", {2}, ["fifo.schedule"], command, "fifo.schedule")
        check(f"{command} a missing file", {2}, ["missing.schedule"], command, "missing.schedule")
        check(f"{command} a name with escapes", {2}, ["\\x1B"], command, "\x1b[31m.schedule")
        check(f"{command} an unknown variant", {2}, ["early"], command, "good.schedule", "--variant", "earl")
        check(f"{command} without an operand", {2}, [], command)
        check(f"{command} with one too many", {2}, [], command, "good.schedule", "good.schedule")
        check(f"{command} an unknown option", {2}, ["--frobnicate"], command, "good.schedule", "--frobnicate")
        check(f"{command} an option without its value", {2}, ["--variant"], command, "good.schedule", "--variant")
    if os.getuid() != 0:
        os.chmod(handoff.scratch / "good.schedule", 0)
        check("run a file that may not be read", {2}, ["good.schedule"], "run", "good.schedule")
    check("an unknown lesson", {2}, ["overlap"], "run", "overlp")
    check("an unknown command", {2}, ["check"], "chek")
    check("an unknown option of the program", {2}, ["--frobnicate"], "--frobnicate")
    check("a walk without a terminal", {2}, [], "learn", "overlap")
    check("the menu without a terminal", {2}, [])
    check("a walk on a dumb terminal", {2}, [], "learn", "overlap", environment={"TERM": "dumb"})
    check("nine ranks", {2}, ["8"], "run", handoff.file("nine.schedule", "ranks 9\nrank 0\n  barrier\n"))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
