"""Completion scripts and manual pages, read by the programs that they are made for. Argument: which program.

Ends with 0 where it has nothing to complain about, 77 where it is not installed.
"""

import shutil
import subprocess
import sys

from cavs_command import cavs

SHELLS = {"zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}
FORMATTERS = {
    "groff": ["groff", "-man", "-ww", "-Tutf8"],
    "man": ["man", "--warnings=w", "-E", "UTF-8", "-l", "-"],
    "mandoc": ["mandoc", "-man", "-Tlint", "-Werror"],
}


def complaints(command, text):
    """What a program says of what it reads; "" where that is nothing. mandoc lints to standard output."""
    ended = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    said = ended.stderr + (ended.stdout if command[0] == "mandoc" else "")
    return said if ended.returncode != 0 or ended.stderr else ""


def main(program):
    if shutil.which(program) is None:
        print(f"{program} is not installed")
        return 77
    if program in SHELLS:
        texts = {f"completion {program}": cavs("completion", program).stdout}
        command = SHELLS[program]
    else:
        pages = [[], *([name] for name in cavs("man", "--list").stdout.split())]
        texts = {" ".join(["man", *page]): cavs("man", *page).stdout for page in pages}
        command = FORMATTERS[program]
    found = {name: said for name, text in texts.items() if (said := complaints(command, text))}
    for name, said in found.items():
        print(f"cavs {name}:\n{said}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
