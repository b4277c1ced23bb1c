"""Base classes of tests: a temporary folder, the command, real data sets."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import cavs
from models import tree_lstm

COMMAND = os.environ.get("CAVS_COMMAND", "")
DATA = pathlib.Path(os.environ.get("CAVS_DATA_DIR", "no folder"))


class FolderCase(unittest.TestCase):
    """Gives each test an empty folder, self.folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *arguments, text=""):
        """The output of `cavs ARGUMENTS`."""
        if not COMMAND:
            self.skipTest("CAVS_COMMAND does not name the command")
        done = subprocess.run([COMMAND, *map(str, arguments)], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def real_data(self, name):
        """The path of a file or folder in CAVS_DATA_DIR."""
        if not (DATA / name).exists():
            self.skipTest(f"no {DATA / name}; CAVS_DATA_DIR names the folder of data sets")
        return DATA / name


SPEC = "random-trees:train=100,test=30,leaves=6,vocabulary=40"


class FitCase(FolderCase):
    """Trainings of a Tree-LSTM on the random trees of SPEC."""

    @classmethod
    def setUpClass(cls):
        cls.data = cavs.load_data(SPEC)

    def model(self, seed=1):
        return tree_lstm(12, 16, self.data.rows("word"), self.data.classes, seed)

    def trainer(self, **options):
        return cavs.Trainer(self.model(), self.data, **{"batch_size": 25, "lr": 0.01, **options})


def generated(samples=20, seed=1):
    return cavs.load_data(f"random-trees:train={samples},test=5,leaves=5,vocabulary=30,seed={seed}")


class SessionCase(unittest.TestCase):
    """A small Tree-LSTM and random trees for it."""

    @classmethod
    def setUpClass(cls):
        cls.data = generated()

    def model(self, seed=1):
        return tree_lstm(4, 6, self.data.rows("word"), self.data.classes, seed)
