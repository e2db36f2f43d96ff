"""Holds `handoff check --witness` to what it promises, for every case: the log plays, and shows the first error. Speaks TAP.

usage: witness.py HANDOFF FOLDER ...

Of a race and of memory freed too early the later operation is over before the earlier one is; what may stop for good ends
stuck.
"""
import pathlib
import re
import sys

from cases import WARNINGS, expectations, json_of, stated_outcome
from handoff import Handoff, Results

HANGS = {"deadlock", "unmatched"}
EVENT = re.compile(r"\s*(-?[\d.]+) ms  (?:rank )?(\w+)\s+(.+?)\s{2,}(called|returned|started|done)$")


def events(replay):
    """{(rank, call in words): {event: [ms]}}"""
    found = {}
    for line in replay.splitlines():
        match = EVENT.match(line)
        if match:
            time, rank, call, event = match.groups()
            found.setdefault((int(rank), call), {}).setdefault(event, []).append(float(time))
    return found


def meeting_faults(finding, replay):
    """The two that meet: the later one is over before the earlier one is. Silent where a loop makes several of them."""
    later, earlier = re.findall(r"`([^`]*)`", finding["text"])[:2]
    calls = events(replay)
    first, second = (calls.get((finding["rank"], call)) for call in (earlier, later))
    if not first or not second:
        yield f"`{later}` or `{earlier}` is not in the log"
    elif len(first.get("started", [])) == 1 and len(second["called"]) == 1:
        over = second["done" if "started" in second else "returned"]
        if not over or over[0] > first["done"][0]:
            yield f"`{later}` is over at {over} ms, `{earlier}` at {first['done']} ms"


def faults(handoff, path, choice):
    log = handoff.scratch / "witness.log"
    log.unlink(missing_ok=True)
    done = handoff.run("check", "--json", "--witness", log, *choice, path)
    verdict = json_of(done.stdout)
    if done.returncode != 1 or done.stderr or verdict is None:
        yield f"exit status {done.returncode}: {done.stderr or done.stdout}"
        return
    finding = next(f for f in verdict["findings"] if f["severity"] == "error")
    replay = handoff.run("replay", "--text", log)
    if replay.stderr:
        yield f"replay: {replay.stderr}"
    if finding["text"] not in replay.stdout:
        yield "the log does not say what it shows"
    if finding["kind"] in HANGS:
        outcome = stated_outcome(path, "witness", choice) or "stuck"
        if f"  handoff  {outcome}" not in replay.stdout:
            yield f"does not end {outcome}"
    if finding["kind"] == "race" and "members of one group" not in finding["text"] or " may free " in finding["text"]:
        yield from meeting_faults(finding, replay.stdout)


def main():
    program, *folders = sys.argv[1:]
    handoff, results = Handoff(program), Results()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).resolve().rglob("*.schedule")):
            for variant, expected in expectations(path):
                if {kind for kind, *_ in expected} <= WARNINGS:
                    continue
                choice = ["--variant", variant] if variant else []
                found = list(faults(handoff, path, choice))
                results.check(not found, f"witness {path.stem} {variant or ''}".rstrip(), *found)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
