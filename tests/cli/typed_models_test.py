"""For models of each kind of data: the reports of training and evaluation, and predictions for the original sample."""

import json
import math
import unittest
import xml.dom.minidom
from typing import NamedTuple

from cavs_command import DATA, SIZES, TestCase, cavs, one_object, read_bytes, tensor


class Typed(TestCase):
    def setUp(self):
        super().setUp()
        self.checkpoint = self.path("a.cavs")

    def train(self, model, data, *options):
        return cavs("train", model, "--data", data, *SIZES, "--epochs", "2", "--save", self.checkpoint,
                    "--overwrite", *options)

    def predict(self, samples, *options):
        return cavs("predict", self.checkpoint, *options, stdin=samples).stdout


class Metrics(NamedTuple):
    model: str
    data: str
    names: tuple  # the last one selects the best epoch
    columns: str  # columns of the table, apart from losses and times
    curve: str  # label of the development set in the curve
    best: str  # the line of the best epoch
    evaluated: str


PERPLEXITY = (("perplexity",), "perplexity dev loss perplexity", "perplexity", r"perplexity \d+\.\d\d",
              r"perplexity +\d+\.\d\d  of \d+ words")
F1 = (("accuracy", "token_f1", "entity_f1"), "dev loss accuracy token F1 entity F1", "entity F1",
      r"entity F1 \d+\.\d\d %", r"entity F1 +\d+\.\d\d %")
ACCURACY = (("accuracy", "root_accuracy"), "dev loss accuracy root", "accuracy at the root",
            r"\d+\.\d\d % at the root", r"root accuracy +\d+\.\d\d %  of 20 roots")
CORRELATION = (("mean_squared_error", "spearman", "pearson"), "dev loss MSE Spearman Pearson", "Pearson",
               r"Pearson -?0\.\d{4}", r"Pearson +-?0\.\d{4}  of 20 scores")
ALL_METRICS = [
    Metrics("tree-lstm", DATA, *ACCURACY),
    Metrics("tree-lstm-nary", "random-trees:train=60,test=20", *ACCURACY),
    Metrics("lrcn", "moving-shapes:train=60,test=20,length=3", *ACCURACY),
    Metrics("var-lstm", "markov:train=60,test=20,vocabulary=30,length=6", *PERPLEXITY),
    Metrics("lstm-nmt", "translations:train=60,test=20,vocabulary=40", *PERPLEXITY),
    Metrics("bilstm-tagger", "tags:train=60,test=20,length=6,vocabulary=40", *F1),
    Metrics("lattice-gru", "lattices:train=60,test=20,length=6", *F1),
    Metrics("tree-lstm-relatedness", "tree-pairs:train=60,test=20,length=5,vocabulary=40", *CORRELATION),
]


class Evaluation(Typed):
    def test_repeats_the_numbers_of_training_in_every_form(self):
        for case in ALL_METRICS:
            with self.subTest(model=case.model):
                report = one_object(self.train(case.model, case.data, "--json").stdout)
                epochs, result = report["epochs"], one_object(cavs("eval", self.checkpoint, "--json").stdout)
                self.assertEqual([epoch["epoch"] for epoch in epochs], [1, 2])
                self.assertEqual((result["part"], result["samples"]), ("dev", 20))
                for name in ("loss", *case.names):
                    self.assertEqual(result[name], epochs[-1]["dev_" + name], name)
                    self.assertEqual(tensor(self.checkpoint, "metrics/dev_" + name),
                                     [epoch["dev_" + name] for epoch in epochs])
                best = min if case.names[-1] == "perplexity" else max
                name = "dev_" + case.names[-1]
                self.assertEqual(report["best_" + name], best(epoch[name] for epoch in epochs))
                self.assertRegex(cavs("eval", self.checkpoint).stdout, f"(?m)^{case.evaluated}$")

    def test_is_in_the_table_and_the_curve(self):
        for case in ALL_METRICS:
            with self.subTest(model=case.model):
                curve = self.path("curve.svg")
                table = self.train(case.model, case.data, "--curve", curve).stdout.splitlines()
                self.assertEqual(table[0].split(), f"epoch train loss {case.columns} samples/s seconds".split())
                self.assertEqual(len(table[1].split()), len(table[2].split()))
                self.assertRegex(table[3], rf"^best epoch: \d+, {case.best}$")
                self.assertEqual(len(xml.dom.minidom.parse(curve).getElementsByTagName("circle")), 6)
                self.assertIn(f">development {case.curve}<", read_bytes(curve).decode())

    def test_of_words_is_perplexity_only(self):
        report = one_object(self.train("var-lstm", "markov:train=60,test=20,vocabulary=30,length=6", "--json").stdout)
        for epoch in report["epochs"]:
            self.assertAlmostEqual(epoch["train_perplexity"], math.exp(epoch["train_loss"]), places=9)
            self.assertAlmostEqual(epoch["dev_perplexity"], math.exp(epoch["dev_loss"]), places=9)
            self.assertNotIn("dev_accuracy", epoch)

    def test_can_use_the_first_samples_of_a_split(self):
        self.train("tree-lstm", DATA)
        result = one_object(cavs("eval", self.checkpoint, "--part", "train", "--limit", "7", "--json").stdout)
        same = one_object(cavs("eval", self.checkpoint, "--data", "listops:train=7,test=0,length=20", "--json").stdout)
        self.assertEqual((result["samples"], result["part"]), (7, "train"))
        self.assertEqual(result["loss"], same["loss"])

    def test_requires_labels(self):
        self.train("tree-lstm", DATA)
        result = cavs("eval", self.checkpoint, "--data", "trees:" + self.write("trees.txt", "(1)\n"), check=1)
        self.assertIn("no labels to compare with", result.stderr)

    def test_of_tags_improves_on_learnable_data(self):
        report = one_object(self.train("bilstm-tagger", "tags:train=600,test=60", "--json", "--hidden", "32",
                                       "--embedding", "32", "--epochs", "6", "--lr", "0.02").stdout)
        self.assertGreater(report["best_dev_entity_f1"], 0.7)


class Prediction(Typed):
    def test_of_a_tree_is_for_the_original_tree(self):
        for model in ("tree-lstm-nary", "tree-gru", "tree-lstm-2type", "mv-rnn"):
            self.train(model, "random-trees:train=60,test=20,leaves=5,vocabulary=20")
            tree = "(1 (w2) (2 (w3) (w4)))"
            prediction = one_object(self.predict(tree))
            self.assertEqual(len(prediction["classes"]), 5)
            self.assertEqual(prediction["class"], prediction["classes"][0])
            self.assertEqual(prediction["label"], 1)
            self.assertEqual(self.predict("(0 w5)\n" + tree).splitlines()[1], self.predict(tree).strip())
            self.assertEqual(len(self.predict(tree, "--tree").strip().splitlines()), 5)

    def test_of_a_chain_has_a_class_per_token(self):
        self.train("bilstm-tagger", "tags:train=60,test=20,length=6,vocabulary=40")
        chain = {"types": ["token"] * 3, "children": [[], [0], [1]], "pull": {"word": [5, 8, 3]}, "label": [-1] * 3}
        prediction = one_object(self.predict(json.dumps(chain) + "\n"))
        self.assertEqual(len(prediction["classes"]), 3)
        self.assertEqual(prediction["class"], prediction["classes"][2])  # of the root, which is the last token

    def test_of_a_pair_has_a_score_and_its_probabilities(self):
        self.train("tree-lstm-relatedness", "tree-pairs:train=60,test=20,length=5,vocabulary=40")
        pair = {"types": ["node", "node", "node", "pair"], "children": [[], [0], [], [1, 2]],
                "pull": {"word": [5, 8, 3, -1], "score": [None, None, None, [3.5]]}}
        prediction = one_object(self.predict(json.dumps(pair) + "\n"))
        mean = sum((i + 1) * p for i, p in enumerate(prediction["probabilities"]))
        self.assertAlmostEqual(prediction["score"], mean, places=5)
        self.assertEqual(prediction["expected"], 3.5)

    def test_of_a_film_is_the_motion_in_its_last_frame(self):
        self.train("lrcn", "moving-shapes:train=60,test=20,length=3")
        pixels = [[0.01 * (31 * t + i) % 1 for i in range(256)] for t in range(3)]
        film = {"types": ["frame"] * 3, "children": [[], [0], [1]], "pull": {"pixels": pixels}, "label": [-1, -1, 4]}
        prediction = one_object(self.predict(json.dumps(film) + "\n"))
        self.assertEqual(len(prediction["probabilities"]), 9)
        self.assertEqual(prediction["class"], prediction["classes"][2])


class Streams(Typed):
    def test_of_another_size_are_not_resumed(self):
        text = self.write("text.txt", "".join(f"w{i % 7} w{i % 5} w{i * i % 11}\n" for i in range(100)))
        data = f"text:train={text},dev={text}"
        self.train("gru", data, "--stream", "20")
        for other, message in (("30", "--stream: 20 in the checkpoint, 30 here"), ("0", "content of the data")):
            refused = cavs("train", "gru", "--data", data, *SIZES, "--resume", self.checkpoint, "--stream", other, check=1)
            self.assertIn(message, refused.stderr)


if __name__ == "__main__":
    unittest.main()
