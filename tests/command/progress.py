"""`handoff progress`: what it says, and what it forgets. Speaks TAP.

usage: progress.py HANDOFF
"""
import json
import sys

from handoff import Handoff, Results

KEPT = {
    "version": 1, "last": "order",
    "lessons": {
        "order": {"at": "Three links\x1b[2J", "steps": {"Three links": True, "no such step": True}, "variants": "", "challenges": {"Be lucky": True},
                  "wrong": {"Three links": {"0": True}}},
        "reuse": {"finished": True, "at": "x", "steps": {}},
        # Lesson 3 has 6 steps, and 2 more in its one variant.
        "submit": {"at": "Nobody sends", "variants": "no-send", "finished": True,
                   "steps": {title: True for title in ("Two programs, two streams", "A is launched", "The send is asked for",
                                                       "The other side asks too", "B is asked for without waiting",
                                                       "What was asked for is done", "Nobody sends")}},
    },
}


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    done = handoff.run("progress")
    results.check(done.returncode == 0 and "1  ranks  0 of " in done.stdout and not done.stderr, "nothing is done at first", done)

    folder = handoff.scratch / "state" / "handoff"
    (folder / "progress.json").write_text(json.dumps(KEPT), encoding="utf-8")
    lines = {line.split()[1]: line for line in handoff.run("progress").stdout.splitlines()}
    results.check("1 of " in lines["order"] and "1 of 2 challenges" in lines["order"] and "at: Three links\\x1B[2J" in lines["order"]
                  and "1 question to look at again" in lines["order"], "where one was, made visible", lines)
    results.check(lines["reuse"].endswith(", done"), "what is done", lines)
    results.check("submit  6 of 6 steps, 1 of 2 in variants, " in lines["submit"] and "variants" not in lines["order"],
                  "a variant's steps are counted apart", lines)

    told = json.loads(handoff.run("progress", "--json").stdout)
    order = next(lesson for lesson in told["lessons"] if lesson["name"] == "order")
    submit = next(lesson for lesson in told["lessons"] if lesson["name"] == "submit")
    results.check([step["name"] for step in submit["steps"] if step["variant"]] == ["One side asks alone", "Nobody sends"],
                  "which steps are a variant's, as JSON", submit)
    results.check({"name": "Be lucky", "solved": True} in order["challenges"], "a challenge that was solved", order)
    results.check(told["last"] == "order" and order["wrong"] == 1 and not order["finished"]
                  and [step["done"] for step in order["steps"]].count(True) == 1, "the same as JSON", order)

    done = handoff.run("progress", "--reset", "ordr")
    results.check(done.returncode == 2 and "did you mean order?" in done.stderr, "no lesson of that name", done)
    done = handoff.run("progress", "--reset", "order")
    told = json.loads(handoff.run("progress", "--json").stdout)
    finished = [lesson["name"] for lesson in told["lessons"] if lesson["finished"]]
    results.check(done.returncode == 0 and told["last"] is None and finished == ["submit", "reuse"], "one lesson is forgotten", done, told["last"])

    done = handoff.run("progress", environment={"XDG_STATE_HOME": "/proc/none", "HOME": "/proc/none"})
    results.check(done.returncode == 0 and not done.stderr, "without a home", done)
    done = handoff.run("progress", "--reset", "order", environment={"XDG_STATE_HOME": "/proc/none"})
    results.check(done.returncode == 1 and done.stderr.count("\n") == 1, "nothing to forget without a home", done)
    (folder / "progress.json").write_bytes(b"\xff\x00")
    done = handoff.run("progress")
    results.check(done.returncode == 0 and "begins anew" in done.stderr and "damaged-1" in done.stderr, "a damaged file", done)
    results.check(not handoff.run("progress").stderr, "is said once")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
