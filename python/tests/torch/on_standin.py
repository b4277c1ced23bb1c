"""Runs tests of this folder with CPU tensors on the stand-in for a GPU: on_standin.py [TEST...] (default: TESTS)."""

from __future__ import annotations

import sys
import unittest
from typing import Any

import standin

# A selection, since fibers are slow. All tests pass except those of processes and of CPU threads.
TESTS = ["test_gpu", "test_errors", "test_same_numbers", "test_autograd", "test_loading.Loading",
         "test_compile.Compiled.test_one_graph_for_all_shapes",
         "test_networks.Networks.test_the_numbers_of_a_tagger_equal_plain_pytorch",
         "test_networks.Networks.test_several_passes_are_open_and_a_batch_is_used_twice",
         "test_cell_modules.Calls", "test_cell_tables.Gradients.test_the_same_as_outside",
         "test_cell_tables.Gradients.test_two_embeddings_of_one_table"]


class Result(unittest.TextTestResult):
    """A test also fails if it misuses the driver."""

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
