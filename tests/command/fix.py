"""Holds `handoff check --fix --write` to what it promises, for every case: afterwards the findings are gone and no other has
come, with the same variant, and the schedule can be read with every other; every rank communicates as before, on the
same buffers. Speaks TAP.

usage: fix.py HANDOFF FOLDER ...

A case for which no change is known, or one of a certain kind has to be found, says so in a line of its own:
  # fix: none
  # fix early-a: order     lines change places, nothing else does
  # fix: group             groups come, nothing else changes
"""
import pathlib
import re
import sys
from collections import Counter

from cases import expectations, json_of, stated_outcome
from handoff import Handoff, Results

COMMUNICATION = re.compile(r"(send|recv|allreduce|broadcast) (\w+)(?:\[[\d:]+\])?( (?:to|from|root) \d+)?")
CONDITION = re.compile(r"\[(only|not) ([^\]]*)\]")


def statements(text, choice):
    """The lines that are there with the variant, without conditions and comments."""
    on = set(choice[1].split(",")) if choice else set()
    for line in text.splitlines():
        line = line.partition("#")[0]
        if all((word == "only") == bool(on & set(names.split())) for word, names in CONDITION.findall(line)):
            yield " ".join(CONDITION.sub("", line).split())


def communications(text, choice):
    """How often each rank has which operation, on which buffer, with whom."""
    rank, count = None, Counter()
    for line in statements(text, choice):
        if line.startswith("rank "):
            rank = line.split()[1]
        match = COMMUNICATION.match(line)
        if match:
            kind, buffer, peer = match.groups()
            count[rank, kind, buffer.removesuffix("_received"), peer] += 1  # copied to the buffer behind it
    return count


def change_faults(before, after, choice, expected, wanted):
    lines, kinds = Counter(statements(after, choice)), {kind for kind, *_ in expected}
    lines.subtract(statements(before, choice))
    changed = {line for line, count in lines.items() if count}
    if "unmatched" not in kinds and communications(before, choice) != communications(after, choice):
        yield "other buffers, peers, roots or kinds of communication"
    if wanted == "order" and changed:
        yield f"more than an order changes: {changed}"
    if wanted == "group" and changed != {"group", "end"}:
        yield f"more than groups, or none: {changed}"


def faults(handoff, path, choice, expected, variants):
    before = path.read_text(encoding="utf-8")
    wanted = stated_outcome(path, "fix", choice)
    name = handoff.file("case.schedule", before)
    copy = handoff.scratch / name
    printed = handoff.run("check", "--fix", *choice, name)
    if copy.read_text(encoding="utf-8") != before:
        yield "--fix alone changes the file"
    written = handoff.run("check", "--fix", "--write", *choice, name)
    yield from change_faults(before, copy.read_text(encoding="utf-8"), choice, expected, wanted)
    if wanted == "none":
        if written.returncode != 1 or "no change is known" not in written.stderr:
            yield f"exit status {written.returncode}: {written.stderr}"
        return
    if written.returncode != 0 or written.stderr:
        yield f"exit status {written.returncode}: {written.stderr}"
    if printed.stdout != written.stdout:
        yield "--write prints something else"
    after = handoff.run("check", "--json", *choice, name)
    verdict = json_of(after.stdout)
    if verdict is None:
        yield f"the changed schedule cannot be read: {after.stderr}"
        return
    yield from (f"left: {finding['kind']}: {finding['text']}" for finding in verdict["findings"])
    for variant in variants:
        other = handoff.run("check", "--json", *(["--variant", variant] if variant else []), name)
        if other.returncode == 2:
            yield f"cannot be read with {variant}: {other.stderr}"


def main():
    program, *folders = sys.argv[1:]
    handoff, results = Handoff(program), Results()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).resolve().rglob("*.schedule")):
            cases = list(expectations(path))
            for variant, expected in cases:
                if expected:
                    choice = ["--variant", variant] if variant else []
                    found = list(faults(handoff, path, choice, expected, [other for other, _ in cases]))
                    results.check(not found, f"fix {path.stem} {variant or ''}".rstrip(), *found)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
