"""Runs the programs of examples/python/cells on small data: losses fall, and each program fits on a page."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import runpy
import sys
import unittest
from unittest import mock

CELLS = pathlib.Path(__file__).resolve().parents[3] / "examples" / "python" / "cells"
DATA = pathlib.Path(os.environ.get("CAVS_DATA_DIR", "no folder"))


class Gallery(unittest.TestCase):
    def run_cell(self, name: str, *arguments: object) -> None:
        """Runs a program, whose loss must fall by a tenth."""
        printed = io.StringIO()
        folder = mock.patch.object(sys, "path", [str(CELLS), *sys.path])
        command = mock.patch.object(sys, "argv", [name, *map(str, arguments)])
        with folder, command, contextlib.redirect_stdout(printed):
            runpy.run_path(str(CELLS / name), run_name="__main__")
        *epochs, accuracy, training = printed.getvalue().splitlines()
        losses = [float(epoch.split("loss ")[1]) for epoch in epochs]
        self.assertGreater(len(losses), 1)
        self.assertLess(losses[-1], 0.9 * losses[0])
        self.assertRegex(accuracy, r"^accuracy: [0-9.]+% of ")
        self.assertRegex(training, r"^training: \d+ [a-z]+/s before.*, \d+ after: [0-9.]+ times$")

    def data(self, name: str) -> pathlib.Path:
        if not (DATA / name).exists():
            self.skipTest(f"no {DATA / name}; CAVS_DATA_DIR names the folder of data sets")
        return DATA / name

    def test_child_sum(self) -> None:
        self.run_cell("child_sum.py", self.data("sst"), 100, 3)

    def test_binary(self) -> None:
        self.run_cell("binary.py", self.data("sst"), 100, 3)

    def test_functions(self) -> None:
        self.run_cell("functions.py", 150, 3)

    def test_molecules(self) -> None:
        self.run_cell("molecules.py", 200, 3)

    def test_circuits(self) -> None:
        self.run_cell("circuits.py", 100, 4)

    def test_bilstm(self) -> None:
        self.run_cell("bilstm.py", "tags:test=50", 150, 3)

    def test_bilstm_over_real_sentences(self) -> None:
        gold = self.data("wikigold")
        self.run_cell("bilstm.py", f"conll:train={gold / 'train.conll'},dev={gold / 'dev.conll'}", 100, 2)

    def test_attention(self) -> None:
        self.run_cell("attention.py", 200, 3)

    def test_adaptive(self) -> None:
        self.run_cell("adaptive.py", 200, 4)

    def test_each_fits_on_a_page_and_is_run_here_and_described(self) -> None:
        source = pathlib.Path(__file__).read_text()
        page = (CELLS.parents[2] / "docs" / "guide/gallery.md").read_text()
        programs = [path for path in CELLS.glob("*.py") if path.name != "gallery_data.py"]
        self.assertGreater(len(programs), 7)
        for path in programs:
            self.assertLessEqual(len(path.read_text().splitlines()), 80, path.name)
            self.assertIn(f'"{path.name}"', source)
            self.assertIn(f"| `{path.name}` |", page)


if __name__ == "__main__":
    unittest.main()
