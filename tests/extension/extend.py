"""An operator, a policy, a pass and an engine are a file and a line each.

Adds each to a copy of the sources, by one file and one changed line; compiles the added file, what reads the list, and
a test that uses it; links these before the built library, so that they take the place of its own; runs the test.
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
class Extension:
    file: str  # of this folder: added
    to: str  # the folder of src/ that it is added to
    list: str  # gets one line more, or a longer one
    line: str  # what is added to it
    after: str  # behind this text
    readers: list  # sources that the list is compiled into


EXTENSIONS = {
    "operator": Extension("operator/softsign.cc", "ops", "src/ir/op_list.inc", "CAVS_OP(Softsign)\n",
                          after="CAVS_OP(MaxChildrenGrad)\n", readers=["src/ir/op.cc"]),
    "policy": Extension("policy/most_left.cc", "schedule", "src/schedule/policy_list.inc",
                        'CAVS_POLICY("most-left", make_most_left, "the type of which the most remain")\n',
                        after='"one vertex a task, for comparison")\n', readers=["src/schedule/policy.cc"]),
    "pass": Extension("pass/cancel_negations.cc", "compile", "src/compile/pass_list.inc",
                      'CAVS_OPTIONAL_PASS("cancel_negations", cancel_negations, "drops negations of negations")\n',
                      after='CAVS_PASS("verify", verify, "checks the declared function")\n',
                      readers=["src/compile/pass_list.cc"]),
    "engine": Extension("engine/stub_engine.cc", "execute", "include/cavs/session_options.h",
                        ' engine(Stub, "stub")', after='engine(Reference, "reference")',
                        readers=["src/execute/engines.cc", "src/execute/session_options.cc"]),
}


def fail(text):
    sys.exit(f"extension test: {text}")


def add_line(path, extension):
    """Changes one line of the list, or adds one."""
    before = path.read_text()
    if before.count(extension.after) != 1:
        fail(f"{extension.list} has {extension.after!r} {before.count(extension.after)} times, expected once")
    after = before.replace(extension.after, extension.after + extension.line)
    path.write_text(after)
    changes = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]
    if [line[0] for line in changes] not in (["+"], ["-", "+"]):
        fail(f"{extension.list} changes in more than one line: {changes}")


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
        add_line(work / extension.list, extension)
        # One unit, which reads the headers once.
        unit = work / "unit.cc"
        files = [*(work / reader for reader in extension.readers), added, HERE / arguments.name / "use.cc"]
        unit.write_text("".join(f'#include "{file}"\n' for file in files))
        command = [arguments.compiler, "-std=c++20", "-O0", *arguments.flag, f"-I{work}/src", f"-I{work}/include",
                   f"-I{ROOT}/tests", str(unit), "-o", str(work / "use"), "-Wl,--allow-multiple-definition",
                   *arguments.link, *(f"-Wl,-rpath,{pathlib.Path(file).parent}" for file in arguments.link), "-pthread"]
        if subprocess.run(command, check=False).returncode != 0:
            fail(f"the {arguments.name} does not compile from one file and one line; what else it needs, its mechanism "
                 "should give")
        sys.exit(subprocess.run([work / "use"], check=False).returncode)


if __name__ == "__main__":
    main()
