"""Holds `handoff explore` to counts that follow by arithmetic, to the checker's verdicts, and to its limits. Speaks TAP.

usage: explore.py HANDOFF FOLDER ...
"""
import math
import pathlib
import re
import signal
import subprocess
import sys
import time

from cases import expectations, json_of
from handoff import Handoff, Results

BUFFER = re.compile(r"^  (\w+) +\w+\[\d+\] +(.*?)(?:  \(.*\))?$")
HANGS = {"deadlock", "unmatched"}
LIMIT = ["--limit", "1000"]


def writers(streams, kernels):
    """STREAMS streams on which KERNELS kernels each write one buffer."""
    lines = ["rank 0", "  buffer x float32[4]"] + [f"  stream s{s} nonblocking" for s in range(streams)]
    lines += [f"  launch K{s}_{k} -> x on s{s}" for s in range(streams) for k in range(kernels)]
    return "\n".join(lines) + "\n"


def explore(handoff, path, *options, **others):
    done = handoff.run("explore", "--json", *options, path, **others)
    return done, json_of(done.stdout)


def values(outcome, rank, name):
    return outcome["ranks"][rank]["buffers"][name]["values"]


def check_counts(handoff, results):
    """Of kernels that write one buffer the last one wins; each stream's own order stays."""
    for streams, kernels in ((1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)):
        done, found = explore(handoff, handoff.file("w.schedule", writers(streams, kernels)))
        executions = math.factorial(streams * kernels) // math.factorial(kernels) ** streams
        outcomes = sorted(outcome["executions"] for outcome in found["outcomes"])
        results.check(found["executions"] == executions and outcomes == [executions // streams] * streams
                      and found["stopped"] is None and done.returncode == (1 if streams > 1 else 0),
                      f"{streams} streams with {kernels} writers each", done.stdout)
    two = writers(2, 1) + writers(2, 1).replace("rank 0", "rank 1")
    _, found = explore(handoff, handoff.file("two.schedule", two))
    results.check([outcome["executions"] for outcome in found["outcomes"]] == [1, 1, 1, 1],
                  "two races that have nothing to do with one another", found)


def check_lesson(handoff, results):
    done, found = explore(handoff, "overlap", "--variant", "no-wait")
    results.check(done.returncode == 1 and [values(outcome, 1, "y") for outcome in found["outcomes"]]
                  == [[2, 4, 6, 8], [2, 4, 0, 0], [0, 0, 0, 0]]
                  and [outcome["reads"][0]["values"] for outcome in found["outcomes"]]
                  == [[2, 4, 6, 8], [2, 4, 0, 0], [0, 0, 0, 0]],
                  "B may find all of x, half of it, or nothing", done.stdout)
    done = handoff.run("explore", "overlap")
    again = handoff.run("explore", "overlap")
    results.check(done.returncode == 0 and done.stdout == again.stdout
                  and done.stdout.startswith("1 outcome of 1 execution: no order of accesses is open\n"),
                  "nothing is open where nothing races", done.stdout)


def check_errors(handoff, results):
    """What the two kernels race for is overwritten: one outcome, and an error all the same."""
    race = handoff.file("overwritten.schedule", writers(2, 1) + "  record E on s1\n  wait E on s0\n  launch K -> x on s0\n")
    done = handoff.run("explore", race)
    results.check(done.returncode == 0 and done.stdout.startswith("1 outcome of 2 executions: ")
                  and done.stdout.endswith("\n\ncheck finds 1 error, whatever the executions come to: race in line 6\n"),
                  "one outcome where check finds an error", done.stdout)
    done = handoff.run("explore", "overlap", "--variant", "no-wait")
    results.check(done.stdout.endswith(": race in line 28\n"), "with the line of a lesson's file", done.stdout)
    for options in (["overlap"], ["--json", race]):
        done = handoff.run("explore", *options)
        results.check("check finds" not in done.stdout + done.stderr, "nothing to say, or nobody to read it", done.stdout)


def check_words(handoff, results):
    """A long buffer is told so that outcomes which differ look different."""
    path = handoff.file("send.schedule", """rank 0
  buffer x float32[64]
  stream s nonblocking
  stream t nonblocking
  launch made -> x on s
  send x to 1 on t
rank 1
  buffer x float32[64]
  stream t nonblocking
  recv x from 0 on t
""")
    told = re.findall(r"^  rank 1   x =(.*)$", handoff.run("explore", path).stdout, re.MULTILINE)
    results.check(sorted(told) == [" 0 (32 times) made#1 (32 times)", " 0 (64 times)", " made#1 (64 times)"],
                  "what stands often in a long buffer is told once", told)
    path = handoff.file("sixteen.schedule", "rank 0\n  buffer x int32[16]\n  stream s\n  set x to 0 on s\n")
    told = handoff.run("explore", path).stdout
    results.check("x = " + "0 " * 15 + "0\n" in told, "a short one element by element", told)
    path = handoff.file("more.schedule", "rank 0\n  buffer x int32[20]\n  stream s\n  launch A -> x on s\n")
    told = handoff.run("explore", path).stdout
    results.check("x = " + " ".join(map(str, range(1, 17))) + " ... 4 more\n" in told, "of many values the first", told)


def shown_buffers(replay):
    """[(name, values in words)] of the table at the end."""
    table = replay.partition("\nbuffers\n")[2]
    return [(match[1], match[2].replace("?", "")) for match in map(BUFFER.match, table.splitlines()) if match]


def words(found):
    return " ".join("\u00b7" if value is None else str(int(value)) for value in found)


def witness_faults(handoff, path, choice, number, outcome):
    log = handoff.scratch / "outcome.log"
    done = handoff.run("explore", "--json", *LIMIT, "--witness", log, "--outcome", number, *choice, path)
    replay = handoff.run("replay", "--text", log)
    if done.stderr and "stopped early" not in done.stderr or replay.stderr:
        yield f"outcome {number}: {done.stderr}{replay.stderr}"
    if f"  handoff  {outcome['outcome']}\n" not in replay.stdout:
        yield f"outcome {number}: the log does not end {outcome['outcome']}"
    shown = shown_buffers(replay.stdout)
    for rank in outcome["ranks"]:
        for name, buffer in rank["buffers"].items():
            # What other kernels than A, B and C write is shown by their names.
            small = buffer["count"] <= 8 and all(v is None or v == int(v) and abs(v) < 1e6 for v in buffer["values"])
            if small and (name, words(buffer["values"])) not in shown:
                yield f"outcome {number}: {name} of rank {rank['rank']} is {buffer['values']}, shown are {shown}"


def case_faults(handoff, path, choice, expected):
    done, found = explore(handoff, path, *LIMIT, *choice)
    if found is None:
        yield f"exit status {done.returncode}: {done.stderr or done.stdout}"
        return
    kinds = {kind for kind, *_ in expected}
    outcomes = found["outcomes"]
    finished = [outcome for outcome in outcomes if not outcome["strict"]]
    fine = len(outcomes) == 1 and outcomes[0]["outcome"] == "finished" and not found["stopped"]
    if done.returncode != (0 if fine else 1):
        yield f"exit status {done.returncode}"
    aborts = re.search(r"^ *abort ", path.read_text(encoding="utf-8"), re.MULTILINE)  # what it cuts off is no race
    if len(finished) > 1 and not kinds & {"race", "use-after-free"} and not aborts:
        yield f"{len(finished)} outcomes, and nothing races"
    if any(outcome["outcome"] == "stuck" for outcome in outcomes) and not kinds & (HANGS | {"use-after-free"}):
        yield "gets stuck"
    if "deadlock" in kinds and not found["stopped"] and all(outcome["outcome"] == "finished" for outcome in outcomes):
        yield "does not get stuck"
    for outcome in outcomes:
        if bool(outcome["waiting"]) != (outcome["outcome"] == "stuck"):
            yield f"waiting: {outcome['waiting']}"
    for number, outcome in list(enumerate(outcomes, 1))[:3]:
        yield from witness_faults(handoff, path, choice, number, outcome)


def check_cases(handoff, results, folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).resolve().rglob("*.schedule")):
            for variant, expected in expectations(path):
                choice = ["--variant", variant] if variant else []
                found = list(case_faults(handoff, path, choice, expected))
                results.check(not found, f"explore {path.stem} {variant or ''}".rstrip(), *found)


def check_limits(handoff, results):
    path = handoff.file("limit.schedule", writers(3, 3))
    done, found = explore(handoff, path, "--limit", "5")
    results.check(done.returncode == 1 and found["stopped"] == "limit" and 5 <= found["executions"] < 1680
                  and "stopped early" in done.stderr, "--limit stops early and says so", done.stdout, done.stderr)
    done = handoff.run("explore", "--limit", "5", path)
    results.check(done.stdout.startswith("stopped early, at the limit: "), "in text too", done.stdout)
    done, found = explore(handoff, path, "--limit", "100000")
    results.check(found["stopped"] is None and found["executions"] == 1680, "a limit that is not reached", done.stdout)
    rank = ("rank {0}\n  buffer b int32[2]\n  buffer d int32[2]\n  stream t\n"
            "  send b to {1} on t\n  recv d from {1} on t\n")
    stuck = handoff.file("stuck.schedule", writers(2, 1) + rank.format(0, 1) + rank.format(1, 0))
    unseen = [explore(handoff, stuck, *options)[1] for options in ([], ["--limit", "1"])]
    results.check([found["stuck_unseen"] for found in unseen] == [False, True]
                  and [outcome["outcome"] for outcome in unseen[0]["outcomes"]] == ["finished"] * 2 + ["stuck"] * 2,
                  "what ends early still says that something gets stuck", *unseen)
    calls = handoff.file("calls.schedule", "rank 0\n  stream s\n  repeat 20000\n    sync s\n  end\n")
    large = handoff.file("large.schedule", "rank 0\n  buffer x float32[1048577]\n")
    for name, file, why in (("20,001 calls", calls, "20001 calls"), ("4 MiB and 4 bytes", large, "4194308 bytes")):
        done = handoff.run("explore", file)
        results.check(done.returncode == 2 and why in done.stderr and done.stdout == "", f"refuses {name}", done.stderr)
    for arguments in (["--limit", "0"], ["--limit", "x"], ["--outcome", "1"], ["--witness", "w", "--outcome", "9"],
                      ["--limit", "-1"]):
        done = handoff.run("explore", *arguments, path)
        results.check(done.returncode == 2 and done.stderr, f"refuses {' '.join(arguments)}", done.stderr)


def check_interrupt(handoff, results):
    path = handoff.file("long.schedule", writers(8, 12))
    with subprocess.Popen([handoff.program, "explore", "--json", path], cwd=handoff.scratch, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    found = json_of(out)
    results.check(process.returncode == 1 and found and found["stopped"] == "interrupt" and found["outcomes"]
                  and "stopped early" in errors, "Ctrl-C tells what was found so far", out[:1000], errors)


def main():
    program, *folders = sys.argv[1:]
    handoff, results = Handoff(program), Results()
    check_counts(handoff, results)
    check_lesson(handoff, results)
    check_errors(handoff, results)
    check_words(handoff, results)
    check_limits(handoff, results)
    check_interrupt(handoff, results)
    check_cases(handoff, results, folders)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
