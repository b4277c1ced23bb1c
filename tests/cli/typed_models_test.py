"""Models whose graphs have several types of vertices: F1 of taggers, and predictions for the sample as it was given."""

import json
import unittest
import xml.dom.minidom

from cavs_command import SIZES, TestCase, cavs, metadata, one_object, read_bytes, tensor


class Typed(TestCase):
    def setUp(self):
        super().setUp()
        self.checkpoint = self.path("a.cavs")

    def train(self, model, data, *options):
        return cavs("train", model, "--data", data, *SIZES, "--epochs", "2", "--save", self.checkpoint,
                    "--overwrite", *options)

    def predict(self, samples, *options):
        return cavs("predict", self.checkpoint, *options, stdin=samples).stdout


class Taggers(Typed):
    DATA = "tags:train=60,test=20,length=6,vocabulary=40"

    def test_training_reports_f1_and_evaluation_says_the_same(self):
        for model, data in (("bilstm-tagger", self.DATA), ("lattice-gru", "lattices:train=60,test=20,length=6")):
            report = one_object(self.train(model, data, "--json").stdout)
            last = report["epochs"][-1]
            self.assertEqual(report["best_dev_entity_f1"], max(e["dev_entity_f1"] for e in report["epochs"]))
            self.assertEqual(tensor(self.checkpoint, "metrics/dev_token_f1"),
                             [epoch["dev_token_f1"] for epoch in report["epochs"]])
            result = one_object(cavs("eval", self.checkpoint, "--json").stdout)
            for name in ("accuracy", "token_f1", "entity_f1"):
                self.assertEqual(result[name], last["dev_" + name], name)

    def test_f1_rises_where_there_is_something_to_learn(self):
        report = one_object(self.train("bilstm-tagger", "tags:train=600,test=60", "--json", "--hidden", "32",
                                       "--embedding", "32", "--epochs", "6", "--lr", "0.02").stdout)
        self.assertGreater(report["best_dev_entity_f1"], 0.7)

    def test_the_checkpoint_names_the_tags(self):
        self.train("bilstm-tagger", self.DATA)
        tags = json.loads(json.loads(metadata(self.checkpoint)["extra"])["tags"])
        self.assertEqual(tags[:3], ["O", "B-A", "I-A"])

    def test_tables_and_the_curve_show_f1(self):
        curve = self.path("curve.svg")
        table = self.train("bilstm-tagger", self.DATA, "--curve", curve).stdout.splitlines()
        self.assertEqual(table[0].split(),
                         "epoch train loss dev loss accuracy token F1 entity F1 samples/s seconds".split())
        self.assertRegex(table[3], r"^best epoch: \d+, entity F1 \d+\.\d\d %$")
        self.assertRegex(cavs("eval", self.checkpoint).stdout, r"(?m)^entity F1 +\d+\.\d\d %$")
        self.assertEqual(len(xml.dom.minidom.parse(curve).getElementsByTagName("circle")), 6)
        self.assertIn("development entity F1", read_bytes(curve).decode())

    def test_a_chain_gets_a_class_for_each_of_its_tokens(self):
        self.train("bilstm-tagger", self.DATA)
        chain = {"types": ["token"] * 3, "children": [[], [0], [1]], "pull": {"word": [5, 8, 3]}, "label": [-1] * 3}
        prediction = one_object(self.predict(json.dumps(chain) + "\n"))
        self.assertEqual(len(prediction["classes"]), 3)
        self.assertEqual(prediction["class"], prediction["classes"][2])  # of the root, the last token


class Trees(Typed):
    def test_predictions_are_those_of_the_tree_as_it_was_given(self):
        for model in ("tree-lstm-nary", "tree-gru", "tree-lstm-2type", "mv-rnn"):
            self.train(model, "random-trees:train=60,test=20,leaves=5,vocabulary=20")
            tree = "(1 (w2) (2 (w3) (w4)))"
            prediction = one_object(self.predict(tree))
            self.assertEqual(len(prediction["classes"]), 5)
            self.assertEqual(prediction["class"], prediction["classes"][0])
            self.assertEqual(prediction["label"], 1)
            self.assertEqual(self.predict("(0 w5)\n" + tree).splitlines()[1], self.predict(tree).strip())
            self.assertEqual(len(self.predict(tree, "--tree").strip().splitlines()), 5)

    def test_the_root_is_what_the_output_over_it_says(self):
        report = one_object(self.train("tree-lstm-nary", "random-trees:train=60,test=20", "--json").stdout)
        result = one_object(cavs("eval", self.checkpoint, "--json").stdout)
        self.assertEqual(result["roots"], 20)
        self.assertEqual(result["root_accuracy"], report["epochs"][-1]["dev_root_accuracy"])

    def test_resumed_training_ends_with_the_same_bytes(self):
        data, half = "random-trees:train=60,test=20", self.path("half.cavs")
        self.train("tree-lstm-2type", data)
        self.train("tree-lstm-2type", data, "--epochs", "1", "--save", half)
        self.train("tree-lstm-2type", data, "--resume", half, "--save", half)
        self.assertEqual(read_bytes(half), read_bytes(self.checkpoint))


class Translation(Typed):
    def test_an_encoder_decoder_is_judged_by_perplexity(self):
        report = one_object(self.train("lstm-nmt", "translations:train=60,test=20,vocabulary=40", "--json").stdout)
        result = one_object(cavs("eval", self.checkpoint, "--json").stdout)
        self.assertEqual(result["perplexity"], report["epochs"][-1]["dev_perplexity"])


class Scores(Typed):
    DATA = "tree-pairs:train=60,test=20,length=5,vocabulary=40"

    def test_a_model_of_pairs_is_judged_by_correlation(self):
        report = one_object(self.train("tree-lstm-relatedness", self.DATA, "--json").stdout)
        self.assertEqual(report["best_dev_pearson"], max(epoch["dev_pearson"] for epoch in report["epochs"]))
        result = one_object(cavs("eval", self.checkpoint, "--json").stdout)
        for name in ("pearson", "spearman", "mean_squared_error"):
            self.assertEqual(result[name], report["epochs"][-1]["dev_" + name], name)
        self.assertRegex(cavs("eval", self.checkpoint).stdout, r"(?m)^Pearson +-?0\.\d{4}  of 20 scores$")

    def test_tables_show_it(self):
        table = self.train("tree-lstm-relatedness", self.DATA).stdout.splitlines()
        self.assertEqual(table[0].split(), "epoch train loss dev loss MSE Spearman Pearson samples/s seconds".split())
        self.assertRegex(table[3], r"^best epoch: \d+, Pearson -?0\.\d{4}$")

    def test_a_pair_gets_a_score_and_its_probabilities(self):
        self.train("tree-lstm-relatedness", self.DATA)
        pair = {"types": ["node", "node", "node", "pair"], "children": [[], [0], [], [1, 2]],
                "pull": {"word": [5, 8, 3, -1], "score": [None, None, None, [3.5]]}}
        prediction = one_object(self.predict(json.dumps(pair) + "\n"))
        mean = sum((i + 1) * p for i, p in enumerate(prediction["probabilities"]))
        self.assertAlmostEqual(prediction["score"], mean, places=5)
        self.assertEqual(prediction["expected"], 3.5)


class Films(Typed):
    DATA = "moving-shapes:train=60,test=20,length=3"

    def test_a_film_gets_the_motion_of_its_last_frame(self):
        report = one_object(self.train("lrcn", self.DATA, "--json").stdout)
        result = one_object(cavs("eval", self.checkpoint, "--json").stdout)
        self.assertEqual(result["root_accuracy"], report["epochs"][-1]["dev_root_accuracy"])
        pixels = [[0.01 * (31 * t + i) % 1 for i in range(256)] for t in range(3)]
        film = {"types": ["frame"] * 3, "children": [[], [0], [1]], "pull": {"pixels": pixels}, "label": [-1, -1, 4]}
        prediction = one_object(self.predict(json.dumps(film) + "\n"))
        self.assertEqual(len(prediction["probabilities"]), 9)
        self.assertEqual(prediction["class"], prediction["classes"][2])

    def test_resumed_training_ends_with_the_same_bytes(self):
        half = self.path("half.cavs")
        self.train("lrcn", self.DATA, "--dropout", "0.3")
        self.train("lrcn", self.DATA, "--dropout", "0.3", "--epochs", "1", "--save", half)
        self.train("lrcn", self.DATA, "--dropout", "0.3", "--resume", half, "--save", half)
        self.assertEqual(read_bytes(half), read_bytes(self.checkpoint))


class Buckets(Typed):
    def test_resumed_training_ends_with_the_same_bytes(self):
        data, options, half = "markov:train=60,test=20", ["--bucket", "2"], self.path("half.cavs")
        self.train("gru", data, *options)
        self.train("gru", data, *options, "--epochs", "1", "--save", half)
        refused = cavs("train", "gru", "--data", data, *SIZES, "--resume", half, check=1)
        self.assertIn("--bucket: 2 in the checkpoint, 0 here", refused.stderr)
        self.train("gru", data, *options, "--resume", half, "--save", half)
        self.assertEqual(read_bytes(half), read_bytes(self.checkpoint))


class Streams(Typed):
    def setUp(self):
        super().setUp()
        self.text = self.path("text.txt")
        with open(self.text, "w", encoding="utf-8") as file:
            file.writelines(f"w{i % 7} w{i % 5} w{i * i % 11}\n" for i in range(100))
        self.data = f"text:train={self.text},dev={self.text}"

    def test_resumed_training_ends_with_the_same_bytes(self):
        options, half = ["--stream", "20", "--dropout", "0.2"], self.path("half.cavs")
        self.train("gru", self.data, *options)
        self.train("gru", self.data, *options, "--epochs", "1", "--save", half)
        for other, message in (("30", "--stream: 20 in the checkpoint, 30 here"), ("0", "content of the data")):
            refused = cavs("train", "gru", "--data", self.data, *SIZES, "--resume", half, "--stream", other, check=1)
            self.assertIn(message, refused.stderr)
        self.train("gru", self.data, *options, "--resume", half, "--save", half)
        self.assertEqual(read_bytes(half), read_bytes(self.checkpoint))

    def test_what_cannot_be_streamed_is_refused(self):
        for options, message in ((["--data", "markov"], "cannot be streamed"),
                                 (["--data", self.data, "--policy", "fsm"], "--policy fsm learns from data in memory"),
                                 (["--data", self.data, "--bucket", "2"], "only data in memory are put into buckets")):
            self.assertIn(message, cavs("train", "gru", *options, "--stream", "5", check=1).stderr)


class Prompts(Typed):
    def test_a_gru_continues_a_prompt(self):
        self.train("gru", "markov:train=60,test=20")
        self.assertEqual(one_object(self.predict("w2 w3\n", "--words", "4"))["prompt"], "w2 w3")


if __name__ == "__main__":
    unittest.main()
