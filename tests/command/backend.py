"""Backends on a machine without a GPU: the fallback says why in one sentence, and what needs a GPU exits 3.

usage: backend.py HANDOFF
"""
import os
import sys

from handoff import Handoff, Results

SCHEDULE = "rank 0\n  buffer x float32[4]\n  stream s\n  launch A -> x on s\n  sync s\n"


def main():
    if os.path.exists("/dev/nvidiactl"):
        print("1..0 # SKIP this machine has an NVIDIA driver")
        return 0
    handoff, results = Handoff(sys.argv[1]), Results()
    handoff.file("one.schedule", SCHEDULE)

    run = handoff.run("run", "one.schedule")
    first = run.stdout.splitlines()[0] if run.stdout else ""
    results.check(run.returncode == 0 and "handoff  simulated: " in first, "auto simulates, and its first line says why", run.stdout)
    reason = first.partition("simulated: ")[2]

    run = handoff.run("run", "one.schedule", "--backend", "sim")
    results.check(run.returncode == 0 and "simulated: " not in run.stdout, "sim needs no reason", run.stdout)

    for name, arguments in (("run", ["run", "one.schedule", "--backend", "cuda"]), ("bench", ["bench"])):
        run = handoff.run(*arguments)
        lines = run.stderr.splitlines()
        results.check(run.returncode == 3 and run.stdout == "" and len(lines) == 1, f"{name}: exit 3 and one line", run.stdout, run.stderr)
        results.check(lines[0].startswith(f"handoff {name}: "), f"{name}: the line names the command", run.stderr)

    run = handoff.run("doctor", "--backend", "cuda")
    results.check(run.returncode == 3 and "\nbackend    " in run.stdout, "doctor: exit 3 and the reason", run.stdout)
    run = handoff.run("doctor")
    results.check(run.returncode == 0 and "a walk runs on the simulator: " in run.stdout, "doctor: what a walk would use", run.stdout)
    results.check(reason != "", "there is a reason", first)

    for gpus, phrase in (("", "expected GPU numbers"), ("1,", "expected GPU numbers"), ("-1", "expected GPU numbers"),
                         ("0,0x1", "expected GPU numbers"), ("64", "there is no GPU 64"), ("99999999999999999999", "there is no GPU")):
        for command in (["run", "one.schedule"], ["learn", "one.schedule"], ["doctor"], ["bench"]):
            run = handoff.run(*command, "--gpus", gpus)
            results.check(run.returncode == 2 and phrase in run.stderr, f"{command[0]} --gpus '{gpus}': exit 2", run.stderr)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
