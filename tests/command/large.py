"""Long schedules do not take for ever: what takes time with the square of the operations does not come to its end here.
Speaks TAP.

usage: large.py HANDOFF
"""
import subprocess
import sys

from handoff import SOURCE, Handoff, Results

PATIENCE = 30  # seconds: some fifty times what it takes
WAIT_AND_ABORT = "  sync device\n  barrier\n  abort world\n"
ABORT_MANY_TIMES = "rank 0\nrepeat 200000\n  abort world\nend\n"
RECEIVE_AND_ALLOCATE = """rank 0
  buffer x float32[4]
  stream s nonblocking
  set x to 0 on s
  repeat 20000
    send x to 1 on s
  end
  abort world
rank 1
  buffer x float32[4]
  stream s nonblocking
  repeat 20000
    recv x from 0 on s
    buffer t float32[4]
    free t
  end
  abort world
"""


def schedule(operations, hazards=0, ends=""):
    """ENDS stands at the end of each rank."""
    text = subprocess.run([sys.executable, SOURCE / "tests/bench/make_schedule.py", str(operations), "--hazards",
                           str(hazards)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return text.replace("\nrank ", f"\n{ends}rank ") + ends


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    for words, text, status in (("without a hazard", schedule(400_000), 0),
                                ("with races", schedule(400_000, hazards=200), 1),
                                ("that waits and aborts", schedule(400_000, ends=WAIT_AND_ABORT), 0),
                                ("that aborts", schedule(400_000, ends="  abort world\n"), 0),
                                ("of aborts alone", ABORT_MANY_TIMES, 1),
                                ("that allocates between receives and aborts", RECEIVE_AND_ALLOCATE, 1)):
        done = handoff.run("check", handoff.file("large.schedule", text), timeout=PATIENCE)
        results.check(done.returncode == status, f"check a long schedule {words}", f"{done.returncode}",
                      done.stdout[-500:], done.stderr[-500:])
    done = handoff.run("run", "--quiet", handoff.file("large.schedule", schedule(100_000)), timeout=PATIENCE)
    results.check(done.returncode == 0, "run a long schedule", f"{done.returncode}", done.stderr[-500:])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
