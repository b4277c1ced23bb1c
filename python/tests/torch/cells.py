"""Models of cavs, and the same models in plain PyTorch, one vertex at a time, with PyTorch's gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

import cavs

WORDS, WIDTH, HIDDEN, CLASSES = 12, 5, 6, 3

Parameters = Mapping[str, Tensor]
States = dict[str, Tensor]
# A cell at a vertex: a function of parameters, word (-1 for none), row of "x", and states of the children.
Cell = Callable[[Parameters, int, Tensor, list[States]], States]


@dataclass
class Case:
    """A model that pushes "logits" and scatters "h" and "c", the cell in plain PyTorch, and graphs for both."""

    name: str
    model: cavs.Model
    cell: Cell
    graphs: cavs.Graphs


def trees(samples: int, seed: int = 1, leaves: int = 7, ports: bool = True) -> cavs.Graphs:
    """Binary trees of random shape, with words and rows of "x"."""
    rng = np.random.default_rng(seed)
    sample_begin, offsets, children, words = [0], [0], [], []
    for _ in range(samples):
        count = int(rng.integers(1, leaves + 1))
        free, made = list(range(count)), count
        offsets += [offsets[-1]] * count
        words += rng.integers(0, WORDS, count).tolist()
        while len(free) > 1:
            at = int(rng.integers(0, len(free) - 1))
            children += free[at:at + 2]
            offsets.append(len(children))
            words.append(-1 if rng.random() < 0.5 else int(rng.integers(0, WORDS)))
            free[at:at + 2] = [made]
            made += 1
        sample_begin.append(sample_begin[-1] + made)
    return graphs_of(sample_begin, offsets, children, words, seed, ports)


def chains(samples: int, seed: int = 1, length: int = 7) -> cavs.Graphs:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, length + 1, samples)
    counts = np.concatenate([np.minimum(np.arange(n), 1) for n in sizes])
    children = np.concatenate([np.arange(n - 1) for n in sizes])
    words = rng.integers(0, WORDS, int(sizes.sum()))
    return graphs_of(np.cumsum([0, *sizes]).tolist(), np.cumsum([0, *counts]).tolist(), children.tolist(),
                     words.tolist(), seed)


def graphs_of(sample_begin: list[int], offsets: list[int], children: list[int], words: list[int], seed: int,
              ports: bool = True) -> cavs.Graphs:
    x = np.random.default_rng(seed + 100).standard_normal((len(words), WIDTH)).astype(np.float32)
    return cavs.Graphs.from_arrays(np.array(sample_begin), np.array(offsets), np.array(children),
                                   ports={"word": np.array(words), **({"x": x} if ports else {})})


def child_sum_model(dropout: float = 0, words: int = WORDS, width: int = WIDTH, hidden: int = HIDDEN) -> cavs.Model:
    """Tai et al., 2015, equations 2 to 8; the input is a word's row and the numbers "x"."""
    m = cavs.Model(seed=1)
    E = m.lookup("E", (words, width))
    W, U, b = m.parameter("W", (width, 3 * hidden)), m.parameter("U", (hidden, 3 * hidden)), m.parameter("b", 3 * hidden)
    Wf, Uf, bf = m.parameter("Wf", (width, hidden)), m.parameter("Uf", (hidden, hidden)), m.parameter("bf", hidden)
    Wy = m.parameter("Wy", (hidden, CLASSES))

    @m.vertex_function
    def vertex(v: cavs.Vertex) -> None:
        x = E(v.pull_index("word")) + v.pull("x", width)
        if dropout > 0:
            x = cavs.dropout(x, dropout)
        hs, cs = v.children("h"), v.children("c")
        i, o, u = (x @ W + hs.sum() @ U + b).split(3)
        f = cavs.sigmoid(x @ Wf + hs @ Uf + bf)
        c = cavs.sigmoid(i) * cavs.tanh(u) + (f * cs).sum()
        h = cavs.sigmoid(o) * cavs.tanh(c)
        v.scatter(c=c, h=h)
        v.push(logits=h @ Wy)

    return m


def word_row(p: Parameters, word: int) -> Tensor:
    return p["E"][word] if word >= 0 else torch.zeros_like(p["E"][0])


def total(rows: list[Tensor], like: Tensor) -> Tensor:
    return torch.stack(rows).sum(0) if rows else torch.zeros_like(like)


def child_sum_cell(p: Parameters, word: int, x: Tensor, children: list[States]) -> States:
    x = word_row(p, word) + x
    h = total([child["h"] for child in children], p["bf"])
    i, o, u = (x @ p["W"] + h @ p["U"] + p["b"]).chunk(3)
    kept = [torch.sigmoid(x @ p["Wf"] + child["h"] @ p["Uf"] + p["bf"]) * child["c"] for child in children]
    c = torch.sigmoid(i) * torch.tanh(u) + total(kept, p["bf"])
    h = torch.sigmoid(o) * torch.tanh(c)
    return {"h": h, "c": c, "logits": h @ p["Wy"]}


def binary_model() -> cavs.Model:
    """Tai et al., 2015, equations 9 to 14, with different weights for two children."""
    m = cavs.Model(seed=2)
    E, Wy = m.lookup("E", (WORDS, WIDTH)), m.parameter("Wy", (HIDDEN, CLASSES))
    W, b = m.parameter("W", (WIDTH, 5 * HIDDEN)), m.parameter("b", 5 * HIDDEN)
    left, right = m.parameter("Ul", (HIDDEN, 5 * HIDDEN)), m.parameter("Ur", (HIDDEN, 5 * HIDDEN))

    @m.vertex_function
    def vertex(v: cavs.Vertex) -> None:
        x = E(v.pull_index("word")) + v.pull("x", WIDTH)
        gates = x @ W + v.gather(0, "h") @ left + v.gather(1, "h") @ right + b
        i, o, u, f, g = gates.split(5)
        kept = cavs.sigmoid(f) * v.gather(0, "c") + cavs.sigmoid(g) * v.gather(1, "c")
        c = cavs.sigmoid(i) * cavs.tanh(u) + kept
        h = cavs.sigmoid(o) * cavs.tanh(c)
        v.scatter(c=c, h=h)
        v.push(logits=h @ Wy)

    return m


def binary_cell(p: Parameters, word: int, x: Tensor, children: list[States]) -> States:
    none = torch.zeros(HIDDEN, dtype=x.dtype)
    l, r = children if children else [{"h": none, "c": none}] * 2
    gates = (word_row(p, word) + x) @ p["W"] + l["h"] @ p["Ul"] + r["h"] @ p["Ur"] + p["b"]
    i, o, u, f, g = gates.chunk(5)
    c = torch.sigmoid(i) * torch.tanh(u) + torch.sigmoid(f) * l["c"] + torch.sigmoid(g) * r["c"]
    h = torch.sigmoid(o) * torch.tanh(c)
    return {"h": h, "c": c, "logits": h @ p["Wy"]}


def lstm_model() -> cavs.Model:
    """Hochreiter and Schmidhuber, 1997, with the forget gate of Gers et al., 2000."""
    m = cavs.Model(seed=3)
    E, Wy = m.lookup("E", (WORDS, WIDTH)), m.parameter("Wy", (HIDDEN, CLASSES))
    W, U, b = m.parameter("W", (WIDTH, 4 * HIDDEN)), m.parameter("U", (HIDDEN, 4 * HIDDEN)), m.parameter("b", 4 * HIDDEN)

    @m.vertex_function
    def vertex(v: cavs.Vertex) -> None:
        x = E(v.pull_index("word")) + v.pull("x", WIDTH)
        i, f, o, u = (x @ W + v.gather(0, "h") @ U + b).split(4)
        c = cavs.sigmoid(f) * v.gather(0, "c") + cavs.sigmoid(i) * cavs.tanh(u)
        h = cavs.sigmoid(o) * cavs.tanh(c)
        v.scatter(c=c, h=h)
        v.push(logits=h @ Wy)

    return m


def lstm_cell(p: Parameters, word: int, x: Tensor, children: list[States]) -> States:
    none = torch.zeros(HIDDEN, dtype=x.dtype)
    before = children[0] if children else {"h": none, "c": none}
    i, f, o, u = ((word_row(p, word) + x) @ p["W"] + before["h"] @ p["U"] + p["b"]).chunk(4)
    c = torch.sigmoid(f) * before["c"] + torch.sigmoid(i) * torch.tanh(u)
    h = torch.sigmoid(o) * torch.tanh(c)
    return {"h": h, "c": c, "logits": h @ p["Wy"]}


def cases() -> list[Case]:
    return [Case("child-sum Tree-LSTM", child_sum_model(), child_sum_cell, trees(9)),
            Case("binary Tree-LSTM", binary_model(), binary_cell, trees(9)),
            Case("LSTM", lstm_model(), lstm_cell, chains(9))]


def plain(cell: Cell, parameters: Parameters, graphs: cavs.Graphs, samples: list[int], x: Tensor) -> States:
    """All outputs of the samples, [vertices, width] each. x: one row per vertex."""
    begin, offsets = graphs.sample_begin.tolist(), graphs.child_offsets.tolist()
    children, words = graphs.children.tolist(), graphs["word"].tolist()
    rows: list[States] = []
    for s in samples:
        first = len(rows)
        for v in range(begin[s], begin[s + 1]):  # children come first
            below = [rows[first + c] for c in children[offsets[v]:offsets[v + 1]]]
            rows.append(cell(parameters, words[v], x[len(rows)], below))
    return {name: torch.stack([row[name] for row in rows]) for name in rows[0]}


def largest_difference(found: Tensor, expected: Tensor) -> float:
    """The largest difference, relative to the largest expected number."""
    difference = (found.double() - expected.double()).abs().max() / expected.double().abs().max().clamp_min(1e-30)
    return float(difference)
