"""The code of docs/python.md runs, from the first block to the last."""

import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"


class Documents(unittest.TestCase):
    def test_the_page_runs(self):
        code = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), flags=re.DOTALL | re.MULTILINE)
        self.assertGreater(len(code), 3)
        names = {}
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as output:
            os.chdir(folder)
            for block in code:
                exec(compile(block, str(PAGE), "exec"), names)
            os.chdir(before)
        self.assertGreater(names["trained"].evaluate(names["data"].dev).accuracy, 0.85, output.getvalue())


if __name__ == "__main__":
    unittest.main()
