"""Holds `handoff check --fix --write` to what it promises, for every case: afterwards the findings are gone and no other has
come, with the same variant, and the schedule can be read with every other; every rank communicates as before, on the
same buffers. And `check --json` to give for each finding a patch that takes it away. Speaks TAP.

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
from handoff import SOURCE, Handoff, Results

COMMUNICATION = re.compile(r"(send|recv|allreduce|broadcast) (\w+)(?:\[[\d:]+\])?( (?:to|from|root) \d+)?")
CONDITION = re.compile(r"\[(only|not) ([^\]]*)\]")
PART = re.compile(r"@@ -(\d+),(\d+) \+\d+,\d+ @@\n((?:[ +-].*\n)*)")
LARGE = "rank 0\n  buffer x float32[4]\n  stream s\n  stream t\n" + "  launch A -> x on s\n" * 1200 + "  launch B x -> x on t\n"


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


def patched(text, patch):
    """The text with a patch made, whose lines have to fit; None where they do not."""
    lines, out, at = text.splitlines(keepends=True), [], 0
    for start, count, body in PART.findall(patch):
        first = int(start) - 1 if int(count) else int(start)
        out += lines[at:first]
        at = first + int(count)
        body = body.splitlines(keepends=True)
        if [line[1:].rstrip("\n") for line in body if line[0] != "+"] != [line.rstrip("\r\n") for line in lines[first:at]]:
            return None
        out += [line[1:] for line in body if line[0] != "-"]
    return "".join(out + lines[at:])


def of_the_schedule(verdict):
    """Its findings without what hangs on a setting of NCCL: the rules take the order of the calls for an order."""
    return [finding for finding in verdict["findings"] if "only the order of the calls" not in finding["text"]]


def kinds_of(findings):
    return Counter((finding["kind"], finding["buffer"]) for finding in findings)


def json_faults(handoff, before, choice, wanted):
    name = handoff.file("json.schedule", before)
    plain = json_of(handoff.run("check", "--json", *choice, name).stdout)["findings"]
    if json_of(handoff.run("check", "--json", "--fix", *choice, name).stdout)["findings"] != plain:
        yield "--json says something else with --fix"
    for finding in plain:
        if finding["fix"] is None:
            if wanted != "none":
                yield f"no fix for the {finding['kind']} of line {finding['line']}"
            continue
        text = patched(before, finding["fix"])
        if text is None or not finding["fix"].startswith(f"--- {name}\n+++ {name}\n"):
            yield f"no patch of the file: {finding['fix']}"
            continue
        left = of_the_schedule(json_of(handoff.run("check", "--json", *choice, handoff.file("json.schedule", text)).stdout))
        handoff.file("json.schedule", before)
        key = finding["kind"], finding["buffer"]
        if kinds_of(left)[key] >= kinds_of(plain)[key] or kinds_of(left) - kinds_of(plain):
            yield f"the fix of the {finding['kind']} of line {finding['line']} leaves {kinds_of(left)}"


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
    yield from json_faults(handoff, before, choice, wanted)
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
    yield from (f"left: {finding['kind']}: {finding['text']}" for finding in of_the_schedule(verdict))
    for variant in variants:
        other = handoff.run("check", "--json", *(["--variant", variant] if variant else []), name)
        if other.returncode == 2:
            yield f"cannot be read with {variant}: {other.stderr}"


def check_large(handoff, results):
    """Of a long program changes are looked for where they are asked for."""
    name = handoff.file("large.schedule", LARGE)
    for choice, has_fix in (([], False), (["--fix"], True)):
        findings = json_of(handoff.run("check", "--json", *choice, name).stdout)["findings"]
        results.check(findings and all((finding["fix"] is not None) == has_fix for finding in findings if finding["kind"] == "race"),
                      f"check --json {' '.join(choice)} of a long program", findings)


def check_notes(handoff, results):
    """What could go is no hazard: no change is looked for."""
    name = handoff.file("notes.schedule", "rank 0\n  buffer x float32[4]\n  stream s\n  launch A -> x on s\n  record E on s\n")
    findings = json_of(handoff.run("check", "--json", "--notes", name).stdout)["findings"]
    results.check([(finding["kind"], finding["fix"]) for finding in findings] == [("redundant", None)], "no fix for a note", findings)


def check_hidden(handoff, results):
    """A race that is mended may bring to light that something is read before it is written."""
    name = handoff.file("hidden.schedule", "rank 0\n  buffer a float32[4]\n  buffer b float32[4]\n  stream s nonblocking\n"
                        "  stream t nonblocking\n  launch B a -> b on s\n  launch B b -> a on t\n")
    done = handoff.run("check", "--fix", "--write", name)
    left = json_of(handoff.run("check", "--json", name).stdout)["findings"]
    results.check(done.returncode == 0 and [(finding["kind"], finding["line"]) for finding in left] == [("uninitialized", 6)],
                  "a race is mended although it hid something", done.stdout, done.stderr, left)


def check_settings(handoff, results):
    """What hangs on a setting of NCCL has no fix, and no run shows it."""
    rank = ("  buffer a float32[4]\n  buffer b float32[4]\n  stream s nonblocking\n  stream t nonblocking\n  set a to 0 on s\n"
            "  set b to 0 on t\n  allreduce a on s\n  allreduce b on t via c\n  sync device\n")
    name = handoff.file("settings.schedule", f"comm c\nrank 0\n{rank}rank 1\n{rank}")
    done = handoff.run("check", "--json", "--fix", "--witness", "shown.log", name)
    found = [(finding["kind"], finding["severity"], finding["fix"]) for finding in json_of(done.stdout)["findings"]]
    results.check(done.returncode == 0 and found == 2 * [("unportable", "warning", None)], "no fix for a setting", found)
    results.check("no log is written" in done.stderr and not (handoff.scratch / "shown.log").exists(), "and no run", done.stderr)


def check_lesson(handoff, results):
    """The lines of a patch are those of the lesson's file."""
    lesson = SOURCE / "lessons" / "2-buffers.md"
    findings = json_of(handoff.run("check", "--json", "--variant", "count-mismatch", lesson).stdout)["findings"]
    text = patched(lesson.read_text(encoding="utf-8"), findings[0]["fix"] or "") if findings else None
    results.check(text and text != lesson.read_text(encoding="utf-8"), "a fix in a lesson", findings)


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
    check_large(handoff, results)
    check_notes(handoff, results)
    check_hidden(handoff, results)
    check_settings(handoff, results)
    check_lesson(handoff, results)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
