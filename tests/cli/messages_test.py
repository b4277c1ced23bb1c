"""Tests standard error: --quiet leaves only errors, only progress bars use escape sequences, and there are no
colours."""

import re
import subprocess
import unittest

from cavs_command import COMMAND, DATA, SIZES, TRAIN, TestCase, cavs, commands, on_terminal, one_object


class Quiet(TestCase):
    def test_keeps_results_and_errors(self):
        save = self.path("a.cavs")
        loud = cavs(*TRAIN, "--epochs", "1", "--save", save)
        quiet = cavs(*TRAIN, "--epochs", "1", "--save", save, "--overwrite", "--quiet")
        self.assertNotEqual(loud.stderr, "")
        self.assertEqual(quiet.stderr, "")
        self.assertEqual(quiet.stdout.split("\n")[0], loud.stdout.split("\n")[0])
        self.assertEqual(len(quiet.stdout.splitlines()), len(loud.stdout.splitlines()))
        result = cavs("eval", save, "-q", "--json")
        self.assertEqual((result.stderr, one_object(result.stdout)["samples"]), ("", 20))
        self.assertIn("cannot open", cavs("eval", self.path("b.cavs"), "--quiet", check=1).stderr)
        self.assertIn("expected an integer", cavs(*TRAIN, "--quiet", "--epochs", "0", check=2).stderr)

    def test_suppresses_all_warnings_and_notes(self):
        result = cavs(*TRAIN, "--epochs", "1", "--quiet", "--precision", "bf16", variables={"CAVS_ISA": "portable"})
        self.assertEqual(result.stderr, "")


class Terminal(TestCase):
    def test_has_a_progress_bar_that_erases_itself(self):
        text, _ = on_terminal(*TRAIN, "--epochs", "1", with_output=True)
        self.assertIn("\x1b[Kepoch 1/1", text)
        self.assertRegex(text, r"samples/s  loss [^\n]*\r\x1b\[K")

    def test_has_a_bar_of_its_width_if_standard_output_is_a_file(self):
        training = ["train", "tree-lstm", "--data", "listops:train=3000,test=0,length=30", *SIZES, "--epochs", "1"]
        drawn, output = on_terminal(*training)
        self.assertRegex(drawn, r"epoch 1/1 ▕.*▏ +\d+ %  \d+ samples/s  loss \d+\.\d+  \d+:\d\d left")
        self.assertNotIn("samples/s  loss", output)
        self.assertNotIn("\x1b", output)
        bars = re.findall(r"\r\x1b\[K(epoch [^\r]*)", on_terminal(*training, columns=40)[0])
        self.assertEqual({len(bar) for bar in bars}, {39})

    def test_has_a_bar_of_predictions(self):
        data, save = "listops:train=20,test=20,length=9", self.path("a.cavs")
        cavs("train", "tree-lstm", "--data", data, *SIZES, "--epochs", "1", "--save", save)
        drawn, output = on_terminal("predict", save, "--data", data, "--batch-size", "1")
        self.assertRegex(drawn, r"▕.*▏ +\d+ %  \d+ samples  \d+ samples/s")
        self.assertEqual(len(output.splitlines()), 20)
        self.assertNotIn("\x1b", output)

    def test_has_no_bar_if_switched_off(self):
        for options, kind in ((["--quiet"], "xterm"), ([], "dumb")):
            with self.subTest(options=options, kind=kind):
                text, _ = on_terminal(*TRAIN, "--epochs", "1", *options, variables={"TERM": kind}, with_output=True)
                self.assertNotIn("\x1b", text)

    def test_has_no_colours(self):
        for variables in ({}, {"NO_COLOR": "1"}, {"CLICOLOR_FORCE": "1"}):
            for arguments in ([*TRAIN, "--epochs", "1"], ["--help"], ["models"]):
                text, _ = on_terminal(*arguments, variables=variables, with_output=True)
                self.assertEqual(re.findall("\x1b\\[[0-9;]*m", text), [])


class ExitCodes(TestCase):
    def test_are_in_the_help(self):
        self.assertIn("Exit codes: 0 success; 1 failure", cavs("--help").stdout)
        cavs("help", "trian", check=2)

    def test_help_is_the_same_in_both_forms(self):
        self.assertEqual(cavs("help").stdout, cavs("--help").stdout)
        for command in commands():
            self.assertEqual(cavs("help", command).stdout, cavs(command, "--help").stdout)

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in (["models"], ["completion"], ["train", "tree-lstm", "--data", DATA, "--print-config"]):
                ended = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                       check=False)
                self.assertEqual(ended.returncode, 1)
                self.assertIn("cannot write to standard output", ended.stderr)


if __name__ == "__main__":
    unittest.main()
