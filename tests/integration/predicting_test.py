"""Runs the commands of docs/guide/predicting.md one after the other, on small data with the file names used there."""

import pathlib
import re
import tempfile
import unittest

from documents import ROOT, blocks, run
from readme_test import write_data

TREES = ("1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
         "3\truns\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")


class Predicting(unittest.TestCase):
    def setUp(self):
        self.page = (ROOT / "docs" / "guide" / "predicting.md").read_text()

    def test_every_command_runs(self):
        commands = [line for language, text in blocks(self.page) if language == "sh" for line in text.splitlines()]
        self.assertGreater(len(commands), 12)
        with tempfile.TemporaryDirectory() as folder:
            write_data(pathlib.Path(folder))
            pathlib.Path(folder, "TREES").write_text(TREES)
            for command in commands:
                with self.subTest(command):
                    ended = run(command, folder)
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    self.assertNotEqual(ended.stdout, "")

    def test_the_forms_and_formats_match_the_command(self):
        text = " ".join(run("cavs predict --help", None).stdout.split())
        forms = re.search(r"if it is not recognised: ([a-z, ]*?)(?= --)", text)[1].split(", ")
        for form in forms:
            self.assertIn(f"`{form}`", self.page)
        self.assertEqual(re.findall(r"^\| `(\w+)`", self.page.split("## Formats")[1].split("\n## ")[0], re.MULTILINE),
                         ["jsonl", "tsv", "conll", "tree"])


if __name__ == "__main__":
    unittest.main()
