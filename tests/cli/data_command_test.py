"""Tests `cavs data`, and data with text as words and labels: training, evaluation, prediction, drawing."""

import json
import unittest

from cavs_command import SIZES, TestCase, cavs, kept, metadata, one_object

TREES = "(S (NP dogs) (VP bark))\n(S (NP cats) (VP sleep))\n(S (NP dogs) (VP sleep))\n"


class Data(TestCase):
    def test_shows_splits_classes_and_oddities(self):
        train, dev = self.write("a.txt", TREES), self.write("b.txt", "(S (NP dogs) (VP bark))\n")
        text = cavs("data", f"trees:train={train},dev={dev}").stdout
        self.assertRegex(text, r"(?m)^samples +3 +1$")
        self.assertRegex(text, r"(?m)^  per sample +3 to 3, median 3, mean 3.00 +3 to 3")
        self.assertRegex(text, r"(?m)^S +3 +33.3 % +1 +33.3 %$")
        self.assertIn("vocabulary: 5 words", text)
        self.assertIn("- 1 samples of dev are also training samples", text)

    def test_as_json(self):
        train = self.write("a.txt", TREES + TREES)
        result = one_object(cavs("data", f"trees:{train}", "--json").stdout)
        self.assertEqual((result["train"]["samples"], result["train"]["edges"], result["dev"]), (6, 12, None))
        self.assertEqual(result["classes"], ["NP", "S", "VP"])
        self.assertEqual(result["train"]["labels"], [6, 6, 6])
        self.assertEqual(result["train"]["types"], {"leaf": 12, "inner": 6})
        self.assertEqual([(odd["name"], odd["count"]) for odd in result["oddities"]], [("duplicates", 3)])

    def test_draws_samples_with_words_and_labels(self):
        train = self.write("a.txt", TREES)
        text = cavs("data", f"trees:{train}", "--samples", "1").stdout
        self.assertTrue(text.endswith("\n·: S\n├─ dogs: NP\n└─ bark: VP\n"), text)

    def test_works_with_generators_and_limits(self):
        result = one_object(cavs("data", "listops:train=50,test=5", "--limit", "7", "--json").stdout)
        self.assertEqual((result["train"]["samples"], result["dev"]["samples"]), (7, 5))
        for spec in ("markov:train=5,test=2", "tags:train=5,test=2", "tree-pairs:train=5,test=2",
                     "moving-shapes:train=5,test=2", "translations:train=5,test=2"):
            self.assertIn("samples", cavs("data", spec).stdout)


class Names(TestCase):
    """Names are kept from training to prediction."""

    def setUp(self):
        super().setUp()
        self.checkpoint = self.path("a.cavs")

    def train(self, data, *options):
        cavs("train", "tree-lstm", "--data", data, *SIZES, "--epochs", "2", "--save", self.checkpoint, *options)

    def test_of_trees_are_stored_and_drawn(self):
        data = "trees:" + self.write("a.txt", TREES)
        self.train(data)
        self.assertEqual(kept(self.checkpoint, "tags"), ["NP", "S", "VP"])
        self.assertEqual(one_object(cavs("eval", self.checkpoint, "--json", "--part", "train").stdout)["labels"], 9)
        drawn = cavs("predict", self.checkpoint, "--tree", stdin="(S (NP dogs) (VP bark))\n").stdout
        self.assertRegex(drawn, r"^→ (S ✓|NP ✗ S|VP ✗ S)\n├─ dogs → ")

    def test_of_json_lines_are_learned_and_stored(self):
        line = '{"children":[[],[],[0,1]],"pull":{"word":["dogs","bark",null]},"label":["N","V",null]}\n'
        self.train("jsonl:" + self.write("a.jsonl", line * 3))
        self.assertEqual(json.loads(metadata(self.checkpoint)["vocabulary"]), ["<unk>", "bark", "dogs"])
        self.assertEqual(kept(self.checkpoint, "tags"), ["N", "V"])
        by_name = json.loads(cavs("predict", self.checkpoint, stdin=line).stdout)
        by_number = json.loads(cavs("predict", self.checkpoint, stdin=line.replace('"dogs"', "2").replace(
            '"bark"', "1")).stdout)
        self.assertEqual(by_name["probabilities"], by_number["probabilities"])

    def test_of_other_ports_are_learned_stored_and_compared_when_resumed(self):
        line = '{"children":[[]],"pull":{"word":["a"],"pos":["N"]},"label":["x"]}\n'
        data = "jsonl:" + self.write("a.jsonl", line + line.replace('"N"', '"V"') + line)
        self.train(data)
        self.assertEqual(kept(self.checkpoint, "port_words"), {"pos": ["<unk>", "N", "V"]})
        answers = [one_object(cavs("predict", self.checkpoint, stdin=line.replace('"N"', pos)).stdout)
                   for pos in ('"N"', "1", '"ADJ"')]
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(one_object(cavs("eval", self.checkpoint, "--json", "--part", "train").stdout)["samples"], 3)
        other = "jsonl:" + self.write("b.jsonl", line.replace('"N"', '"M"') + line.replace('"N"', '"V"') +
                                     line.replace('"N"', '"M"'))
        refused = cavs("train", "tree-lstm", "--data", other, *SIZES, "--epochs", "3", "--resume", self.checkpoint,
                       check=1)
        self.assertIn("was trained with other texts at index ports", refused.stderr)
        shown = {port["name"]: port for port in one_object(cavs("data", data, "--json").stdout)["train"]["ports"]}
        self.assertEqual((shown["pos"]["vocabulary"], shown["pos"]["unknown"]), (3, 0))
        self.assertRegex(cavs("data", data).stdout, r"(?m)^port pos +at 3 vertices .*, 0 of them unknown, vocabulary of 3 words$")

    def test_of_edges_are_stored_and_compared_when_resumed(self):
        line = ('{"children":[[],[0]],"pull":{"word":["a","b"]},"edges":{"relation":[[],["subject"]]},'
                '"label":["x","y"]}\n')
        self.train("jsonl:" + self.write("a.jsonl", line * 3))
        self.assertEqual(kept(self.checkpoint, "edge_names"), {"relation": ["subject"]})
        other = "jsonl:" + self.write("b.jsonl", line.replace("subject", "object") * 3)
        refused = cavs("train", "tree-lstm", "--data", other, *SIZES, "--epochs", "3", "--resume", self.checkpoint,
                       check=1)
        self.assertIn("was trained with other texts at index ports", refused.stderr)

    def test_of_a_table_are_learned_and_stored(self):
        data = "table:" + self.write("a.csv", 'text,label\n"good, film",pos\nbad film,neg\n') + ",text=text,label=label"
        self.train(data)
        self.assertEqual(kept(self.checkpoint, "tags"), ["neg", "pos"])
        self.assertEqual(one_object(cavs("eval", self.checkpoint, "--json", "--part", "train").stdout)["labels"], 2)

    def test_a_port_that_the_model_ignores_is_reported(self):
        line = '{"children":[[]],"pull":{"word":["a"],"charge":[[0.5]]},"label":["x"]}\n'
        result = cavs("train", "dag-rnn", "--data", "jsonl:" + self.write("a.jsonl", line), *SIZES, "--epochs", "1")
        self.assertIn("dag-rnn does not read port 'charge' of the data", result.stderr)


if __name__ == "__main__":
    unittest.main()
