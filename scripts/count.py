"""Counts the results of meson's test logs and prints "N passed, N failed".

usage: count.py BUILDS_FAILED TESTS.JSON ...

A test that speaks TAP counts with each of its results, another one as one. What was skipped counts as neither. A
build that failed, a log that is not there and a test that ended badly without a failed result are a failure each.
"""
import json
import re
import sys

RESULT = re.compile(r"^(not )?ok\b(.*)$", re.MULTILINE)
SKIP = re.compile(r"#\s*skip", re.IGNORECASE)


def count(test):
    results = [
        bool(failed) for failed, rest in RESULT.findall(test.get("stdout", "")) if not SKIP.search(rest)
    ]
    passed, failed = results.count(False), results.count(True)
    if test["result"] in ("OK", "EXPECTEDFAIL"):
        return (passed, failed) if results else (1, 0)
    if test["result"] == "SKIP":
        return passed, failed
    return passed, max(failed, 1)


def main():
    passed, failed = 0, int(sys.argv[1])
    for path in sys.argv[2:]:
        try:
            with open(path, encoding="utf-8") as log:
                tests = [json.loads(line) for line in log]
        except (OSError, ValueError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed += 1
            continue
        for test in tests:
            more_passed, more_failed = count(test)
            passed += more_passed
            failed += more_failed
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
