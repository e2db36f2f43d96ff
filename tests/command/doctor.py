"""handoff doctor and handoff list: what they find here.

usage: doctor.py HANDOFF
"""
import os
import re
import sys

from handoff import SOURCE, Handoff, Results


def doctor(handoff, results):
    run = handoff.run("doctor")
    labels = re.findall(r"^([a-zA-Z]+) +\S", run.stdout, re.M)
    results.check(run.returncode == 0 and not run.stderr, "doctor ends with 0", run)
    results.check(labels == ["handoff", "terminal", "locale", "lessons", "CUDA", "backend"], "what it looks at", run.stdout)
    results.check(re.search(r"^lessons +\d+ in /.*lessons$", run.stdout, re.M), "the lessons and where they are", run.stdout)
    results.check(re.search(r"^backend +a walk runs on (the simulator: \w|CUDA: rank 0 on GPU)", run.stdout, re.M),
                  "the backend and why", run.stdout)
    results.check("NCCL" in run.stdout and "driver" in run.stdout, "driver and NCCL, or that they are missing", run.stdout)

    run = handoff.run("doctor", "--backend", "sim")
    results.check("backend    a walk runs on the simulator: it was asked for\n" in run.stdout, "--backend sim", run.stdout)
    if not os.path.exists("/dev/nvidiactl"):
        run = handoff.run("doctor", "--backend", "cuda")
        results.check(run.returncode == 3, "--backend cuda where there is none", run)
    run = handoff.run("doctor", environment={"LC_ALL": "C"})
    results.check(run.returncode == 0 and run.stdout.isascii() and "drawn in ASCII" in run.stdout, "an ASCII locale", run.stdout)
    run = handoff.run("doctor", environment={"TERM": "\x1b[31m"})
    results.check(run.returncode == 0 and "\x1b" not in run.stdout and "no full screen" in run.stdout, "a hostile TERM", run.stdout)
    run = handoff.run("doctor", environment={"HANDOFF_LESSONS": "/nowhere/at/all"})
    results.check(run.returncode == 0 and "/nowhere/at/all" in run.stdout, "lessons that are not there", run.stdout)


def lessons(handoff, results):
    run = handoff.run("list")
    names = [path.stem.split("-", 1)[1] for path in sorted((SOURCE / "lessons").glob("[0-9]*.md"))]
    listed = re.findall(r"^ +\d+  (\S+)  \S", run.stdout, re.M)
    results.check(run.returncode == 0 and listed == names, "every lesson in teaching order", run)
    results.check(re.search(r"^ +--variant no-wait +\S", run.stdout, re.M), "the variants of a lesson", run.stdout)
    os.mkdir(handoff.scratch / "mine")
    handoff.file("mine/1-mine.md", "# T\n\n```schedule\nrnak 0\n```\n\n## Step\n\ntext\n")
    run = handoff.run("list", environment={"HANDOFF_LESSONS": "mine"})
    results.check(run.returncode == 2 and "mine/1-mine.md:4:1: error:" in run.stderr, "a lesson with an error", run)


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    doctor(handoff, results)
    lessons(handoff, results)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
