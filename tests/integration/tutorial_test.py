"""The tutorial shows what is built and run: every block of code stands in examples/ as it is."""

import pathlib
import re
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {"cpp": "*.cc", "cmake": "CMakeLists.txt"}


def blocks(page):
    """(language, text) of each block between ``` lines."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)


def flush_left(text):
    """The same code wherever it is nested."""
    return textwrap.dedent(text).strip("\n")


def missing(page, sources):
    """Blocks of code that are in no source of their language."""
    found = []
    for language, text in blocks(page):
        if language not in CODE:
            continue
        lines = flush_left(text).splitlines()
        candidates = [source.splitlines() for source in sources[language]]
        windows = (flush_left("\n".join(source[i:i + len(lines)])) for source in candidates for i in range(len(source)))
        if flush_left(text) not in windows:
            found.append(text)
    return found


class Tutorial(unittest.TestCase):
    def setUp(self):
        self.sources = {language: [path.read_text() for path in (ROOT / "examples").glob(name)]
                        for language, name in CODE.items()}
        self.page = (ROOT / "docs/tutorial.md").read_text()

    def test_every_block_of_code_is_in_the_examples(self):
        self.assertGreater(sum(language in CODE for language, _ in blocks(self.page)), 5)
        self.assertEqual(missing(self.page, self.sources), [])

    def test_one_that_is_not_is_found(self):
        changed = self.page.replace("split<2>", "split<3>")
        self.assertEqual(len(missing(changed, self.sources)), 1)


if __name__ == "__main__":
    unittest.main()
