#!/usr/bin/env python3
"""Compares `cavs bench --preset ed-batch` with the results of ED-Batch's own code in docs/measurements/ed-batch.md.

Prints samples per second in inference with the loss, on one thread, with the best batch size from 1 to 256 on both
sides. Trees are those of sst if --data-dir has them; all other data are generated. The largest matrices of mv-rnn take
gigabytes, so mv-rnn gets fewer samples the larger it is.

Example: compare_ed_batch.py --data-dir data --hidden 64,256 --models tree-gru,mv-rnn
"""

import argparse
import itertools
import pathlib
import re

from running import run_json

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = HERE.parent / "docs" / "measurements" / "ed-batch.md"


def read_figures(path):
    """(model, size) -> samples per second, from the first table of the page."""
    first_section = path.read_text().split("\n## ")[0]
    rows = [[cell.strip(" `") for cell in line.strip("|\n ").split("|")]
            for line in first_section.splitlines() if re.match(r"\| (model|`)", line)]
    sizes = [int(size) for size in rows[0][1:]]
    return {(row[0], size): float(figure) for row in rows[1:] for size, figure in zip(sizes, row[1:])}


def measure(options, model, hidden, *more):
    command = [options.cavs, "bench", model, "--preset", "ed-batch", "--hidden", hidden, "--json", *more]
    if options.data_dir and (model.startswith("tree") or model == "mv-rnn"):
        command += ["--data", f"sst:{options.data_dir}/sst"]
    limit = max(8, 256 * 64 * 64 // hidden ** 2) if model == "mv-rnn" else 256
    return run_json([*command, "--limit", min(limit, options.limit)])


def main():
    figures = read_figures(FIGURES)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(dict.fromkeys(m for m, _ in figures)))
    parser.add_argument("--hidden", type=lambda text: [int(n) for n in text.split(",")], default=[64, 128, 256, 512])
    parser.add_argument("--limit", type=int, default=256, help="samples at most")
    parser.add_argument("--data-dir", type=pathlib.Path)
    parser.add_argument("--cavs", default=HERE.parent / "build" / "release" / "bin" / "cavs")
    options = parser.parse_args()
    print(f"{'model':<17}{'hidden':>6}{'ED-Batch':>10}{'cavs':>10}{'ratio':>7}{'batch size':>12}{'--share-ids':>13}")
    for model, hidden in itertools.product(options.models, options.hidden):
        ours = measure(options, model, hidden)
        shared = measure(options, model, hidden, "--share-ids", "--batch-sizes", ours["batch_size"])
        print(f"{model:<17}{hidden:>6}{figures[model, hidden]:>10.0f}{ours['samples_per_second']:>10.1f}"
              f"{ours['samples_per_second'] / figures[model, hidden]:>7.2f}{ours['batch_size']:>12}"
              f"{shared['samples_per_second']:>13.1f}", flush=True)


if __name__ == "__main__":
    main()
