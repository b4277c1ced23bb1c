"""Language models: perplexity, text, and prompts that are continued."""

import json
import math
import unittest
import xml.dom.minidom

from cavs_command import SIZES, TestCase, cavs, metadata, one_object, read_bytes, tensor


class LanguageModel(TestCase):
    TRAIN = ["train", "var-lstm", "--data", "markov:train=60,test=20,vocabulary=30,length=6", *SIZES]

    def setUp(self):
        super().setUp()
        self.checkpoint = self.path("a.cavs")

    def train(self, *options):
        return cavs(*self.TRAIN, "--epochs", "2", "--save", self.checkpoint, *options)

    def predict(self, prompts, *options):
        lines = cavs("predict", self.checkpoint, *options, stdin=prompts).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def test_training_reports_perplexity_in_place_of_accuracy(self):
        report = one_object(self.train("--json").stdout)
        for epoch in report["epochs"]:
            self.assertAlmostEqual(epoch["train_perplexity"], math.exp(epoch["train_loss"]), places=9)
            self.assertAlmostEqual(epoch["dev_perplexity"], math.exp(epoch["dev_loss"]), places=9)
            self.assertNotIn("dev_accuracy", epoch)
        self.assertEqual(report["best_dev_perplexity"], min(epoch["dev_perplexity"] for epoch in report["epochs"]))
        self.assertEqual(tensor(self.checkpoint, "metrics/dev_perplexity"),
                         [epoch["dev_perplexity"] for epoch in report["epochs"]])

    def test_the_table_has_both_perplexities(self):
        table = self.train().stdout.splitlines()
        self.assertEqual(table[0].split(), "epoch train loss perplexity dev loss perplexity samples/s seconds".split())
        self.assertEqual(len(table[1].split()), 7)
        self.assertRegex(table[3], r"^best epoch: \d+, perplexity \d+\.\d\d$")

    def test_the_curve_shows_perplexity(self):
        curve = self.path("curve.svg")
        self.train("--curve", curve)
        document = xml.dom.minidom.parse(curve)
        self.assertEqual(len(document.getElementsByTagName("circle")), 6)
        self.assertIn("development perplexity", read_bytes(curve).decode())

    def test_evaluation_says_what_training_said(self):
        report = one_object(self.train("--json").stdout)
        result = one_object(cavs("eval", self.checkpoint, "--json").stdout)
        self.assertEqual(result["perplexity"], report["epochs"][-1]["dev_perplexity"])
        self.assertNotIn("accuracy", result)
        self.assertRegex(cavs("eval", self.checkpoint).stdout, r"(?m)^perplexity +\d+\.\d\d  of \d+ words$")

    def test_resumed_training_ends_with_the_same_bytes(self):
        whole, half = self.path("whole.cavs"), self.path("half.cavs")
        cavs(*self.TRAIN, "--epochs", "2", "--save", whole)
        cavs(*self.TRAIN, "--epochs", "1", "--save", half)
        cavs(*self.TRAIN, "--epochs", "2", "--resume", half, "--save", half)
        self.assertEqual(read_bytes(half), read_bytes(whole))

    def test_continues_prompts(self):
        self.train()
        answers = self.predict("w2 w3\n\n w9 unheard-of\n", "--words", "5")
        self.assertEqual([answer["prompt"] for answer in answers], ["w2 w3", "", " w9 unheard-of"])
        for answer in answers:
            self.assertEqual(answer["continuation"], " ".join(answer["words"]))
            self.assertLessEqual(len(answer["words"]), 5)
            self.assertTrue(answer["ended"] or len(answer["words"]) == 5)
            self.assertLess(answer["log_probability"], 0)

    def test_says_the_same_for_any_batch_size_and_number_of_threads(self):
        self.train()
        prompts = "w2 w3\nw4\n\nw5 w6 w7\nw2 w3\n"
        for draw in ([], ["--temperature", "0.9", "--seed", "5"]):
            expected = self.predict(prompts, *draw)
            for options in (["--batch-size", "1"], ["--batch-size", "2", "--threads", "2"]):
                self.assertEqual(self.predict(prompts, *draw, *options), expected)

    def test_draws_by_the_seed(self):
        self.train()
        drawn = [self.predict("w2\n", "--temperature", "2", "--seed", seed)[0]["words"] for seed in ("1", "1", "2")]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def test_reads_text_and_cuts_the_vocabulary(self):
        train, dev = self.path("train.txt"), self.path("dev.txt")
        for path, lines in ((train, "a b c\na b d\n\na e\n"), (dev, "a b\nz\n")):
            with open(path, "w") as file:
                file.write(lines)
        spec = f"text:train={train},dev={dev}"
        cavs("train", "var-lstm", "--data", spec, "--vocabulary", "4", *SIZES, "--epochs", "1", "--save",
             self.checkpoint)
        self.assertEqual(json.loads(metadata(self.checkpoint)["vocabulary"]), ["<unk>", "<eos>", "a", "b"])
        self.assertEqual(one_object(cavs("eval", self.checkpoint, "--json").stdout)["labels"], 3 + 2)

    def test_fixed_lstm_reads_text_in_chains_of_64_words(self):
        train = self.path("train.txt")
        with open(train, "w") as file:
            file.write("a b c\n" * 40)  # 160 words with <eos>
        cavs("train", "fixed-lstm", "--data", f"text:{train}", *SIZES, "--epochs", "1", "--save", self.checkpoint)
        for spec, labels in (([], 128), (["--data", f"text:{train},steps=10"], 160)):
            self.assertEqual(one_object(cavs("eval", self.checkpoint, *spec, "--json").stdout)["labels"], labels)


if __name__ == "__main__":
    unittest.main()
