"""Holds `handoff export perfetto` to the rules of trace-event JSON: what a viewer needs to show it. Speaks TAP.

usage: export_perfetto.py HANDOFF LESSONS CASES...

The rules: slices of a track (pid and tid) nest or stand apart; an arrow has one "s" and one "f" of one id, later or at
the same time, each within a slice of its track; counters do not fall below 0 and end at 0; nothing is before 0.
"""
import collections
import json
import sys

from export_c import sources
from handoff import Handoff, Results


def by_track(events, phases):
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] in phases:
            tracks[event["pid"], event["tid"]].append(event)
    return tracks


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def interval(slice_):
    begin = nanoseconds(slice_["ts"])
    return begin, begin + nanoseconds(slice_["dur"])


def slice_faults(events):
    for track, slices in by_track(events, "X").items():
        open_ends = []
        for begin, end, name in sorted((*interval(s), s["name"]) for s in slices):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if end <= begin or open_ends and end > open_ends[-1]:
                yield f"{name} of track {track} overlaps another, or takes no time"
            open_ends.append(end)


def arrow_faults(events):
    slices = by_track(events, "X")
    ends = collections.defaultdict(dict)
    for event in events:
        if event["ph"] not in "sf":
            continue
        if event["ph"] in ends[event["id"]]:
            yield f"arrow {event['id']} has two of {event['ph']}"
        ends[event["id"]][event["ph"]] = event
        time = nanoseconds(event["ts"])
        if not any(begin <= time < end for begin, end in map(interval, slices[event["pid"], event["tid"]])):
            yield f"arrow {event['name']} {event['id']} ends in no slice"
    for number, pair in ends.items():
        if set(pair) != {"s", "f"} or pair["s"]["ts"] > pair["f"]["ts"] or pair["f"].get("bp") != "e":
            yield f"arrow {number} is not one from a slice to a later one"


def counter_faults(events, finished):
    values = {}
    for event in sorted((e for e in events if e["ph"] == "C"), key=lambda e: e["ts"]):
        for key, value in event["args"].items():
            values[event["pid"], event["name"], key] = value
            if value < 0:
                yield f"{event['name']} falls to {value}"
    if finished:
        yield from (f"{name} ends at {value}" for name, value in values.items() if value)


def faults(text, finished):
    events = json.loads(text)["traceEvents"]
    if any(event.get("ts", 0) < 0 for event in events):
        yield "something is before 0"
    yield from slice_faults(events)
    yield from arrow_faults(events)
    yield from counter_faults(events, finished)


def count(events, **wanted):
    return sum(all(event.get(key) == value for key, value in wanted.items()) for event in events)


def check_overlap(handoff, results):
    """What the overlap lesson must show: its 5 operations of rank 1 and 2 of rank 0, and their arrows."""
    handoff.run("run", "overlap", "--backend", "sim", "--quiet", "--log", "saved.log")
    done = handoff.run("export", "perfetto", "--log", "saved.log", "-o", "saved.json")
    results.check(done.returncode == 0 and not done.stdout, "a log is exported to a file", done.stderr)
    text = (handoff.scratch / "saved.json").read_text(encoding="utf-8")
    results.check(text == handoff.run("export", "perfetto", "overlap").stdout, "the log of a run gives the trace of the run")
    events = json.loads(text)["traceEvents"]
    results.check(count(events, ph="X", cat="operation") == 8, "every operation has a slice")
    results.check(count(events, ph="s", name="submits") == 8, "every operation has an arrow from its call")
    results.check(count(events, ph="s", name="sends") == 1, "send and receive are joined")
    results.check(count(events, ph="s", name="orders") == 1, "record and wait are joined")
    names = {e["args"]["name"] for e in events if e["name"] == "process_name"}
    results.check(names == {"rank 0 (GPU 0)", "rank 1 (GPU 1)"}, "each rank is a process", names)
    names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    results.check(names == {"host program", "stream S0 (GPU 0)", "stream comm (GPU 1)", "stream compute (GPU 1)"},
                  "host programs and streams are tracks", names)


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    check_overlap(handoff, results)
    for path, variant in sources(sys.argv[2], sys.argv[3:]):
        choice = ["--variant", variant] if variant else []
        done = handoff.run("export", "perfetto", *choice, path)
        finished = handoff.run("run", "--backend", "sim", "--quiet", *choice, path).returncode == 0
        found = [done.stderr] if done.returncode else list(faults(done.stdout, finished))
        results.check(not found, f"export perfetto {path.stem} {variant or ''}".rstrip(), *found[:5])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
