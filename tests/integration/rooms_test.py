"""Tests scripts/rooms.py: it accepts the sources, and finds each kind of forbidden include."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import rooms  # noqa: E402


def check(root):
    """Returns (exit status, printed text)."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = rooms.check(root, numbers=True)
    return status, printed.getvalue()


def tree(**files):
    """Makes a project of these files. src__ir__op="support/check.h" is src/ir/op.h, which includes support/check.h."""
    folder = tempfile.TemporaryDirectory()
    for name, include in files.items():
        path = Path(folder.name, name.replace("__", "/") + ".h")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#pragma once\n#include "{include}"\n')
    return folder


class Rooms(unittest.TestCase):
    def expect(self, files, status, *texts):
        with tree(**files) as root:
            found, printed = check(Path(root))
            self.assertEqual(found, status, printed)
            for text in texts:
                self.assertIn(text, printed)

    def test_rooms_of_the_sources_include_each_other_in_one_direction(self):
        status, printed = check(ROOT)
        self.assertEqual(status, 0, printed)

    def test_the_table_names_headers_and_rooms_that_exist(self):
        for header, room in rooms.ROOM_OF_HEADER.items():
            self.assertTrue((ROOT / "include/cavs" / f"{header}.h").exists(), header)
            self.assertTrue((ROOT / "src" / room).is_dir(), room)

    def test_one_direction_passes_and_is_counted(self):
        self.expect({"src__plan__plan": "schedule/schedule.h", "src__schedule__schedule": "vector"}, 0,
                    "lines                   4", "includes between rooms  1")

    def test_two_rooms_that_include_each_other_are_found(self):
        self.expect({"src__plan__plan": "schedule/schedule.h", "src__schedule__schedule": "plan/plan.h"}, 1,
                    'plan -> schedule  src/plan/plan.h:2: #include "schedule/schedule.h"',
                    'schedule -> plan  src/schedule/schedule.h:2: #include "plan/plan.h"')

    def test_the_command_and_the_bindings_see_only_public_headers(self):
        hidden = {"src__plan__plan": "support/check.h", "src__support__check": "cavs/error.h"}
        for user in ("src__cli__run", "src__measure__time", "python__bindings__module"):
            self.expect({**hidden, user: "plan/plan.h"}, 1, "public headers and helpers",
                        f'{user.replace("__", "/")}.h:2: #include "plan/plan.h"')
            self.expect({**hidden, user: "support/check.h"}, 0)
        self.expect({"src__plan__plan": "graphs/x.h", "src__graphs__x": "vector", "src__support__check": "graphs/x.h"}, 1,
                    "public headers and helpers")

    def test_a_cycle_of_three_is_found(self):
        self.expect({"src__a__x": "b/x.h", "src__b__x": "c/x.h", "src__c__x": "a/x.h", "src__d__x": "a/x.h"}, 1,
                    "each other: a, b, c;")

    def test_a_public_header_counts_as_its_room(self):
        self.expect({"src__compile__program": "cavs/session.h", "src__execute__run": "compile/program.h",
                     "include__cavs__session": "vector"}, 1, 'src/compile/program.h:2: #include "cavs/session.h"')

    def test_the_lowest_rooms_include_nothing_above_them(self):
        self.expect({"src__ir__op": "graphs/topology.h", "src__graphs__topology": "vector"}, 1,
                    "ir may include cavs, support, tensor; found graphs")

    def test_rooms_without_devices_include_no_room_with_devices(self):
        self.expect({"src__plan__plan": "backend/kernels.h", "src__backend__kernels": "vector"}, 1,
                    "plan is independent of devices, so it may not include backend", 'src/plan/plan.h:2: #include "backend/kernels.h"')


if __name__ == "__main__":
    unittest.main()
