"""Completion in bash, as a person gets it: the words offered for a line. Speaks TAP.

usage: completion.py HANDOFF
"""
import pathlib
import subprocess
import sys

from handoff import SOURCE, Results

LINE = """
PATH=$1:$PATH
. "$2"
shift 2
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_handoff
printf '%s\\n' "${COMPREPLY[@]}"
"""


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    script = SOURCE / "scripts" / "completions" / "handoff.bash"
    results = Results()

    def offers(words, *expected):
        done = subprocess.run(["bash", "-c", LINE, "bash", program.parent, script, *words], capture_output=True, text=True)
        found = set(done.stdout.split())
        results.check(set(expected) <= found and not done.stderr, " ".join(words) + " offers " + " ".join(expected), found, done.stderr)
        return found

    commands = offers(["handoff", ""], "list", "replay", "doctor", "--help", "--version")
    results.check("handoff" not in commands and "usage:" not in commands, "nothing but commands", commands)
    results.check(offers(["handoff", "rep"], "replay") == {"replay"}, "only what fits")
    offers(["handoff", "replay", "--"], "--text", "--ascii")
    offers(["handoff", "replay", "ov"], "overlap")
    results.check("overlap" not in offers(["handoff", "follow", ""]), "a session is no lesson")
    results.check(offers(["handoff", "export", ""], "c", "perfetto", "svg", "cast", "mermaid") ==
                  {"c", "perfetto", "svg", "cast", "mermaid"}, "an export's formats, and nothing else")
    offers(["handoff", "export", "svg", "overlap", "--beside", ""], "one-stream")
    offers(["handoff", "export", "svg", "overlap", "--theme", ""], "light", "dark")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
