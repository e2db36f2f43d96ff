"""handoff run: its text, its JSON, its outcome line, and what a stuck run says.

usage: run.py HANDOFF FOLDER_OF_CASES
"""
import json
import pathlib
import re
import signal
import subprocess
import sys

from handoff import Handoff, Results

EVENT = re.compile(r"^ *-?\d+\.\d{3} ms  (rank \d+|handoff)  ")
OVERLAP = (
    "rank 0\n  buffer x float32[4]\n  stream S0\n  launch A -> x on S0\n  send x to 1 on S0\n  sync S0\n"
    "rank 1\n  buffer x float32[4]\n  buffer y float32[4]\n  buffer never float16[2]\n  stream comm\n"
    "  recv x from 0 on comm\n  launch B x -> y on comm\n  sync comm\n"
)
SHORT_SEND = "rank 0\n  buffer x float32[4]\n  stream s\n  set x to 0 on s\n  send x to 1 on s\n  sync s\nrank 1\n  buffer x float32[4]\n"
ODD_VALUES = "rank 0\n  buffer f float32[2]\n  buffer u uint64[1]\n  stream s\n  set f to 255 on s\n  set u to 255 on s\n  sync s\n"


# B reads x while the receive writes it: whatever y holds is of that execution alone.
NO_WAIT = """rank 0
  buffer x float32[4]
  stream s
  launch A -> x on s
  send x to 1 on s
rank 1
  buffer x float32[4]
  buffer y float32[4]
  stream comm nonblocking
  stream compute nonblocking
  recv x from 0 on comm
  launch B x -> y on compute takes 10ms
"""


def text(handoff, results):
    run = handoff.run("run", "overlap.schedule")
    lines = run.stdout.splitlines()
    ends = [number for number, line in enumerate(lines) if line == ""]
    results.check(run.returncode == 0 and run.stderr == "", "a run that finishes", run.returncode, run.stderr)
    results.check(len(ends) == 2 and lines[ends[0] + 1].startswith("timeline") and lines[ends[1] + 1] == "buffers",
                  "events, timeline, buffers", run.stdout)
    results.check(all(EVENT.match(line) for line in lines[:ends[0]]), "each event has its time",
                  *[line for line in lines[:ends[0]] if not EVENT.match(line)])
    results.check(lines[ends[0] - 1].endswith("  finished"), "the last event is the outcome", lines[ends[0] - 1])
    results.check(re.search(r"rank 1   recv x from 0 on comm +waits for rank 0's send of x", run.stdout),
                  "a wait says what it waits for", run.stdout)
    results.check(re.search(r"^rank 1, process \d+, GPU 1\n  x +float32\[4\] +1 2 3 4\n  y +float32\[4\] +2 4 6 8\n"
                            r"  never +float16\[2\] +\u00b7 \u00b7\n", run.stdout, re.M), "every buffer", run.stdout)
    ascii_run = handoff.run("run", "--ascii", "overlap.schedule")
    results.check(ascii_run.returncode == 0 and ascii_run.stdout.isascii(), "--ascii", ascii_run.stdout)
    for columns in (60, 140):
        run = handoff.run("run", "overlap.schedule", environment={"COLUMNS": str(columns)})
        timeline = run.stdout.split("\n\n")[1].splitlines()
        widest = max(map(len, timeline))
        results.check(columns - 5 <= widest <= columns, f"a timeline of {columns} columns", *timeline)
    at_once = handoff.file("at-once.schedule", "rank 0\n  buffer x float32[4]\n  stream s nonblocking\n  stream t nonblocking\n"
                           "  launch k -> x on s takes 5ms\n  launch k -> x on t takes 5ms\n")
    said = [handoff.run("run", *options).stdout.partition("\ntimeline")[2].partition("\n\nbuffers")[0].splitlines()[-1]
            for options in ([at_once], ["--ascii", at_once], ["overlap.schedule"])]
    results.check([line.partition("  other work touched")[0] for line in said[:2]] == ["\u2260", "!"] and "other work" not in said[2],
                  "what the mark on two bars means, where there is one", *said)


def hazards(handoff, results):
    """B reads x while the receive writes it: what came out may be right all the same."""
    file = handoff.file("no-wait.schedule", NO_WAIT)
    often = handoff.file("often.schedule", NO_WAIT + "".join(
        f"  buffer y{n} float32[4]\n  stream s{n} nonblocking\n  launch B x -> y{n} on s{n}\n" for n in range(4)))
    said = "check finds {}, whatever this execution came to: "
    for path, words in (file, said.format("1 error") + "race in line 12"), \
                       (often, said.format("5 errors") + "race in line 12, race in line 15, race in line 18, ..."):
        for options in ([path], [path, "--eager"]):
            last = handoff.run("run", *options).stdout.splitlines()[-1]
            results.check(last == words, "a run says what check finds", last)
    for options in (["overlap.schedule"], ["--json", file], ["--quiet", file]):
        run = handoff.run("run", *options)
        results.check("check finds" not in run.stdout + run.stderr, "nothing to say, or nobody to read it", run.stdout, run.stderr)


def as_json(handoff, results):
    run = handoff.run("run", "--json", "overlap.schedule")
    result = json.loads(run.stdout)
    results.check(run.returncode == 0 and set(result) == {"outcome", "backend", "ranks", "operations"}, "--json", run.stdout)
    results.check(result["outcome"] == "finished" and result["backend"] == "simulated", "outcome and backend", result)
    rank = result["ranks"][1]
    results.check(set(rank) == {"rank", "gpu", "pid", "buffers"} and (rank["rank"], rank["gpu"]) == (1, 1) and rank["pid"] > 1,
                  "a rank", rank)
    results.check(rank["buffers"]["y"] == {"type": "float32", "count": 4, "values": [2, 4, 6, 8], "torn": []}, "a buffer", rank)
    results.check(rank["buffers"]["never"] == {"type": "float16", "count": 2, "values": [None, None], "torn": []},
                  "null where nothing was written", rank)
    operations = result["operations"]
    results.check([(o["rank"], o["line"], o["kind"], o["stream"]) for o in operations] == [
        (0, 4, "launch", "S0"), (0, 5, "send", "S0"), (1, 12, "recv", "comm"), (1, 13, "launch", "comm")],
        "every operation", operations)
    results.check(all(set(o) == {"rank", "line", "kind", "stream", "submitted", "returned", "started", "done"}
                      and o["submitted"] <= o["returned"] and o["submitted"] <= o["started"] < o["done"]
                      for o in operations), "an operation's times", operations)
    launch, send, recv, second = operations
    results.check(launch["done"] <= send["started"] <= recv["done"] <= second["started"], "in the order of the rules", operations)

    values = json.loads(handoff.run("run", "--json", handoff.file("odd.schedule", ODD_VALUES)).stdout)["ranks"][0]["buffers"]
    # Bytes of 255: a float32 with every bit set is a NaN; the largest uint64 is 2^64 - 1.
    results.check(values["f"]["values"] == ["NaN", "NaN"] and values["u"]["values"] == [2.0 ** 64], "values that JSON lacks", values)
    torn = handoff.file("torn.schedule", NO_WAIT)
    torn = json.loads(handoff.run("run", "--json", torn).stdout)["ranks"][1]["buffers"]
    results.check(torn["y"]["torn"] == [0, 1, 2, 3] and torn["x"]["torn"] == [], "what may be torn", torn)
    large = handoff.file("large.schedule", "rank 0\n  buffer x int32[3000]\n  stream s\n  launch A -> x on s\n  sync s\n")
    large = json.loads(handoff.run("run", "--json", large).stdout)["ranks"][0]["buffers"]["x"]
    results.check(large["count"] == 3000 and large["values"] == list(range(1, 1025)), "the first 1,024 elements", large["values"][-3:])


def words(line):
    """A statement as it is named in messages."""
    return " ".join(re.sub(r"#.*|\[(?:only|not) .*|takes .*", "", line).split())


def stuck(handoff, results, cases):
    """Whatever was begun or submitted and is not done is named, with a reason."""
    for path in sorted(cases.glob("*.schedule")):
        source = path.read_text(encoding="utf-8")
        if not re.search(r"^# expect: .*(deadlock|unmatched)", source, re.M):
            continue
        run = handoff.run("run", "--json", path)
        open_operations = [o for o in json.loads(run.stdout)["operations"] if o["submitted"] is not None and o["done"] is None]
        told = handoff.run("run", path)
        reasons = told.stdout.split("  stuck\n")[1].split("\n\n")[0].splitlines() if "  stuck\n" in told.stdout else []
        missing = []
        for operation in open_operations:
            call = words(source.splitlines()[operation["line"] - 1])
            line = re.compile(rf"^ +rank {operation['rank']}   {re.escape(call)} +(waits for|behind) \S")
            if not any(line.match(reason) for reason in reasons):
                missing.append(f"rank {operation['rank']} {call}")
        results.check(run.returncode == told.returncode == 1 and reasons and not missing, f"stuck: {path.stem}", *missing, *reasons)
        results.check(run.stderr.splitlines() == reasons, f"stuck: {path.stem}: --json says so on standard error", run.stderr)


def outcome_only(handoff, results):
    run = handoff.run("run", "--quiet", "overlap.schedule")
    results.check(run.returncode == 0 and re.fullmatch(r"finished at \d+\.\d{3} ms\n", run.stdout) and not run.stderr, "--quiet", run)
    handoff.file("short.schedule", SHORT_SEND)
    run = handoff.run("run", "--quiet", "short.schedule")
    results.check(run.returncode == 1 and run.stdout.startswith("stuck at "), "a send that is never received is stuck", run)
    run = handoff.run("run", "--quiet", "--eager", "short.schedule")
    results.check(run.returncode == 0 and run.stdout.startswith("finished at "), "but is done early with --eager", run)


def replayed(handoff, results):
    for name in ("overlap", "short", "no-wait"):
        told = handoff.run("run", "--log", "a.log", f"{name}.schedule")
        again = handoff.run("replay", "--text", "a.log")
        results.check(again.stdout == told.stdout and again.returncode == told.returncode, f"replay tells {name} again",
                      told.stdout, again.stdout)


def misuse(handoff, results):
    for name, arguments, phrase in (
            ("--json with --quiet", ["--json", "--quiet", "overlap.schedule"], "do not go together"),
            ("no file", [], "is missing"),
            ("an unknown backend", ["--backend", "gpu", "overlap.schedule"], "expected auto, sim or cuda"),
            ("--log twice", ["--log", "a", "--log", "b", "overlap.schedule"], "was given twice"),
            ("a variant that is not there", ["--variant", "x", "overlap.schedule"], "no variant `x`")):
        run = handoff.run("run", *arguments)
        results.check(run.returncode == 2 and phrase in run.stderr and not run.stdout, name, run)


def interrupted(handoff, results):
    # Longer than any test waits.
    handoff.file("long.schedule", "rank 0\n  stream s\n  repeat 2000000\n    launch A on s\n  end\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = subprocess.Popen([handoff.program, "run", "long.schedule"], cwd=handoff.scratch, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.send_signal(number)
        process.communicate(timeout=30)
        results.check(process.returncode == 128 + number, f"{number.name} ends it with status {128 + number}", process.returncode)


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    handoff.file("overlap.schedule", OVERLAP)
    text(handoff, results)
    hazards(handoff, results)
    as_json(handoff, results)
    outcome_only(handoff, results)
    stuck(handoff, results, pathlib.Path(sys.argv[2]))
    replayed(handoff, results)
    misuse(handoff, results)
    interrupted(handoff, results)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
