"""Every lesson under every variant: run to its known end, walked step by step, and held to the form of a lesson.

usage: test_lessons.py HANDOFF WALK BINDIR DATADIR
"""
import json
import re
import shutil
import subprocess
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "command"))
from handoff import SOURCE, Handoff, Results  # noqa: E402

# Input k, counted from 1: A makes 4(k-1)+1, ... and B twice that (docs/schedule-language.md).
X = [[4 * k + i + 1 for i in range(4)] for k in range(4)]
Y = [[2 * value for value in x] for x in X]
C = [100, 101, 102, 103]
NEVER = [None] * 4
# Four floats 1.0 to 4.0 by their bits.
BITS = [0x3F800000, 0x40000000, 0x40400000, 0x40800000]

# For each lesson and variant: how it ends, about when (ms, from the `takes` of the schedule), and the buffers at the end
# as RANK.NAME. Simulated transfers of four elements move in four pieces, evenly spread; a kernel reads when it starts.
ENDS = {
    ("ranks", ""): ("finished", 40, {"0.x": X[0], "1.x": X[0]}),
    ("ranks", "swapped"): ("finished", 40, {"0.x": X[0], "1.x": X[0]}),
    ("buffers", ""): ("finished", 40, {"0.x": X[0], "1.x": X[0], "1.y": NEVER}),
    ("buffers", "count-mismatch"): ("finished", 40, {"0.x": X[0], "1.x": X[0] + NEVER}),
    ("buffers", "type-mismatch"): ("finished", 40, {"0.x": X[0], "1.x": BITS}),
    ("submit", ""): ("finished", 70, {"0.x": X[0], "1.x": X[0], "1.y": Y[0]}),
    ("submit", "no-send"): ("stuck", 30, {"0.x": X[0], "1.x": NEVER, "1.y": NEVER}),
    ("order", ""): ("finished", 80, {"0.x": X[0], "1.x": X[0], "1.y": Y[0]}),
    # The transfer is over at 20 ms, A writes at 40: the cells never written are sent, and read as 0.
    ("order", "apart"): ("finished", 40, {"0.x": X[0], "1.y": [0, 0, 0, 0]}),
    # max(A 30 + send 30, C 50) + B 20; in one stream 60 + 50 + 20.
    ("overlap", ""): ("finished", 80, {"1.x": X[0], "1.y": Y[0], "1.c": C, "1.result": Y[0]}),
    ("overlap", "one-stream"): ("finished", 130, {"1.x": X[0], "1.y": Y[0], "1.c": C, "1.result": Y[0]}),
    # B starts at 50 ms; the pieces of x arrive at 37.5, 45, 52.5 and 60.
    ("overlap", "no-wait"): ("finished", 70, {"1.x": X[0], "1.y": Y[0][:2] + [0, 0]}),
    # A 20, send 30, then C 40, B 20, send 30, B 20 behind it.
    ("reuse", ""): ("finished", 160, {"0.x": X[1], "1.x": X[1], "1.y": Y[1]}),
    ("reuse", "event"): ("finished", 160, {"0.x": X[1], "1.x": X[1], "1.y": Y[1]}),
    ("reuse", "early-a"): ("finished", 160, {"0.x": X[1], "1.x": X[1], "1.y": Y[1]}),
    ("reuse", "early-recv"): ("finished", 130, {"0.x": X[1], "1.x": X[1], "1.y": Y[1]}),
    ("finish", ""): ("finished", 62, {"0.x": X[0], "1.x": X[0], "1.y": Y[0], "1.result": Y[0]}),
    ("finish", "wrong-stream"): ("finished", 62, {"1.y": Y[0], "1.result": Y[0]}),
    ("finish", "early-read"): ("finished", 62, {"1.y": Y[0], "1.result": Y[0]}),
    ("finish", "early-free"): ("finished", 62, {"1.y": Y[0], "1.result": Y[0]}),
    # A 20, then four times a send of 30 and the longer of A and B, 20.
    ("repeat", ""): ("finished", 220, {"0.x": X[3], "1.x": X[3], "1.y": Y[3]}),
    # A 20, four sends of 30 without a gap, B 20.
    ("repeat", "two-buffers"): ("finished", 160, {"1.x": X[2], "1.x2": X[3], "1.y": Y[2], "1.y2": Y[3]}),
    ("repeat", "one-buffer"): ("finished", 160, {"1.x": X[3], "1.y2": Y[3]}),
}

# What the prose of a step says of a buffer, where that is not how it ends. "~": a torn cell; "." a cell never written; ">"
# one that is about to be written.
AT_STEPS = {
    ("buffers", "", "A writes x"): {"0.x": "1 2 3 4", "1.x": ". . . ."},
    ("submit", "", "The other side asks too"): {"1.x": ". . . ."},
    ("order", "apart", "Sent before it was made"): {"0.x": "> > > >", "1.x": "0~ 0~ 0~ 0~"},
    ("overlap", "", "C is done, B waits"): {"1.x": "1 2 > >", "1.y": ". . . .", "1.c": "100 101 102 103"},
    ("overlap", "", "B starts"): {"1.x": "1 2 3 4", "1.y": "> > > >"},
    ("overlap", "no-wait", "B came too early"): {"1.x": "1 2 > >"},
    ("reuse", "", "The next send waits for room"): {"0.x": "5 6 7 8", "1.x": "1 2 3 4"},
    ("reuse", "", "B is done"): {"1.y": "2 4 6 8"},
    # The send runs from 20 to 50 ms with pieces at 27.5, 35, 42.5 and 50; the next A writes at 40.
    ("reuse", "early-a", "Half old, half new"): {"1.x": "1~ 2~ 7~ 8~"},
    # B starts at 90 ms; the second x arrives at 77.5, 85, 92.5 and 100.
    ("reuse", "early-recv", "B reads a mixture"): {"1.y": "10~ 12~ 6~ 8~"},
    ("finish", "", "B is done, y is on the GPU"): {"1.y": "2 4 6 8", "1.result": "> > > >"},
    ("finish", "wrong-stream", "Read while B runs"): {"1.result": ". . . ."},
    ("finish", "early-read", "Read without waiting"): {"1.result": ". . . ."},
    ("repeat", "", "The first input"): {"1.y": "2 4 6 8"},
    ("repeat", "two-buffers", "The link never rests"): {"1.y": "2 4 6 8", "1.y2": "10 12 14 16"},
    ("repeat", "one-buffer", "The first input is lost"): {"1.y": "10~ 12~ 14~ 16~"},
}

# What the host program's `read` finds before the copy is done: cells that nothing wrote.
READS_NOTHING = {("finish", "wrong-stream"), ("finish", "early-read")}

# What `handoff check` says of a variant: the kinds of its findings and the buffers they are about. Of all others it says ok.
FINDINGS = {
    ("buffers", "count-mismatch"): {("mismatch", "x")},
    ("buffers", "type-mismatch"): {("mismatch", "x")},
    ("submit", "no-send"): {("unmatched", "x")},
    ("order", "apart"): {("race", "x")},
    ("overlap", "no-wait"): {("race", "x")},
    ("reuse", "early-a"): {("race", "x")},
    ("reuse", "early-recv"): {("race", "x")},
    ("finish", "wrong-stream"): {("race", "result")},
    ("finish", "early-read"): {("race", "result")},
    ("finish", "early-free"): {("use-after-free", "x")},
    ("repeat", "one-buffer"): {("race", "x")},
}

NAMES = ["ranks", "buffers", "submit", "order", "overlap", "reuse", "finish", "repeat"]


def check_form(results, name, text):
    """The parts that every lesson has."""
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    steps = [section for section in sections if not section.startswith("Challenge:")]
    plain = [step for step in steps if "[only " not in step.splitlines()[0]]
    variants = re.findall(r"^variant (\S+)", head, flags=re.MULTILINE)
    results.check(5 <= len(plain) <= 10, f"{name}: 5 to 10 steps without a variant", len(plain))
    results.check(sum(step.count("- [x]") for step in plain) >= 2, f"{name}: two questions without a variant")
    results.check(all("<!-- present:" in step for step in steps), f"{name}: a note for the presenter in each step")
    results.check(set(variants) == {v for n, v in ENDS if n == name and v}, f"{name}: the variants are known here",
                  variants)
    for variant in variants:
        results.check(sum(variant in step.splitlines()[0].partition("[only ")[2].split("]")[0].split() for step in steps) >= 1,
                      f"{name} {variant}: has steps of its own")


def buffers_of(run):
    return {f"{rank['rank']}.{name}": buffer["values"] for rank in run["ranks"] for name, buffer in rank["buffers"].items()}


def check_end(results, what, run, expected):
    outcome, milliseconds, buffers = expected
    found = buffers_of(run)
    results.check(run["outcome"] == outcome, f"{what}: {outcome}", run["outcome"])
    results.check({key: found.get(key) for key in buffers} == buffers, f"{what}: buffers at the end", found)
    last = max(operation["done"] or 0 for operation in run["operations"])
    results.check(abs(last / 1e6 - milliseconds) < 2.5, f"{what}: the last work is done after about {milliseconds} ms", last)


def check_walk(results, what, key, steps):
    results.check(len(steps) >= 2 and all(not step["ended"] for step in steps[:-1]),
                  f"{what}: every step but the last is reached before the end", [s["title"] for s in steps if s["ended"]])
    stops = [step["time"] for step in steps if step["runs"]]
    results.check(stops == sorted(stops), f"{what}: the steps follow each other in time", stops)
    for (name, variant, title), cells in AT_STEPS.items():
        if (name, variant) == key:
            found = next((step["buffers"] for step in steps if step["title"] == title), {})
            found = {buffer: " ".join(found.get(buffer, [])) for buffer in cells}
            results.check(found == cells, f"{what}: the buffers at \"{title}\"", found)


def check_reads(results, what, log):
    reads = [record for record in map(json.loads, log.splitlines()) if record.get("kind") == "host-read"]
    results.check([read["bytes"] for read in reads] == ["00" * 16], f"{what}: reads cells that nobody wrote", reads)


def check_lesson(handoff, walk, results, key, expected):
    name, variant = key
    what = f"{name} {variant}".strip()
    choice = ["--variant", variant] if variant else []
    run = handoff.run("run", name, *choice, "--json", "--log", "run.log")
    status = 0 if expected[0] == "finished" else 1
    if not results.check(run.returncode == status and run.stdout, f"{what}: exits {status}", run.stdout, run.stderr):
        return
    check_end(results, what, json.loads(run.stdout), expected)
    walked = subprocess.run([walk, handoff.scratch / "run.log"], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    check_walk(results, what, key, [json.loads(line) for line in walked.stdout.splitlines()])
    if key in READS_NOTHING:
        check_reads(results, what, (handoff.scratch / "run.log").read_text())


def check_verdict(handoff, results, key):
    name, variant = key
    run = handoff.run("check", name, *(["--variant", variant] if variant else []), "--json")
    report = json.loads(run.stdout or "{}")
    findings = {(finding["kind"], finding["buffer"]) for finding in report.get("findings", [])}
    expected = FINDINGS.get(key, set())
    results.check(findings == expected and report.get("verdict") == ("hazard" if expected else "ok"),
                  f"{name} {variant}: the checker's verdict", run.stdout, run.stderr)


def check_documented_example(handoff, results):
    page = (SOURCE / "docs" / "lesson-format.md").read_text()
    handoff.file("7-example.md", re.search(r"^~~~~markdown\n(.*?)^~~~~$", page, re.MULTILINE | re.DOTALL)[1])
    for choice, y in ([], Y[0]), (["--variant", "no-b"], NEVER):
        run = handoff.run("run", "7-example.md", "--json", *choice)
        results.check(run.returncode == 0 and buffers_of(json.loads(run.stdout))["1.y"] == y,
                      f"the example of docs/lesson-format.md {' '.join(choice)}", run.stdout, run.stderr)


def check_moved_prefix(handoff, results, program_folder, data_folder):
    """The program finds the installed lessons from where it is, wherever that was moved."""
    if program_folder.startswith("/") or data_folder.startswith("/"):
        return
    prefix = handoff.scratch / "moved"
    (prefix / program_folder).mkdir(parents=True)
    shutil.copy(handoff.program, prefix / program_folder / "handoff")
    shutil.copytree(SOURCE / "lessons", prefix / data_folder / "handoff" / "lessons")
    moved = subprocess.run([prefix / program_folder / "handoff", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           cwd="/", text=True, timeout=60)
    results.check(all(name in moved.stdout for name in NAMES), "an installed program that was moved finds its lessons",
                  moved.stdout, moved.stderr)


def main():
    handoff, walk, results = Handoff(sys.argv[1]), sys.argv[2], Results()
    files = sorted((SOURCE / "lessons").glob("*.md"))
    results.check([file.name for file in files] == [f"{i + 1}-{name}.md" for i, name in enumerate(NAMES)], "eight lessons", files)
    for file in files:
        check_form(results, file.stem.partition("-")[2], file.read_text())
    for key, expected in ENDS.items():
        check_lesson(handoff, walk, results, key, expected)
        check_verdict(handoff, results, key)
    check_documented_example(handoff, results)
    check_moved_prefix(handoff, results, *sys.argv[3:5])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
