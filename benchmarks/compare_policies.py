"""Whether fewer tasks make a model faster: `cavs bench --policies` for the eight models of ED-Batch's benchmark.

Forward and training by hidden size; the policies of a model run in turn, round after round in one process. The columns
are milliseconds a step with the first policy, and the speed and the tasks of the others in relation to it. Without
--data-dir the data are generated; with it they are those of sst, weibo, wikigold and multi30k_ende there.

Example (about four minutes; --quick takes one):
  compare_policies.py --data-dir data --hidden 64,256
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


def measure(options, model, mode, hidden):
    command = [options.cavs, "bench", model, "--preset", "ed-batch", "--hidden", hidden, "--mode", mode]
    command += ["--batch-size", options.batch_size, "--threads", options.threads, "--limit", options.limit]
    command += ["--policies", ",".join(options.policies), "--epochs", options.rounds, "--json"]
    return run_json(command + (["--data", DATA[model].format(options.data_dir)] if options.data_dir else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = {"type": lambda text: text.split(","), "metavar": "NAME,NAME,..."}
    parser.add_argument("--models", default=list(DATA), **words)
    parser.add_argument("--modes", default=["infer", "train"], **words)
    parser.add_argument("--policies", default=["frontier", "agenda", "fsm"], **words)
    parser.add_argument("--hidden", default=[64, 256], type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=int, default=128, help="samples")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data-dir", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="three rounds of one minibatch, hidden size 64 alone")
    parser.add_argument("--cavs", default=HERE.parent / "build" / "release" / "bin" / "cavs")
    options = parser.parse_args()
    if options.quick:
        options.hidden, options.limit, options.rounds = [64], options.batch_size, 3
    others = options.policies[1:]
    columns = "".join(f"{name + ' speed':>14}{'tasks':>7}" for name in others)
    print(f"{'model':<17}{'mode':<7}{'hidden':>6}{options.policies[0] + ' ms':>13}{'tasks':>8}{columns}{'noise':>7}")
    for model, mode, hidden in itertools.product(options.models, options.modes, options.hidden):
        rows = measure(options, model, mode, hidden)["results"]
        first, noise = rows[0], max(row["median_step_ms"] / row["step_ms"] for row in rows)
        compared = "".join(f"{row['ratio']:>14.2f}{row['tasks'] / first['tasks']:>7.2f}" for row in rows[1:])
        print(f"{model:<17}{mode:<7}{hidden:>6}{first['step_ms']:>13.3f}{first['tasks']:>8.1f}{compared}{noise:>7.2f}",
              flush=True)


if __name__ == "__main__":
    main()
