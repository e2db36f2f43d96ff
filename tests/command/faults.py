"""What can go wrong around a run: a full disk, a worker that dies, load, a signal. Speaks TAP.

usage: faults.py HANDOFF
"""
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time

from handoff import Handoff, Results

# Long enough to be interrupted: rank 1 waits for what comes after many launches.
LONG = (
    "rank 0\n  buffer x float32[4]\n  stream s nonblocking\n"
    + "  repeat 200000\n    launch A -> x on s\n  end\n  send x to 1 on s\n  sync s\n"
    "rank 1\n  buffer x float32[4]\n  stream s nonblocking\n  recv x from 0 on s\n  sync s\n"
)


def session(handoff, *arguments):
    """The program as the leader of a session of its own, so that what it leaves behind can be found.

    Under nohup the tests ignore SIGHUP, and so would the program.
    """
    return subprocess.Popen(
        [handoff.program, *arguments], cwd=handoff.scratch, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(handoff.scratch)})


def processes(session_id):
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = pathlib.Path("/proc", entry, "stat").read_text(errors="replace").rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session_id and fields[0] not in "ZX":
            yield int(entry)


def workers(process, count, limit=10):
    """The pids of the workers, once there are COUNT."""
    end = time.monotonic() + limit
    while time.monotonic() < end and process.poll() is None:
        found = [pid for pid in processes(process.pid) if pid != process.pid]
        if len(found) >= count:
            return found
        time.sleep(0.002)
    return []


def left_behind(session_id, limit=1):
    """What is still there after a moment: a worker whose launcher died at once needs one to see that."""
    end = time.monotonic() + limit
    while list(processes(session_id)) and time.monotonic() < end:
        time.sleep(0.01)
    return list(processes(session_id))


def ended(process, limit=20):
    try:
        out, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        left = list(processes(process.pid))
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        out, errors = process.communicate()
        return None, out, errors, left
    return process.returncode, out, errors, left_behind(process.pid)


def killed_worker(handoff, results):
    process = session(handoff, "run", "--quiet", "long.schedule")
    found = workers(process, 2)
    if not results.check(len(found) == 2, "a worker for each rank", found):
        ended(process)
        return
    os.kill(found[1], signal.SIGKILL)
    status, out, errors, left = ended(process)
    results.check(status == 1, "a killed worker fails the run", status, out, errors)
    results.check(re.search(r"rank [01]\b", out + errors), "and is named", out, errors)
    results.check(not left, "and nothing is left behind", left)


def stopped_worker(handoff, results):
    process = session(handoff, "run", "--quiet", "long.schedule")
    found = workers(process, 2)
    os.kill(found[1], signal.SIGSTOP)
    said = process.stderr.readline() if select.select([process.stderr], [], [], 20)[0] else ""
    results.check(f"pid {found[1]}) was stopped by signal {signal.SIGSTOP:d}" in said, "a stopped worker is named", said)
    os.kill(found[1], signal.SIGCONT)
    status, out, errors, left = ended(process)
    results.check(status == 0 and "finished" in out and not errors and not left,
                  "and the run goes on when it does", status, out, errors, left)


def signalled(handoff, results, number):
    process = session(handoff, "run", "--quiet", "long.schedule")
    found = workers(process, 2)
    process.send_signal(number)
    status, _, _, left = ended(process)
    results.check(len(found) == 2 and status not in (0, None) and not left,
                  f"{number.name} ends the program and its workers", found, status, left)


def full_disk(handoff, results):
    done = handoff.run("run", "--quiet", "--log", "/dev/full", "overlap")
    results.check(done.returncode == 1 and "/dev/full" in done.stderr, "a full disk while writing the log", done)
    done = handoff.run("run", "--quiet", "--log", "missing/folder/log", "overlap")
    results.check(done.returncode in (1, 2) and "missing/folder/log" in done.stderr, "a log that cannot be opened", done)
    for arguments in (("run", "overlap"), ("run", "--json", "overlap"), ("list",), ("check", "overlap", "--variant", "no-wait")):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = handoff.run(*arguments, stdout=full)
        results.check(done.returncode not in (0, None) and done.stderr, f"a full disk under the output of {' '.join(arguments)}", done)


def log_of(handoff, name):
    done = handoff.run("run", "--quiet", "--log", name, "overlap")
    lines = (handoff.scratch / name).read_text(encoding="utf-8").splitlines() if done.returncode == 0 else [done]
    return [re.sub(r'"(pid|number)": ?\d+', '"pid": 0', line) if '"forked"' in str(line) else line for line in lines]


def same_log(handoff, results):
    idle = log_of(handoff, "idle.log")
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * os.cpu_count())]
    try:
        loaded = log_of(handoff, "loaded.log")
    finally:
        for process in load:
            process.kill()
            process.wait()
    different = [pair for pair in zip(idle, loaded) if pair[0] != pair[1]]
    results.check(len(idle) > 10 and len(idle) == len(loaded) and not different,
                  "the same log on an idle and on a loaded machine", len(idle), len(loaded), *different[:3])
    results.check(all(isinstance(json.loads(line), dict) for line in idle), "every line of a log is a JSON object")


def main():
    handoff, results = Handoff(sys.argv[1]), Results()
    handoff.file("long.schedule", LONG)
    same_log(handoff, results)
    full_disk(handoff, results)
    killed_worker(handoff, results)
    stopped_worker(handoff, results)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signalled(handoff, results, number)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
