"""Tests options of training: rates by name, word vectors, class weights, averages."""

import json
import unittest

from cavs_command import SIZES, TRAIN, TestCase, cavs, kept, metadata, one_object, tensor


class ParameterGroups(TestCase):
    def test_reach_the_checkpoint_and_must_be_the_same_when_resumed(self):
        checkpoint = self.path("a.cavs")
        groups = ["--lr", "0.01", "--lr", "output*=0.1x", "--lr", "*_b=0.5", "--freeze", "emb*"]
        cavs(*TRAIN, *groups, "--epochs", "1", "--save", checkpoint)
        options = json.loads(metadata(checkpoint)["optimizer"])["options"]
        self.assertEqual(options["lr"], 0.01)
        self.assertEqual([(group["pattern"], group["rate"], group["value"]) for group in options["groups"]],
                         [("output*", "times", 0.1), ("*_b", "fixed", 0.5), ("emb*", "frozen", 0)])
        result = cavs(*TRAIN, *groups[:-2], "--epochs", "2", "--resume", checkpoint, check=1)
        self.assertIn("--lr and --freeze of parameters: output*=0.1x, *_b=0.5, emb* frozen in the checkpoint, "
                      "output*=0.1x, *_b=0.5 here", result.stderr)
        cavs(*TRAIN, *groups, "--epochs", "2", "--resume", checkpoint)


class Vectors(TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.write("v.txt", "MAX 1 2 3\nmin 4 5 6\n7 7 8 9\nother 0 0 0\n")

    def train(self, *options, check=0):
        return cavs("train", "tree-lstm", "--data", "listops:train=60,test=20,length=20", "--hidden", "8",
                    "--vectors", self.file, *options, check=check)

    def test_initialise_the_table_and_set_its_width(self):
        checkpoint = self.path("a.cavs")
        result = self.train("--freeze", "embedding", "--epochs", "1", "--save", checkpoint)
        self.assertRegex(result.stderr, r"v.txt: 3 of \d+ words found \(1 of them in lower case\), 3 numbers each")
        words = json.loads(metadata(checkpoint)["vocabulary"])
        rows = tensor(checkpoint, "parameters/embedding")
        for word, row in (("MAX", [1, 2, 3]), ("MIN", [4, 5, 6]), ("7", [7, 8, 9])):
            at = 3 * words.index(word)
            self.assertEqual(rows[at:at + 3], row)

    def test_must_be_the_same_when_resumed(self):
        checkpoint = self.path("a.cavs")
        self.train("--epochs", "1", "--save", checkpoint)
        self.write("v.txt", "MAX 1 2 4\n")
        self.assertIn("--vectors: ", self.train("--epochs", "2", "--resume", checkpoint, check=1).stderr)


class ClassLoss(TestCase):
    def setUp(self):
        super().setUp()
        data = self.write("t.conll", "a B-X\nb O\nc O\n\na B-X\nc O\nd O\n")
        self.train = ["train", "bilstm-tagger", "--data", f"conll:{data}", *SIZES, "--epochs", "1"]

    def loss(self, *options):
        return one_object(cavs(*self.train, *options, "--json").stdout)["epochs"][0]["train_loss"]

    def test_weights_are_given_by_name_or_number(self):
        plain = self.loss()
        self.assertAlmostEqual(self.loss("--class-weights", "B-X=2,O=2"), 2 * plain, delta=1e-5)
        checkpoint = self.path("a.cavs")
        cavs(*self.train, "--save", checkpoint)
        tags = kept(checkpoint, "tags")
        by_number = ",".join(f"{tag}={3 if name == 'O' else 1}" for tag, name in enumerate(tags))
        self.assertEqual(self.loss("--class-weights", "O=3"), self.loss("--class-weights", by_number))
        self.assertNotEqual(self.loss("--class-weights", "O=3"), plain)

    def test_balanced_counts_the_labels(self):
        # 2 labels are B-X and 4 are O, so the weights are 6 / (2 * 2) and 6 / (2 * 4).
        self.assertEqual(self.loss("--class-weights", "balanced"), self.loss("--class-weights", "B-X=1.5,O=0.75"))

    def test_smoothing_raises_the_loss_of_confident_predictions(self):
        self.assertNotEqual(self.loss("--label-smoothing", "0.1"), self.loss())
        self.assertEqual(self.loss("--label-smoothing", "0"), self.loss())

    def test_options_of_another_decay_are_reported(self):
        result = cavs(*self.train, "--decay", "cosine", "--decay-patience", "3", "--decay-floor", "0.1")
        self.assertIn("--decay-patience has no effect with --decay cosine; it applies to plateau", result.stderr)
        self.assertNotIn("--decay-floor has", result.stderr)

    def test_must_be_the_same_when_resumed(self):
        checkpoint = self.path("a.cavs")
        cavs(*self.train, "--class-weights", "O=3", "--label-smoothing", "0.1", "--save", checkpoint)
        result = cavs(*self.train, "--class-weights", "O=2", "--resume", checkpoint, check=1)
        self.assertIn("--class-weights: O=3 in the checkpoint, O=2 here", result.stderr)
        self.assertIn("--label-smoothing: 0.1 in the checkpoint, 0 here", result.stderr)


class Engines(TestCase):
    def test_a_resumed_run_uses_the_recorded_engine(self):
        file = self.path("a")
        cavs(*TRAIN, "--epochs", "1", "--engine", "reference", "--save", file)
        cavs(*TRAIN, "--epochs", "2", "--resume", file, "--save", file)
        self.assertEqual(kept(file, "train_options")["--engine"], "reference")


class Averaging(TestCase):
    def test_averages_are_evaluated_and_saved(self):
        checkpoint = self.path("a.cavs")
        report = one_object(cavs(*TRAIN, "--lr", "0.02", "--ema", "0.9", "--accumulate", "2", "--epochs", "3", "--save",
                                 checkpoint, "--json").stdout)
        loss = report["epochs"][-1]["dev_loss"]
        self.assertEqual(report["steps"], 3 * 2)
        self.assertEqual(one_object(cavs("eval", checkpoint, "--json").stdout)["loss"], loss)
        self.assertNotEqual(one_object(cavs("eval", checkpoint, "--last-step", "--json").stdout)["loss"], loss)
        self.assertNotEqual(tensor(checkpoint, "averages/W"), tensor(checkpoint, "parameters/W"))


if __name__ == "__main__":
    unittest.main()
