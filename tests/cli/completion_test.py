"""Tests the script for bash, and the completions that it requests from the command."""

import os
import re
import subprocess
import unittest

from cavs_command import COMMAND, TestCase, cavs, commands

ASK = """
source <(cavs completion)
COMP_LINE=$1 COMP_POINT=${#1}
_cavs
[[ $(complete -p cavs) == 'complete -o default -F _cavs cavs' ]] || exit 1
[[ -z $COMPREPLY ]] || printf '%s\\n' "${COMPREPLY[@]}"
"""


def names_in_help(*command):
    """Returns the names of all options and commands in --help."""
    return set(re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+)", cavs(*command, "--help").stdout))


class Completion(TestCase):
    def ask(self, line):
        """Returns the completions for the end of a line, or nothing if bash completes names of files."""
        path = f"{os.path.dirname(COMMAND)}:{os.environ['PATH']}"
        result = subprocess.run(["bash", "-c", ASK, "ask", line], capture_output=True, text=True, timeout=60, check=True,
                                env=os.environ | {"PATH": path})
        return result.stdout.splitlines()

    def test_commands(self):
        self.assertEqual(self.ask("cavs tr"), ["train"])
        self.assertEqual(self.ask("cavs "), commands())
        self.assertEqual(self.ask("cavs --v"), ["--version"])
        self.assertEqual(self.ask("cavs trian --"), [])

    def test_every_option_of_every_command(self):
        for command in commands():
            with self.subTest(command=command):
                self.assertEqual(set(self.ask(f"cavs {command} --")), names_in_help(command))
        self.assertEqual(self.ask("cavs train tree-lstm --hid"), ["--hidden"])
        self.assertIn("--hidden", self.ask("cavs train tree-lstm "))

    def test_known_values(self):
        optimizers = ["adagrad", "adam", "adamw", "sgd"]
        for line, values in {"cavs train tree-lstm --optimizer ada": optimizers[:3],
                             "cavs train --optimizer=ad": optimizers[:3], "cavs train --optimizer ": optimizers,
                             "cavs train --disable fuse,simplify_": ["fuse,simplify_gradient"],
                             "cavs train --data tre": ["trees:", "tree-pairs"], "cavs eval a.cavs --part d": ["dev"],
                             "cavs train --hidden 8 -q tree-f": ["tree-fc"], "cavs inspect tree-f": ["tree-fc"]}.items():
            with self.subTest(line=line):
                self.assertEqual(self.ask(line), values)
        self.assertEqual(self.ask("cavs train "), [line.split()[0] for line in cavs("models").stdout.splitlines()])

    def test_others_are_numbers_and_files(self):
        for line in ("cavs train --hidden ", "cavs eval sav", "cavs train tree-fc --save sav", "cavs inspect sav",
                     "cavs train tree-fc --data trees:sav", "cavs train --policy=fsm:sav"):
            self.assertEqual(self.ask(line), [], line)


if __name__ == "__main__":
    unittest.main()
