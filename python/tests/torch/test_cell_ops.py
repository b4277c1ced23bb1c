"""Each rule of cavs.torch.batched is right, and the check finds a wrong rule."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

import torch
from cell_expressions import BOTH, ELEMENTWISE, LOOPS, OTHERS, Expression, Function, H, SideBySide, arguments
from cell_rules import all_rules, part_of, rules_replaced
from torch.fx import Node

import cavs
import cavs.torch
from cavs import _cell_both, _cell_elementwise, _cell_symbols

SYMBOL: Any = _cell_symbols.Symbol
PAIR: Any = _cell_both.Pair
COUNT: Any = _cell_symbols.Count

Wrong = Callable[[Any], Any]  # changes a cavs.Value
# Rules whose results have no gradient.
WITHOUT_GRADIENT = {
    "gt", "lt", "ge", "le", "eq", "ne", "logical_not", "logical_and", "logical_or", "logical_xor", "floor", "ceil", "round",
    "trunc", "sign", "detach", "full", "full_like", "sym_size", "_to_copy"}


def larger(y: Any) -> Any:
    return y * 1.01


def without_gradient(y: Any) -> Any:
    return _cell_elementwise._detach(y)


def off(wrong: Wrong, y: Any) -> Any:
    """The result of a rule, with wrong values."""
    if isinstance(y, SYMBOL):
        return SYMBOL(wrong(y.value), y.dims, y.edge)
    if isinstance(y, PAIR):
        return PAIR(off(wrong, y.own), off(wrong, y.rows), y.own_first)
    if isinstance(y, COUNT):
        return COUNT(y.more + 1)
    return tuple(off(wrong, part) for part in y) if isinstance(y, tuple) else y


class EachRule(unittest.TestCase):
    def test_the_check_finds_a_wrong_rule(self) -> None:
        self.wanted = all_rules()
        for functions in (ELEMENTWISE, OTHERS, BOTH, LOOPS):
            names = list(functions)
            size = len(names) if functions is LOOPS else 5
            for begin in range(0, len(names), size):
                self._compare({name: functions[name] for name in names[begin : begin + size]})
        for rule in self.wanted & set(OTHERS):  # PyTorch decomposes it beside other operations
            self._compare({rule: OTHERS[rule]})
        self.assertEqual(self.wanted, set(), "no cell uses these rules")

    def _compare(self, functions: dict[str, Function]) -> None:
        """All cells pass. Then each rule is made wrong at one cell that uses it, preferably the cell of its name."""
        torch.manual_seed(2)
        cell = SideBySide(list(functions.values()))
        net = cell.batched(check=False)
        used: dict[str, set[int]] = {}

        def note(rule: str, node: Node, y: Any) -> Any:
            used.setdefault(rule, set()).add(part_of(node))
            return y

        with self.subTest(list(functions)), rules_replaced(note):
            net.check()
        titles = list(functions)
        for rule in self.wanted & set(used):
            if rule in ELEMENTWISE | OTHERS and rule not in titles:
                continue  # a cell has its name
            part = titles.index(rule) if rule in titles else min(used[rule])
            part = part if part in used[rule] else min(used[rule])
            self.wanted.remove(rule)
            for wrong in (larger, without_gradient):
                if wrong is larger or rule not in WITHOUT_GRADIENT:
                    with self.subTest(f"a wrong {rule}", how=wrong.__name__, cell=titles[part]):
                        self._find(net, rule, part, wrong)

    def _find(self, net: cavs.torch.Batched, rule: str, part: int, wrong: Wrong) -> None:
        def replaced(name: str, node: Node, y: Any) -> Any:
            return off(wrong, y) if name == rule and part_of(node) == part else y

        what = f"'h{part}' of a vertex" if wrong is larger and part >= 0 else "the gradient of '" if part >= 0 else ""
        with rules_replaced(replaced), self.assertRaisesRegex(cavs.Error, f"differ in {what}"):
            net.check()

    def test_over_the_vertex_and_its_children(self) -> None:
        for name, function in (BOTH | LOOPS).items():
            with self.subTest(name):
                torch.manual_seed(2)
                net = cavs.torch.batched(Expression(function), {"h": H}, check=False, **arguments())
                self.assertEqual(net.plan(("vertex",)).pushes, {}, "computed by PyTorch")


if __name__ == "__main__":
    unittest.main()
