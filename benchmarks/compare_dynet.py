"""Compares `cavs bench` with peers/dynet_trees.cc: in turn, several rounds, the best of each counts.

Example (a built cavs, and the peer, built as its file says):
  compare_dynet.py ./dynet_trees data/sst --hidden 64,256,512
The columns are samples a second: DyNet with the better of its two batching strategies and one thread, which is all it
can use; cavs with one thread and with two; and how many times as fast cavs is.
"""

import argparse
import itertools
import pathlib

from running import bench, run

HERE = pathlib.Path(__file__).resolve().parent
LEAVES = 256


def numbers(text):
    return [int(n) for n in text.split(",")]


def measure_peer(options, model, hidden, batch, mode):
    """Of the better strategy."""
    trees = LEAVES if model == "tree-fc" else pathlib.Path(options.sst) / "train.txt"
    command = [options.peer, model, trees, hidden, batch, mode]
    return max(float(run([*command, strategy, options.seconds])) for strategy in (1, 2))


def measure_cavs(options, model, hidden, batch, mode, threads):
    data = f"binary-trees:leaves={LEAVES}" if model == "tree-fc" else f"sst:{options.sst}"
    limit = 64 if batch == 1 else 512
    return bench(options.cavs, model, data, hidden, threads, batch, "--limit", limit,
                 "--mode", mode)["samples_per_second"]


def compare(options, *case):
    """(DyNet, cavs with one thread, cavs with two): the best of the rounds."""
    rounds = [(measure_peer(options, *case), measure_cavs(options, *case, 1), measure_cavs(options, *case, 2))
              for _ in range(options.rounds)]
    return [max(column) for column in zip(*rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", help="the program made of peers/dynet_trees.cc")
    parser.add_argument("sst", help="the folder of the treebank")
    parser.add_argument("--models", default="tree-lstm-binary,tree-fc", type=lambda text: text.split(","))
    parser.add_argument("--hidden", default=[64, 256, 512], type=numbers, metavar="N,N,...")
    parser.add_argument("--cases", default="64:train,1:train,64:infer", help="batch size and mode (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="of a measurement of DyNet")
    parser.add_argument("--cavs", default=HERE.parent / "build" / "release" / "bin" / "cavs")
    options = parser.parse_args()
    cases = [case.split(":") for case in options.cases.split(",")]
    print(f"{'model':<18}{'mode':<7}{'batch':>5}{'hidden':>7}{'DyNet':>9}{'1 thread':>10}{'2 threads':>10}{'ratios':>13}")
    for model, (batch, mode), hidden in itertools.product(options.models, cases, options.hidden):
        peer, one, two = compare(options, model, hidden, int(batch), mode)
        print(f"{model:<18}{mode:<7}{batch:>5}{hidden:>7}{peer:>9.0f}{one:>10.0f}{two:>10.0f}"
              f"{one / peer:>7.2f}{two / peer:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
