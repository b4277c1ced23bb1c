"""Runs all of docs/start/first-hour.md in an empty folder, and compares the output. Numbers may differ."""

import re
import tempfile
import unittest

from documents import ROOT, blocks, run

PAGE = ROOT / "docs" / "start" / "first-hour.md"


def without_numbers(text):
    """Lines of the text without numbers and widths of columns."""
    return [re.sub(r"\s+", " ", re.sub(r"\d+(\.\d+)?", "N", line)).strip() for line in text.strip().splitlines()]


class FirstHour(unittest.TestCase):
    def test_prints_what_the_page_shows(self):
        pairs = blocks(PAGE.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            printed = None
            for language, text in pairs:
                if language == "text":
                    with self.subTest(shown=text):
                        self.assertEqual(without_numbers(printed), without_numbers(text))
                    continue
                self.assertEqual(language, "sh")
                ended = run(text, folder)
                self.assertEqual((ended.returncode, ended.stderr), (0, ""), text)
                printed = ended.stdout
        self.assertGreater(len(pairs), 10)


if __name__ == "__main__":
    unittest.main()
