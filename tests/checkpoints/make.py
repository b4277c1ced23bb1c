#!/usr/bin/env python3
"""Makes a small checkpoint of every model that has none here, with its expected results (see README.md).

usage: CAVS_COMMAND=build/release/bin/cavs make.py [--expected]
  --expected  also evaluates and resumes the existing checkpoints, and rewrites their expected results
"""

import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(FOLDER, "expected.json")
COMMAND = os.environ.get("CAVS_COMMAND", "cavs")

# The portable kernels, which every processor runs.
PORTABLE = {**os.environ, "CAVS_ISA": "portable"}
COMMON = ["--hidden", "4", "--embedding", "4", "--batch-size", "5", "--threads", "1"]

RANDOM_TREES = "random-trees:train=12,test=6,leaves=5,vocabulary=12,seed=3"
EXPRESSIONS = "expressions:train=12,test=6,length=10,seed=3"
TAGS = "tags:train=12,test=6,length=6,vocabulary=12,seed=3"
LATTICES = "lattices:train=12,test=6,length=6,vocabulary=12,seed=3"
MARKOV = "markov:train=12,test=6,length=6,vocabulary=12,seed=3"
SGD = ["--optimizer", "sgd", "--lr", "0.05"]
MOMENTUM = [*SGD, "--momentum", "0.9"]
ADAGRAD = ["--optimizer", "adagrad"]
ADAMW = ["--optimizer", "adamw"]

# The data and options of each model. Each option occurs for some model.
MODELS = {
    "tree-lstm": ("listops:train=12,test=6,length=12,seed=3", ["--dropout", "0.2"]),
    "tree-lstm-binary": ("binary-trees:leaves=8,samples=12,vocabulary=12,seed=3", ADAGRAD),
    "tree-fc": ("binary-trees:leaves=8,samples=12,vocabulary=12,seed=3", []),
    "tree-lstm-nary": (RANDOM_TREES, MOMENTUM),
    "tree-gru": (RANDOM_TREES, [*SGD, "--clip", "0.5"]),
    "tree-lstm-2type": (RANDOM_TREES, SGD),
    "tree-lstm-relatedness": ("tree-pairs:train=12,test=6,length=5,vocabulary=12,seed=3", ADAGRAD),
    "rvnn": (RANDOM_TREES, ADAMW),
    "thinking-rvnn": (RANDOM_TREES, [*SGD, "--weight-decay", "0.01"]),
    "td-rnn": (RANDOM_TREES, []),
    "td-lstm": (RANDOM_TREES, SGD),
    "dag-rnn": (EXPRESSIONS, [*ADAGRAD, "--sparse-updates"]),
    "lrcn": ("moving-shapes:train=6,test=3,length=3,seed=3", []),
    "mv-rnn": (RANDOM_TREES, SGD),
    "lattice-lstm": (LATTICES, []),
    "lattice-gru": (LATTICES, MOMENTUM),
    "bilstm-tagger": (TAGS, SGD),
    "bilstm": (TAGS, []),
    "bilstm-char": (TAGS, SGD),
    "bilstm-crf": (TAGS, SGD),
    "lstm-nmt": ("translations:train=12,test=6,length=5,vocabulary=12,seed=3", []),
    "var-lstm": (MARKOV, MOMENTUM),
    "gru": (MARKOV, ["--bucket", "2"]),
    "fixed-lstm": (MARKOV + ",steps=8", [*SGD, "--warmup", "2", "--decay", "linear", "--decay-steps", "4"]),
}


def path_of(model):
    """The path of the stored checkpoint. Half of its bytes are text, so it is compressed."""
    return os.path.join(FOLDER, model + ".cavs.gz")


def unpack(model, folder):
    """Writes the uncompressed checkpoint and returns its path."""
    path = os.path.join(folder, model + ".cavs")
    with open(path, "wb") as file, gzip.open(path_of(model)) as kept:
        file.write(kept.read())
    return path


def make(model, folder):
    path = os.path.join(folder, model + ".new.cavs")
    run("train", *options_of(model), "--epochs", "1", "--save", path)
    with open(path, "rb") as file, open(path_of(model), "wb") as kept:
        kept.write(gzip.compress(file.read(), mtime=0))


def options_of(model):
    data, options = MODELS[model]
    return [model, "--data", data, *COMMON, *options]


def run(*arguments):
    result = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=300, env=PORTABLE)
    if result.returncode != 0:
        raise RuntimeError(f"cavs {' '.join(arguments)}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def state_hash(path):
    """A hash of the training state: names, shapes and bits of parameters and optimiser, and the position.

    It does not depend on metrics, nor on the texts that the command adds to a checkpoint.
    """
    with open(path, "rb") as file:
        content = file.read()
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8:8 + length]), content[8 + length:]
    digest = hashlib.sha256()
    texts = header.pop("__metadata__")
    digest.update(f"{json.loads(texts['position'])}{json.loads(texts['optimizer'])['steps']}\n".encode())
    for name in sorted(header):
        if name.startswith("metrics/"):
            continue
        begin, end = header[name]["data_offsets"]
        digest.update(f"{name} {header[name]['dtype']} {header[name]['shape']}\n".encode())
        digest.update(data[begin:end])
    return digest.hexdigest()


def outcome(model, folder):
    """The expected results of a checkpoint: the printed loss, and the state after one more epoch."""
    path, resumed = unpack(model, folder), os.path.join(folder, model + ".resumed.cavs")
    evaluation = json.loads(run("eval", path, "--json"))
    run("train", *options_of(model), "--epochs", "2", "--resume", path, "--save", resumed)
    return {"labels": evaluation["labels"], "loss": evaluation["loss"], "resumed": state_hash(resumed)}


def read_expected():
    with open(EXPECTED, encoding="utf-8") as file:
        return json.load(file)


def main():
    if sys.argv[1:] not in ([], ["--expected"]):
        sys.exit(__doc__)
    expected = read_expected() if os.path.exists(EXPECTED) else {}
    with tempfile.TemporaryDirectory() as folder:
        for model in MODELS:
            is_new = not os.path.exists(path_of(model))
            if is_new:
                make(model, folder)
            if is_new or sys.argv[1:]:
                expected[model] = outcome(model, folder)
    with open(EXPECTED, "w", encoding="utf-8") as file:
        json.dump(expected, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
