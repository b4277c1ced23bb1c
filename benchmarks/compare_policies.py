#!/usr/bin/env python3
"""Measures whether fewer tasks make a model faster: `cavs bench --policies` for the models of ED-Batch's benchmark.

Measures forward and training for each hidden size. The policies of a model run in turn, round after round in one
process. The columns are milliseconds per step with the first policy, and the speed and tasks of the others relative to
it. The data are generated, or with --data-dir those of sst, weibo, wikigold and multi30k_ende in that folder.

A minibatch of mv-rnn has fewer samples the larger its matrices are (64 / hidden of the batch size), to fit into memory.

Example (takes minutes; half a minute with --quick):
  compare_policies.py --data-dir data --hidden 64,256 --batch-sizes 4,64
"""

import argparse
import itertools
import pathlib

from running import run_json

HERE = pathlib.Path(__file__).resolve().parent
TREES, LATTICES = "sst:{}/sst", "weibo:{}/weibo"
DATA = {"tree-lstm-nary": TREES, "tree-gru": TREES, "tree-lstm-2type": TREES, "mv-rnn": TREES, "lattice-lstm": LATTICES,
        "lattice-gru": LATTICES, "bilstm-tagger": "conll:{}/wikigold/train.conll",
        "lstm-nmt": "parallel:{0}/multi30k_ende/train.de.gz+{0}/multi30k_ende/train.en.gz"}


def measure(options, model, mode, hidden, batch_size):
    if model == "mv-rnn" and hidden > 64:
        batch_size = max(1, batch_size * 64 // hidden)
    limit = min(options.limit, batch_size * options.minibatches)
    command = [options.cavs, "bench", model, "--preset", "ed-batch", "--hidden", hidden, "--mode", mode]
    command += ["--batch-size", batch_size, "--threads", options.threads, "--limit", limit]
    command += ["--policies", ",".join(options.policies), "--epochs", options.rounds, "--json"]
    return run_json(command + (["--data", DATA[model].format(options.data_dir)] if options.data_dir else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = {"type": lambda text: text.split(","), "metavar": "NAME,NAME,..."}
    parser.add_argument("--models", default=list(DATA), **words)
    parser.add_argument("--modes", default=["infer", "train"], **words)
    parser.add_argument("--policies", default=["frontier", "agenda", "fsm"], **words)
    numbers = {"type": lambda text: [int(n) for n in text.split(",")], "metavar": "N,N,..."}
    parser.add_argument("--hidden", default=[64, 256], **numbers)
    parser.add_argument("--batch-sizes", default=[4, 64], **numbers)
    parser.add_argument("--minibatches", type=int, default=8, help="at most")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=int, default=64, help="samples at most")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data-dir", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="only hidden size 64 and the last batch size")
    parser.add_argument("--cavs", default=HERE.parent / "build" / "release" / "bin" / "cavs")
    options = parser.parse_args()
    if options.quick:
        options.hidden, options.batch_sizes = [64], options.batch_sizes[-1:]
    others = options.policies[1:]
    columns = "".join(f"{name + ' speed':>14}{'tasks':>7}" for name in others)
    print(f"{'model':<17}{'mode':<7}{'hidden':>6}{'batch':>7}{options.policies[0] + ' ms':>13}{'tasks':>8}{columns}{'noise':>7}")
    for model, mode, hidden, batch_size in itertools.product(options.models, options.modes, options.hidden,
                                                             options.batch_sizes):
        rows = measure(options, model, mode, hidden, batch_size)["results"]
        first, noise = rows[0], max(row["median_step_ms"] / row["step_ms"] for row in rows)
        compared = "".join(f"{row['ratio']:>14.2f}{row['tasks'] / first['tasks']:>7.2f}" for row in rows[1:])
        print(f"{model:<17}{mode:<7}{hidden:>6}{batch_size:>7}{first['step_ms']:>13.3f}{first['tasks']:>8.1f}{compared}"
              f"{noise:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
