"""What the README shows is true: its schedule, its commands, its links. Speaks TAP.

usage: readme.py HANDOFF
"""
import json
import re
import sys
import textwrap

from handoff import SOURCE, Handoff, Results


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    text = (SOURCE / "README.md").read_text(encoding="utf-8")

    block = next(part for part in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE) if part.startswith("    rank 0\n"))
    done = handoff.run("check", "--json", handoff.file("readme.schedule", textwrap.dedent(block)))
    findings = json.loads(done.stdout)["findings"]
    results.check(done.returncode == 1 and [(f["kind"], f["buffer"]) for f in findings] == [("race", "x")],
                  "check finds what the README says, and nothing else", done.stdout)

    for command in sorted(set(re.findall(r"`handoff ([a-z]+)", text))):
        done = handoff.run(command, "--help")
        results.check(done.returncode == 0 and f"handoff {command}" in done.stdout, f"there is a command {command}", done)
    for link in re.findall(r"\]\(([^):]+)\)", text):
        results.check((SOURCE / link).is_file(), f"{link} is there")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
