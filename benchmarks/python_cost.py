#!/usr/bin/env python3
"""Measures the cost of Python compared with C++: time of a step, time of building graphs, and memory over many steps.

Each comparison runs its two sides in turn, in this process. `Trainer.fit` without callbacks is the loop in C++. The
same trainer trains an epoch with it, then an epoch with `Trainer.step` from Python.

Usage: benchmarks/python_cost.py [--sst DIR] [--rounds N] [--steps N] [--threads N]
Needs the package `cavs` (scripts/python.sh wheel). Prints tables in Markdown, as in docs/measurements/python.md.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

import cavs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python" / "tests"))
from models import tree_lstm  # noqa: E402


def timed(f):
    """Seconds of f(), and its result."""
    begin = time.perf_counter()
    result = f()
    return time.perf_counter() - begin, result


def spread(values):
    return f"{min(values):.4g} / {statistics.median(values):.4g}"


def measure_graphs(folder, rounds):
    """Compares reading the training part of SST from its file with making graphs from flat arrays."""
    spec = f"trees:{folder}/train.txt"
    train = cavs.load_data(spec).train
    arrays = (train.sample_begin, train.child_offsets, train.children)
    more = dict(types=train.types, type_names=train.type_names, ports={p: train[p] for p in train.ports})
    read, made = [], []
    for _ in range(rounds):
        read.append(timed(lambda: cavs.load_data(spec))[0] * 1e3)
        made.append(timed(lambda: cavs.Graphs.from_arrays(*arrays, **more))[0] * 1e3)
    print(f"\n| {len(train)} trees, {train.vertices} vertices | ms (best / median) |\n| --- | --- |")
    print(f"| the file read by the library | {spread(read)} |")
    print(f"| `Graphs.from_arrays` | {spread(made)} |")
    print(f"| ratio of the medians | {statistics.median(made) / statistics.median(read):.3f} |")


def epoch_in_python(trainer):
    epoch = trainer.epoch
    while trainer.epoch == epoch:
        trainer.step()


def measure_step(name, data, embedding, hidden, batch_size, rounds, threads):
    trainer = cavs.Trainer(tree_lstm(embedding, hidden, data.rows("word"), data.classes), data.train, lr=1e-4,
                           batch_size=batch_size, threads=threads)
    steps = trainer.steps_per_epoch
    trainer.fit(1)
    loops = {"C++": lambda: trainer.fit(trainer.epoch + 1), "Python": lambda: epoch_in_python(trainer)}
    micros = {loop: [] for loop in loops}
    for turn in range(rounds):
        for loop in sorted(loops, reverse=turn % 2 == 1):
            micros[loop].append(timed(loops[loop])[0] / steps * 1e6)
    ours, theirs = micros["Python"], micros["C++"]
    ratio = statistics.median(p / c for p, c in zip(ours, theirs))
    more = statistics.median(p - c for p, c in zip(ours, theirs))
    print(f"| {name} | {steps} | {spread(theirs)} | {spread(ours)} | {ratio:.4f} | {more:+.2f} |")


def resident():
    """Resident memory in KiB."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def measure_memory(steps):
    data = cavs.load_data("random-trees:train=64,test=0,leaves=2,vocabulary=10")
    trainer = cavs.Trainer(tree_lstm(4, 4, data.rows("word"), data.classes), data.train, batch_size=1)
    for _ in range(1000):
        trainer.step()
    before = resident()
    seconds, _ = timed(lambda: [trainer.step() and None for _ in range(steps)])
    after = resident()
    print(f"\nMemory: {before} KiB after 1000 tiny steps, {after} KiB after {steps} more "
          f"({100 * (after - before) / before:+.2f} %), {seconds / steps * 1e6:.1f} us per step.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sst", help="the folder of the Stanford Sentiment Treebank")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each comparison")
    parser.add_argument("--steps", type=int, default=100_000, help="tiny steps for measuring memory; 0 skips it")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    print(f"cavs {cavs.__version__}, Python {sys.version.split()[0]}, {arguments.threads} threads")
    if arguments.sst:
        measure_graphs(arguments.sst, arguments.rounds)
    print("\n| a step of | steps per epoch | C++, us (best / median) | Python, us | ratio | difference, us |")
    print("| --- | --- | --- | --- | --- | --- |")
    large = cavs.load_data("random-trees:train=512,test=0,leaves=19,vocabulary=1000")
    tiny = cavs.load_data("random-trees:train=2000,test=0,leaves=2,vocabulary=10")
    measure_step("Tree-LSTM, h = 256, batch 64", large, 256, 256, 64, arguments.rounds, arguments.threads)
    measure_step("Tree-LSTM, h = 4, batch 1, three vertices", tiny, 4, 4, 1, arguments.rounds, arguments.threads)
    if arguments.steps:
        measure_memory(arguments.steps)


if __name__ == "__main__":
    main()
