"""Each model of the zoo trains on its own data, and predicts from the raw form of these."""

import json
import re
import unittest

from cavs_command import SIZES, TestCase, cavs, one_object

TREE = "((w2) (w3))"
DAG = '{"children":[[],[0],[0,1]],"pull":{"word":["3","MAX","MIN"]}}'
FILM = json.dumps({"types": ["frame"] * 2, "children": [[], [0]], "pull": {"pixels": [[0.5] * 256, None]}})
LATTICE = json.dumps({"types": ["position", "character", "position", "character", "word", "position"],
                      "children": [[], [0], [1], [2], [0], [3, 4]],
                      "pull": {"word": [None, "w2", None, "w3", "w8", None]}})

# By the data: a sample as a user would write it, and what of the answer has an entry for each of so many parts.
RAW = {
    "listops": ("[MAX 2 9 [MIN 4 7] 0]", "classes", 7),
    "binary-trees": (TREE, "classes", 3),
    "random-trees": (TREE, "classes", 3),
    "tree-pairs": ("(w2 (w3))\t(w4)", "probabilities", 5),
    "expressions": (DAG, "classes", 3),
    "moving-shapes": (FILM, "classes", 2),
    "lattices": (LATTICE, "classes", 6),
    "tags": ("w2 w3 w4", "tags", 3),
    "translations": ("w5 w6", "words", None),
    "markov": ("w2 w3", "words", 2),
}
OF_TEXT = ("translations", "markov")


class EveryModel(TestCase):
    def predict(self, sample, *options, check=0):
        return cavs("predict", self.path("a.cavs"), *options, stdin=sample + "\n", check=check)

    def check_answer(self, data):
        sample, name, size = RAW[data]
        answer = one_object(self.predict(sample, *(["--words", "2"] if data == "markov" else [])).stdout)
        if size is not None:
            self.assertEqual(len(answer[name]), size)
        self.assertGreater(len(json.dumps(answer[name])), 4)
        if data == "tree-pairs":
            self.assertTrue(1 <= answer["score"] <= 5)
        if data == "translations":
            self.assertEqual(answer["translation"], " ".join(answer["words"]))

    def check_refusal(self, data):
        """A form that only models of tables take: the message shows a sample that this model takes."""
        refused = self.predict("it works", "--input", "texts", check=1).stderr
        if data in OF_TEXT:
            return self.assertIn("was trained on text", refused)
        example = re.search(r"for example '(.*)'\n$", refused, re.DOTALL)
        self.assertTrue(example, refused)
        self.assertTrue(one_object(self.predict(example[1]).stdout)["probabilities"])

    def test_trains_an_epoch_and_predicts_from_the_raw_form_of_its_data(self):
        models = one_object(cavs("models", "--json").stdout)["models"]
        self.assertGreater(len(models), 20)
        for model in models:
            with self.subTest(model=model["name"]):
                report = one_object(cavs("train", model["name"], *SIZES, "--epochs", "1", "--limit", "20", "--json",
                                         "--save", self.path("a.cavs"), "--overwrite").stdout)
                self.assertTrue(report["finished"])
                self.assertEqual(report["data"], model["data"])
                kind = model["data"].split(":")[0]
                self.check_answer(kind)
                self.check_refusal(kind)

    def test_a_sample_that_does_not_fit_is_named_by_its_line_beside_one_that_does(self):
        cavs("train", "tree-gru", *SIZES, "--epochs", "1", "--limit", "20", "--save", self.path("a.cavs"))
        refused = self.predict(TREE + "\n\n((w2) (w3) (w4))", check=1).stderr
        self.assertRegex(refused, r"stdin:3: .* has 3 children, .* gathers 2.*; for example '\(\(It\)")
        refused = self.predict("[MAX 1 2]", check=1).stderr
        self.assertRegex(refused, r"stdin:1: expected a tree in brackets,.*found '\[MAX 1 2\]'")
        self.assertNotIn("ListOps", refused)


if __name__ == "__main__":
    unittest.main()
