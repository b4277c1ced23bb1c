"""Each fault of tests/law/mutants applies to the sources, so that scripts/mutants.sh can build it."""

import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@unittest.skipIf(shutil.which("patch") is None, "patch is not installed")
class Mutants(unittest.TestCase):
    def test_each_patch_applies(self):
        patches = sorted(ROOT.glob("tests/law/mutants/*.patch"))
        self.assertGreater(len(patches), 9)
        for patch in patches:
            with self.subTest(patch.name), patch.open() as text:
                done = subprocess.run(["patch", "--dry-run", "--strip=1"], cwd=ROOT, stdin=text, capture_output=True,
                                      text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
