"""Tests the best epoch, early stopping and their files, also in resumed training."""

import json
import os
import shutil
import unittest

from cavs_command import TRAIN, TestCase, cavs, metadata, one_object, read_bytes, tensor

# Fast enough that accuracy rises and falls.
LEARN = [*TRAIN, "--lr", "0.05"]


def least(values):
    return values.index(min(values)) + 1


class BestEpoch(TestCase):
    def test_is_saved_beside_the_latest(self):
        last, best = self.path("last.cavs"), self.path("best.cavs")
        report = one_object(cavs(*LEARN, "--epochs", "8", "--save", last, "--save-best", best, "--metric", "loss",
                                 "--json").stdout)
        losses = [epoch["dev_loss"] for epoch in report["epochs"]]
        self.assertEqual((report["best_epoch"], report["best_dev_loss"]), (least(losses), min(losses)))
        self.assertEqual(report["best_checkpoint"], best)
        self.assertEqual(json.loads(metadata(best)["position"])["epoch"], least(losses))
        self.assertEqual(tensor(best, "metrics/dev_loss"), losses[:least(losses)])
        self.assertEqual(one_object(cavs("eval", best, "--json").stdout)["loss"], min(losses))
        self.assertEqual([epoch["epoch"] for epoch in report["epochs"] if epoch["best"]][-1], least(losses))

    def test_is_printed_with_its_file(self):
        best = self.path("best.cavs")
        lines = cavs(*LEARN, "--epochs", "2", "--save-best", best, "--metric", "accuracy").stdout.splitlines()
        self.assertRegex(lines[-2], r"^best epoch: \d, accuracy \d+\.\d\d %$")
        self.assertEqual(lines[-1], f"best checkpoint: {best}")

    def test_patience_ends_training_with_a_message(self):
        result = cavs(*LEARN, "--epochs", "50", "--patience", "2", "--metric", "loss", "--json")
        report = one_object(result.stdout)
        self.assertLess(len(report["epochs"]), 50)
        self.assertTrue(report["finished"])
        self.assertIn(f"no better loss for 2 epochs; ended after epoch {len(report['epochs'])}", result.stderr)

    def test_the_rate_falls_on_a_plateau(self):
        report = one_object(cavs(*LEARN, "--epochs", "12", "--decay", "plateau", "--decay-patience", "1", "--metric",
                                 "loss", "--decay-rate", "0.5", "--json").stdout)
        rates = {epoch["learning_rate"] for epoch in report["epochs"]}
        self.assertTrue({0.05, 0.025} <= rates, rates)

    def test_a_resumed_training_continues_only_its_own_best_file(self):
        def files(name):
            return ["--save", self.path(name), "--save-best", self.path(name + ".best")]
        for name, seed in (("a", "1"), ("b", "2")):
            cavs(*LEARN, *files(name), "--epochs", "1", "--seed", seed)
        resume = [*LEARN, "--epochs", "2", "--seed", "1", "--resume", self.path("a"), "--save", self.path("a")]
        before = read_bytes(self.path("b.best"))
        result = cavs(*resume, "--save-best", self.path("b.best"), check=1)
        self.assertIn("it is a checkpoint of another training than the resumed one", result.stderr)
        self.assertEqual(read_bytes(self.path("b.best")), before)
        text = self.write("text", "mine\n")
        by_loss = [*LEARN, "--seed", "1", "--metric", "loss"]
        cavs(*by_loss, "--epochs", "1", "--save", self.path("first"))
        cavs(*by_loss, "--epochs", "3", *files("c"))
        shutil.copy(self.path("first"), self.path("c.best"))
        result = cavs(*by_loss, "--epochs", "4", "--resume", self.path("c"), *files("c"), check=1)
        self.assertRegex(result.stderr, "it holds epoch 1, but epoch [23] is the best of the resumed training")
        result = cavs(*resume, "--save-best", text, check=1)
        self.assertIn("it is not the best epoch of the resumed training", result.stderr)
        result = cavs(*resume, "--history", text, check=1)
        self.assertIn("does not record the epochs of the resumed training", result.stderr)
        self.assertEqual(read_bytes(text), b"mine\n")
        result = cavs(*resume, "--save-best", self.path("new"))
        self.assertIn(f"epoch 1 is the best so far, but {self.path('new')} does not exist", result.stderr)


class History(TestCase):
    def lines(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_has_a_line_per_epoch(self):
        report = one_object(cavs(*LEARN, "--epochs", "2", "--history", self.path("h.jsonl"), "--json").stdout)
        self.assertEqual(self.lines("h.jsonl"), report["epochs"])

    def test_continues_in_a_resumed_training(self):
        files = ["--save", self.path("a.cavs"), "--history", self.path("h.jsonl")]
        cavs(*LEARN, "--epochs", "2", *files)
        first = self.lines("h.jsonl")
        os.rename(self.path("a.cavs"), self.path("two.cavs"))
        cavs(*LEARN, "--epochs", "3", *files, "--resume", self.path("two.cavs"))
        self.assertEqual(self.lines("h.jsonl")[:2], first)
        self.assertEqual([line["epoch"] for line in self.lines("h.jsonl")], [1, 2, 3])
        os.remove(self.path("a.cavs"))
        cavs(*LEARN, "--epochs", "4", *files, "--resume", self.path("two.cavs"))
        self.assertEqual([line["epoch"] for line in self.lines("h.jsonl")], [1, 2, 3, 4])


if __name__ == "__main__":
    unittest.main()
