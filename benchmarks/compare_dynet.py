#!/usr/bin/env python3
"""Compares `cavs bench` with DyNet (peers/dynet): in turn, several rounds, the best round of each counts.

Example:
  compare_dynet.py data/sst --hidden 64,256,512
The columns are samples per second of DyNet, with the better of its two batching strategies and one thread, the most
that it can use; of cavs with one thread and with two; and the ratios of cavs to DyNet.
"""

import argparse
import itertools

from dynet import Peer, add_programs
from running import bench

LEAVES = 256


def numbers(text):
    return [int(n) for n in text.split(",")]


def measure(options, peer, model, hidden, batch, mode):
    """Samples per second of DyNet, and of cavs with one thread and with two: the best rounds."""
    data = f"binary-trees:leaves={LEAVES}" if model == "tree-fc" else f"sst:{options.sst}"
    limit = 64 if batch == 1 else 512
    rounds = []
    for _ in range(options.rounds):
        results = [peer.measure(model, data, limit, hidden, batch, mode, options.seconds)]
        results += [bench(options.cavs, model, data, hidden, threads, batch, "--limit", limit, "--mode", mode)
                    for threads in (1, 2)]
        rounds.append([result["samples_per_second"] for result in results])
    return [max(column) for column in zip(*rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sst", help="the folder of the treebank")
    parser.add_argument("--models", default="tree-lstm-binary,tree-fc", type=lambda text: text.split(","))
    parser.add_argument("--hidden", default=[64, 256, 512], type=numbers, metavar="N,N,...")
    parser.add_argument("--cases", default="64:train,1:train,64:infer", help="batch size and mode (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="seconds of a measurement of DyNet")
    add_programs(parser)
    options = parser.parse_args()
    peer = Peer(options)
    cases = [case.split(":") for case in options.cases.split(",")]
    print(f"{'model':<18}{'mode':<7}{'batch':>5}{'hidden':>7}{'DyNet':>9}"
          f"{'1 thread':>10}{'2 threads':>10}{'ratios':>13}")
    for model, (batch, mode), hidden in itertools.product(options.models, cases, options.hidden):
        dynet, one, two = measure(options, peer, model, hidden, int(batch), mode)
        print(f"{model:<18}{mode:<7}{batch:>5}{hidden:>7}{dynet:>9.0f}{one:>10.0f}{two:>10.0f}"
              f"{one / dynet:>7.2f}{two / dynet:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
