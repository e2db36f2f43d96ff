"""Holds `handoff check --fix --write` to what it promises, for every case: afterwards the findings are gone and no other has
come, with the same variant, and the schedule can be read with every other. Speaks TAP.

usage: fix.py HANDOFF FOLDER ...

A case for which no change is known says so in a line of its own:
  # fix: none
"""
import pathlib
import re
import sys

from cases import expectations, json_of
from handoff import Handoff, Results


def expects_fix(path):
    return not re.search(r"^# fix: none$", path.read_text(encoding="utf-8"), re.M)


def faults(handoff, path, choice, variants):
    before = path.read_text(encoding="utf-8")
    name = handoff.file("case.schedule", before)
    copy = handoff.scratch / name
    printed = handoff.run("check", "--fix", *choice, name)
    if copy.read_text(encoding="utf-8") != before:
        yield "--fix alone changes the file"
    written = handoff.run("check", "--fix", "--write", *choice, name)
    if not expects_fix(path):
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
                    found = list(faults(handoff, path, choice, [other for other, _ in cases]))
                    results.check(not found, f"fix {path.stem} {variant or ''}".rstrip(), *found)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
