"""The best epoch, the early end of training, and their files, also when training is resumed."""

import json
import os
import shutil
import unittest

from cavs_command import TRAIN, TestCase, cavs, metadata, one_object, read_bytes, tensor

# Fast enough that accuracy goes up and down.
LEARN = [*TRAIN, "--lr", "0.05"]


def least(values):
    return values.index(min(values)) + 1


class BestEpoch(TestCase):
    def test_is_kept_beside_the_latest(self):
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

    def test_is_named_for_people_with_its_file(self):
        best = self.path("best.cavs")
        lines = cavs(*LEARN, "--epochs", "2", "--save-best", best, "--metric", "accuracy").stdout.splitlines()
        self.assertRegex(lines[-2], r"^best epoch: \d, accuracy \d+\.\d\d %$")
        self.assertEqual(lines[-1], f"best checkpoint: {best}")

    def test_patience_ends_training_and_says_so(self):
        result = cavs(*LEARN, "--epochs", "50", "--patience", "2", "--metric", "loss", "--json")
        report = one_object(result.stdout)
        losses = [epoch["dev_loss"] for epoch in report["epochs"]]
        self.assertLess(len(losses), 50)
        self.assertEqual(len(losses), least(losses) + 2)
        self.assertTrue(report["finished"])
        self.assertIn(f"no better loss for 2 epochs: ended after epoch {len(losses)}", result.stderr)

    def test_the_rate_falls_on_a_plateau(self):
        report = one_object(cavs(*LEARN, "--epochs", "12", "--decay", "plateau", "--decay-patience", "1", "--metric",
                                 "loss", "--decay-rate", "0.5", "--json").stdout)
        losses = [epoch["dev_loss"] for epoch in report["epochs"]]
        rate = 0.05
        for i, epoch in enumerate(report["epochs"]):
            if i > 1 and min(losses[:i - 1]) <= losses[i - 1]:
                rate /= 2
            self.assertEqual(epoch["learning_rate"], rate)
        self.assertLess(rate, 0.05)

    def test_resumed_ends_with_the_same_files(self):
        options = [*LEARN, "--patience", "3", "--metric", "loss", "--decay", "plateau", "--decay-patience", "1"]
        def files(name):
            return ["--save", self.path(name), "--save-best", self.path(name + ".best")]
        whole = one_object(cavs(*options, *files("whole"), "--epochs", "12", "--json").stdout)
        for epochs in (1, 3, len(whole["epochs"]) - 1):
            with self.subTest(epochs=epochs):
                name = f"cut{epochs}"
                cavs(*options, *files(name), "--epochs", str(epochs))
                cavs(*options, *files(name), "--epochs", "12", "--resume", self.path(name))
                for end in ("", ".best"):
                    self.assertEqual(read_bytes(self.path(name + end)), read_bytes(self.path("whole" + end)))

    def test_a_resumed_training_goes_on_with_its_own_best_file_alone(self):
        def files(name):
            return ["--save", self.path(name), "--save-best", self.path(name + ".best")]
        for name, seed in (("a", "1"), ("b", "2")):
            cavs(*LEARN, *files(name), "--epochs", "1", "--seed", seed)
        resume = [*LEARN, "--epochs", "2", "--seed", "1", "--resume", self.path("a"), "--save", self.path("a")]
        before = read_bytes(self.path("b.best"))
        result = cavs(*resume, "--save-best", self.path("b.best"), check=1)
        self.assertIn("it is the checkpoint of another training than the one that is resumed", result.stderr)
        self.assertEqual(read_bytes(self.path("b.best")), before)
        with open(self.path("text"), "w", encoding="utf-8") as file:
            file.write("mine\n")
        by_loss = [*LEARN, "--seed", "1", "--metric", "loss"]
        cavs(*by_loss, "--epochs", "1", "--save", self.path("first"))
        cavs(*by_loss, "--epochs", "3", *files("c"))
        shutil.copy(self.path("first"), self.path("c.best"))
        result = cavs(*by_loss, "--epochs", "4", "--resume", self.path("c"), *files("c"), check=1)
        self.assertRegex(result.stderr, "it holds epoch 1, while epoch [23] is the best of the training")
        result = cavs(*resume, "--save-best", self.path("text"), check=1)
        self.assertIn("it is not the best epoch of the training that is resumed", result.stderr)
        self.assertEqual(read_bytes(self.path("text")), b"mine\n")
        result = cavs(*LEARN, "--epochs", "1", "--save-best", self.path("a.best"), check=1)
        self.assertIn("this file is there already", result.stderr)
        result = cavs(*resume, "--save-best", self.path("new"))
        self.assertIn(f"epoch 1 is the best so far, but {self.path('new')} is not there", result.stderr)

    def test_outputs_that_would_overwrite_each_other_or_the_input(self):
        for pair in (["--save", "q", "--save-best", "q"], ["--save-best", "q", "--history", "./q"]):
            arguments = [argument if argument.startswith("-") else self.path(argument) for argument in pair]
            self.assertIn("would overwrite each other", cavs(*LEARN, *arguments, check=1).stderr)
        checkpoint = self.path("a.cavs")
        cavs(*LEARN, "--epochs", "1", "--save", checkpoint)
        result = cavs(*LEARN, "--resume", checkpoint, "--history", checkpoint, "--overwrite", check=1)
        self.assertIn("this is the file that --resume reads", result.stderr)


class History(TestCase):
    def lines(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_has_a_line_an_epoch(self):
        report = one_object(cavs(*LEARN, "--epochs", "2", "--history", self.path("h.jsonl"), "--json").stdout)
        self.assertEqual(self.lines("h.jsonl"), report["epochs"])

    def test_goes_on_where_training_does(self):
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

    def test_of_another_training_is_left_alone(self):
        checkpoint, text = self.path("a.cavs"), self.path("text")
        cavs(*LEARN, "--epochs", "1", "--save", checkpoint)
        with open(text, "w", encoding="utf-8") as file:
            file.write("mine\n")
        result = cavs(*LEARN, "--epochs", "2", "--resume", checkpoint, "--history", text, check=1)
        self.assertIn("does not have the epochs of the training that is resumed", result.stderr)
        self.assertEqual(read_bytes(text), b"mine\n")


if __name__ == "__main__":
    unittest.main()
