"""Runs every program of examples/python on small data."""

import ast
import json
import pathlib
import subprocess
import sys
import threading
import unittest
import urllib.error
import urllib.request

import numpy as np

import cavs
from cases import FolderCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"
TREE = "(3 (2 A) (4 (3 great) (2 movie)))\n"


class Case(FolderCase):
    def run_example(self, name, *arguments):
        done = subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr + done.stdout  # fit prints its epochs to standard error


class TreeLstm(Case):
    def test_is_declared_in_15_lines(self):
        source = (EXAMPLES / "tree_lstm.py").read_text()
        function = next(node for node in ast.parse(source).body if getattr(node, "name", "") == "tree_lstm")
        body = source.splitlines()[function.body[0].lineno - 1 : function.body[-1].lineno - 1]
        self.assertLessEqual(len([line for line in body if line.strip()]), 15)

    def test_trains_and_the_command_predicts_the_same(self):
        path, copy = self.folder / "sst.cavs", self.folder / "copy.cavs"
        out = self.run_example("tree_lstm.py", self.real_data("sst"), "--limit", 300, "--epochs", 3, "--hidden", 32, "--save",
                               path)
        losses = [float(line.split("loss ")[1].split(",")[0]) for line in out.splitlines() if "loss" in line]
        self.assertLess(losses[2], 0.8 * losses[0])
        line = json.loads(self.command("predict", path, "--threads", 1, text=TREE))
        trained = cavs.load(str(path))
        root = trained.predict_text(TREE)[0]
        np.testing.assert_array_equal(np.float32(line["probabilities"]), np.float32(root.probabilities[root.roots[0]]))
        trained.save(str(copy))
        self.assertEqual(path.read_bytes(), copy.read_bytes())

    def test_a_model_of_the_command_is_loaded_and_predicts_the_same(self):
        path, copy = self.folder / "sst.cavs", self.folder / "copy.cavs"
        self.command("train", "tree-lstm", "--data", f"sst:{self.real_data('sst')}", "--limit", 300, "--epochs", 1, "--hidden",
                     32, "--embedding", 32, "--save", path)
        trained = cavs.load(str(path))
        trained.save(str(copy))
        self.assertEqual(path.read_bytes(), copy.read_bytes())
        self.assertEqual(*(self.command("predict", file, "--threads", 1, text=TREE) for file in (path, copy)))
        line = json.loads(self.command("predict", path, "--threads", 1, text=TREE))
        root = trained.predict_text(TREE)[0]
        np.testing.assert_array_equal(np.float32(line["probabilities"]), np.float32(root.probabilities[root.roots[0]]))


class Others(Case):
    def test_task_graphs_learn_the_longest_path(self):
        out = self.run_example("task_graphs.py", "--samples", 1000, "--epochs", 12)
        error, spread = (float(part.split()[-1]) for part in out.splitlines()[-1].split(";"))
        self.assertLess(error, 0.2 * spread)

    def test_tagger_learns_with_vectors_and_is_served(self):
        gold, path, vectors = self.real_data("wikigold"), self.folder / "tagger.cavs", self.folder / "vectors.vec"
        rng = np.random.default_rng(1)
        vectors.write_text("".join(f"{word} {' '.join(f'{x:.3f}' for x in rng.normal(0, 0.3, 24))}\n"
                                   for word in ["the", "of", "in", "Berlin", "nowhere"]))
        out = self.run_example("tagger.py", gold / "train.conll", gold / "dev.conll", "--limit", 600, "--epochs", 8,
                               "--vectors", vectors, "--embedding", 24, "--hidden", 32, "--save", path)
        self.assertRegex(out, r"(?m)^\d of \d+ words have pretrained vectors$")
        self.assertGreater(float(out.split()[-1]), 3.0)
        self.serve(path, "She moved from Berlin to New York .", 8)

    def serve(self, path, sentence, words):
        server = subprocess.Popen([sys.executable, EXAMPLES / "serve.py", path, "--port", "0"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        url = server.stdout.readline().split()[-1]

        def post(text):
            with urllib.request.urlopen(urllib.request.Request(url, text.encode()), timeout=20) as reply:
                return [json.loads(line) for line in reply.read().splitlines()]

        alone = post(sentence)
        self.assertEqual(len(alone[0]["classes"]), words)
        answers = [None] * 4

        def ask(i):
            answers[i] = post(sentence)
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(answers, [alone] * 4)
        self.assertEqual(len(post(f"{sentence}\n\n{sentence}\n")), 2)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            post('{"types": 3}')
        self.assertEqual(refused.exception.code, 400)
        self.assertIn("error", json.loads(refused.exception.read()))
        refused.exception.close()

    def test_every_example_is_run_here(self):
        source = pathlib.Path(__file__).read_text()
        tests = source + "".join(path.read_text() for path in pathlib.Path(__file__).parent.glob("*/test_*.py"))
        for path in EXAMPLES.glob("*.py"):
            self.assertIn(f'"{path.name}"', tests)


if __name__ == "__main__":
    unittest.main()
