"""Manual pages say what --help says. Whether formatters find something wrong with them: other_programs.py."""

import re
import shutil
import subprocess
import unittest

from cavs_command import TestCase, cavs

PAGES = [[], *([name] for name in cavs("man", "--list").stdout.split())]


def formatted(page):
    """The page as a terminal shows it, without overstriking, on lines that are long enough for everything."""
    text = subprocess.run(["groff", "-man", "-Tutf8", "-P-c", "-rLL=1000n"], input=page, capture_output=True,
                          text=True, timeout=60, check=True)
    return re.sub(".\b", "", text.stdout)


def words(text):
    return re.sub(r"\s+", " ", text)


class Manual(TestCase):
    def test_has_a_page_for_every_command(self):
        listed = re.findall(r"(?m)^  ([a-z-]+)  ", cavs("--help").stdout.split("Examples")[0])
        self.assertEqual([page for [page] in PAGES[1:]], listed)

    @unittest.skipIf(shutil.which("groff") is None, "groff is not installed")
    def test_shows_all_of_the_help(self):
        for page in PAGES:
            with self.subTest(page=page):
                text = formatted(cavs("man", *page).stdout)
                shown = words(text)
                help_text = cavs(*page, "--help").stdout
                for name in re.findall(r"(?m)^  ((?:-\w,)?--[a-z-]+)", help_text):
                    self.assertIn(name.replace(",", ", "), shown)
                for line in help_text.split("Examples:\n")[1].splitlines():
                    if line.startswith("  "):
                        self.assertIn(words(line), shown)
                for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
                    self.assertIn(f"\n{heading}\n", text)

    def test_text_with_marks_of_roff_stays_text(self):
        page = cavs("man", "predict").stdout
        self.assertNotRegex(page, r"(?m)^['.](?![A-Z]{2} ?|[A-Z]{2}$|PP|TP)")
        self.assertIn("\\[u2713]", page)  # ✓
        self.assertTrue(page.isascii())


if __name__ == "__main__":
    unittest.main()
