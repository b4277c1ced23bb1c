"""Compares models of the zoo with PyTorch: loss, outputs and the gradient of every parameter, on the same graphs.

The models are implemented again here, one vertex at a time, with autograd in float64.
Usage: models_torch.py MODEL_DUMP. Also reads real trees if CAVS_DATA_DIR has them. Exits with 77 without PyTorch.
"""

import json
import os
import subprocess
import sys

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

from typed_cells import TYPED_CELLS, gru_step

TOLERANCE = 1e-5  # relative to the largest element of a tensor
SAMPLES = 64
FEW = ["tree-lstm-binary", "lattice-lstm", "bilstm-char", "var-lstm"]  # the models that run without CAVS_ALL_MODELS


def child_sum_lstm(p, word, children, zero):
    """Tai et al. (2015), equations 2-8. States are pairs (c, h)."""
    x = p["embedding"][word] if word >= 0 else torch.zeros(p["W"].shape[0], dtype=torch.float64)
    h_sum = sum((h for _, h in children), zero)
    i, o, u = (x @ p["W"] + h_sum @ p["U"] + p["b"]).chunk(3)
    c = i.sigmoid() * u.tanh()
    for child_c, child_h in children:
        c = c + (x @ p["Wf"] + child_h @ p["Uf"] + p["bf"]).sigmoid() * child_c
    h = o.sigmoid() * c.tanh()
    return (c, h), h


def binary_lstm(p, word, children, zero):
    """Tai et al. (2015), equations 9-14 with N = 2: one forget gate per child, computed from that child's h."""
    if children:
        (left_c, left_h), (right_c, right_h) = children
        i, o, u = (left_h @ p["Ul"] + right_h @ p["Ur"] + p["b"]).chunk(3)
        kept = (left_h @ p["Fl"] + p["bl"]).sigmoid() * left_c + (right_h @ p["Fr"] + p["br"]).sigmoid() * right_c
    else:
        i, o, u = (p["embedding"][word] @ p["W"] + p["bw"]).chunk(3)
        kept = zero
    c = i.sigmoid() * u.tanh() + kept
    h = o.sigmoid() * c.tanh()
    return (c, h), h


def fully_connected(p, word, children, zero):
    """Looks et al. (2017), section 3.1. A leaf has no output."""
    if not children:
        return (zero, p["embedding"][word]), None
    (_, left), (_, right) = children
    h = (left @ p["Wl"] + right @ p["Wr"] + p["b"]).relu()
    return (zero, h), h


def lstm(p, word, children, zero):
    """Hochreiter and Schmidhuber (1997) with forget gates, as in torch.nn.LSTM. The gates of W are i, f, o, u."""
    c, h = children[0] if children else (zero, zero)
    i, f, o, u = (p["embedding"][word] @ p["W"] + h @ p["U"] + p["b"]).chunk(4)
    c = f.sigmoid() * c + i.sigmoid() * u.tanh()
    h = o.sigmoid() * c.tanh()
    return (c, h), h


def gru(p, word, children, zero):
    """Cho et al. (2014), equations 5-8."""
    h = children[0][1] if children else zero
    x = p["embedding"][word]
    h = gru_step(x @ p["W"] + p["b"], x @ p["V"] + p["c"], h, p["U"], p["C"])
    return (zero, h), h


def dag_rnn(p, word, children, zero):
    """Shuai et al. (2016), equation 5."""
    h = (p["embedding"][word] @ p["U"] + sum((h for _, h in children), zero) @ p["W"] + p["b"]).tanh()
    return (zero, h), h


def relatedness(p, kind, word, children, zero):
    """Tai et al. (2015), equation 15: the input of the output layer for two roots."""
    if kind == "node":
        return child_sum_lstm(p, word, children, zero)[0], None
    (_, left), (_, right) = children
    return (zero, zero), ((left * right) @ p["Wx"] + (left - right).abs() @ p["Wd"] + p["bx"]).sigmoid()


def divergence(logits, score):
    """The loss against a distribution over 1, 2, ... that has its mass on the neighbours of the score."""
    target = (1 - (score - torch.arange(1, len(logits) + 1)).abs()).relu()
    return torch.nn.functional.kl_div(logits.log_softmax(0), target, reduction="sum")


def of_any_type(cell):
    """A cell whose vertices differ only in their children."""
    return lambda p, kind, word, children, zero: cell(p, word, children, zero)


CELLS = {**{model: of_any_type(cell) for model, cell in
            {"tree-lstm": child_sum_lstm, "tree-lstm-binary": binary_lstm, "tree-fc": fully_connected,
             "var-lstm": lstm, "fixed-lstm": lstm, "gru": gru, "dag-rnn": dag_rnn}.items()},
         "tree-lstm-relatedness": relatedness, **TYPED_CELLS}
RANDOM_TREES = "random-trees:train=64,test=0,leaves=8"
LATTICES = "lattices:train=64,test=0,length=14,vocabulary=300"
TAGS = "tags:train=64,test=0,length=10,vocabulary=300"
GENERATED = {"var-lstm": "markov:train=64,vocabulary=300", "fixed-lstm": "markov:train=20,vocabulary=300,steps=64",
             "gru": "markov:train=64,vocabulary=300", "dag-rnn": "expressions:train=64,test=0",
             "tree-lstm-relatedness": "tree-pairs:train=64,test=0,length=7,vocabulary=300",
             "rvnn": RANDOM_TREES, "thinking-rvnn": RANDOM_TREES, "td-rnn": RANDOM_TREES, "td-lstm": RANDOM_TREES,
             "tree-lstm-nary": RANDOM_TREES, "tree-lstm-2type": RANDOM_TREES, "tree-gru": RANDOM_TREES,
             "mv-rnn": RANDOM_TREES, "lrcn": "moving-shapes:train=64,test=0,length=4",
             "lattice-lstm": LATTICES, "lattice-gru": LATTICES,
             "bilstm-tagger": TAGS, "bilstm": TAGS, "bilstm-char": TAGS,
             "lstm-nmt": "translations:train=64,test=0,length=9,vocabulary=300"}


def check_against_torch_lstm():
    """Checks that the cell above equals PyTorch's, apart from the order of the gates."""
    torch.manual_seed(1)
    d, h, words = 3, 4, 7
    reference = torch.nn.LSTM(d, h).double()
    def ours(weight):  # rows i, f, g, o -> columns i, f, o, g
        i, f, g, o = weight.chunk(4)
        return torch.cat([i, f, o, g]).t().detach()
    p = {"embedding": torch.randn(words, d, dtype=torch.float64), "W": ours(reference.weight_ih_l0),
         "U": ours(reference.weight_hh_l0), "b": ours(reference.bias_ih_l0[:, None] + reference.bias_hh_l0[:, None])[0]}
    state, outputs = None, []
    for word in range(words):
        state, y = lstm(p, word, [state] if state else [], torch.zeros(h, dtype=torch.float64))
        outputs.append(y)
    expected, _ = reference(p["embedding"][:, None])
    assert farthest(torch.stack(outputs), expected.detach()[:, 0]) < 1e-12


def evaluate(cell, p, graphs):
    """Logits of every vertex, and the loss: the sum over labelled vertices divided by the number of samples."""
    begin, child_begin = graphs["vertex_begin"], graphs["child_begin"]
    W, b = p["output_W"], p["output_b"]
    frame = len(graphs["pixels"]) // begin[-1]
    read_by = ([graphs["pixels"][v * frame:(v + 1) * frame] for v in range(begin[-1])] if graphs["pixels"]
               else [word if word >= 0 or not graphs["character"] else character
                     for word, character in zip(graphs["word"], graphs["character"] or graphs["word"])])
    zero, no_logits = (torch.zeros(size, dtype=torch.float64) for size in W.shape)
    logits = [no_logits] * begin[-1]
    losses = []
    for first, end in zip(begin, begin[1:]):
        states = {}
        for v in sorted(range(first, end), key=lambda v: graphs["levels"][v]):
            slots = graphs["children"][child_begin[v]:child_begin[v + 1]]
            children = [states[first + child] if child >= 0 else (zero, zero) for child in slots]
            states[v], read = cell(p, graphs["types"][v], read_by[v], children, zero)
            if read is None:
                continue
            logits[v] = read @ W + b
            if graphs["score"]:
                losses.append(divergence(logits[v], graphs["score"][v]))
            elif graphs["label"][v] >= 0:
                losses.append(-logits[v].log_softmax(0)[graphs["label"][v]])
    return torch.stack(logits), torch.stack(losses).sum() / (len(begin) - 1)


def farthest(found, reference):
    """The largest difference, relative to the largest element of the reference."""
    found, reference = (torch.as_tensor(x, dtype=torch.float64).flatten() for x in (found, reference))
    assert found.shape == reference.shape, f"{found.shape} against {reference.shape}"
    largest = reference.abs().max().item()
    difference = (found - reference).abs().max().item()
    return difference / largest if largest > 0 else difference


def check(dump, model, data, engine, threads):
    run = subprocess.run([dump, model, data, str(SAMPLES), engine, str(threads)], check=True, stdout=subprocess.PIPE)
    ours = json.loads(run.stdout)
    tensors = ours["parameters"]
    p = {name: torch.tensor(t["values"], dtype=torch.float64).reshape(t["shape"]).requires_grad_()
         for name, t in tensors.items()}
    logits, loss = evaluate(CELLS[model], p, ours["graphs"])
    loss.backward()
    errors = {"loss": farthest([ours["loss"]], [loss.item()]), "logits": farthest(ours["logits"], logits.detach())}
    for name, t in tensors.items():
        errors["gradient of " + name] = farthest(t["gradient"], p[name].grad)
    worst = max(errors, key=errors.get)
    failed = errors[worst] > TOLERANCE
    print(f"{'FAILED' if failed else 'ok'}: {model} on {data}, {engine}, {threads} threads: "
          f"largest difference {errors[worst]:.1e} of the largest number ({worst})")
    return failed


def main():
    dump = sys.argv[1]
    check_against_torch_lstm()
    generated = "binary-trees:leaves=12,samples=64"
    all_models = "CAVS_ALL_MODELS" in os.environ
    cases = [(model, GENERATED.get(model, generated), "batched", 1) for model in (CELLS if all_models else FEW)]
    cases.append(("tree-lstm", "listops:train=64,test=1,length=40", "batched", 2))
    cases.append(("tree-lstm-binary", generated, "reference", 1))
    if not all_models:
        return 1 if any([check(dump, *case) for case in cases]) else 0
    cases.append(("var-lstm", GENERATED["var-lstm"], "batched", 2))
    cases += [(model, GENERATED[model], "batched", 2) for model in TYPED_CELLS]
    sst = os.path.join(os.environ.get("CAVS_DATA_DIR", ""), "sst", "train.txt")
    if os.path.isabs(sst) and os.path.exists(sst):
        cases += [(model, sst, "batched", threads) for model in ("tree-lstm", "tree-lstm-binary") for threads in (1, 2)]
        cases += [(model, sst, "batched", 2)
                  for model in ("tree-lstm-nary", "tree-lstm-2type", "tree-gru", "rvnn", "mv-rnn")]
    else:
        print("note: skipped real trees, because CAVS_DATA_DIR has no sst/train.txt")
    return 1 if any([check(dump, *case) for case in cases]) else 0


if __name__ == "__main__":
    sys.exit(main())
