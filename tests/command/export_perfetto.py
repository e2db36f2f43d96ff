"""Holds `handoff export perfetto` to what viewers make of trace-event JSON (trace_events.py). Speaks TAP.

usage: export_perfetto.py HANDOFF LESSONS CASES...
"""
import json
import re
import sys

from export_c import sources
from handoff import SOURCE, Handoff, Results
from trace_events import Trace

CASES = SOURCE / "tests" / "cases"
MORE = SOURCE / "tests" / "cases-more"


def counter_faults(events, finished):
    values = {}
    for event in sorted((e for e in events if e["ph"] == "C"), key=lambda e: e["ts"]):
        for key, value in event["args"].items():
            values[event["pid"], event["name"], key] = value
            if value < 0:
                yield f"{event['name']} falls to {value}"
    if finished:
        yield from (f"{name} ends at {value}" for name, value in values.items() if value)


def joins_what_it_means(name, source, to):
    """Whether an arrow leads from a call to its operation, from a send to its receive, from a record to its wait."""
    if name == "submits":
        call = source.parent or source
        return call.category == "call" and to.category == "operation" and call.arguments["call"] == to.arguments["call"]
    if name == "sends":
        return source.begin == to.begin and source.name.replace("sends", "receives") == to.name
    event = re.match(r"record (\w+) on", source.name)[1]
    return re.match(rf"(wait {event} on|event {event} is complete$)", to.name)


def faults(trace, finished):
    yield from trace.faults
    yield from counter_faults(trace.events, finished)
    for name, source, to in trace.arrows:
        if not joins_what_it_means(name, source, to):
            yield f"arrow {name} leads from {source.name} to {to.name}"
    if finished:
        yield from (f"{s.name} does not end" for s in trace.slices if not s.ended)


def export(handoff, *arguments):
    return Trace(handoff.run("export", "perfetto", *arguments).stdout)


def one(trace, name, process=None, category="operation"):
    """The one slice of the name, or of a name that begins so and goes on with a colon or a bracket."""
    found = [s for s in trace.slices if re.fullmatch(re.escape(name) + r"([: ].*)?", s.name) and s.category == category and
             process in (None, s.track[0])]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} slices {name}")
    return found[0]


def check_times(handoff, results, trace):
    """Each operation's times are those that `run --json` says, which counts from the same moment."""
    done = handoff.run("run", "overlap", "--backend", "sim", "--json")
    wanted = {(o["rank"] + 1, o["line"]): (o["started"], o["done"]) for o in json.loads(done.stdout)["operations"]}
    got = {(s.track[0], s.arguments["line"]): (s.begin, s.end) for s in trace.slices if s.category == "operation"}
    results.check(len(wanted) == 8 and got == wanted, "operations run when the run says that they do", got, wanted)


def check_overlap(handoff, results):
    """What the overlap lesson must show: its 5 operations of rank 1 and 2 of rank 0, their waits and their arrows."""
    handoff.run("run", "overlap", "--backend", "sim", "--quiet", "--log", "saved.log")
    done = handoff.run("export", "perfetto", "--log", "saved.log", "-o", "saved.json")
    results.check(done.returncode == 0 and not done.stdout, "a log is exported to a file", done.stderr)
    text = (handoff.scratch / "saved.json").read_text(encoding="utf-8")
    results.check(text == handoff.run("export", "perfetto", "overlap").stdout, "the log of a run gives the trace of the run")
    trace = Trace(text)
    check_times(handoff, results, trace)
    names = sorted(name for name, _, _ in trace.arrows)
    results.check(names == ["orders", "sends"] + 8 * ["submits"], "arrows lead from calls, the send and the record", names)
    send, recv = one(trace, "send x to 1 on S0"), one(trace, "recv x from 0 on comm")
    wait, move = one(trace, "waits for rank 0's send of x", category="wait"), one(trace, "receives 16 bytes", category="part")
    results.check((wait.begin, wait.end, wait.parent) == (recv.begin, send.begin, recv),
                  "the receive waits until the send starts", wait)
    results.check((move.begin, move.end, move.parent) == (send.begin, send.begin + 30_000_000, recv),
                  "and then receives for the 30 ms that the lesson says", move)
    held = one(trace, "waits for event E", category="wait")
    results.check((held.parent.name, held.end) == ("wait E on compute", one(trace, "record E on comm").end),
                  "the wait is held until the event is complete", held)
    results.check(held.arguments["rule"] == 3 and held.arguments["for line"] == one(trace, "record E on comm").arguments["line"],
                  "and says by which rule, and by which line", held)
    used = sorted({(e["name"], key) for e in trace.events if e["ph"] == "C" and e["pid"] == 2 for key in e["args"]})
    results.check(used == [("use of c", "writes"), ("use of result", "reads"), ("use of result", "writes"),
                           ("use of x", "reads"), ("use of x", "writes"), ("use of y", "reads"), ("use of y", "writes")],
                  "a counter for each way in which a buffer is used", used)


def check_tracks(handoff, results):
    trace = export(handoff, "overlap")
    found = trace.ordered("process"), trace.ordered("thread", 1), trace.ordered("thread", 2)
    results.check(found == (["rank 0 (GPU 0)", "rank 1 (GPU 1)"], ["host program", "stream S0 (GPU 0)"],
                            ["host program", "stream comm (GPU 1)", "stream compute (GPU 1)"]),
                  "each rank is a process, with the tracks of its host program and then its streams", found)
    handoff.file("late.schedule", "rank 0\n  buffer x float32[4]\n  stream first\n  stream second\n"
                                  "  launch A -> x on second\n  launch B x -> x on first\n")
    names = export(handoff, "late.schedule").ordered("thread", 1)
    results.check(names == ["host program", "stream first (GPU 0)", "stream second (GPU 0)"],
                  "streams stand in the order of their declaration", names)
    names = export(handoff, CASES / "both-send-first.schedule", "--variant", "grouped").ordered("thread", 1)
    results.check(names == ["host program", "stream s (GPU 0)", "stream s, lane 2 (GPU 0)"],
                  "members of a group that run at the same time have a track each", names)
    names = {s.name for s in export(handoff, "overlap", "--variant", "no-wait").slices}
    results.check("launch B x -> y on compute (torn)" in names, "what read a value that was being written says so", names)


def check_stuck(handoff, results):
    """Both sends wait for receives that stand behind the other send."""
    trace = export(handoff, CASES / "both-send-first.schedule")
    left = sorted((s.track[0], s.name) for s in trace.slices if not s.ended and s.category != "wait")
    results.check(left == [(1, "send a to 1 on s"), (1, "sync s"), (2, "send a to 0 on s"), (2, "sync s")],
                  "what a run is stuck in does not end", left)
    send, fill = one(trace, "send a to 1 on s"), one(trace, "launch fill -> a on s", process=1)
    last = max(e["ts"] for e in trace.events if e["ph"] == "i") * 1000
    results.check(last - send.begin > (send.begin - fill.begin) / 4, "and has room to be seen", last, send)
    waits = [s.name for s in trace.slices if s.parent is send]
    results.check(waits == ["waits for rank 1's recv of b: it is behind send a to 0 on s"], "it says what it waits for", waits)
    fate = one(trace, "recv b from 1 on s", category="call").arguments.get("never started")
    results.check(fate == "behind send a to 1 on s", "an operation that never started is told at its call", fate)
    trace = export(handoff, MORE / "host-held-by-a-plain-copy.schedule")
    waits = [s.name for s in trace.slices if s.parent and s.parent.name == "barrier"]
    results.check(waits == ["waits for rank 0's barrier: rank 0 is at copy h to d"],
                  "what never ends says what is true at the end, not when it began", waits)
    submits = [s for s in trace.slices if s.parent and s.parent.name == "copy h to d" and s.name == "submits"]
    results.check(len(submits) == 1, "a call that waits for its own operation submits it first", submits)


def check_parts_of_logs(handoff, results):
    """Logs that were cut short: while ranks set up, and in the middle of the run."""
    lines = (handoff.scratch / "saved.log").read_text(encoding="utf-8").splitlines(keepends=True)
    kinds = [json.loads(line).get("kind") for line in lines]
    handoff.file("setting-up.log", "".join(lines[:kinds.index("ready")]))
    trace = export(handoff, "--log", "setting-up.log")
    moments = [(e["name"], e["pid"], e["ts"]) for e in trace.events if e["ph"] == "i"]
    results.check(moments[0] == ("forked", 1, 0) and len(moments) == 6 and not trace.faults,
                  "a run that came no further shows how it set up", moments)
    moments = [(e["name"], e["ts"]) for e in export(handoff, "overlap").events if e["ph"] == "i"]
    results.check(min(moments, key=lambda m: m[1]) == ("communicator ready", 0) and "forked" not in dict(moments),
                  "any other begins when all are ready", moments)
    handoff.file("running.log", "".join(lines[:kinds.index("started") + 1]))
    trace = export(handoff, "--log", "running.log")
    left = [s.name for s in trace.slices if s.category == "operation" and not s.ended]
    results.check(left == ["launch A -> x on S0"] and not trace.faults, "what runs when a log ends does not end", left)


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    check_overlap(handoff, results)
    check_tracks(handoff, results)
    check_stuck(handoff, results)
    check_parts_of_logs(handoff, results)
    for path, variant in sources(sys.argv[2], sys.argv[3:]):
        choice = ["--variant", variant] if variant else []
        done = handoff.run("export", "perfetto", *choice, path)
        finished = handoff.run("run", "--backend", "sim", "--quiet", *choice, path).returncode == 0
        found = [done.stderr] if done.returncode else list(faults(Trace(done.stdout), finished))
        results.check(not found, f"export perfetto {path.stem} {variant or ''}".rstrip(), *found[:5])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
