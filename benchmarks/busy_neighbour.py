#!/usr/bin/env python3
"""Training or inference with one and two threads, on an idle machine and beside a program that keeps a core busy.

The busy program is a loop of this script, pinned to each of the first two cores in turn. In every round, all runs
follow each other. A ratio is the speed of two threads divided by the speed of one thread, beside the same program. The
table has the median of the ratios of all rounds, with the smallest and the largest.

Example:
  busy_neighbour.py sst:DIR --cavs build/release/bin/cavs --hidden 64 --batch-size 1
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys

from running import bench

SPIN = "while True: pass"


@contextlib.contextmanager
def neighbour(core):
    """A context with a busy program on a core; None for no program."""
    if core is None:
        yield
        return
    spinning = subprocess.Popen([sys.executable, "-c", SPIN])
    try:
        os.sched_setaffinity(spinning.pid, {core})
        yield
    finally:
        spinning.kill()
        spinning.wait()


def speeds(options):
    """Trees per second with one thread and with two."""
    more = ["--mode", options.mode, "--limit", options.limit]
    if options.epochs:
        more += ["--epochs", options.epochs]
    return [bench(options.cavs, options.model, options.data, options.hidden, threads, options.batch_size,
                  *more)["samples_per_second"] for threads in (1, 2)]


def spread(values, digits):
    values = sorted(values)
    return f"{statistics.median(values):,.{digits}f} ({values[0]:,.{digits}f} to {values[-1]:,.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="such as sst:DIR")
    parser.add_argument("--cavs", required=True, help="the command")
    parser.add_argument("--model", default="tree-lstm-binary")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=1)
    parser.add_argument("--mode", choices=("train", "infer"), default="train")
    parser.add_argument("--limit", type=int, default=600, help="samples (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=0, help="epochs of a run (default: as many as take 2 seconds)")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    places = [("alone", None), *((f"beside core {core}", core) for core in sorted(os.sched_getaffinity(0))[:2])]
    found = {place: [] for place, _ in places}
    for _ in range(options.rounds):
        for place, core in places:
            with neighbour(core):
                found[place].append(speeds(options))
    print("| place | one thread | two threads | two / one |\n| --- | --- | --- | --- |")
    for place, rounds in found.items():
        ratio = spread([two / one for one, two in rounds], 2)
        print(f"| {place} | {spread([r[0] for r in rounds], 0)} | {spread([r[1] for r in rounds], 0)} | {ratio} |")


if __name__ == "__main__":
    main()
