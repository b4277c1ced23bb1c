"""Checks that the manual pages that help2man makes of --help lose nothing."""

import pathlib
import re
import shutil
import subprocess
import unittest

from cavs_command import COMMAND, TestCase, cavs, commands

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "WriteManuals.cmake"


def words(text):
    return re.sub(r"\s+", " ", text)


class Manual(TestCase):
    def write(self, help2man):
        subprocess.run(["cmake", f"-DCOMMAND={COMMAND}", "-DVERSION=1.2.3", f"-DFOLDER={self.folder}",
                        f"-DHELP2MAN={help2man}", "-P", SCRIPT], check=True, timeout=120)
        return sorted(path.name for path in pathlib.Path(self.folder, "man1").iterdir())

    def formatted(self, page):
        """Returns the page as a terminal shows it, without overstriking, and with lines long enough to avoid
        wrapping."""
        text = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-c", "-rLL=1000n", pathlib.Path(self.folder, "man1", page)],
                              capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(text.stderr, "")
        return re.sub(".\b", "", text.stdout)

    @unittest.skipIf(None in (shutil.which("help2man"), shutil.which("groff")), "help2man or groff is not installed")
    def test_shows_all_of_the_help(self):
        names = {"cavs.1": [], **{f"cavs-{command}.1": [command] for command in commands()}}
        self.assertEqual(self.write(shutil.which("help2man")), sorted(names))
        for page, command in names.items():
            with self.subTest(page=page):
                text = self.formatted(page)
                self.assertRegex(text, rf"(?m)^{page[:-2].upper()}\(1\)")
                help_text = cavs(*command, "--help").stdout
                for name in re.findall(r"(?m)^  ((?:-\w,)?--[a-z-]+)", help_text):
                    self.assertRegex(text, rf"(?m)^ +{name}( |$)")
                lines = [words(line).strip() for line in text.splitlines()]
                for example in re.findall(r"(?m)^  (\$ .*)$", help_text):
                    self.assertIn(words(example), lines)
                self.assertIn("\nEXAMPLES\n", text)

    def test_without_help2man_there_is_only_completion(self):
        self.assertEqual(self.write("CAVS_HELP2MAN-NOTFOUND"), [])
        completion = pathlib.Path(self.folder, "bash-completion", "completions", "cavs")
        self.assertEqual(completion.read_text(encoding="utf-8"), cavs("completion").stdout)


if __name__ == "__main__":
    unittest.main()
