#!/usr/bin/env python3
"""Measures `handoff explore` against spin: the same schedule as a Promela model, from start to all its outcomes.

usage: explore_spin.py HANDOFF [ROUNDS ...]

Needs spin and a C compiler; pan is compiled with -O2 and -DSAFETY, its partial-order reduction is on (the default). Both
have to find the same outcomes. The model leaves out the host programs, which nothing waits for here: that favours spin.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

# On two ranks, x is written by one or two streams and read by others, and nothing orders them; it is sent in the midst.
SCHEDULE = """rank 0
  buffer x int32[2]
  buffer y int32[2]
  stream a nonblocking
  stream b nonblocking
  stream c nonblocking
  repeat {rounds}
    launch A -> x on a
    launch B x -> y on b
    launch C -> x on c
  end
  send x to 1 on a
rank 1
  buffer x int32[2]
  buffer y int32[2]
  stream a nonblocking
  stream b nonblocking
  stream c nonblocking
  recv x from 0 on a
  repeat {rounds}
    launch B x -> y on b
    launch C -> x on c
  end
"""
# A stream is a process. A kernel reads in one step when it starts and writes in one step when it is done; a transfer moves
# in two halves. Local copies are set back after use, so that states become equal where they can.
MODEL = """int x0[2], y0[2], x1[2], y1[2];
chan link = [2] of {{ int }};

proctype write_a() {{
    {write_a}
    link!x0[0];
    link!x0[1]
}}
proctype double_0() {{
    int first, second;
    {double_0}
}}
proctype write_c0() {{
    {write_c0}
}}
proctype receive() {{
    link?x1[0];
    link?x1[1]
}}
proctype double_1() {{
    int first, second;
    {double_1}
}}
proctype write_c1() {{
    {write_c1}
}}
init {{
    atomic {{
        run write_a(); run double_0(); run write_c0(); run receive(); run double_1(); run write_c1()
    }};
    (_nr_pr == 1);
    c_code {{ printf("outcome %d %d %d %d %d %d %d %d\\n", now.x0[0], now.x0[1], now.y0[0], now.y0[1], now.x1[0],
                     now.x1[1], now.y1[0], now.y1[1]); }}
}}
"""


def steps(rounds, text):
    return "\n    ".join(text.format(a0=2 * turn + 1, a1=2 * turn + 2, c0=100 * (turn + 1), c1=100 * (turn + 1) + 1)
                         for turn in range(rounds))


def model(rounds):
    write_c = "d_step {{{{ x{rank}[0] = {{c0}}; x{rank}[1] = {{c1}} }}}};"
    double = ("d_step {{{{ first = x{rank}[0]; second = x{rank}[1] }}}};\n    "
              "d_step {{{{ y{rank}[0] = 2 * first; y{rank}[1] = 2 * second; first = 0; second = 0 }}}};")
    return MODEL.format(
        write_a=steps(rounds, "d_step {{ x0[0] = {a0}; x0[1] = {a1} }};"),
        **{f"write_c{rank}": steps(rounds, write_c.format(rank=rank)) for rank in (0, 1)},
        **{f"double_{rank}": steps(rounds, double.format(rank=rank)) for rank in (0, 1)})


def timed(*argv, cwd):
    start = time.monotonic()
    done = subprocess.run(list(map(str, argv)), cwd=cwd, capture_output=True, text=True, check=False)
    return time.monotonic() - start, done


def outcomes_of_handoff(output):
    found = json.loads(output)
    names = [(rank, name) for rank in (0, 1) for name in "xy"]
    outcomes = {tuple(value or 0 for rank, name in names for value in outcome["ranks"][rank]["buffers"][name]["values"])
                for outcome in found["outcomes"]}
    return outcomes, found["executions"], found["states"], found["stopped"]


def outcomes_of_pan(output):
    return {tuple(map(int, line.split()[1:])) for line in output.splitlines() if line.startswith("outcome ")}


def measure(handoff, rounds, scratch):
    (scratch / "race.schedule").write_text(SCHEDULE.format(rounds=rounds), encoding="utf-8")
    (scratch / "race.pml").write_text(model(rounds), encoding="utf-8")
    ours, explored = timed(handoff, "explore", "--json", "race.schedule", cwd=scratch)
    outcomes, executions, states, stopped = outcomes_of_handoff(explored.stdout)
    print(f"{rounds} rounds\n  handoff explore   {ours:.2f} s: {len(outcomes)} outcomes of {executions} executions, {states} "
          f"states{', stopped early: ' + stopped if stopped else ''}")
    generate, _ = timed("spin", "-a", "race.pml", cwd=scratch)
    compile_pan, _ = timed("cc", "-O2", "-w", "-DSAFETY", "-DMEMLIM=8192", "-o", "pan", "pan.c", cwd=scratch)
    run, pan = timed("./pan", "-m1000000", cwd=scratch)
    theirs = outcomes_of_pan(pan.stdout)
    stored = next((line.split()[0] for line in pan.stdout.splitlines() if "states, stored" in line), "?")
    print(f"  spin, all of it   {generate + compile_pan + run:.2f} s: spin -a {generate:.2f} s, cc -O2 {compile_pan:.2f} s, "
          f"pan {run:.2f} s; {len(theirs)} outcomes, {stored} states")
    if theirs != outcomes and not stopped:
        print("  they do not find the same outcomes")
        return False
    return True


def main():
    handoff = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("spin") or not shutil.which("cc"):
        print("spin or cc is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="handoff-bench-") as scratch:
        return 0 if all([measure(handoff, int(rounds), pathlib.Path(scratch)) for rounds in sys.argv[2:] or [2, 3]]) else 1


if __name__ == "__main__":
    sys.exit(main())
