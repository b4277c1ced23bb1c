#!/usr/bin/env python3
"""Figures 8, 9, 10, 12 and Table I of VPPS on the cores of a CPU: the engines `batched` and `persistent`, and DyNet.

Training with SGD, the embedding as wide as the state. Every round measures all of a case in turn; medians count, and
ratios are medians of the rounds' ratios, with the least and the largest. First it is checked that the peer's losses are
those of cavs. The result is one JSON file, from which tables are made; cases that the file has are not measured again.

Examples:
  vpps_figures.py data --json vpps.json
  vpps_figures.py data --json quick.json --quick
  vpps_figures.py --tables vpps.json
"""

import argparse
import json
import os
import pathlib
import statistics
import sys

from dynet import Peer, add_programs
from running import bench

TOLERANCE = 1e-4
BATCH_SIZES = (1, 4, 16, 128)
TREE_LSTM = "tree-lstm-binary"  # that of Figures 8 to 10
SIZES_OF_TREE_LSTM = (128, 256, 384)
SIZES_OF_OTHERS = {"bilstm": 256, "bilstm-char": 256, "td-rnn": 512, "td-lstm": 256, "rvnn": 512}
ENGINES = ("batched", "persistent")
HOST = ("pack_ms", "schedule_ms", "plan_ms", "script_ms")
EXECUTOR = ("memory_ms", "compute_ms")
INPUTS = 128  # of Table I


# What is measured.

def all_cases(models, hidden, batch_sizes):
    """(model, hidden, batch size); `hidden`: instead of the paper's sizes."""
    sizes = {TREE_LSTM: SIZES_OF_TREE_LSTM, **{model: (size,) for model, size in SIZES_OF_OTHERS.items()}}
    return [(model, h, b) for model in models or sizes for h in hidden or sizes.get(model, (256,)) for b in batch_sizes]


def data_of(model, folder):
    if model.startswith("bilstm"):
        parts = [f"{part}={folder}/wikineural/{part}.conllu.gz" for part in ("train", "dev")]
        return "conll:" + ",".join(parts)
    return f"sst:{folder}/sst"


def engine_name(engine, threads):
    return f"{engine}, {threads}"


def measure_case(options, peer, case):
    """All contenders in turn, round after round."""
    model, hidden, batch_size = case
    data = data_of(model, options.data)
    more = ["--limit", options.limit, "--mode", "train", *(["--epochs", 1] if options.quick else [])]
    rounds = []
    for _ in range(options.rounds):
        figures = {"DyNet": peer.measure(model, data, options.limit, hidden, batch_size, "train", options.seconds)}
        for threads in options.threads:
            for engine in ENGINES:
                figures[engine_name(engine, threads)] = bench(options.cavs, model, data, hidden, threads, batch_size,
                                                              "--engine", engine, *more)
        rounds.append(figures)
    agenda = bench(options.cavs, model, data, hidden, 1, batch_size, "--policy", "agenda", "--epochs", 1,
                   "--limit", options.limit, "--mode", "train")
    return {"model": model, "hidden": hidden, "batch_size": batch_size, "rounds": rounds, "agenda": agenda}


def check_peer(peer, models, folder):
    for model in models:
        difference = peer.check(model, data_of(model, folder))
        print(f"{model}: the peer's losses differ by {difference:.1e}", file=sys.stderr)
        if not difference <= TOLERANCE:
            sys.exit(f"{model}: expected at most {TOLERANCE:g}; what is measured would not be the same work")


def warn_if_busy(threads):
    """A team whose threads share a core with another program waits for that at every step."""
    load = os.getloadavg()[0]
    if load > os.cpu_count() - max(threads) + 0.5:
        print(f"other programs use this machine (load {load:.1f}); speeds of several threads will not hold",
              file=sys.stderr)


def measure_all(options):
    warn_if_busy(options.threads)
    path = pathlib.Path(options.json)
    results = json.loads(path.read_text()) if path.exists() else {"limit": options.limit, "cases": []}
    if results["limit"] != options.limit:
        sys.exit(f"{path}: has cases of {results['limit']} samples; expected {options.limit}. Use another file")
    done = {(case["model"], case["hidden"], case["batch_size"]) for case in results["cases"]}
    cases = [case for case in all_cases(options.models, options.hidden, options.batch_sizes) if case not in done]
    peer = Peer(options)
    check_peer(peer, dict.fromkeys(model for model, _, _ in cases), options.data)
    for case in cases:
        print(*case, file=sys.stderr, flush=True)
        results["cases"].append(measure_case(options, peer, case))
        path.write_text(json.dumps(results, indent=1) + "\n")
    return results


# Tables of what was measured.

def median(case, contender, field="samples_per_second"):
    return statistics.median(round_[contender][field] for round_ in case["rounds"])


def ratio(case, contender, other):
    """How many times as fast: the median of the rounds, and from the least to the largest."""
    ratios = [r[contender]["samples_per_second"] / r[other]["samples_per_second"] for r in case["rounds"]]
    middle = f"{statistics.median(ratios):.2f}"
    return middle if len(ratios) == 1 else f"{middle} ({min(ratios):.2f} to {max(ratios):.2f})"


def short(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def threads_of(cases):
    names = [name for name in cases[0]["rounds"][0] if name.startswith(ENGINES[1])]
    return [int(name.rsplit(" ", 1)[1]) for name in names]


def speed_table(cases):
    """Figures 8, 9 and 12: samples a second, and how many times as fast `persistent` is."""
    threads = threads_of(cases)
    contenders = [engine_name(engine, t) for t in threads for engine in ENGINES]
    header = ["model", "hidden", "batch", "DyNet", *contenders]
    header += [f"to DyNet, {t}" for t in threads] + [f"to batched, {t}" for t in threads]
    rows = []
    for case in cases:
        row = [f"`{case['model']}`", str(case["hidden"]), str(case["batch_size"])]
        row += [short(median(case, name)) for name in ("DyNet", *contenders)]
        row += [ratio(case, engine_name("persistent", t), "DyNet") for t in threads]
        row += [ratio(case, engine_name("persistent", t), engine_name("batched", t)) for t in threads]
        rows.append(row)
    return markdown(header, rows)


def breakdown_table(cases):
    """Figure 10: microseconds a sample of `persistent`, by part; the host's overlap the executor's with two threads."""
    header = ["batch", "threads", "pack", "schedule", "plan", "script", "host", "executor", "update"]
    rows = []
    for case in cases:
        for threads in threads_of(cases):
            def micros(*fields):
                runs = [round_[engine_name("persistent", threads)] for round_ in case["rounds"]]
                return statistics.median(sum(run[field] for field in fields) * 1e3 * run["steps"] / run["samples"]
                                         for run in runs)
            parts = [(part,) for part in HOST] + [HOST, EXECUTOR, ("update_ms",)]
            rows.append([str(case["batch_size"]), str(threads), *(short(micros(*fields)) for fields in parts)])
    return markdown(header, rows)


def weights_table(cases):
    """Table I: megabytes of weights that training 128 inputs reads. Batched by agenda (as DyNet-AB) or by `frontier`, each
    product reads its weights; persistent processors read each weight once a minibatch."""
    rows = []
    for case in cases:
        run = case["rounds"][0][engine_name("persistent", threads_of(cases)[0])]
        def megabytes(of, field):
            return short(of[field] * of["steps"] / of["samples"] * INPUTS / 1e6)
        rows.append([str(case["batch_size"]), megabytes(case["agenda"], "weight_bytes"), megabytes(run, "weight_bytes"),
                     megabytes(run, "weight_bytes_once")])
    return markdown(["batch", "`agenda`", "`frontier`", "each weight once a minibatch"], rows)


def tables(results):
    """The page's tables. Only those of which there are cases."""
    cases = sorted(results["cases"], key=lambda case: (case["model"], case["hidden"], case["batch_size"]))
    trees = [case for case in cases if case["model"] == TREE_LSTM]
    middle = [case for case in trees if case["hidden"] == 256] or trees[-1:]
    others = [case for case in cases if case["model"] != TREE_LSTM]
    parts = [("Speed of the Tree-LSTM (Figures 8 and 9)", speed_table, trees),
             ("Speed of other models (Figure 12)", speed_table, others),
             ("Where the time goes (Figure 10)", breakdown_table, middle),
             ("Weights that are read (Table I)", weights_table, middle)]
    return "\n".join(f"## {title}\n\n{table(of)}" for title, table, of in parts if of)


def numbers(text):
    return [int(n) for n in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", help="the folder with sst/ and wikineural/")
    parser.add_argument("--json", metavar="FILE", help="the result, and what was measured before")
    parser.add_argument("--tables", metavar="FILE", help="measure nothing; print the tables of this result")
    parser.add_argument("--models", type=lambda text: text.split(","), help="default: all of the paper")
    parser.add_argument("--hidden", type=numbers, metavar="N,N,...", help="default: the paper's, by model")
    parser.add_argument("--batch-sizes", type=numbers, default=BATCH_SIZES, metavar="N,N,...")
    parser.add_argument("--threads", type=numbers, default=(1, 2), metavar="N,N,...", help="of cavs; DyNet has one")
    parser.add_argument("--limit", type=int, default=INPUTS, help="samples (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="of a measurement of DyNet; cavs takes two or more")
    parser.add_argument("--quick", action="store_true", help="small sizes, few samples, one round: does all of it work?")
    add_programs(parser)
    options = parser.parse_args()
    if options.tables:
        return print(tables(json.loads(pathlib.Path(options.tables).read_text())), end="")
    if not options.data or not options.json:
        parser.error("give the folder of the data and --json FILE, or --tables FILE")
    if options.quick:
        options.hidden, options.batch_sizes, options.limit = options.hidden or [16], [1, 4], 8
        options.rounds, options.seconds = 1, 0.1
    print(tables(measure_all(options)), end="")


if __name__ == "__main__":
    main()
