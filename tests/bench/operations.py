#!/usr/bin/env python3
"""Measures how a command grows with the schedule: seconds and memory at each size, and the growth between sizes.

usage: operations.py HANDOFF OPERATIONS[+HAZARDS][,OPERATIONS ...] WORD ...

Runs `HANDOFF WORD ... FILE` on schedules of make_schedule.py, each three times, of which the fastest counts. Memory is
the peak of all processes together, each page that they share counted once.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

RUNS = 3
MAKE_SCHEDULE = pathlib.Path(__file__).with_name("make_schedule.py")


def memory_of_session(session):
    """KiB of every process of the session."""
    total = 0
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                if int(stat.read().rsplit(")", 1)[1].split()[3]) != session:
                    continue
            with open(f"/proc/{entry}/smaps_rollup", encoding="utf-8") as rollup:
                total += next(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue
    return total


def processor_seconds():
    """Of all processes that were waited for so far, and of those that they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(argv):
    start, before, peak = time.monotonic(), processor_seconds(), 0
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        while process.poll() is None:
            peak = max(peak, memory_of_session(process.pid))
            time.sleep(0.01)
        return time.monotonic() - start, processor_seconds() - before, peak / 1024, process.returncode


def main():
    handoff, sizes, *words = sys.argv[1:]
    before = None
    with tempfile.TemporaryDirectory(prefix="handoff-bench-") as scratch:
        for size, _, hazards in (part.partition("+") for part in sizes.split(",")):
            path = pathlib.Path(scratch, f"{size}.schedule")
            with open(path, "w", encoding="utf-8") as out:
                subprocess.run([sys.executable, MAKE_SCHEDULE, size, "--hazards", hazards or "0"], stdout=out, check=True)
            seconds, processor, mebibytes, status = min(measure([handoff, *words, path]) for _ in range(RUNS))
            growth = f", {processor / before:.1f} times the CPU before" if before else ""
            print(f"{' '.join(words)}: {int(size):,} operations{f' and {hazards} hazards' if hazards else ''} in "
                  f"{seconds:.3f} s ({processor:.3f} s of CPU), {mebibytes:.0f} MiB{growth}"
                  + (f" (exit status {status})" if status else ""))
            before = processor


if __name__ == "__main__":
    main()
