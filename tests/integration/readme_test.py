"""Runs the commands of README.md, on small data in files with the names used there."""

import pathlib
import re
import tempfile
import unittest

from documents import ROOT, blocks, run

TREES = "(3 (2 It) (4 (3 works) (2 .)))\n(1 (2 It) (0 fails))\n"
TAGS = "John B-PER\nruns O\n\nMary B-PER\nsees O\nParis B-LOC\n\n"
CHARACTERS = "李0\tB-PER.NAM\n明1\tI-PER.NAM\n在0\tO\n\n"
PAIRS = {"a.toks": "a man runs\na dog sleeps\n", "b.toks": "a man walks\na cat sits\n", "a.parents": "2 3 0\n2 3 0\n",
         "b.parents": "2 3 0\n2 3 0\n", "sim.txt": "4.5\n1.5\n"}


def write_data(folder):
    """FILE is text as well as tagged sentences. DIR has the files of each data set that is a folder."""
    files = {"FILE": TAGS, "SOURCE": "two dogs play\na man sleeps\n", "TARGET": "zwei hunde spielen\nein mann schläft\n",
             "DIR/lexicon.txt": "李明\n", "reviews.csv": "review,stars\nIt works,3\nIt fails,1\n"}
    for part in ["train", "dev"]:
        files |= {f"DIR/{part}.txt": TREES, f"DIR/weiboNER_2nd_conll.{part}": CHARACTERS}
        files |= {f"DIR/{part}/{name}": text for name, text in PAIRS.items()}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Readme(unittest.TestCase):
    def setUp(self):
        self.page = (ROOT / "README.md").read_text()

    def test_every_command_runs(self):
        lines = [line for language, text in blocks(self.page) if language == "sh" for line in text.splitlines()]
        commands = [line for line in lines if re.search(r"(^|\| )cavs ", line)]
        self.assertGreater(len(commands), 5)
        with tempfile.TemporaryDirectory() as folder:
            write_data(pathlib.Path(folder))
            for command in commands:
                with self.subTest(command):
                    ended = run(command, folder)
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    self.assertNotEqual(ended.stdout, "")

    def test_targets_of_make_exist(self):
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
        named = re.findall(r"(?:^ *|`)make ([a-z-]+)", self.page, flags=re.MULTILINE)
        self.assertGreater(len(named), 2)
        self.assertEqual([name for name in named if name not in targets], [])


if __name__ == "__main__":
    unittest.main()
