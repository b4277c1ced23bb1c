"""scripts/english.py: the tree passes, and each rule finds a sentence of its kind, wherever it is."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import english  # noqa: E402

BAD = {
    "begin with the subject or a verb": "Of a merged vertex, the row of its representative.",
    "write 'per' or 'each', not 'a'": "The kernel moves 12 bytes a step and no more.",
    "use the field's verb": "The gradient comes to nothing in the end.",
    "a thing is 'that' or 'which'": "The kernel who reads the row adds it.",
    "describe what is, not what was": "The cache is no longer locked in a forked process.",
    "put the noun first": "Left out are tests of the network.",
}


class English(unittest.TestCase):
    def rules(self, name, source):
        return [rule for _, rule, _ in english.findings(Path(name), source)]

    def test_the_tree_passes(self):
        if not (ROOT / ".git").exists():
            self.skipTest("this is no clone, so git cannot list the files")
        done = subprocess.run([sys.executable, ROOT / "scripts/english.py"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_every_rule_has_a_sentence_here(self):
        self.assertEqual(set(BAD), set(english.RULES))

    def test_each_rule_finds_its_sentence_wherever_it_is(self):
        for rule, sentence in BAD.items():
            half = sentence.find(" ", len(sentence) // 2)
            first, second = sentence[:half], sentence[half:]
            for name, source in [
                    ("a.h", f"/// {first}\n///{second}\nint x;\n"), ("a.cc", f"int x = 1;  // {sentence}\n"),
                    ("a.cc", f'user_error("{first}"\n           "{second}");\n'), ("a.py", f'def f():\n    """{sentence}"""\n'),
                    ("a.py", f"x = 1  # {sentence}\n"), ("a.py", f'raise Error("{first}"\n            "{second}")\n'),
                    ("a.md", f"{first}\n{second.strip()}\n"), ("a.md", f"| {sentence} | 1 |\n"), ("a.md", f"- {sentence}\n"),
                    ("a.sh", f"# {first}\n#{second}\n"), ("CMakeLists.txt", f"# {sentence}\n"), ("Makefile", f"a: b ## {sentence}\n")]:
                with self.subTest(rule=rule, name=name, source=source):
                    self.assertEqual(self.rules(name, source), [rule])

    def test_code_is_no_prose(self):
        for name, source in [("a.cc", 'auto x = R"(Of a merged vertex, the row.)";\n'), ("a.cc", 'f("Of", "a vertex", "row");\n'),
                             ("a.md", "```\nOf a merged vertex, the row.\n```\n"), ("a.md", "    Of a merged vertex, the row.\n")]:
            with self.subTest(name=name, source=source):
                self.assertEqual(self.rules(name, source), [])

    def test_a_question_may_begin_with_its_word(self):
        self.assertEqual(self.rules("a.md", "Which file is safe to open?\n"), [])

    def test_the_exceptions_are_few(self):
        lines = [line for line in english.EXCEPTIONS.read_text().splitlines() if not line.startswith("#")]
        self.assertLessEqual(len(lines), 60)
        self.assertEqual([line for line in lines if re.fullmatch(r"\s*", line)], [])


if __name__ == "__main__":
    unittest.main()
