"""Completion: bash's script is asked, those of zsh and fish are searched (and read by their shells: other_programs.py)."""

import re
import subprocess
import unittest

from cavs_command import TestCase, cavs

ASK = """
source <(cat "$1"); shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_cavs
printf '%s\\n' "${COMPREPLY[@]}"
"""


def names_in_help(*command):
    """Every name of an option or command in --help."""
    text = cavs(*command, "--help").stdout
    return set(re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+)", text))


def commands():
    return cavs("man", "--list").stdout.split()


class Bash(TestCase):
    def setUp(self):
        super().setUp()
        self.script = self.path("cavs.bash")
        with open(self.script, "w", encoding="utf-8") as file:
            file.write(cavs("completion", "bash").stdout)
        for name in ("save.cavs", "save two.cavs"):
            open(self.path(name), "w", encoding="utf-8").close()

    def ask(self, *words):
        """What is offered for the last of the words, which bash has divided at '=' and ':'."""
        result = subprocess.run(["bash", "-c", ASK, "ask", self.script, "cavs", *words], capture_output=True, text=True,
                                cwd=self.folder, timeout=60, check=True)
        self.assertEqual(result.stderr, "")
        return result.stdout.splitlines()

    def test_commands(self):
        self.assertEqual(self.ask("tr"), ["train"])
        self.assertEqual(self.ask(""), commands())
        self.assertEqual(self.ask("--v"), ["--version"])

    def test_every_option_of_every_command(self):
        for command in commands():
            with self.subTest(command=command):
                self.assertEqual({name for name in self.ask(command, "--") if name}, names_in_help(command))
        self.assertEqual(self.ask("train", "tree-lstm", "--hid"), ["--hidden"])

    def test_values_that_are_known(self):
        self.assertEqual(self.ask("train", "tree-lstm", "--optimizer", "ada"), ["adagrad", "adam", "adamw"])
        self.assertEqual(self.ask("train", "tree-lstm", "--optimizer", "=", "sg"), ["sgd"])
        self.assertEqual(self.ask("train", "tree-lstm", "--optimizer", "="),
                         self.ask("train", "tree-lstm", "--optimizer", ""))
        self.assertEqual(self.ask("train", "--disable", "fuse,simplify_"), ["fuse,simplify_gradient"])
        self.assertEqual(self.ask("train", "--data", "tre"), ["trees:", "tree-pairs"])
        self.assertEqual(self.ask("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.ask("train", "--hidden", ""), [""])

    def test_models_and_files(self):
        models = [line.split()[0] for line in cavs("models").stdout.splitlines()]
        self.assertEqual(self.ask("train", ""), models)
        self.assertEqual(self.ask("train", "--hidden", "8", "tree-f"), ["tree-fc"])
        self.assertEqual(sorted(self.ask("eval", "sav")), ["save two.cavs", "save.cavs"])
        self.assertEqual(self.ask("train", "tree-fc", "--save", "save."), ["save.cavs"])
        self.assertEqual(self.ask("train", "tree-fc", "--data", "trees", ":", "save."), ["save.cavs"])
        self.assertEqual(self.ask("train", "tree-fc", "--policy", "fsm", ":", "save."), ["save.cavs"])
        self.assertEqual(self.ask("train", "tree-fc", "--data", "trees", ":", "train", "=", "save."), ["save.cavs"])
        self.assertEqual(sorted(self.ask("inspect", "sav")), ["save two.cavs", "save.cavs"])
        self.assertIn("--hidden", self.ask("train", "tree-fc", ""))


class OtherShells(TestCase):
    def script(self, shell):
        return cavs("completion", shell).stdout

    def test_every_option_is_there(self):
        zsh, fish = self.script("zsh"), self.script("fish")
        for command in commands():
            branch = zsh.split(f"        {command})\n")[1].split(";;")[0]
            rules = [line for line in fish.splitlines() if f"'__fish_seen_subcommand_from {command}'" in line]
            for name in names_in_help(command):
                with self.subTest(command=command, option=name):
                    self.assertRegex(branch, rf"'\*?{name}=?\[")
                    self.assertEqual(sum(f" -l {name[2:]} " in rule for rule in rules), 1)

    def test_values_that_are_known_are_there(self):
        self.assertIn(":NAME:(adagrad adam ", self.script("zsh"))
        self.assertRegex(self.script("fish"), r"seen_subcommand_from train' -l optimizer -x -a 'adagrad adam ")
        for shell in ("zsh", "fish"):
            self.assertIn("tree-lstm-relatedness", self.script(shell))


if __name__ == "__main__":
    unittest.main()
