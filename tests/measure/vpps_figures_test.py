"""The tables of benchmarks/vpps_figures.py, of results that are written here."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import dynet
import vpps_figures


def run(speed):
    """A report of `cavs bench`, as far as tables read it: 2 steps of 4 samples."""
    return {"samples_per_second": speed, "samples": 8, "steps": 2, "pack_ms": 0.1, "schedule_ms": 0.2, "plan_ms": 0.3,
            "script_ms": 0.4, "memory_ms": 0.5, "compute_ms": 1.5, "update_ms": 0.25, "weight_bytes": 3e6,
            "weight_bytes_once": 1e6}


def case(model, speeds, batch_size=4):
    """`speeds`: for each round those of DyNet, and of the engines with one thread and with two."""
    names = ["DyNet", "batched, 1", "persistent, 1", "batched, 2", "persistent, 2"]
    rounds = [{name: run(speed) for name, speed in zip(names, round_)} for round_ in speeds]
    return {"model": model, "hidden": 256, "batch_size": batch_size, "rounds": rounds,
            "agenda": {**run(1), "weight_bytes": 6e6}}


SPEEDS = [(10, 20, 30, 40, 50), (10, 20, 20, 40, 80), (20, 20, 30, 40, 60)]
TREES = case("tree-lstm-binary", SPEEDS)


def row_of(table, number=0):
    return [cell.strip() for cell in table.splitlines()[2 + number].strip("|").split("|")]


class Tables(unittest.TestCase):
    def test_speeds_are_medians_and_ratios_those_of_rounds(self):
        self.assertEqual(row_of(vpps_figures.speed_table([TREES])),
                         ["`tree-lstm-binary`", "256", "4", "10", "20", "30", "40", "60", "2.00 (1.50 to 3.00)",
                          "5.00 (3.00 to 8.00)", "1.50 (1.00 to 1.50)", "1.50 (1.25 to 2.00)"])

    def test_one_round_has_no_spread(self):
        self.assertEqual(vpps_figures.ratio(case("rvnn", SPEEDS[:1]), "persistent, 1", "DyNet"), "3.00")

    def test_breakdown_is_microseconds_a_sample(self):
        self.assertEqual(row_of(vpps_figures.breakdown_table([TREES]), 1),
                         ["4", "2", "25", "50", "75", "100", "250", "500", "62.5"])

    def test_weights_are_megabytes_of_128_inputs(self):
        self.assertEqual(row_of(vpps_figures.weights_table([TREES])), ["4", "192", "96", "32"])

    def test_a_part_without_cases_is_left_out(self):
        page = vpps_figures.tables({"cases": [TREES]})
        self.assertIn("Figure 10", page)
        self.assertNotIn("Figure 12", page)
        self.assertIn("Figure 12", vpps_figures.tables({"cases": [TREES, case("rvnn", SPEEDS)]}))

    def test_rows_are_in_order(self):
        table = vpps_figures.tables({"cases": [case("rvnn", SPEEDS, 16), case("rvnn", SPEEDS, 4)]})
        self.assertLess(table.index("| 4 |"), table.index("| 16 |"))


class Cases(unittest.TestCase):
    def test_the_papers_sizes(self):
        cases = vpps_figures.all_cases(None, None, [1, 2])
        self.assertIn(("td-rnn", 512, 2), cases)
        self.assertEqual([h for m, h, b in cases if m == "tree-lstm-binary" and b == 1], [128, 256, 384])

    def test_sizes_of_ones_own(self):
        self.assertEqual(vpps_figures.all_cases(["tree-lstm"], [8], [1]), [("tree-lstm", 8, 1)])


class Losses(unittest.TestCase):
    def test_the_largest_difference_counts(self):
        self.assertAlmostEqual(dynet.largest_difference([1.0, 2.2], [1.0, 2.0]), 0.1)

    def test_all_must_be_there(self):
        with self.assertRaises(ValueError):
            dynet.largest_difference([1.0], [1.0, 2.0])


if __name__ == "__main__":
    unittest.main()
