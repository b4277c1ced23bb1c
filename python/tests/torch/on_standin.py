"""Runs tests of this folder with CPU tensors on the stand-in for a GPU: on_standin.py [TEST...]; none: those below."""

from __future__ import annotations

import sys
import unittest
from typing import Any

import standin

# Those whose passes are few: fibers are slow. Tests of what runs in processes of its own are left out.
TESTS = ["test_autograd", "test_modules", "test_same_numbers", "test_networks", "test_errors", "test_compile",
         "test_loading.Loading"]


class Result(unittest.TextTestResult):
    """A test fails, too, where the program has misused the driver."""

    def stopTest(self, test: unittest.TestCase) -> None:
        faults = STANDIN.faults()
        try:
            if faults:
                raise AssertionError(faults)
        except AssertionError:
            self.addError(test, sys.exc_info())
        super().stopTest(test)


STANDIN = standin.install()

if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:] or TESTS)
    before = STANDIN.launches()
    result: Any = Result
    passed = unittest.TextTestRunner(resultclass=result).run(suite).wasSuccessful()
    print(f"{STANDIN.launches() - before} launches")
    sys.exit(not passed)
