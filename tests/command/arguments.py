"""The command line itself: help, version, misuse.

usage: arguments.py HANDOFF
"""
import os
import sys

from handoff import Handoff, Results

COMMANDS = ("run", "replay", "bench", "list", "doctor")


def main():
    handoff, results = Handoff(sys.argv[1]), Results()

    def says(name, arguments, status, phrase, error=False, **others):
        run = handoff.run(*arguments, **others)
        said = run.stderr if error else run.stdout
        results.check(run.returncode == status and phrase in said, name, f"status {run.returncode}", run.stdout, run.stderr)

    says("--help", ["--help"], 0, "usage: handoff")
    says("--version", ["--version"], 0, "handoff 0.")
    for command in COMMANDS:
        says(f"{command} in the help", ["--help"], 0, f"  {command} ")
        says(f"{command} --help", [command, "--help"], 0, f"usage: handoff {command}")
        says(f"{command}: an unknown option", [command, "--nothing-like-it"], 2, "no option --nothing-like-it", error=True)
        says(f"{command}: --help without an end", [command, "--hel"], 2, "did you mean --help?", error=True)
    says("a misspelt command", ["doctr"], 2, "did you mean doctor?", error=True)
    says("a command far from any", ["xyzzyplugh"], 2, "no command xyzzyplugh", error=True)
    says("an escape sequence as command", ["\x1b[2J"], 2, "\\x1B[2J", error=True)
    says("an unknown option", ["--versoin"], 2, "no option --versoin", error=True)
    says("one argument too many", ["list", "overlap"], 2, "one argument too many: overlap", error=True)
    says("a missing argument", ["replay"], 2, "a log is missing", error=True)
    says("a flag with a value", ["replay", "--text=yes", "x"], 2, "--text takes no value", error=True)
    says("a file named like an option", ["replay", "--", "--text"], 2, "--text: cannot be opened", error=True)
    with open("/dev/full", "w") as full:
        says("output that cannot be written", ["--help"], 1, "cannot be written", error=True, stdout=full)
    says("no standard output", ["--help"], 1, "cannot be written", error=True, preexec_fn=lambda: os.close(1))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
