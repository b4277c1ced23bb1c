"""Each rule of cavs.torch.batched: it is right, and a wrong one is found by the check alone."""

from __future__ import annotations

import os
import random
import unittest
from collections.abc import Callable
from typing import Any

import torch
from cell_expressions import BOTH, ELEMENTWISE, OTHERS, D, Expression, Function, H, arguments, positive
from torch import Tensor
from vertex_recursion import largest_differences, random_graphs

import cavs
import cavs.torch
from cavs import _cell_elementwise, _cell_symbols

SYMBOL: Any = _cell_symbols.Symbol
COUNT: Any = _cell_symbols.Count


def wrong(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule, 1 % off."""

    def off(y: Any) -> Any:
        if isinstance(y, SYMBOL):
            return SYMBOL(y.value * 1.01, y.dims, y.edge)
        if isinstance(y, COUNT):
            return COUNT(y.more + 1)
        return tuple(map(off, y)) if isinstance(y, tuple) else y * 1.01 if isinstance(y, cavs.Value) else y

    return lambda *args, **kwargs: off(rule(*args, **kwargs))


class EachRule(unittest.TestCase):
    def compare(self, name: str, rule: str, function: Function, table: dict[str, Any]) -> None:
        torch.manual_seed(2)
        net = cavs.torch.batched(Expression(function), {"h": H}, check=False, **arguments())
        with self.subTest(name):
            net.check()
        right = table[rule]
        table[rule] = wrong(right)
        try:
            with self.subTest(f"a wrong {name}"), self.assertRaisesRegex(cavs.Error, "differ in"):
                net.check()
        finally:
            table[rule] = right

    def test_elementwise(self) -> None:
        self.assertEqual(set(ELEMENTWISE), set(_cell_elementwise.ELEMENTWISE))
        for name, function in ELEMENTWISE.items():
            self.compare(name, name, function, _cell_elementwise.ELEMENTWISE)

    def test_others(self) -> None:
        for name, (rule, function) in OTHERS.items():
            self.compare(name, rule, function, _cell_symbols.RULES)

    def test_over_the_vertex_and_its_children(self) -> None:
        for name, function in BOTH.items():
            with self.subTest(name):
                torch.manual_seed(2)
                net = cavs.torch.batched(Expression(function), {"h": H}, **arguments())
                self.assertEqual(net.plan(("vertex",)).pushes, {}, "computed by PyTorch")


# Functions that random cells are drawn from: (row, children) -> row, and (row, children) -> children.
ROWS: list[Function] = [
    *ELEMENTWISE.values(),
    lambda s, q, hs: hs.sum(0),
    lambda s, q, hs: s.w @ q,
    lambda s, q, hs: q @ s.w + s.b,
    lambda s, q, hs: torch.softmax(hs @ q, 0) @ hs,
    lambda s, q, hs: torch.cat([q[3:], q[:3]]),
    lambda s, q, hs: q - q.mean(),
    lambda s, q, hs: torch.softmax(q, 0),
    lambda s, q, hs: torch.log_softmax(q, 0),
    lambda s, q, hs: q / (1 + q.norm()),
    lambda s, q, hs: torch.nn.functional.layer_norm(q, (H,), s.b),
    lambda s, q, hs: q.view(2, 3).sum(0).repeat(2),
    lambda s, q, hs: q * q.amax(0),
    lambda s, q, hs: torch.logsumexp(q, 0) - q,
    lambda s, q, hs: torch.cat([q[None], hs]).mean(0),
    lambda s, q, hs: hs.sum(0) / (1 + hs.shape[0]),
]
CHILDREN: list[Function] = [
    *ELEMENTWISE.values(),
    lambda s, q, hs: hs @ s.w,
    lambda s, q, hs: hs * torch.sigmoid(q),
    lambda s, q, hs: torch.nn.functional.linear(hs, s.w, s.b),
    lambda s, q, hs: torch.softmax(hs, 0),
    lambda s, q, hs: torch.softmax(hs, -1),
    lambda s, q, hs: torch.nn.functional.layer_norm(hs, (H,)),
    lambda s, q, hs: torch.cat([hs, q.expand_as(hs)], -1) @ torch.cat([s.w, s.w]),
    lambda s, q, hs: hs * (hs.sum(-1, keepdim=True) > 0),
]


def random_function(seed: int) -> Function:
    """3 to 12 operations on a row and on the rows of the children."""
    draw = random.Random(seed)
    steps: list[tuple[bool, Function]] = []
    for _ in range(draw.randint(3, 12)):
        of_row = draw.random() < 0.6
        steps.append((of_row, draw.choice(ROWS if of_row else CHILDREN)))

    def function(s: Expression, q: Tensor, hs: Tensor) -> Tensor:
        for of_row, step in steps:
            if of_row:
                q = q + torch.tanh(step(s, q, hs) * 0.5)
            elif step in ELEMENTWISE.values():
                hs = torch.tanh(step(s, hs, hs))
            else:
                hs = torch.tanh(step(s, q, hs))
        return q * 0.5 + hs.sum(0) * 0.1

    return function


class RandomCells(unittest.TestCase):
    """CAVS_CELLS: how many; CAVS_SEED: the first one."""

    def test_they_are_as_their_recursion(self) -> None:
        first = int(os.environ.get("CAVS_SEED", "0"))
        for seed in range(first, first + int(os.environ.get("CAVS_CELLS", "30"))):
            with self.subTest(seed):
                torch.manual_seed(seed)
                cell = Expression(random_function(seed))
                net = cavs.torch.batched(cell, {"h": H}, **arguments()).eval()
                graphs = random_graphs(("trees", "chains", "dags")[seed % 3], seed, samples=2)
                x = torch.randn(graphs.vertices, D)
                found = largest_differences(net, {"": (cell, arguments())}, {"h": H}, graphs, {"x": x})
                self.assertLess(max(found.values()), 1e-5, found)


if __name__ == "__main__":
    unittest.main()
