#!/usr/bin/env python3
"""Measures how full-screen programs feel: first frame, key to screen, CPU while nothing happens.

usage: ttybench.py [--size COLUMNSxROWS] [--runs N] [--idle SECONDS] KEYS COMMAND [KEYS COMMAND ...]

Starts each COMMAND (one argument, in shell words) N times in turn on a pseudo-terminal and prints, in milliseconds,
  first frame   from exec to the first picture that then stays for 60 ms
  key           from a key to the last change of the picture that follows within 250 ms
  idle          CPU of all its processes, in percent of one, while no key comes
KEYS are separated by commas, such as n,b,DOWN. Compare programs within one call only: times are this machine's.
"""
import argparse
import os
import pathlib
import shlex
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from terminal import Terminal  # noqa: E402


class Program:
    def __init__(self, command, keys):
        self.argv = shlex.split(command)
        self.keys = [key for key in keys.split(",") if key]
        self.first_frames, self.delays, self.idle = [], [], []

    def measure(self, columns, rows, idle, scratch):
        environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": scratch,
                       "XDG_STATE_HOME": f"{scratch}/state", "XDG_RUNTIME_DIR": scratch}
        terminal = Terminal(self.argv, columns, rows, environment)
        changed = last_change(terminal, 0.06, 10)
        if changed:
            self.first_frames.append((changed - terminal.started) * 1e3)
        for key in self.keys:
            sent = time.monotonic()
            terminal.type(key)
            changed = last_change(terminal, 0.25, 0.5)
            if changed:
                self.delays.append((changed - sent) * 1e3)
        before, start = cpu_ticks(terminal), time.monotonic()
        while time.monotonic() < start + idle:
            terminal.feed(start + idle - time.monotonic())
        used = (cpu_ticks(terminal) - before) / os.sysconf("SC_CLK_TCK")
        self.idle.append(used / (time.monotonic() - start) * 100)
        terminal.close()


def cpu_ticks(terminal):
    return sum(ticks for _, _, ticks in terminal.processes())


def last_change(terminal, quiet, limit):
    """When the picture changed last, once it stays for QUIET s (LIMIT s at most); None where it never changes."""
    start, last = time.monotonic(), None
    while time.monotonic() < start + limit and (last is None or time.monotonic() < last + quiet):
        if terminal.feed(0.01):
            last = terminal.arrived
    return last


def spread(values):
    if not values:
        return "no change seen"
    return f"median {statistics.median(values):.1f}  (from {min(values):.1f} to {max(values):.1f})"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--idle", type=float, default=1.0)
    parser.add_argument("programs", nargs="+", metavar="KEYS COMMAND")
    options = parser.parse_args()
    columns, rows = map(int, options.size.split("x"))
    programs = [Program(command, keys) for keys, command in zip(options.programs[::2], options.programs[1::2])]
    with tempfile.TemporaryDirectory(prefix="handoff-bench-") as scratch:
        for _ in range(options.runs):
            for program in programs:
                program.measure(columns, rows, options.idle, scratch)
    for program in programs:
        print(f"{shlex.join(program.argv)}\n"
              f"  first frame  {spread(program.first_frames)} ms\n"
              f"  key          {spread(program.delays)} ms\n"
              f"  idle         {spread(program.idle)} % of a CPU")


if __name__ == "__main__":
    main()
