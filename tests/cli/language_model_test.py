"""Tests language models: reading text, and continuing prompts."""

import json
import unittest

from cavs_command import SIZES, TestCase, cavs, metadata, one_object


class LanguageModel(TestCase):
    def setUp(self):
        super().setUp()
        self.checkpoint = self.path("a.cavs")

    def train(self):
        cavs("train", "var-lstm", "--data", "markov:train=60,test=20,vocabulary=30,length=6", *SIZES, "--epochs", "2",
             "--save", self.checkpoint)

    def predict(self, prompts, *options):
        lines = cavs("predict", self.checkpoint, *options, stdin=prompts).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def test_continues_prompts(self):
        self.train()
        answers = self.predict("w2 w3\n\n w9 unheard-of\n", "--words", "5")
        self.assertEqual([answer["prompt"] for answer in answers], ["w2 w3", "", " w9 unheard-of"])
        for answer in answers:
            self.assertEqual(answer["continuation"], " ".join(answer["words"]))
            self.assertLessEqual(len(answer["words"]), 5)
            self.assertTrue(answer["ended"] or len(answer["words"]) == 5)
            self.assertLess(answer["log_probability"], 0)

    def test_draws_depend_on_the_seed(self):
        self.train()
        drawn = [self.predict("w2\n", "--temperature", "2", "--seed", seed)[0]["words"] for seed in ("1", "1", "2")]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def test_reads_text_and_limits_the_vocabulary(self):
        train, dev = self.write("train.txt", "a b c\na b d\n\na e\n"), self.write("dev.txt", "a b\nz\n")
        spec = f"text:train={train},dev={dev}"
        cavs("train", "var-lstm", "--data", spec, "--vocabulary", "4", *SIZES, "--epochs", "1", "--save",
             self.checkpoint)
        self.assertEqual(json.loads(metadata(self.checkpoint)["vocabulary"]), ["<unk>", "<eos>", "a", "b"])
        self.assertEqual(one_object(cavs("eval", self.checkpoint, "--json").stdout)["labels"], 3 + 2)

    def test_fixed_lstm_reads_text_in_chains_of_64_words(self):
        train = self.write("train.txt", "a b c\n" * 40)  # 160 words, including <eos>
        cavs("train", "fixed-lstm", "--data", f"text:{train}", *SIZES, "--epochs", "1", "--save", self.checkpoint)
        for spec, labels in (([], 128), (["--data", f"text:{train},steps=10"], 160)):
            self.assertEqual(one_object(cavs("eval", self.checkpoint, *spec, "--json").stdout)["labels"], labels)


if __name__ == "__main__":
    unittest.main()
