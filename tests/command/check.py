"""`handoff check` where nothing is wrong: a line for a person at a terminal, and nothing for a script. Speaks TAP.

usage: check.py HANDOFF
"""
import os
import pty
import sys

from handoff import Handoff, Results

FINE = """rank 0
  buffer x float32[4]
  stream S0 nonblocking
  launch A -> x on S0
  send x to 1 on S0
rank 1
  buffer x float32[4]
  stream S1 nonblocking
  recv x from 0 on S1
  record E on S1
  sync S1
"""
ALONE = "rank 0\n  buffer x float32[4]\n  stream S0\n  launch A -> x on S0\n"


def at_a_terminal(handoff, *arguments):
    """(exit status, what a terminal got)"""
    keyboard, terminal = pty.openpty()
    status = handoff.run(*arguments, stdin=terminal, stdout=terminal).returncode
    os.close(terminal)
    output = b""
    try:
        while data := os.read(keyboard, 65536):
            output += data
    except OSError:  # nobody is left at the other end
        pass
    os.close(keyboard)
    return status, output.decode().replace("\r\n", "\n")


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    fine, alone = handoff.file("fine.schedule", FINE), handoff.file("alone.schedule", ALONE)
    race = handoff.file("race.schedule", FINE.replace("record E on S1", "launch B x -> x on S2").replace("recv", "stream S2 nonblocking\n  recv"))

    done = handoff.run("check", fine)
    results.check((done.returncode, done.stdout, done.stderr) == (0, "", ""), "nothing for a script", done)
    said = at_a_terminal(handoff, "check", fine)
    results.check(said == (0, "fine.schedule: no hazard found (4 operations, 2 ranks)\n"), "a line at a terminal", said)
    said = at_a_terminal(handoff, "check", alone)
    results.check(said == (0, "alone.schedule: no hazard found (1 operation, 1 rank)\n"), "of one operation", said)
    said = at_a_terminal(handoff, "check", "overlap")
    results.check(said == (0, "overlap: no hazard found (8 operations, 2 ranks)\n"), "of a lesson, by its name", said)
    said = at_a_terminal(handoff, "check", "--notes", fine)
    results.check(said[0] == 0 and "note: redundant" in said[1] and said[1].endswith("\nfine.schedule: no hazard found (4 operations, 2 ranks)\n"),
                  "notes are no hazards", said)
    said = at_a_terminal(handoff, "check", race)
    results.check(said[0] == 1 and "error: race" in said[1] and "no hazard" not in said[1], "not where there is one", said)
    said = at_a_terminal(handoff, "check", handoff.file("unwritten.schedule", ALONE.replace("A -> x", "B x -> x")))
    results.check(said[0] == 0 and "warning: uninitialized" in said[1] and "no hazard" not in said[1], "nor where there is a warning", said)
    said = at_a_terminal(handoff, "check", "--json", fine)
    results.check(said[0] == 0 and said[1].startswith("{") and said[1].endswith("}\n"), "JSON stays JSON", said)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
