"""Tests how benchmarks/dynet.py compares losses before it measures."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import dynet


class Losses(unittest.TestCase):
    def test_reports_the_largest_difference(self):
        self.assertAlmostEqual(dynet.largest_difference([1.0, 2.2], [1.0, 2.0]), 0.1)

    def test_requires_all_losses(self):
        with self.assertRaises(ValueError):
            dynet.largest_difference([1.0], [1.0, 2.0])


if __name__ == "__main__":
    unittest.main()
