"""What people set when they train: rates by name, vectors of words, weights of classes, averages."""

import json
import unittest

from cavs_command import SIZES, TRAIN, TestCase, cavs, metadata, one_object, read_bytes, tensor


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

    def test_what_is_frozen_is_as_it_was(self):
        def table(name, *options):
            file = self.path(name)
            cavs(*TRAIN, *options, "--save", file)
            return tensor(file, "parameters/embedding")
        first = table("one", "--epochs", "1", "--freeze", "embedding")
        self.assertEqual(table("two", "--epochs", "2", "--freeze", "embedding", "--weight-decay", "0.1"), first)
        self.assertNotEqual(table("three", "--epochs", "2"), first)


class Vectors(TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.path("v.txt")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("MAX 1 2 3\nmin 4 5 6\n7 7 8 9\nother 0 0 0\n")

    def train(self, *options, check=0):
        return cavs("train", "tree-lstm", "--data", "listops:train=60,test=20,length=20", "--hidden", "8",
                    "--vectors", self.file, *options, check=check)

    def test_begin_training_and_give_the_width(self):
        checkpoint = self.path("a.cavs")
        result = self.train("--freeze", "embedding", "--epochs", "1", "--save", checkpoint)
        self.assertRegex(result.stderr, r"v.txt: 3 of \d+ words found \(1 of them in lower case\), 3 numbers each")
        words = json.loads(metadata(checkpoint)["vocabulary"])
        rows = tensor(checkpoint, "parameters/embedding")
        for word, row in (("MAX", [1, 2, 3]), ("MIN", [4, 5, 6]), ("7", [7, 8, 9])):
            at = 3 * words.index(word)
            self.assertEqual(rows[at:at + 3], row)

    def test_another_embedding_is_refused(self):
        result = self.train("--embedding", "4", check=1)
        self.assertIn("has 3 numbers a word, --embedding is 4; leave --embedding out, or give it as 3", result.stderr)
        self.train("--embedding", "3", "--epochs", "1")

    def test_must_be_the_same_when_resumed(self):
        whole, cut = self.path("whole"), self.path("cut")
        self.train("--epochs", "2", "--save", whole)
        self.train("--epochs", "1", "--save", cut)
        self.train("--epochs", "2", "--save", cut, "--resume", cut)
        self.assertEqual(read_bytes(cut), read_bytes(whole))
        with open(self.file, "a", encoding="utf-8") as file:
            file.write("8 1 1 1\n")
        self.assertIn("--vectors: ", self.train("--epochs", "3", "--resume", cut, check=1).stderr)

    def test_are_no_output(self):
        result = self.train("--save", self.file, "--overwrite", check=1)
        self.assertIn("this is the file that --vectors reads", result.stderr)

    def test_a_model_without_words_has_no_use_for_them(self):
        result = cavs("train", "lrcn", *SIZES, "--vectors", self.file, check=1)
        self.assertIn("none of the", result.stderr)


class ClassLoss(TestCase):
    TAGS = "a B-X\nb O\nc O\n\na B-X\nc O\nd O\n"

    def setUp(self):
        super().setUp()
        self.data = self.path("t.conll")
        with open(self.data, "w", encoding="utf-8") as file:
            file.write(self.TAGS)
        self.train = ["train", "bilstm-tagger", "--data", f"conll:{self.data}", *SIZES, "--epochs", "1"]

    def loss(self, *options):
        return one_object(cavs(*self.train, *options, "--json").stdout)["epochs"][0]["train_loss"]

    def test_weights_are_by_name_or_number(self):
        plain = self.loss()
        self.assertAlmostEqual(self.loss("--class-weights", "B-X=2,O=2"), 2 * plain, delta=1e-5)
        checkpoint = self.path("a.cavs")
        cavs(*self.train, "--save", checkpoint)
        tags = json.loads(json.loads(metadata(checkpoint)["extra"])["tags"])
        by_number = ",".join(f"{tag}={3 if name == 'O' else 1}" for tag, name in enumerate(tags))
        self.assertEqual(self.loss("--class-weights", "O=3"), self.loss("--class-weights", by_number))
        self.assertNotEqual(self.loss("--class-weights", "O=3"), plain)

    def test_balanced_counts_the_labels(self):
        # 2 labels are B-X, 4 are O: 6 / (2 * 2) and 6 / (2 * 4).
        self.assertEqual(self.loss("--class-weights", "balanced"), self.loss("--class-weights", "B-X=1.5,O=0.75"))

    def test_smoothing_raises_the_loss_of_what_is_sure(self):
        self.assertNotEqual(self.loss("--label-smoothing", "0.1"), self.loss())
        self.assertEqual(self.loss("--label-smoothing", "0"), self.loss())

    def test_options_of_another_decay_are_named(self):
        result = cavs(*self.train, "--decay", "cosine", "--decay-patience", "3", "--decay-floor", "0.1")
        self.assertIn("--decay-patience has no effect with --decay cosine; it is for plateau", result.stderr)
        self.assertNotIn("--decay-floor has", result.stderr)

    def test_must_be_the_same_when_resumed(self):
        checkpoint = self.path("a.cavs")
        cavs(*self.train, "--class-weights", "O=3", "--label-smoothing", "0.1", "--save", checkpoint)
        result = cavs(*self.train, "--class-weights", "O=2", "--resume", checkpoint, check=1)
        self.assertIn("--class-weights: O=3 in the checkpoint, O=2 here", result.stderr)
        self.assertIn("--label-smoothing: 0.1 in the checkpoint, 0 here", result.stderr)

    def test_a_model_with_another_loss_refuses_them(self):
        train = ["bilstm-crf" if argument == "bilstm-tagger" else argument for argument in self.train]
        self.assertIn("is not the loss of bilstm-crf", cavs(*train, "--label-smoothing", "0.1", check=1).stderr)


class Engines(TestCase):
    def engine(self, checkpoint):
        return json.loads(json.loads(metadata(checkpoint)["extra"])["train_options"])["--engine"]

    def test_a_resumed_run_takes_the_recorded_engine(self):
        file = self.path("a")
        cavs(*TRAIN, "--epochs", "1", "--engine", "reference", "--save", file)
        cavs(*TRAIN, "--epochs", "2", "--resume", file, "--save", file)
        self.assertEqual(self.engine(file), "reference")

    def test_an_engine_of_other_bits_is_refused(self):
        file = self.path("a")
        cavs(*TRAIN, "--epochs", "1", "--save", file)
        result = cavs(*TRAIN, "--epochs", "2", "--resume", file, "--engine", "reference", check=1)
        self.assertIn("--engine: batched in the checkpoint, reference here", result.stderr)

    def test_persistent_is_of_a_gpu(self):
        result = cavs(*TRAIN, "--engine", "persistent", check=1)
        self.assertIn("engine persistent runs on device cuda only; take engine batched, or device cuda", result.stderr)
        result = cavs(*TRAIN, "--check-script", check=2)
        self.assertIn("--check-script is about the scripts of --device cuda, found engine batched", result.stderr)
        self.assertIn("batched", cavs(*TRAIN, "--engine", "auto", check=2).stderr)


class Averaging(TestCase):
    def test_accumulated_minibatches_are_as_one_of_their_size(self):
        def losses(batch, *options):
            sizes = ["--hidden", "8", "--embedding", "4", "--batch-size", batch]
            report = one_object(cavs("train", "tree-lstm", "--data", "listops:train=60,test=20,length=20", *sizes,
                                     "--epochs", "2", *options, "--json").stdout)
            return report["steps"], [epoch["train_loss"] for epoch in report["epochs"]]
        (steps, expected), (found_steps, found) = losses("16"), losses("4", "--accumulate", "4")
        self.assertEqual(found_steps, steps)
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a, b, delta=1e-4)

    def test_averages_are_evaluated_saved_and_resumed(self):
        whole, cut = self.path("whole"), self.path("cut")
        train = [*TRAIN, "--lr", "0.02", "--ema", "0.9", "--accumulate", "2"]
        report = one_object(cavs(*train, "--epochs", "3", "--save", whole, "--json").stdout)
        loss = report["epochs"][-1]["dev_loss"]
        self.assertEqual(one_object(cavs("eval", whole, "--json").stdout)["loss"], loss)
        self.assertNotEqual(one_object(cavs("eval", whole, "--last-step", "--json").stdout)["loss"], loss)
        self.assertNotEqual(tensor(whole, "averages/W"), tensor(whole, "parameters/W"))
        cavs(*train, "--epochs", "1", "--save", cut)
        cavs(*train, "--epochs", "3", "--save", cut, "--resume", cut)
        self.assertEqual(read_bytes(cut), read_bytes(whole))
        result = cavs(*TRAIN, "--lr", "0.02", "--epochs", "4", "--resume", cut, check=1)
        self.assertIn("--ema: 0.9 in the checkpoint, 0 here", result.stderr)
        self.assertIn("--accumulate: 2 in the checkpoint, 1 here", result.stderr)


if __name__ == "__main__":
    unittest.main()
