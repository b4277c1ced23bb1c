"""Gradients of tables inside a cell equal the gradients of a PyTorch embedding outside of it."""

from __future__ import annotations

import pathlib
import tempfile
import unittest
from typing import Any

import torch
from torch import Tensor, nn
from vertex_recursion import random_graphs

import cavs
import cavs.torch
from cavs.torch import Children, EdgeIndex, Index, batched

WORDS, D, H = 40, 5, 6


class Inside(nn.Module):
    """tied: True if the table is also used as a matrix."""

    def __init__(self, sparse: bool = True, padding: int | None = None, tied: bool = False) -> None:
        super().__init__()
        self.e = nn.Embedding(WORDS, D, sparse=sparse, padding_idx=padding)
        self.x = nn.Linear(D, H)
        self.h = nn.Linear(H, H, bias=False)
        self.tied = tied

    def forward(self, word: Tensor, hs: Tensor) -> Tensor:
        return self.above(self.e(word), hs)

    def above(self, x: Tensor, hs: Tensor) -> Tensor:
        y = torch.tanh(self.x(x) + self.h(hs.sum(0)))
        return y + (x @ self.e.weight.t()).sum() if self.tied else y


class Twice(nn.Module):
    """One table for two embeddings, one of them with padding."""

    def __init__(self, both: bool) -> None:
        super().__init__()
        self.e = nn.Embedding(WORDS, H, sparse=True)
        self.padded = nn.Embedding(WORDS, H, sparse=both, padding_idx=1)
        self.padded.weight = self.e.weight

    def forward(self, word: Tensor, other: Tensor, hs: Tensor) -> Tensor:
        return torch.tanh(self.e(word) * self.padded(other) + hs.sum(0))


class PerEdge(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.e = nn.Embedding(4, H, sparse=True)

    def forward(self, h: Tensor, kind: Tensor) -> Tensor:
        return torch.tanh(0.1 + (self.e(kind) * (1 + h)).sum(0))


def inside_and_outside(cell: Inside) -> tuple[Any, Any]:
    """The module with the table inside, and the module with the table outside, as functions of graphs."""
    inner = batched(cell, {"h": H}, word=Index(), hs=Children("h"))
    outer = batched(cell, {"h": H}, method="above", x=D, hs=Children("h"))

    def outside(graphs: cavs.Graphs) -> dict[str, Tensor]:
        found: dict[str, Tensor] = outer(graphs, x=cell.e(torch.from_numpy(graphs["word"]).long()))
        return found

    return inner, outside


def graphs_of(seed: int) -> cavs.Graphs:
    """Graphs with enough vertices to read some words several times, and some not at all."""
    return random_graphs("trees", seed, ports={"word": WORDS, "other": 3}, edge_ports={"kind": 3})


def loss(y: Tensor) -> Tensor:
    return (y.square() * torch.arange(1.0, 1 + y.shape[1])).sum()


class Gradients(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(1)
        self.graphs = graphs_of(1)
        self.words = torch.from_numpy(self.graphs["word"]).long()
        self.assertLess(len(self.words.unique()), min(WORDS, len(self.words)))

    def gradient(self, net: Any, of: Tensor, graphs: cavs.Graphs | None = None) -> Tensor:
        found: Tensor = torch.autograd.grad(loss(net(graphs or self.graphs)["h"]), of)[0]
        return found

    def same(self, found: Tensor, wanted: Tensor) -> None:
        torch.testing.assert_close(found.to_dense(), wanted.to_dense(), rtol=1e-5, atol=1e-5)

    def test_the_same_as_outside(self) -> None:
        word = int(self.words[0])
        for sparse in (False, True):
            for padding in (None, word):
                with self.subTest(sparse=sparse, padding=padding):
                    cell = Inside(sparse, padding)
                    found, wanted = (self.gradient(net, cell.e.weight) for net in inside_and_outside(cell))
                    self.assertEqual((found.is_sparse, wanted.is_sparse), (sparse, sparse))
                    self.same(found, wanted)
                    if padding is not None:
                        self.assertEqual(float(found.to_dense()[padding].abs().max()), 0.0)
                    if sparse:
                        read = self.words[self.words != padding] if padding is not None else self.words
                        self.assertEqual(found.coalesce().indices()[0].tolist(), read.unique().tolist())

    def test_passes_of_other_graphs(self) -> None:
        """Each pass has its own rows, whatever earlier passes have read. Some passes are open at the same time."""
        cell = Inside()
        inside, outside = inside_and_outside(cell)
        for seed in (2, 3, 2):
            self.same(*(self.gradient(net, cell.e.weight, graphs_of(seed)) for net in (inside, outside)))
        sums = []
        for net in (inside, outside):
            cell.zero_grad()
            first, second = (loss(net(graphs_of(seed))["h"]) for seed in (4, 5))
            second.backward()
            first.backward()
            assert cell.e.weight.grad is not None
            self.assertTrue(cell.e.weight.grad.is_sparse)
            sums.append(cell.e.weight.grad)
        self.same(*sums)

    def test_tied(self) -> None:
        """A table that is also a matrix has a dense gradient."""
        cell = Inside(tied=True)
        found, wanted = (self.gradient(net, cell.e.weight) for net in inside_and_outside(cell))
        self.assertFalse(found.is_sparse)
        self.same(found, wanted)

    def test_two_embeddings_of_one_table(self) -> None:
        for both in (True, False):
            cell = Twice(both)
            net = batched(cell, {"h": H}, word=Index(), other=Index(), hs=Children("h"))
            found = self.gradient(net, cell.e.weight)
            self.assertEqual(found.is_sparse, both)
            given = batched(cell, {"h": H}, word=Index(given=True), other=Index(given=True), hs=Children("h"))
            ports = {name: torch.from_numpy(self.graphs[name]).long() for name in ("word", "other")}
            outside = given(self.graphs, **ports)["h"]  # by PyTorch, before the recursion
            self.same(found, torch.autograd.grad(loss(outside), cell.e.weight)[0])

    def test_words_of_edges(self) -> None:
        torch.manual_seed(1)
        cell = PerEdge()
        net = batched(cell, {"h": H}, kind=EdgeIndex())
        found = self.gradient(net, cell.e.weight)
        self.assertEqual(found.coalesce().indices()[0].tolist(), [0, 1, 2])
        cell.e.sparse = False
        self.same(found, self.gradient(batched(cell, {"h": H}, kind=EdgeIndex()), cell.e.weight))

    def test_frozen(self) -> None:
        cell = Inside()
        cell.e.weight.requires_grad_(False)
        inside, outside = inside_and_outside(cell)
        self.same(*(self.gradient(net, cell.h.weight) for net in (inside, outside)))

    def test_functional_call(self) -> None:
        cell = Inside()
        inside, _ = inside_and_outside(cell)
        other = torch.randn(WORDS, D, requires_grad=True)
        found = torch.func.functional_call(inside, {"e.weight": other}, (self.graphs,))["h"]
        gradient = torch.autograd.grad(loss(found), other)[0]
        self.assertTrue(gradient.is_sparse)
        with torch.no_grad():
            cell.e.weight.copy_(other)
        self.same(gradient, self.gradient(inside, cell.e.weight))

    def test_compiled(self) -> None:
        """A compiled function has no sparse tensors, so the gradient is dense."""
        cell = Inside()
        inside, _ = inside_and_outside(cell)
        wanted = self.gradient(inside, cell.e.weight)
        batch = cavs.torch.Batch(self.graphs)
        compiled: Any = torch.compile(inside, fullgraph=True, backend="aot_eager")
        found = torch.autograd.grad(loss(compiled(batch)["h"]), cell.e.weight)[0]
        self.assertFalse(found.is_sparse)
        self.same(found, wanted)


class Optimisers(unittest.TestCase):
    def test_the_same_steps(self) -> None:
        def steps(inside: bool, make: Any) -> Tensor:
            torch.manual_seed(1)
            cell = Inside()
            net = inside_and_outside(cell)[0 if inside else 1]
            optimizer = make([cell.e.weight])
            for seed in (1, 2, 1, 3):
                optimizer.zero_grad()
                loss(net(graphs_of(seed))["h"]).backward()
                optimizer.step()
            return cell.e.weight.detach()

        for make in (torch.optim.SparseAdam, torch.optim.Adagrad, lambda p: torch.optim.SGD(p, lr=0.1)):
            torch.testing.assert_close(steps(True, make), steps(False, make), rtol=1e-4, atol=1e-5)

    def test_all_of_the_table_is_saved(self) -> None:
        torch.manual_seed(1)
        cell = Inside(padding=3)
        net, _ = inside_and_outside(cell)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cell.cavs"
            net.save(path)
            trained = cavs.load(str(path))
        tables = [torch.from_numpy(trained.parameters[name]) for name in trained.parameters if name.startswith("e.")]
        self.assertTrue(torch.equal(tables[0], cell.e.weight))
        found = trained.predict(graphs_of(2))["h"]
        self.assertTrue(torch.equal(torch.from_numpy(found), net(graphs_of(2))["h"]))


if __name__ == "__main__":
    unittest.main()
