"""Runs the code of the documentation pages about Python, from the first block of a page to the last."""

import ast
import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "benchmarks" / "peers"


def blocks(page, folder=ROOT / "docs"):
    return re.findall(r"^```python\n(.*?)^```$", (folder / page).read_text(), flags=re.DOTALL | re.MULTILINE)


class Documents(unittest.TestCase):
    def run_blocks(self, page, code):
        names = {}
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            os.chdir(folder)
            pathlib.Path("reviews.csv").write_text("review,stars\nit works,good\nit fails,bad\n")
            for block in code:
                exec(compile(block, page, "exec"), names)
            os.chdir(before)
        return names

    def test_the_readme(self):
        names = self.run_blocks("README.md", blocks("README.md", ROOT))
        self.assertGreater(names["trained"].evaluate(names["data"].dev).root_accuracy, 0.7)

    def test_the_first_page(self):
        code = blocks("guide/python.md")
        self.assertGreater(len(code), 2)
        self.assertLessEqual(len(code[0].strip().splitlines()), 10)
        names = self.run_blocks("guide/python.md", code)
        self.assertGreater(names["trained"].evaluate(names["data"].dev).accuracy, 0.85)
        self.assertEqual(names["rated"].class_names[names["answer"].classes[names["answer"].roots[0]]], "good")

    def test_data(self):
        names = self.run_blocks("guide/python-data.md", blocks("guide/python-data.md"))
        self.assertEqual((names["streamed"].samples, len(names["same"])), (2, 2))

    def test_training(self):
        names = self.run_blocks("guide/python-training.md", blocks("guide/python-training.md"))
        self.assertGreater(names["trainer"].evaluate(names["data"].dev).accuracy, 0.6)

    def test_models(self):
        code = blocks("guide/python-models.md")
        self.assertGreater(len(code), 5)
        names = self.run_blocks("guide/python-models.md", code)
        self.assertEqual(names["logits"].shape, (names["run"].vertices, names["tags"]))

    def test_edges(self):
        names = self.run_blocks("guide/edges.md", blocks("guide/edges.md"))
        self.assertGreater(names["trained"].evaluate(names["graphs"][500:]).root_accuracy, 0.95)

    def test_coming_from_others(self):
        """The code of cavs runs. The code of PyTorch and DGL equals the code of the benchmarks."""
        code = blocks("start/coming-from.md")
        ours = [block for block in code if "import cavs" in block]
        names = self.run_blocks("start/coming-from.md", ours)
        self.assertGreater(names["trained"].evaluate(names["data"].dev).accuracy, 0.85)
        for block in code:
            ast.parse(block)  # DyNet's code is only parsed
        peers = (PEERS / "child_sum.py").read_text()
        for name in ["recursive", "dgl"]:
            theirs = re.search(rf"^# \[{name}\]\n(.*?)^# \[end\]$", peers, flags=re.DOTALL | re.MULTILINE)[1]
            self.assertIn(theirs, code, name)


if __name__ == "__main__":
    unittest.main()
