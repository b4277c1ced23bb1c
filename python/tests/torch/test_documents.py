"""Runs the code of the documentation pages about PyTorch, and the examples with PyTorch."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Documents(unittest.TestCase):
    def run_page(self, name: str) -> dict[str, object]:
        page = (ROOT / "docs" / "guide" / name).read_text()
        parts = re.split(r"^(?:```python|```)$", page, flags=re.MULTILINE)  # alternates text and code
        self.assertGreater(len(parts), 4)
        code = "".join(part if i % 2 else "\n" * part.count("\n") for i, part in enumerate(parts))  # keeps line numbers
        names: dict[str, object] = {}
        self.addCleanup(names.clear)  # so that a kept function of the page keeps no pass alive
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            os.chdir(folder)
            pathlib.Path("page.py").write_text(code)  # PyTorch reads the source
            exec(compile(code, "page.py", "exec"), names)
            os.chdir(before)
        return names

    def test_keep_your_module(self) -> None:
        predicted = self.run_page("torch.md")["predicted"]
        assert isinstance(predicted, dict)
        self.assertEqual(set(predicted), {"c", "h"})

    def test_a_model_as_a_module(self) -> None:
        accuracy = self.run_page("torch-module.md")["accuracy"]
        assert isinstance(accuracy, float)
        self.assertGreater(accuracy, 0.85)

    def test_the_examples_run(self) -> None:
        for name in ("torch_tree_lstm.py", "gpu_tree_lstm.py"):
            with self.subTest(name):
                example = ROOT / "examples" / "python" / name
                done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                last = re.search(r"accuracy at the vertices of new trees: ([0-9.]+) %", done.stdout)
                assert last is not None, done.stdout
                self.assertGreater(float(last[1]), 85)


if __name__ == "__main__":
    unittest.main()
