"""Messages of the library must not name options or commands of `cavs`, which callers of the library do not have."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = re.findall(r'\{"([a-z-]+)", ', (ROOT / "src/cli/commands.cc").read_text())
LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')
OF_THE_COMMAND = re.compile(r"(?<![\w-])--[a-z]|\bcavs (?:" + "|".join(COMMANDS) + r")\b")


def named_by(source):
    """Returns [(line, literal)] for the literals that name an option or a command."""
    return [(number, literal) for number, line in enumerate(source.splitlines(), 1)
            for literal in LITERAL.findall(re.sub(r"^\s*//.*", "", line)) if OF_THE_COMMAND.search(literal)]


class Messages(unittest.TestCase):
    def test_only_the_command_names_its_options(self):
        found = [f"{file.relative_to(ROOT)}:{number}: {literal}; expected the name that C++ has, such as TrainOptions::seed"
                 for file in sorted((ROOT / "src").rglob("*.*")) if file.suffix in (".h", ".cc", ".inc")
                 if "cli" not in file.relative_to(ROOT).parts for number, literal in named_by(file.read_text())]
        self.assertEqual(found, [], "\n".join(found))

    def test_options_and_commands_are_found(self):
        self.assertIn("train", COMMANDS)
        for text in ("try a smaller --batch-size", "which 'cavs train MODEL' writes", "'cavs learn-policy' learns one"):
            self.assertEqual(named_by(f'  user_error("{text}", size);'), [(1, f'"{text}"')])
        for line in ('user_error("a checkpoint of cavs, from 3 -- 4");', '// "--seed" of the command', "--count;"):
            self.assertEqual(named_by(line), [], line)


if __name__ == "__main__":
    unittest.main()
