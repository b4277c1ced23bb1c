#!/usr/bin/env python3
"""Measures all figures of the README on this machine, and prints its table with them. Takes half an hour on two cores.

docs/measurements/reproduce.md says what is needed and how to get it. A row whose library or data are missing says so.

Example:
  readme_figures.py --sst data/sst --multi30k data/multi30k
  readme_figures.py --sst data/sst --rows speed,dynet     # some rows
"""

import argparse
import datetime
import importlib.metadata
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

import compare_dynet
import dynet
from running import bench, run, run_json

HERE = pathlib.Path(__file__).resolve().parent
CELLS = HERE.parent / "examples" / "python" / "cells"
SEEDS = (1, 2, 3)


class NotHere(Exception):
    """A row cannot be measured, because this machine lacks something."""


def need(path, what):
    if not path or not pathlib.Path(path).exists():
        raise NotHere(f"not measured: {what}")
    return path


def sst(options):
    return need(options.sst, "--sst names no folder")


def speed_and_dynet(options):
    """(h, speeds of DyNet, and of cavs with one thread and two) of `tree-lstm-binary`."""
    need(options.peer, "dynet_models is not built")
    compared = argparse.Namespace(**vars(options), rounds=3, seconds=2)
    compared.sst = sst(options)
    peer = dynet.Peer(options)
    return [(h, compare_dynet.measure(compared, peer, "tree-lstm-binary", h, 64, "train")) for h in (64, 256)]


def machine(options):
    names = re.findall(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    version = run([options.cavs, "--version"]).strip()
    return f"{names[0] if names else 'unknown processor'}, {os.cpu_count()} processors, {version}, {datetime.date.today()}"


def row_speed(options):
    speeds = []
    for h in (64, 256):
        rounds = [bench(options.cavs, "tree-lstm-binary", f"sst:{sst(options)}", h, 2, 64, "--limit", 512)
                  for _ in range(3)]
        speeds.append(f"h = {h}: {max(result['samples_per_second'] for result in rounds):,.0f} trees/s")
    return "training a binary Tree-LSTM on SST, batch 64, 2 threads", "; ".join(speeds)


def row_dynet(options):
    ratios = [f"h = {h}: {one / peer:.1f} / {two / peer:.1f} times" for h, (peer, one, two) in speed_and_dynet(options)]
    return ("speed of the same training relative to DyNet 2.1.2 (one thread), with 1 / 2 threads", "; ".join(ratios))


def row_python(options):
    try:
        import python_peers
    except ImportError as error:
        raise NotHere(f"not measured: {error}") from error
    best = {}
    for threads, rates in python_peers.measure(python_peers.parse(
            ["trees", str(sst(options)), "--threads", "1,2", "--rounds", "5"])):
        best[threads] = {name: max(values) for (name, kind), values in rates.items() if kind == "train"}

    def ratios(name):
        if name not in best[1]:
            return "not measured: it is not installed"
        return " / ".join(f"{best[threads]['cavs'] / best[threads][name]:.1f}" for threads in (1, 2)) + " times"

    version = importlib.metadata.version("torch").split("+")[0]
    dgl = f"DGL {importlib.metadata.version('dgl')}" if "DGL" in best[1] else "DGL"
    return ("speed of training a child-sum Tree-LSTM from Python, h = 150, relative to "
            f"PyTorch {version} batched by hand, with 1 / 2 threads",
            f"{ratios('PyTorch, batched by hand')}; relative to {dgl}: {ratios('DGL')}")


def row_cells(options):
    ratios = {}
    for program in sorted(CELLS.glob("*.py")):
        if "times" not in program.read_text():  # gallery_data.py measures nothing
            continue
        data = [sst(options)] if program.stem in ("binary", "child_sum") else []
        ratios[program.stem] = float(re.findall(r"([\d.]+) times", run([sys.executable, program, *data]))[-1])
    print(f"cells: {ratios}", file=sys.stderr)
    return ("speed of PyTorch cells in `cavs.torch.batched` relative to a recursion in Python, one thread "
            "([gallery](docs/guide/gallery.md))", f"{min(ratios.values()):.0f} to {max(ratios.values()):.0f} times")


def row_products(options):
    shares = [bench(options.cavs, "tree-lstm-binary", f"sst:{sst(options)}", 256, threads, 64, "--limit", 256,
                    "--roofline")["product_fraction"] for threads in (1, 2)]
    return ("share of the matrix products in the time of a training step, h = 256, with 1 / 2 threads",
            f"{100 * shares[0]:.0f} / {100 * shares[1]:.0f} %")


def row_accuracy(options):
    accuracies = [run_json([options.cavs, "train", "tree-lstm", "--data", f"sst:{sst(options)}", "--hidden", 100,
                            "--embedding", 100, "--batch-size", 25, "--optimizer", "adagrad", "--lr", 0.05, "--dropout",
                            0.5, "--weight-decay", 0.0001, "--clip", 5, "--epochs", 10, "--threads", 2, "--seed", seed,
                            "--json", "--quiet"])["best_dev_root_accuracy"] for seed in SEEDS]
    print(f"accuracies: {accuracies}", file=sys.stderr)
    return ("SST, 5 classes, accuracy at the root, random embeddings",
            f"{100 * statistics.median(accuracies):.1f} % (median of three seeds)")


def row_bleu(options):
    folder = need(options.multi30k, "--multi30k names no folder")
    part = lambda name: f"{name}={folder}/{name}.en.gz+{folder}/{name}.de.gz"  # noqa: E731
    scores = []
    with tempfile.TemporaryDirectory() as save:
        for seed in SEEDS:
            model = f"{save}/{seed}.cavs"
            run([options.cavs, "train", "lstm-nmt", "--data", f"parallel:{part('train')},{part('dev')}", "--min-count", 3,
                 "--hidden", 256, "--embedding", 256, "--dropout", 0.3, "--lr", 0.001, "--clip", 5, "--epochs", 8,
                 "--threads", 2, "--seed", seed, "--save", model, "--quiet"])
            scores.append(run_json([options.cavs, "eval", model, "--beam", 5, "--json"])["bleu"])
    print(f"BLEU: {scores}", file=sys.stderr)
    return "Multi30k English to German, `lstm-nmt`, beam 5", f"{statistics.median(scores):.1f} BLEU (median of three seeds)"


ROWS = {function.__name__.removeprefix("row_"): function for function in
        (row_speed, row_dynet, row_python, row_cells, row_products, row_accuracy, row_bleu)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sst", help="the folder of the Stanford Sentiment Treebank: train.txt, dev.txt")
    parser.add_argument("--multi30k", help="a folder with train.en.gz, train.de.gz, dev.en.gz, dev.de.gz")
    parser.add_argument("--rows", default=list(ROWS), type=lambda text: text.split(","),
                        help=f"some of {','.join(ROWS)} (default: all)")
    dynet.add_programs(parser)
    options = parser.parse_args()
    command = pathlib.Path(options.cavs)
    if not command.exists():
        parser.error(f"{command} does not exist; run 'make build'")
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        parser.error(f"unknown row '{unknown[0]}'; known: {', '.join(ROWS)}")
    table = []
    for name in options.rows:
        begin = time.monotonic()
        try:
            table.append(ROWS[name](options))
        except NotHere as reason:
            table.append((name, str(reason)))
        print(f"{name}: {table[-1][1]} ({time.monotonic() - begin:.0f} s)", file=sys.stderr)
    print(f"{machine(options)}\n\n| what | figure |\n| --- | --- |")
    for what, figure in table:
        print(f"| {what} | {figure} |")


if __name__ == "__main__":
    main()
