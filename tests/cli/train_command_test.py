"""Tests the output, the files and the exit code of 'cavs train'."""

import json
import re
import unittest
import xml.dom.minidom

from cavs_command import TRAIN, TestCase, SIZES, cavs, metadata, one_object, read_bytes


class Train(TestCase):
    def test_json_is_one_object(self):
        checkpoint, curve = self.path("a.cavs"), self.path("a.svg")
        report = one_object(cavs(*TRAIN, "--epochs", "2", "--save", checkpoint, "--curve", curve, "--json").stdout)
        for epoch in report["epochs"]:
            for field in ("train_loss", "samples_per_second", "seconds"):
                self.assertGreaterEqual(epoch[field], 0)
        self.assertEqual((report["steps"], report["finished"]), (2 * 4, True))
        self.assertEqual((report["checkpoint"], report["curve"]), (checkpoint, curve))

    def test_prints_a_line_per_epoch_and_keeps_the_log_separate(self):
        result = cavs(*TRAIN, "--epochs", "3")
        self.assertEqual(re.findall(r"(?m)^ +(\d+)  ", result.stdout), ["1", "2", "3"])
        self.assertNotIn("cavs:", result.stdout)
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        self.assertTrue(all(line.startswith("cavs: ") for line in result.stderr.splitlines()), result.stderr)

    def test_every_optimizer_option_reaches_the_checkpoint(self):
        file = self.path("a.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", file, "--optimizer", "sgd", "--momentum", "0.5", "--weight-decay",
             "0.25", "--warmup", "2", "--decay", "step", "--decay-rate", "0.75", "--lr", "0.125", "--sparse-updates")
        header = metadata(file)
        options = json.loads(header["optimizer"])["options"]
        self.assertEqual(options["kind"], "sgd")
        for name, value in (("momentum", 0.5), ("weight_decay", 0.25), ("lr", 0.125), ("sparse_updates", True)):
            self.assertEqual(options[name], value)
        self.assertEqual(options["schedule"]["decay"], "step")
        self.assertEqual((options["schedule"]["warmup_steps"], options["schedule"]["rate"]), (2, 0.75))

    def test_the_file_of_the_curve_is_printed_after_the_table(self):
        curve = self.path("curve.svg")
        result = cavs(*TRAIN, "--epochs", "1", "--curve", curve)
        self.assertEqual(result.stdout.splitlines()[-1], f"learning curve: {curve}")
        self.assertEqual(xml.dom.minidom.parse(curve).documentElement.tagName, "svg")

    def test_a_loss_that_is_not_finite_keeps_the_last_checkpoint(self):
        file = self.path("a.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", file)
        before = read_bytes(file)
        result = cavs(*TRAIN, "--epochs", "2", "--optimizer", "sgd", "--lr", "1e38", "--save", file,
                      "--overwrite", check=1)
        self.assertIn("training stopped in epoch", result.stderr)
        self.assertEqual(read_bytes(file), before)

    def test_a_development_set_without_labels_gives_no_result(self):
        train, dev = self.write("train.txt", "(1 (0 a) (1 b))\n"), self.write("dev.txt", "(1)\n")
        report = one_object(cavs("train", "tree-lstm", "--data", f"trees:train={train},dev={dev}", *SIZES, "--epochs",
                                 "1", "--json").stdout)
        self.assertNotIn("dev_loss", report["epochs"][0])
        self.assertNotIn("best_epoch", report)

    def test_a_finished_training_is_saved_under_a_new_name(self):
        first, second = self.path("a.cavs"), self.path("b.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", first)
        cavs(*TRAIN, "--epochs", "1", "--resume", first, "--save", second)
        self.assertEqual(read_bytes(first), read_bytes(second))


if __name__ == "__main__":
    unittest.main()
