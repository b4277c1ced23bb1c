"""The package itself: what it is and what it needs."""

import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import unittest

import cavs

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Package(unittest.TestCase):
    def test_the_version_is_that_of_the_library(self):
        version = re.search(r"project\(cavs VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(cavs.__version__, version)

    def test_importing_needs_numpy_alone(self):
        code = "import sys, json, cavs; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
        loaded = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        foreign = [m for m in loaded if m not in sys.stdlib_module_names and not m.startswith(("_", "cavs", "numpy"))]
        self.assertEqual([m for m in foreign if m not in self.loaded_without()], [])

    @staticmethod
    def loaded_without():
        code = "import sys, json; print(json.dumps([m.partition('.')[0] for m in sys.modules]))"
        return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)

    def test_the_wheel_says_what_it_is(self):
        try:
            about = importlib.metadata.metadata("cavs")
        except importlib.metadata.PackageNotFoundError:
            self.skipTest("the module of a build folder is tested, which is no installed package")
        self.assertEqual(about["Version"], cavs.__version__)
        self.assertEqual(about["License-Expression"], "Apache-2.0")
        self.assertEqual(importlib.metadata.requires("cavs"), ["numpy>=1.24"])
        files = {str(file) for file in importlib.metadata.files("cavs")}
        self.assertLessEqual({"cavs/__init__.py", "cavs/py.typed", "cavs/_core.pyi"}, files)


if __name__ == "__main__":
    unittest.main()
