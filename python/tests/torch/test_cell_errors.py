"""Unsupported cells raise errors that name the operation and the line, and say what to do."""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from cell_expressions import D, Expression, Function, Given, H, arguments
from torch import Tensor, nn

import cavs
import cavs.torch
from cavs.torch import Child, Children, Edges, Index, Input, batched

LINE = r'at File ".*(test_cell_errors|cell_expressions).py", line \d+, in '

# Unsupported operations inside the recursion: (operation, cell).
LACKING: list[tuple[str, Function]] = [
    ("aten.sort", lambda s, q, hs: torch.sort(q).values),
    ("aten.topk", lambda s, q, hs: torch.topk(q, H).values),
    ("aten.cumsum", lambda s, q, hs: torch.cumsum(q, 0)),
    ("aten.flip", lambda s, q, hs: torch.flip(q, (0,))),
    ("aten.atan", lambda s, q, hs: torch.atan(q)),
    ("aten.prod", lambda s, q, hs: q.prod() * q),
    ("aten.argmax", lambda s, q, hs: q + torch.argmax(q)),
    ("aten.sort", lambda s, q, hs: torch.sort(hs, 0).values.sum(0)),
    ("aten.select", lambda s, q, hs: hs[-1]),
    ("aten.slice", lambda s, q, hs: hs[1:].sum(0)),
    ("aten.matmul", lambda s, q, hs: (hs @ hs.T).sum(0).sum() * q),
    ("aten.sub", lambda s, q, hs: (hs[None] - hs[:, None]).abs().sum((0, 1))),
    ("aten.slice", lambda s, q, hs: torch.cat([q[::2], q[1::2]])),
    ("aten.cumsum", lambda s, q, hs: torch.cumsum(hs, 0).sum(0)),
    ("aten._to_copy", lambda s, q, hs: F.embedding((q[0] > 0).long(), s.w) + q),
    ("aten.softmax", lambda s, q, hs: torch.softmax(q.view(2, 3), 1).view(H)),
    ("aten.convolution", lambda s, q, hs: F.conv1d(q.view(1, 1, H), s.w[:1, None, :3], padding=1).view(H)),
]


def choice(s: Given, q: Tensor, hs: Tensor) -> Tensor:
    return q if q.sum() > 0 else -q


def item(s: Given, q: Tensor, hs: Tensor) -> Tensor:
    return q * q[0].item()


def random_numbers(s: Given, q: Tensor, hs: Tensor) -> Tensor:
    return q * torch.rand(H)


def sequence(s: Given, q: Tensor, hs: Tensor) -> Tensor:
    for h in hs:
        q = torch.tanh(q @ s.w + h)
    return q


def weighted_by_number(s: Given, q: Tensor, hs: Tensor) -> Tensor:
    y: Tensor = q + sum(h * (i + 1) for i, h in enumerate(hs))
    return y


class Counts(nn.Module):
    """A cell that depends on numbers that a trace fixes, which only the check finds."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what
        self.calls = 0
        self.w = nn.Linear(H, H)

    def forward(self, hs: list[Tensor]) -> Tensor:
        y = sum((self.w(h) for h in hs), torch.zeros(H))
        if self.what == "length":
            return torch.tanh(y / max(1, len(hs)))
        if self.what == "many":
            return torch.tanh(y if len(hs) < 20 else -y)
        self.calls += 1
        return torch.tanh(y + self.calls)


class Writes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(H))
        self.seen: Tensor

    def forward(self, h: Tensor) -> Tensor:
        self.seen += 1
        return torch.tanh(h.sum(0) + self.seen)


class Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(H)

    def forward(self, h: Tensor) -> Tensor:
        y: Tensor = self.norm(h).sum(0)
        return y


class ByMode(nn.Module):
    def forward(self, h: Tensor) -> Tensor:
        return torch.tanh(h.sum(0) * (0.5 if self.training else 2.0) + 1)


def sort_of_half(q: Tensor) -> Tensor:
    q = q * 0.5
    return torch.sort(q).values


class Scores(nn.Module):
    def score(self, q: Tensor) -> Tensor:
        return torch.sort(q).values

    def forward(self, q: Tensor) -> Tensor:
        return torch.sort(q).values

    @staticmethod
    def line(how: str) -> int:
        """The line of torch.sort."""
        function: Any = {"function": sort_of_half, "method": Scores.score, "module": Scores.forward}[how]
        lines, first = inspect.getsourcelines(function)
        return first + len(lines) - 1


class Outer(nn.Module):
    """Sorts in a function, in a method of a submodule, or in its forward."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how
        self.scores = Scores()

    def forward(self, h: Tensor) -> Tensor:
        q = h.sum(0)
        if self.how == "function":
            return torch.tanh(sort_of_half(q))
        if self.how == "method":
            return torch.tanh(self.scores.score(q))
        y: Tensor = self.scores(q)
        return y


class Refused(unittest.TestCase):
    def refuse_function(self, message: str, function: Function) -> None:
        self.refuse(message, lambda: batched(Expression(function), {"h": H}, **arguments()))

    def refuse(self, message: str, make: Callable[[], Any]) -> None:
        with self.subTest(message), self.assertRaisesRegex(cavs.Error, message):
            make()

    def test_operations(self) -> None:
        for operation, function in LACKING:
            line = f'at File ".*test_cell_errors.py", line {function.__code__.co_firstlineno}, in <lambda> .*'
            called = r'(\n  called at File ".*cell_expressions.py", line \d+, in forward .*)?'  # if forward was traced
            self.refuse_function(
                rf"({operation})\S* is inside of the recursion: .*\n  {line}{called}\n  to do: compute it outside",
                function,
            )

    def test_helpers_and_submodules(self) -> None:
        """The message has the innermost line of the user's code, the line of forward, and the path of the module."""
        for outer in (Outer("function"), Outer("method"), Outer("module")):
            with self.assertRaises(cavs.Error) as raised:
                batched(outer, {"h": H})
            where = str(raised.exception).splitlines()[1:-1]
            line = Scores.line(outer.how)
            self.assertRegex(where[0], rf'^  at File ".*test_cell_errors.py", line {line}, in ')
            if outer.how == "module":
                self.assertRegex(where[0], ", module scores$")
                self.assertEqual(len(where), 1)
            else:
                self.assertRegex(where[1], r'^  called at File ".*test_cell_errors.py", line \d+, in forward return torch')

    def test_branches_on_values_of_tensors(self) -> None:
        self.refuse(
            rf"(?s)Expression cannot be traced: it branches on values of tensors\n  {LINE}choice.*\n  to do:",
            lambda: batched(Expression(choice), {"h": H}, **arguments()),
        )
        self.refuse(
            rf"(?s)the cell reads a number from a tensor, as item\(\) does, .*\n  {LINE}.*\n  to do:",
            lambda: batched(Expression(item), {"h": H}, **arguments()),
        )

    def test_random_numbers(self) -> None:
        self.refuse(
            rf"(?s)aten.rand.default draws random numbers, which only dropout may do\n  {LINE}",
            lambda: batched(Expression(random_numbers), {"h": H}, **arguments()),
        )

    def test_data(self) -> None:
        self.refuse(
            rf"(?s)Expression reads the .data of a tensor that it computes, .*\n  {LINE}.*to do: use detach",
            lambda: batched(Expression(lambda s, q, hs: q * q.data), {"h": H}, **arguments()),
        )

    def test_loops(self) -> None:
        for function in (sequence, weighted_by_number):
            self.refuse_function(rf"(?s)loop over children.*\n  {LINE}", function)

    def test_errors_that_only_the_check_finds(self) -> None:
        for what in ("length", "many", "calls"):
            self.refuse(
                "(?s)Counts and its translation differ in 'h' of a vertex with .* to do: check whether the cell depends on",
                functools.partial(batched, Counts(what), {"h": H}, hs=[Children("h")]),
            )
        self.refuse("ByMode and its translation differ in 'h'", lambda: batched(ByMode(), {"h": H}))

    def test_buffers(self) -> None:
        self.refuse(r"Writes.forward writes the buffer 'seen'.*\n  to do", lambda: batched(Writes(), {"h": H}))
        self.refuse(
            r"module 'norm' of Norm is a BatchNorm1d.*\n  to do: use LayerNorm", lambda: batched(Norm(), {"h": H})
        )

    def test_arguments(self) -> None:
        cell = nn.LSTMCell(D, H)
        below = (Child(0, "h"), Child(0, "c"))
        returns = {"h": H, "c": H}
        self.refuse(
            "(?s)LSTMCell.forward has no argument 'x'; it has: input, hx.* to do: if another method computes a vertex",
            lambda: batched(cell, returns, x=D),
        )
        self.refuse("type 'leaf' has a LSTMCell; expected .cell, arguments.", lambda: batched({"leaf": cell}, returns))
        self.refuse(
            "LSTMCell.forward needs a spec of its argument 'input'", lambda: batched(cell, returns, hx=below)
        )
        self.refuse(
            "reads the state 'k'; known: h, c",
            lambda: batched(cell, returns, input=D, hx=(Child(0, "h"), Child(0, "k"))),
        )
        self.refuse(
            "argument 'input' of LSTMCell.forward is a str; expected a width",
            lambda: batched(cell, returns, input="x", hx=below),
        )
        self.refuse("Input has shape 0; expected a width of at least 1", lambda: Input(0))
        self.refuse(r"Edges has shape \(2, -1\)", lambda: Edges((2, -1)))
        self.refuse("'h' of returns has shape 0", lambda: batched(cell, {"h": 0}, input=D))
        self.refuse(
            r"LSTMCell.forward returns \[\(6,\), \(6,\)\]; expected {'h': \(6,\)}",
            lambda: batched(cell, {"h": H}, input=D, hx=(Child(0, "h"), Child(0, "h"))),
        )
        self.refuse(
            r"(?s)LSTMCell.forward fails at a vertex with 3 children: .*\n  at a line of PyTorch\n  to do: check the "
            r"arguments that it gets there: input: float32 \[5\], hx\[0\]: float32 \[6\], hx\[1\]: float32 \[6\]",
            lambda: batched(cell, returns, input=D + 1, hx=below),
        )
        self.refuse("LSTMCell has no method 'step'", lambda: batched(cell, returns, method="step", input=D))
        self.refuse("the cell is of type str; expected an nn.Module", lambda: batched("cell", returns))
        self.refuse("returns is of type int; expected the names", lambda: batched(cell, 4, input=D))  # type: ignore[arg-type]
        self.refuse("the type 'leaf' has .*; expected \\(cell, arguments\\)", lambda: batched({"leaf": cell}, returns))
        self.refuse("argument 'x' is given together with types", lambda: batched({"leaf": (cell, {})}, returns, x=D))

    def test_an_error_in_the_cell_itself(self) -> None:
        self.refuse(
            rf"(?s)Expression.forward fails at a vertex with 3 children: .*size.*\n  {LINE}",
            lambda: batched(Expression(lambda s, q, hs: q + torch.zeros(H + 1)), {"h": H}, **arguments()),
        )

    def test_index_given(self) -> None:
        self.assertTrue(Index(given=True).given)


if __name__ == "__main__":
    unittest.main()
