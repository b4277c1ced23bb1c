#!/usr/bin/env python3
"""Compares `cavs bench var-lstm` and `fixed-lstm` with peers/pytorch_lstm.py: in turn, the best of several rounds.

Example (a built cavs, PyTorch of /usr/bin/python3):
  compare_pytorch.py data/wikitext2/wiki.train.tokens.gz --limit 512 --hidden 256,512 --threads 1,2
The columns are microseconds per real token, for training or for the forward pass (--mode infer). "lstm" is only the
LSTM in PyTorch. In cavs it is the same model with two words in its vocabulary, so that embedding and softmax cost
almost nothing, and without share_lookups, which would multiply each word only once. With a ratio above 1, cavs is
faster.
"""

import argparse
import itertools
import pathlib
import sys

from running import bench, run_json

FIXED = 64  # words of a chain of fixed-lstm
HERE = pathlib.Path(__file__).resolve().parent


def measure_cavs(options, model, hidden, threads, vocabulary, *more):
    """Tokens of an epoch, and microseconds per token."""
    limit = ["--limit", options.limit] if options.limit else []
    result = bench(options.cavs, model, f"text:{options.text}", hidden, threads, options.batch_size,
                   "--vocabulary", vocabulary, "--mode", options.mode, *limit, *more)
    return result["vertices"], 1e6 / result["vertices_per_second"]


def measure_peer(options, model, hidden, threads):
    command = [options.python, HERE / "peers" / "pytorch_lstm.py", model, options.text]
    command += ["--vocabulary", options.vocabulary, "--hidden", hidden, "--threads", threads]
    command += ["--batch-size", options.batch_size, "--mode", options.mode, "--seconds", options.seconds]
    command += ["--compile"] if options.compile else []
    return run_json(command + (["--limit", options.limit] if options.limit else []))


def measure_onednn(options, hidden, threads):
    """Microseconds per token of only the LSTM, by oneDNN's primitive without PyTorch."""
    command = ["env", f"OMP_NUM_THREADS={threads}", options.onednn, hidden, options.batch_size, FIXED, options.seconds]
    return run_json(command)["us_per_token"]


def compare(options, model, hidden, threads):
    """Name of a measurement -> best time: "cavs", "cavs lstm", "padded", "padded lstm", ..."""
    best = {}
    for _ in range(options.rounds):
        times = {}
        tokens, times["cavs"] = measure_cavs(options, model, hidden, threads, options.vocabulary)
        times["cavs lstm"] = measure_cavs(options, model, hidden, threads, 2, "--disable", "share_lookups")[1]
        peer = measure_peer(options, model, hidden, threads)
        if peer["tokens"] != tokens:
            sys.exit(f"compare_pytorch: cavs counts {tokens} tokens, the peer {peer['tokens']}")
        for result in peer["results"]:
            times[result["form"]] = result["us_per_token"]
            if "lstm_us_per_token" in result:
                times[f"{result['form']} lstm"] = result["lstm_us_per_token"]
        if options.onednn and model == "fixed-lstm":
            times["oneDNN lstm"] = measure_onednn(options, hidden, threads)
        best = {name: min(time, best.get(name, time)) for name, time in times.items()}
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = {"type": lambda text: [int(n) for n in text.split(",")], "metavar": "N,N,..."}
    parser.add_argument("text", help="one sentence per line, plain or gzip")
    parser.add_argument("--models", default="var-lstm,fixed-lstm", type=lambda text: text.split(","))
    parser.add_argument("--hidden", default=[256, 512], **numbers)
    parser.add_argument("--threads", default=[1], **numbers)
    parser.add_argument("--vocabulary", type=int, default=10_000)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--limit", type=int, help="number of chains (default: all)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="smallest time of a measurement of PyTorch")
    parser.add_argument("--mode", choices=["train", "infer"], default="train")
    parser.add_argument("--compile", action="store_true", help="also measure PyTorch under torch.compile")
    parser.add_argument("--cavs", default=HERE.parent / "build" / "release" / "bin" / "cavs")
    parser.add_argument("--python", default="/usr/bin/python3", help="an interpreter with PyTorch")
    parser.add_argument("--onednn", help="the program of peers/onednn_lstm.cc, with --mode infer")
    options = parser.parse_args()
    if options.onednn and options.mode != "infer":
        sys.exit("compare_pytorch: oneDNN's program has only a forward pass; add --mode infer, or do not pass --onednn")
    print(f"{'model':<12}{'hidden':>7}{'threads':>8}  {'PyTorch':<16}{'PyTorch us':>11}{'cavs us':>9}{'ratio':>7}")
    for model, hidden, threads in itertools.product(options.models, options.hidden, options.threads):
        best = compare(options, model, hidden, threads)
        for name in (name for name in best if not name.startswith("cavs")):
            ours = best["cavs lstm" if name.endswith("lstm") else "cavs"]
            print(f"{model:<12}{hidden:>7}{threads:>8}  {name:<16}{best[name]:>11.2f}{ours:>9.2f}"
                  f"{best[name] / ours:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
