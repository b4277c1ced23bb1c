"""Trains each model of the zoo on its own kind of data, and predicts from the raw form of the data."""

import json
import unittest

from cavs_command import SIZES, TestCase, cavs, one_object

TREE = "((w2) (w3))"
DAG = '{"children":[[],[0],[0,1]],"pull":{"word":["3","MAX","MIN"]}}'
FILM = json.dumps({"types": ["frame"] * 2, "children": [[], [0]], "pull": {"pixels": [[0.5] * 256, None]}})
LATTICE = json.dumps({"types": ["position", "character", "position", "character", "word", "position"],
                      "children": [[], [0], [1], [2], [0], [3, 4]],
                      "pull": {"word": [None, "w2", None, "w3", "w8", None]}})

# By kind of data: a sample as a user would write it, the list in the answer that has an entry per part, and its length.
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


class EveryModel(TestCase):
    def check_answer(self, data):
        sample, name, size = RAW[data]
        options = ["--words", "2"] if data == "markov" else []
        answer = one_object(cavs("predict", self.path("a.cavs"), *options, stdin=sample + "\n").stdout)
        if size is not None:
            self.assertEqual(len(answer[name]), size)
        self.assertGreater(len(json.dumps(answer[name])), 4)
        if data == "tree-pairs":
            self.assertTrue(1 <= answer["score"] <= 5)
        if data == "translations":
            self.assertEqual(answer["translation"], " ".join(answer["words"]))

    def test_trains_an_epoch_and_predicts_from_the_raw_form_of_its_data(self):
        models = one_object(cavs("models", "--json").stdout)["models"]
        self.assertGreater(len(models), 20)
        for model in models:
            with self.subTest(model=model["name"]):
                report = one_object(cavs("train", model["name"], *SIZES, "--epochs", "1", "--limit", "20", "--json",
                                         "--save", self.path("a.cavs"), "--overwrite").stdout)
                self.assertTrue(report["finished"])
                self.assertEqual(report["data"], model["data"])
                self.check_answer(model["data"].split(":")[0])


if __name__ == "__main__":
    unittest.main()
