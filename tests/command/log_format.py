"""The example of docs/log-format.md is a log.

usage: log_format.py HANDOFF
"""
import json
import re
import sys

from handoff import SOURCE, Handoff, Results


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    page = (SOURCE / "docs" / "log-format.md").read_text(encoding="utf-8")
    example = re.search(r"^```jsonl\n(.*?)^```", page, re.M | re.S).group(1)
    handoff.file("example.log", example)
    replay = handoff.run("replay", "--text", "example.log")
    results.check(replay.returncode == 0, "the documented log is read and finished", replay.stderr)
    results.check(replay.stderr == "", "nothing is wrong with it", replay.stderr)
    results.check("x = 1 2" in replay.stdout and "finished" in replay.stdout, "it is shown", replay.stdout)
    kinds = set(re.findall(r"^\| `([a-z-]+)` \| `(?:rank|text|step|outcome)`", page, re.M))
    used = {json.loads(line)["kind"] for line in example.splitlines()[1:]}
    results.check(used <= kinds and len(kinds) == 22, "every kind has its row", sorted(kinds), sorted(used - kinds))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
