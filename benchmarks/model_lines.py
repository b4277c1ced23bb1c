#!/usr/bin/env python3
"""Counts the lines of a model's declaration, in cavs and in other libraries' own examples, by one rule: lines of the
named functions and classes that are not blank, comments or docstrings (for a whole file, nor #include or namespace).
Code that makes parameters and computes predictions is counted, with the loss if it is in the same functions. Reading
data, training, loops over samples and saving are not counted. Files of other libraries are in PEERS/OWNER/REPOSITORY;
missing files are skipped.

    benchmarks/model_lines.py PEERS"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS, GRAPHS = "src/models/", "src/graphs/"

# cavs: the file of the model, and functions that it shares with other models; the graph builder, if it has one.
# Others: (library, file, names). A name is a class, a function, Class.method, or "first text ... last function".
DGL = ("DGL", "dmlc/dgl/examples/pytorch/tree_lstm/tree_lstm.py")
PYTORCH_LM = ("PyTorch examples", "pytorch/examples/word_language_model/model.py", ["RNNModel"])
CLASSIFIER = ["TreeLSTMClassifier.__init__", "TreeLSTMClassifier.predict_for_tree",
              "TreeLSTMClassifier.losses_for_tree"]
DYNET_TAGGER = ("DyNet", "clab/dynet/examples/tagger/bilstmtagger.py",
                ["E = model.add_lookup ... build_tagging_graph"])
TAGGER = ("tagger_parts.cc", ["add_bilstm", "connect_both", "pull_both", "mlp", "add_tagger"])
CLASSES = ("classes.cc", ["class_scores", "predict_class"])  # the output layer of all models
ROWS = [
    ("tree-lstm", ["tree_lstm.cc", CLASSES], None, [(*DGL, ["ChildSumTreeLSTMCell", "TreeLSTM"])]),
    ("tree-lstm-binary", ["tree_lstm_binary.cc", CLASSES], None,
     [("DyNet", "clab/dynet/examples/treelstm/model.py", ["TreeLSTMBuilder", *CLASSIFIER])]),
    ("tree-lstm-nary",
     ["tree_lstm_nary.cc", ("tree_parts.cc", ["scatter_states", "declare_tree_lstm_leaf", "declare_tree_lstm_inner",
                                              "declare_output"]), CLASSES], "tree_with_outputs.cc",
     [(*DGL, ["TreeLSTMCell", "TreeLSTM"])]),
    ("tree-lstm-relatedness", ["tree_lstm_relatedness.cc", ("tree_lstm.cc", ["child_sum_lstm"])], None,
     [("treelstm.pytorch", "dasguptar/treelstm.pytorch/treelstm/model.py",
       ["ChildSumTreeLSTM", "Similarity", "SimilarityTreeLSTM"])]),
    ("var-lstm", ["lstm.cc", CLASSES], None,
     [("DyNet", "clab/dynet/examples/rnnlm/lstmlm-auto.py", ["LSTMLM.__init__", "LSTMLM.sent_lm_loss"]), PYTORCH_LM]),
    ("gru", ["gru.cc", CLASSES], None, [PYTORCH_LM]),
    ("bilstm", ["bilstm.cc", TAGGER, CLASSES], None, [DYNET_TAGGER]),
    ("bilstm-tagger", ["bilstm_tagger.cc", TAGGER, CLASSES], None, [DYNET_TAGGER]),
    ("lstm-nmt", ["lstm_nmt.cc", CLASSES], None,
     [("PyTorch tutorials", "pytorch/tutorials/intermediate_source/seq2seq_translation_tutorial.py",
       ["EncoderRNN", "DecoderRNN"])]),
]


def cpp_lines(text):
    skipped = re.compile(r"\s*(//|#include|#pragma|namespace\b|\}  // namespace|$)")
    return sum(not skipped.match(line) for line in text.splitlines())


def python_lines(text):
    text = re.sub(r'^(\s*)r?"""(?:[^"]|"(?!""))*"""\s*$', "", text, flags=re.MULTILINE)
    return sum(not re.match(r"\s*(#|$)", line) for line in text.splitlines())


def cpp_function(text, name):
    """A function: from its first line (or its template) to the brace at the end of this line or in the first column."""
    found = re.search(rf"^(template.*\n)?\w[^\n;]*\b{name}\((?:.*\}}|(?:.*\n)+?\}})$", text, flags=re.MULTILINE)
    return found.group(0) if found else sys.exit(f"no function {name}")


def python_block(text, name):
    """A class or function, with all lines that are indented below it."""
    if " ... " in name:
        first, last = name.split(" ... ")
        block = python_block(text, last)
        return text[text.index(first):text.index(block) + len(block)]
    if "." in name:
        owner, method = name.split(".")
        return python_block(python_block(text, owner), method)
    found = re.search(rf"^([ \t]*)(class|def) {name}\b.*\n(?:\1[ \t]+\S.*\n|\1\).*\n|[ \t]*\n)*", text, flags=re.MULTILINE)
    return found.group(0) if found else sys.exit(f"no class or function {name}")


def count_ours(parts, folder=MODELS):
    total = 0
    for part in parts:
        file, names = part if isinstance(part, tuple) else (part, None)
        text = (ROOT / folder / file).read_text()
        total += cpp_lines(text) if names is None else sum(cpp_lines(cpp_function(text, name)) for name in names)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", type=pathlib.Path)
    peers = parser.parse_args().peers
    print("| model | lines | its graph builder | peer | lines |\n| --- | --- | --- | --- | --- |")
    for model, parts, builder, others in ROWS:
        for who, file, names in others:
            if not (peers / file).exists():
                print(f"skipped, not found: {peers / file}", file=sys.stderr)
                continue
            text = (peers / file).read_text()
            theirs = sum(python_lines(python_block(text, name)) for name in names)
            graph = count_ours([builder], GRAPHS) if builder else ""
            print(f"| `{model}` | {count_ours(parts)} | {graph} | {who}, `{pathlib.Path(file).name}`: "
                  f"{', '.join(f'`{name}`' for name in names)} | {theirs} |")


if __name__ == "__main__":
    main()
