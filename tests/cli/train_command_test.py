"""What 'cavs train' prints and saves, and with which exit code."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest
import xml.dom.minidom

from cavs_command import COMMAND, SIZES, TRAIN, TestCase, cavs, metadata, one_object, read_bytes, tensor


class Train(TestCase):
    def test_json_is_one_object_with_every_epoch(self):
        checkpoint, curve = self.path("a.cavs"), self.path("a.svg")
        result = cavs(*TRAIN, "--epochs", "2", "--save", checkpoint, "--curve", curve, "--json")
        report = one_object(result.stdout)
        self.assertEqual([epoch["epoch"] for epoch in report["epochs"]], [1, 2])
        for epoch in report["epochs"]:
            for field in ("train_loss", "dev_loss", "dev_accuracy", "dev_root_accuracy", "samples_per_second",
                          "seconds"):
                self.assertGreaterEqual(epoch[field], 0)
        self.assertEqual(report["steps"], 2 * 4)
        self.assertTrue(report["finished"])
        self.assertEqual((report["checkpoint"], report["curve"]), (checkpoint, curve))
        best = max(epoch["dev_root_accuracy"] for epoch in report["epochs"])
        self.assertEqual(report["best_dev_root_accuracy"], best)

    def test_learns(self):
        report = one_object(cavs(*TRAIN, "--epochs", "20", "--lr", "0.02", "--json").stdout)
        self.assertLess(report["epochs"][-1]["train_loss"], 0.8 * report["epochs"][0]["train_loss"])

    def test_prints_a_line_an_epoch_and_keeps_the_log_apart(self):
        result = cavs(*TRAIN, "--epochs", "3")
        self.assertEqual(re.findall(r"(?m)^ +(\d+)  ", result.stdout), ["1", "2", "3"])
        self.assertNotIn("cavs:", result.stdout)
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        self.assertTrue(all(line.startswith("cavs: ") for line in result.stderr.splitlines()), result.stderr)

    def on_a_terminal(self, columns):
        """What a training writes to a terminal of so many columns, and to its standard output."""
        reader, terminal = pty.openpty()
        self.addCleanup(os.close, reader)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        arguments = ["train", "tree-lstm", "--data", "listops:train=3000,test=0,length=30", *SIZES, "--epochs", "1"]
        process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=terminal)
        os.close(terminal)
        drawn = b""
        while True:
            try:
                piece = os.read(reader, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            drawn += piece
        output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        return drawn.decode(), output.decode()

    def test_progress_is_drawn_on_a_terminal_only_and_never_on_standard_output(self):
        drawn, output = self.on_a_terminal(80)
        self.assertRegex(drawn, r"epoch 1/1 ▕.*▏ +\d+ %  \d+ samples/s  loss \d+\.\d+  \d+:\d\d left")
        self.assertNotIn("samples/s  loss", output)
        self.assertNotIn("\x1b", output)

    def test_progress_fits_a_line_of_the_terminal(self):
        bars = re.findall(r"\r\x1b\[K(epoch [^\r]*)", self.on_a_terminal(40)[0])
        self.assertGreater(len(bars), 0)
        self.assertEqual({len(bar) for bar in bars}, {39})

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

    def test_the_checkpoint_keeps_the_history(self):
        file = self.path("a.cavs")
        report = one_object(cavs(*TRAIN, "--epochs", "2", "--save", file, "--json").stdout)
        history = tensor(file, "metrics/dev_root_accuracy")
        self.assertEqual(history, [epoch["dev_root_accuracy"] for epoch in report["epochs"]])

    def test_the_curve_is_svg(self):
        curve = self.path("curve.svg")
        result = cavs(*TRAIN, "--epochs", "3", "--curve", curve)
        self.assertEqual(result.stdout.splitlines()[-1], f"learning curve: {curve}")
        document = xml.dom.minidom.parse(curve)
        self.assertEqual(document.documentElement.tagName, "svg")
        self.assertEqual(len(document.getElementsByTagName("circle")), 9)

    def test_where_the_loss_is_not_finite_the_last_checkpoint_stays(self):
        file = self.path("a.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", file)
        before = read_bytes(file)
        result = cavs(*TRAIN, "--epochs", "2", "--optimizer", "sgd", "--lr", "1e38", "--save", file,
                      "--overwrite", check=1)
        self.assertIn("training stopped in epoch", result.stderr)
        self.assertEqual(read_bytes(file), before)

    def test_a_development_part_without_labels_is_no_result(self):
        train, dev = self.path("train.txt"), self.path("dev.txt")
        for path, text in ((train, "(1 (0 a) (1 b))\n"), (dev, "(1)\n")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        report = one_object(cavs("train", "tree-lstm", "--data", f"trees:train={train},dev={dev}", *SIZES, "--epochs",
                                 "1", "--json").stdout)
        self.assertNotIn("dev_loss", report["epochs"][0])
        self.assertNotIn("best_epoch", report)

    def test_what_is_trained_to_the_end_is_saved_under_a_new_name(self):
        first, second = self.path("a.cavs"), self.path("b.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", first)
        cavs(*TRAIN, "--epochs", "1", "--resume", first, "--save", second)
        self.assertEqual(read_bytes(first), read_bytes(second))

    def test_more_than_the_memory_limit_is_an_error_with_an_estimate(self):
        result = cavs(*TRAIN, "--memory-limit", "100KB", check=1)
        self.assertRegex(result.stderr, r"a minibatch of 16 samples .* needs .* KiB, the limit is 97.7 KiB; largest: ")


if __name__ == "__main__":
    unittest.main()
