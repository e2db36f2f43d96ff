"""handoff replay without a terminal: logs that are whole, cut, or none.

usage: replay.py HANDOFF
"""
import json
import os
import sys

from handoff import Handoff, Results

HEADER = {"handoff-log": 1, "file": "f", "schedule": "rank 0\nbuffer x float32[2]\nstream s\nlaunch A -> x on s\n",
          "first-line": 1, "variants": "", "backend": "simulated", "eager": False, "gpus": [0]}
RECORDS = [
    {"t": 0, "kind": "called", "rank": 0, "call": 2},
    {"t": 5000, "kind": "written", "rank": 0, "call": 2, "memory": 0, "first": 0, "count": 2,
     "bytes": "0000803f0000c07f"},
    {"t": 6000, "kind": "output", "rank": 0, "text": "\x1b[2J\u202e"},
    {"t": 1234567, "kind": "outcome", "outcome": "finished"},
]


def log(*records, header=HEADER):
    return "".join(json.dumps(line) + "\n" for line in (header, *records))


def main():
    handoff, results = Handoff(sys.argv[1]), Results()

    def replays(name, content, status, *phrases):
        handoff.file("a.log", content)
        run = handoff.run("replay", "a.log")
        said = run.stdout + run.stderr
        results.check(run.returncode == status and all(phrase in said for phrase in phrases), name,
                      f"status {run.returncode}", said)
        results.check("\x1b" not in said and "\u202e" not in said, f"{name}: nothing that a terminal obeys", repr(said))

    replays("a whole log", log(*RECORDS), 0, "     1.235 ms  handoff  finished", "x = 1 nan", "\\x1B[2J\\u{202E}",
            "  x  float32[2]    1 nan")
    replays("a log without its end", log(*RECORDS[:2]), 1, "the log ends before the run's outcome")
    replays("a log whose last line is cut", log(*RECORDS)[:-9], 1, "a.log: line 5: the last line is cut short")
    replays("an empty file", "", 2, "a.log: the file is empty")
    replays("a binary file", bytes(range(256)), 2, "not a handoff log")
    replays("another version", log(header={**HEADER, "handoff-log": 2}), 2, "the log has format 2")
    replays("a call that is not there", log({**RECORDS[0], "call": 3}), 2, 'line 2: "call" is 3')
    replays("a bad schedule", log(header={**HEADER, "schedule": "rnak 0\n"}), 2, "the log's schedule has an error")
    replays("escape sequences in a schedule", log(header={**HEADER, "schedule": "\x1b[2J\n"}), 2, "\\x1B")
    replays("a line of a megabyte", log({**RECORDS[2], "text": "y" * (1 << 20)}, RECORDS[3]), 0, "y" * 1000)
    replays("deeply nested JSON", "[" * 1000000 + "\n", 2, "not a handoff log")

    for name, argument, phrase in (("a folder", ".", "is a directory"), ("no file", "nothing.log", "No such file")):
        run = handoff.run("replay", argument)
        results.check(run.returncode == 2 and phrase in run.stderr, name, run.returncode, run.stderr)
    handoff.file("a.log", log(*RECORDS))
    with open("/dev/full", "w") as full:
        run = handoff.run("replay", "a.log", stdout=full)
    results.check(run.returncode == 1 and "cannot be written" in run.stderr, "a full disk", run.returncode, run.stderr)
    read_end, write_end = os.pipe()
    os.close(read_end)
    run = handoff.run("replay", "a.log", stdout=write_end)
    os.close(write_end)
    results.check(run.returncode == 1, "a closed pipe", run.returncode, run.stderr)
    run = handoff.run("replay", "--ascii", "--text", "a.log")
    results.check(run.returncode == 0 and run.stdout.isascii(), "--ascii", run.stdout)
    run = handoff.run("replay", "a.log", environment={"LC_ALL": "C"})
    results.check(run.returncode == 0 and run.stdout.isascii(), "a locale without UTF-8", run.stdout)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
