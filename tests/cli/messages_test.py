"""What goes to standard error: nothing but errors with --quiet, no escapes but those of a progress bar, no colours."""

import os
import pty
import re
import subprocess
import unittest

from cavs_command import COMMAND, DATA, SIZES, TRAIN, TestCase, cavs, commands, one_object


class Quiet(TestCase):
    def test_leaves_results_and_errors(self):
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

    def test_of_what_nothing_is_left_to_say(self):
        result = cavs(*TRAIN, "--epochs", "1", "--quiet", "--precision", "bf16", variables={"CAVS_ISA": "portable"})
        self.assertEqual(result.stderr, "")


class Terminal(TestCase):
    def shown(self, *arguments, kind="xterm-256color", variables=None):
        """What appears on a terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([COMMAND, *arguments], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL,
                                   env={**os.environ, "TERM": kind, **(variables or {})})
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(process.wait(timeout=60), 0)
        return text.decode()

    def test_has_a_progress_bar_that_leaves_nothing(self):
        text = self.shown(*TRAIN, "--epochs", "1")
        self.assertIn("\x1b[Kepoch 1/1", text)
        self.assertRegex(text, r"samples/s  loss [^\n]*\r\x1b\[K")

    def test_has_none_where_it_is_not_wanted(self):
        for options, kind in ((["--quiet"], "xterm"), ([], "dumb")):
            with self.subTest(options=options, kind=kind):
                self.assertNotIn("\x1b", self.shown(*TRAIN, "--epochs", "1", *options, kind=kind))

    def test_never_has_colours(self):
        for variables in ({}, {"NO_COLOR": "1"}, {"CLICOLOR_FORCE": "1"}):
            for arguments in ([*TRAIN, "--epochs", "1"], ["--help"], ["models"]):
                self.assertEqual(re.findall("\x1b\\[[0-9;]*m", self.shown(*arguments, variables=variables)), [])


class ExitCodes(TestCase):
    def test_are_what_the_help_says(self):
        self.assertIn("Exit codes: 0 done; 1 failed", cavs("--help").stdout)
        for code, arguments in ((0, ["--version"]), (0, ["help"]), (0, ["train", "--help"]), (2, []), (2, ["trian"]),
                                (2, ["help", "trian"]), (2, ["train", "tree-lstm", "--hidden", "0"]),
                                (1, ["eval", self.path("none.cavs")]),
                                (1, ["train", "tree-lstm", "--data", "trees:" + self.path("none.txt"), *SIZES])):
            with self.subTest(arguments=arguments):
                self.assertEqual(cavs(*arguments, check=None).returncode, code)

    def test_help_is_the_same_in_both_forms(self):
        self.assertEqual(cavs("help").stdout, cavs("--help").stdout)
        for command in commands():
            self.assertEqual(cavs("help", command).stdout, cavs(command, "--help").stdout)

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in (["models"], ["completion"], ["train", "tree-lstm", "--data", DATA, "--print-config"]):
                ended = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60)
                self.assertEqual(ended.returncode, 1)


if __name__ == "__main__":
    unittest.main()
