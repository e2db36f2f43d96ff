"""Holds `handoff check` and `handoff run` against schedules whose verdict is known. Speaks TAP.

usage: cases.py HANDOFF check|run FOLDER

A case is a .schedule file with header lines such as
  # expect: ok
  # expect early-a: race x          with the variant early-a on
  # expect: race d, unrecorded
check: exactly the errors of these kinds are found (a race on the buffer named), and the warnings named are.
run: a schedule with a deadlock or something unmatched ends stuck, any other finishes; where it does not, a line says so:
  # run early-a: failed
witness (witness.py): what has a deadlock or something unmatched ends stuck; likewise:
  # witness early-a: finished
fix (fix.py): what kind of change is found:
  # fix early-a: none
"""
import json
import pathlib
import re
import sys

from handoff import Handoff, Results

EXPECT = re.compile(r"#\s*expect(?:\s+([\w,-]+))?:\s*(.+)")
OUTCOME = re.compile(r"#\s*(run|witness|fix)(?:\s+([\w,-]+))?:\s*(\w+)")
WARNINGS = {"uninitialized", "unrecorded"}
HANGS = {"deadlock", "unmatched"}


def expectations(path):
    """(variant or None, [[kind, buffer...], ...]) for each header line."""
    for line in path.read_text(encoding="utf-8").splitlines():
        match = EXPECT.match(line)
        if match:
            yield match.group(1), [part.split() for part in match.group(2).split(",") if part.strip() != "ok"]


def stated_outcome(path, word, choice):
    """What a header line says of the `run`, `witness` or `fix` with the variants of CHOICE; None where none does."""
    variant = choice[1] if choice else None
    for line in path.read_text(encoding="utf-8").splitlines():
        match = OUTCOME.match(line)
        if match and match.group(1) == word and match.group(2) == variant:
            return match.group(3)
    return None


def json_of(output):
    try:
        return json.loads(output)
    except ValueError:
        return None


def check_faults(handoff, path, choice, expected):
    done = handoff.run("check", "--json", *choice, path, timeout=20)
    verdict = json_of(done.stdout)
    if verdict is None:
        yield f"exit status {done.returncode} and no JSON: {done.stderr or done.stdout}"
        return
    kinds = {kind for kind, *_ in expected}
    status = 1 if kinds - WARNINGS else 0
    if done.returncode != status:
        yield f"exit status {done.returncode}, expected {status}"
    if verdict["verdict"] != ("hazard" if status else "ok"):
        yield f"verdict {verdict['verdict']}"
    found = verdict["findings"]
    for kind, *buffer in expected:
        if not any(f["kind"] == kind and f.get("buffer") in (buffer or [f.get("buffer")]) for f in found):
            yield f"no {kind} {' '.join(buffer)} among {[(f['kind'], f.get('buffer')) for f in found]}"
    for finding in found:
        if finding["severity"] == "error" and finding["kind"] not in kinds:
            yield f"not expected: line {finding['line']}: {finding['kind']}: {finding['text']}"


def run_faults(handoff, path, choice, expected):
    done = handoff.run("run", "--json", *choice, path, timeout=20)
    run = json_of(done.stdout)
    if run is None:
        yield f"exit status {done.returncode} and no JSON: {done.stderr or done.stdout}"
        return
    hangs = HANGS & {kind for kind, *_ in expected}
    outcome = stated_outcome(path, "run", choice) or ("stuck" if hangs else "finished")
    if run["outcome"] != outcome:
        yield f"outcome {run['outcome']}, expected {outcome}"
    if done.returncode != (0 if outcome == "finished" else 1):
        yield f"exit status {done.returncode}"
    if outcome == "finished":
        for operation in run["operations"]:
            if operation["done"] is None:
                yield f"not done: rank {operation['rank']} line {operation['line']}"


def main():
    program, mode, folder = sys.argv[1:]
    handoff, results = Handoff(program), Results()
    faults = {"check": check_faults, "run": run_faults}[mode]
    for path in sorted(pathlib.Path(folder).resolve().rglob("*.schedule")):
        cases = list(expectations(path))
        results.check(cases, f"{path.stem} has expectations")
        for variant, expected in cases:
            choice = ["--variant", variant] if variant else []
            found = list(faults(handoff, path, choice, expected))
            results.check(not found, f"{mode} {path.stem} {variant or ''}".rstrip(), *found)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
