"""Runs tests of pyverbs and writes a line for each: its name, and ok, skipped, failed or error.

Arguments: the folder that has the package `tests`, the device, the file to write.
"""

import random
import sys
import unittest

MODULES = (
    "addr atomic cq cq_events cqex device fork mr odp parent_domain pd qp qpex rdmacm relaxed_ordering"
    " shared_pd srq"
)


class Results(unittest.TestResult):
    """Collects the outcome of each test, and prints why one did not pass."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def note(self, test, outcome, why=""):
        self.lines.append(f"{test.id()} {outcome}\n")
        if why:
            print(f"{test.id()} {outcome}: {why}", flush=True)

    def addSuccess(self, test):
        self.note(test, "ok")

    def addSkip(self, test, reason):
        self.note(test, "skipped", reason)

    def addError(self, test, err):
        self.note(test, "error", err[1])

    def addFailure(self, test, err):
        self.note(test, "failed", err[1])


def names(folder):
    """Returns the modules of the list that this release of rdma-core has."""
    from pathlib import Path

    return [f"tests.test_{m}" for m in MODULES.split() if Path(folder, "tests", f"test_{m}.py").exists()]


def main():
    folder, device, output = sys.argv[1:]
    sys.path[:0] = [folder, folder + "/tests"]
    from args_parser import parser

    sys.argv[1:] = ["--dev", device]
    parser.parse_args()
    random.seed(1)  # sizes of queues are drawn at random
    results = Results()
    unittest.defaultTestLoader.loadTestsFromNames(names(folder)).run(results)
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(sorted(results.lines))


main()
