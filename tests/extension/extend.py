"""Checks that an operator, a policy or a pass needs one file and one line. An engine for a new device needs one file,
one line that says which engine runs on which device, and the names of both.

Adds the file and the lines to a copy of the sources. Compiles the added file, the sources that read the lists, and a
test. Links these before the built library, so that they replace its objects, and runs the test.
Usage: extend.py [--flag=FLAG...] [--link=FILE...] COMPILER NAME
"""

import argparse
import dataclasses
import difflib
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


@dataclasses.dataclass
class Line:
    list: str  # the file of the list
    text: str  # text to add to a line, or as a new line
    after: str  # the text before it


@dataclasses.dataclass
class Extension:
    file: str  # the file to add, relative to this folder
    to: str  # the folder of src/ that receives the file
    lines: list
    readers: list  # sources that include the lists, and callers into which g++ inlines them in a unity build


EXTENSIONS = {
    "operator": Extension(
        "operator/softsign.cc", "ops",
        [Line("src/ir/op_list.inc", "CAVS_OP(Softsign)\n", after="CAVS_OP(MaxChildrenGrad)\n")], ["src/ir/op.cc"]),
    "policy": Extension(
        "policy/most_left.cc", "schedule",
        [Line("src/schedule/policy_list.inc",
              'CAVS_POLICY("most-left", make_most_left, "the type of which the most remain")\n',
              after='"one vertex per task, for comparison")\n')], ["src/schedule/policy.cc"]),
    "pass": Extension(
        "pass/cancel_negations.cc", "compile",
        [Line("src/compile/pass_list.inc",
              'CAVS_OPTIONAL_PASS("cancel_negations", cancel_negations, "drops negations of negations")\n',
              after='CAVS_PASS("verify", verify, "checks the declared function")\n')],
        ["src/compile/pass_list.cc", "src/compile/compile.cc"]),
    "engine": Extension(
        "engine/abacus_engine.cc", "execute",
        [Line("include/cavs/session_options.h", ' device(Abacus, "abacus")', after='device(Cuda, "cuda")'),
         Line("include/cavs/session_options.h", ' engine(Beads, "beads")', after='engine(Persistent, "persistent")'),
         Line("src/execute/engine_list.inc", "CAVS_ENGINE(Beads, Abacus)\n",
              after="CAVS_ENGINE(Persistent, Cuda)\n")],
        ["src/execute/engines.cc", "src/execute/session_options.cc"]),
}


def fail(text):
    sys.exit(f"extension test: {text}")


def add_line(work, line):
    """Extends one line of the list, or adds one."""
    path = work / line.list
    before = path.read_text()
    if before.count(line.after) != 1:
        fail(f"{line.list} has {line.after!r} {before.count(line.after)} times, expected once")
    after = before.replace(line.after, line.after + line.text)
    path.write_text(after)
    changes = [change for change in difflib.ndiff(before.splitlines(), after.splitlines()) if change[0] in "+-"]
    if [change[0] for change in changes] not in (["+"], ["-", "+"]):
        fail(f"{line.list} changes in more than one line: {changes}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--link", action="append", default=[])
    parser.add_argument("compiler")
    parser.add_argument("name", choices=EXTENSIONS)
    arguments = parser.parse_args()
    extension = EXTENSIONS[arguments.name]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for part in ("src", "include"):
            shutil.copytree(ROOT / part, work / part)
        added = shutil.copy(HERE / extension.file, work / "src" / extension.to)
        for line in extension.lines:
            add_line(work, line)
        # A single unit, so that headers are read once.
        unit = work / "unit.cc"
        files = [*(work / reader for reader in extension.readers), added, HERE / arguments.name / "use.cc"]
        unit.write_text("".join(f'#include "{file}"\n' for file in files))
        command = [arguments.compiler, "-std=c++20", "-O0", *arguments.flag, f"-I{work}/src", f"-I{work}/include",
                   f"-I{ROOT}/tests", str(unit), "-o", str(work / "use"), "-Wl,--allow-multiple-definition",
                   *arguments.link, *(f"-Wl,-rpath,{pathlib.Path(file).parent}" for file in arguments.link), "-pthread"]
        if subprocess.run(command, check=False).returncode != 0:
            fail(f"the {arguments.name} does not compile from its file and lines; extend the mechanism "
                 "so that these suffice")
        sys.exit(subprocess.run([work / "use"], check=False).returncode)


if __name__ == "__main__":
    main()
