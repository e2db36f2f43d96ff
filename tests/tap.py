"""Results of a test in the Test Anything Protocol, which meson reads and scripts/count.py counts."""
import sys


class Results:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, fine, name, *details):
        """One result. DETAILS are shown where it failed. Returns FINE."""
        self.count += 1
        self.failed += not fine
        print(f"{'' if fine else 'not '}ok {self.count} - {name}")
        for line in details if not fine else ():
            print("\n".join(f"# {part}" for part in str(line).splitlines()))
        sys.stdout.flush()
        return fine

    def finish(self):
        """The plan, and the exit status: no result at all is a failure."""
        print(f"1..{self.count}")
        return 1 if self.failed or not self.count else 0
