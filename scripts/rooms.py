#!/usr/bin/env python3
"""Checks the includes between rooms, the folders of src/: no two rooms include each other, directly or in a cycle; the
lowest rooms include only the listed ones; rooms that are independent of devices include no room of a device.

The command and the Python bindings are users of the library: they include only its public headers, and helpers that
do not depend on the library.

Usage: scripts/rooms.py [--numbers | --helpers] [ROOT]   (default: this repository)
Prints forbidden includes, and ends with 1 if there is one. --numbers also prints the numbers of lines, files, rooms and
includes between rooms. --helpers prints the helpers, one per line.
"""

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

# Public header include/cavs/NAME.h -> the room that defines its contents. Headers that no single room defines (Model,
# Vertex, attributes, options) belong to `cavs`, a room below the rooms that declare and compile.
ROOM_OF_HEADER = {
    "checkpoint": "train", "compile": "compile", "data": "data", "decode": "decode", "device_passes": "execute",
    "distributed": "distributed", "error": "support",
    "evaluator": "train", "files": "support", "fit": "train", "graph": "graphs", "inspect": "inspect",
    "layers": "declare", "models": "models", "mpi": "mpi", "optimizer": "update", "parameters": "tensor", "policy": "schedule",
    "readers": "data", "session": "execute", "shape": "tensor", "trained_model": "train", "trainer": "train",
    "version": "support", "vocabulary": "data",
}
# The rooms that the lowest rooms may include.
MAY_INCLUDE = {
    "support": set(), "distributed": {"support"}, "tensor": {"support"}, "cavs": {"tensor", "support"},
    "ir": {"cavs", "tensor", "support"},
    "ops": {"ir", "cavs", "tensor", "support"}, "declare": {"ops", "ir", "cavs", "tensor", "support"},
}
# These rooms make programs, schedules and plans for any engine, and so are independent of devices and of execution.
KNOWS_NO_DEVICE = ("graphs", "data", "models", "compile", "layout", "placement", "pack", "schedule", "plan",
                   "share", "script")
OF_A_DEVICE = {"backend", "update", "execute", "train", "decode", "inspect", "measure", "cli"}
# Folders of users of the library, and the headers that they may include besides public headers: headers without a
# source file that include only each other and public headers.
USERS = ("src/cli", "src/measure", "python/bindings")
HELPERS = ("support/available_threads.h", "support/check.h", "support/descriptor.h", "support/hash.h",
           "support/packing.h", "support/parse_number.h", "support/progress_bar.h", "support/suggest.h", "support/svg.h", "support/table.h", "support/utf8.h")
UMBRELLA = "cavs/cavs.h"  # includes all public headers, for users only
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')
SOURCES = {".h", ".cc", ".cuh", ".inc"}


def room_of(path):
    """The room of a path in an #include, such as 'ir/op.h' or 'cavs/shape.h'. Unknown for other projects' headers."""
    room, _, rest = path.partition("/")
    return ROOM_OF_HEADER.get(rest.removesuffix(".h"), room) if room == "cavs" else room


def sources(root):
    """(path as in an #include, file) of all sources."""
    for folder in (root / "src", root / "include"):
        for file in sorted(folder.rglob("*")):
            path = file.relative_to(folder).as_posix()
            if file.suffix in SOURCES and "/" in path and path != UMBRELLA:
                yield path, file


def includes_between_rooms(root):
    """{(room, room that it includes): ['src/ir/op.h:12: #include "..."', ...]}"""
    edges = defaultdict(list)
    files = dict(sources(root))
    rooms = {room_of(path) for path in files}
    for path, file in files.items():
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            target = match and room_of(match[1])
            if target in rooms and "/" in match[1] and target != room_of(path):
                edges[room_of(path), target].append(f"{file.relative_to(root)}:{number}: {line.strip()}")
    return edges


def reachable(start, below):
    seen, todo = set(), [start]
    while todo:
        for room in below[todo.pop()] - seen:
            seen.add(room)
            todo.append(room)
    return seen


def cycles(edges):
    """Groups of rooms that include each other, directly or indirectly."""
    below = defaultdict(set)
    for room, other in edges:
        below[room].add(other)
    above = {room: reachable(room, below) for room in list(below)}
    groups = {frozenset(other for other in seen if room in above.get(other, ())) for room, seen in above.items()}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def hidden_from_users(root):
    """Includes of users that are not public headers, helpers or their own files: ['src/cli/a.cc:3: ...']"""
    files = [file for folder in USERS for file in sorted((root / folder).rglob("*")) if file.suffix in SOURCES]
    files += [file for file in (root / "src" / helper for helper in HELPERS) if file.exists()]
    rooms = {room_of(path) for path, _ in sources(root)} - {"cavs"}
    found = [f"src/{helper}: has a source beside it" for helper in HELPERS
             if (root / "src" / helper).with_suffix(".cc").exists()]
    for file in files:
        own = {"cli": {"cli", "measure"}, "measure": {"measure"}}.get(file.parent.name, set())
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match[1].partition("/")[0] in rooms - own and match[1] not in HELPERS:
                found.append(f"{file.relative_to(root)}:{number}: {line.strip()}")
    return found


def show_numbers(root, edges):
    files = dict(sources(root))
    print(f"lines                   {sum(len(file.read_text().splitlines()) for file in files.values())}")
    print(f"files                   {len(files)}")
    print(f"rooms                   {len({room_of(path) for path in files})}")
    print(f"includes between rooms  {sum(map(len, edges.values()))}")
    print(f"pairs of rooms          {len(edges)}")
    print(f"rooms in cycles         {sum(map(len, cycles(edges)))}")


def check(root, numbers=False):
    """Prints forbidden includes. Returns 0 if there are none, else 1."""
    edges = includes_between_rooms(root)
    if not edges:
        print(f"no includes between rooms found below {root}; expected a folder with src/ and include/")
        return 1
    if numbers:
        show_numbers(root, edges)
    found = cycles(edges)
    for group in found:
        print(f"rooms include each other: {', '.join(group)}; expected one direction; move the code that both need to a lower room:")
        for (room, other), lines in sorted(edges.items()):
            if room in group and other in group:
                print("\n".join(f"  {room} -> {other}  {line}" for line in lines))
    above = [(room, other) for room, other in sorted(edges) if other not in MAY_INCLUDE.get(room, {other})]
    for room, other in above:
        print(f"{room} may include {', '.join(sorted(MAY_INCLUDE[room])) or 'no other room'}; found {other}:")
        print("\n".join(f"  {line}" for line in edges[room, other]))
    of_a_device = [(room, other) for room, other in sorted(edges) if room in KNOWS_NO_DEVICE and other in OF_A_DEVICE]
    for room, other in of_a_device:
        print(f"{room} is independent of devices, so it may not include {other}; found:")
        print("\n".join(f"  {line}" for line in edges[room, other]))
    hidden = hidden_from_users(root)
    if hidden:
        print("the command and the bindings may include only public headers and helpers (--helpers); found:")
        print("\n".join(f"  {line}" for line in hidden))
    return 1 if found or above or of_a_device or hidden else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numbers", action="store_true", help="print how large the sources and their rooms are")
    parser.add_argument("--helpers", action="store_true", help="print the headers that users of the library may include")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    if arguments.helpers:
        print("\n".join(HELPERS))
        return 0
    return check(arguments.root, arguments.numbers)


if __name__ == "__main__":
    sys.exit(main())
