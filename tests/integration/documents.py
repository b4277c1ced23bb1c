"""Reads blocks of code in the documents. As a program, writes the program of README.md and the project of
docs/start/install.md to a folder, to be built there.

Usage: documents.py FOLDER   writes listops.cc and CMakeLists.txt, and prints the command that builds with pkg-config
"""

import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(page):
    """Returns (language, text) of each block between ``` lines."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)


def flush_left(text):
    """The code without its indentation."""
    return textwrap.dedent(text).strip("\n")


def is_program(text):
    return re.search(r"^int main\(", text, flags=re.MULTILINE) is not None


def missing(page, sources):
    """Blocks of code that no source of their language contains. Programs are excluded, since they are built as
    shown."""
    found = []
    for language, text in blocks(page):
        if language not in sources or is_program(text):
            continue
        lines = flush_left(text).splitlines()
        candidates = [source.splitlines() for source in sources[language]]
        windows = (flush_left("\n".join(source[i:i + len(lines)])) for source in candidates for i in range(len(source)))
        if flush_left(text) not in windows:
            found.append(text)
    return found


def run(command, folder):
    """Runs a block or a line of a document in bash, with $CAVS_COMMAND as `cavs`."""
    path = f"{pathlib.Path(os.environ['CAVS_COMMAND']).parent}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=folder, text=True, timeout=120,
                          env=os.environ | {"PATH": path}, capture_output=True, check=False)


def only(page, what, found):
    if len(found) != 1:
        sys.exit(f"documents: {page} has {len(found)} blocks that are {what}, expected one")
    return found[0]


def write_project(folder):
    readme, page = blocks((ROOT / "README.md").read_text()), "docs/start/install.md"
    program = only("README.md", "a program in C++", [text for language, text in readme if language == "cpp" and is_program(text)])
    install = blocks((ROOT / page).read_text())
    (folder / "listops.cc").write_text(program)
    (folder / "CMakeLists.txt").write_text(only(page, "CMake", [text for language, text in install if language == "cmake"]))
    lines = [line for language, text in install if language == "sh" for line in text.splitlines()]
    return only(page, "a command with pkg-config", [line for line in lines if line.startswith("g++")])


if __name__ == "__main__":
    print(write_project(pathlib.Path(sys.argv[1])))
