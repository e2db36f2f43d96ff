"""Reads trace-event JSON as Perfetto's trace processor does: its events in the order of their times; of one time the
ends first, then complete events from the longest on, then the others as they stand in the file. An arrow's end is in the
innermost slice that was begun on its track, and an arrow is drawn from the slice that begins first.
"""
import collections
import dataclasses
import json
import math


@dataclasses.dataclass
class Slice:
    name: str
    category: str
    track: tuple  # process and thread
    begin: int  # ns
    end: float  # ns; infinite where it never ended
    arguments: dict
    parent: "Slice | None"

    @property
    def ended(self):
        return self.end < math.inf


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def place(event):
    """Where the event stands among those of its time."""
    if event["ph"] == "X":
        return 1, -event["dur"]
    return (0, 0) if event["ph"] == "E" else (2, 0)


class Trace:
    """SLICES, ARROWS (name, the slice from, the slice to), NAMES of (process, thread, kind), and FAULTS in words."""

    def __init__(self, text):
        self.events = json.loads(text)["traceEvents"]
        self.slices, self.arrows, self.names, self.faults = [], [], collections.defaultdict(list), []
        self.open = collections.defaultdict(list)  # by track: the slices that were begun, innermost last
        self.begun = {}  # by arrow
        for event in self.events:
            if event["ph"] == "M":
                self.names[event["name"]].append(event)
        timed = [event for event in self.events if event["ph"] != "M"]
        for event in sorted(timed, key=lambda event: (nanoseconds(event["ts"]), place(event))):
            self.read(event)
        self.faults += (f"arrow {number} has no end" for number in self.begun)

    def read(self, event):
        time = nanoseconds(event["ts"])
        if time < 0:
            self.faults.append(f"{event['name']} is before 0")
        if event["ph"] in "XB":
            self.begin(event, time)
        elif event["ph"] == "E":
            self.end(event, time)
        elif event["ph"] in "sf":
            self.arrow(event, time)

    def begin(self, event, time):
        stack = self.open[event["pid"], event["tid"]]
        while stack and stack[-1].end <= time:
            stack.pop()
        end = time + nanoseconds(event["dur"]) if event["ph"] == "X" else math.inf
        slice_ = Slice(event["name"], event["cat"], (event["pid"], event["tid"]), time, end, event.get("args", {}),
                       stack[-1] if stack else None)
        if end <= time or stack and event["ph"] == "X" and end > stack[-1].end:
            self.faults.append(f"{slice_.name} overlaps {stack[-1].name if stack else 'nothing'}, or takes no time")
        stack.append(slice_)
        self.slices.append(slice_)

    def end(self, event, time):
        stack = self.open[event["pid"], event["tid"]]
        while stack and stack[-1].end < time:
            stack.pop()
        if not stack or stack[-1].ended or (stack[-1].name, stack[-1].category) != (event["name"], event["cat"]):
            self.faults.append(f"{event['name']} ends, but is not the innermost that was begun")
            return
        slice_ = stack.pop()
        slice_.end = time
        if time <= slice_.begin or slice_.parent and time > slice_.parent.end:
            self.faults.append(f"{slice_.name} takes no time, or is longer than {slice_.parent and slice_.parent.name}")

    def arrow(self, event, time):
        stack = self.open[event["pid"], event["tid"]]
        if not stack or time >= stack[-1].end:
            self.faults.append(f"arrow {event['id']} {event['name']} is in no slice")
        elif event["ph"] == "s":
            if self.begun.setdefault(event["id"], stack[-1]) is not stack[-1]:
                self.faults.append(f"arrow {event['id']} begins twice")
        elif event["id"] not in self.begun or event.get("bp") != "e":
            self.faults.append(f"arrow {event['id']} ends before it begins, or in the slice behind")
        else:
            source = self.begun.pop(event["id"])
            if source.begin > stack[-1].begin:
                self.faults.append(f"arrow {event['name']} is drawn from {stack[-1].name} to {source.name}")
            self.arrows.append((event["name"], source, stack[-1]))

    def ordered(self, kind, process=None):
        """The names of the processes, or of a process's threads, in their order."""
        def chosen(event):
            return process is None or event["pid"] == process
        names = {(e["pid"], e["tid"]): e["args"]["name"] for e in self.names[f"{kind}_name"] if chosen(e)}
        indices = {(e["pid"], e["tid"]): e["args"]["sort_index"] for e in self.names[f"{kind}_sort_index"] if chosen(e)}
        return [names[track] for track in sorted(names, key=indices.get)]
