"""Names of the rules of cavs.torch.batched, and records of the rules that run."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from torch.fx import Node

from cavs import _cell_both, _cell_elementwise, _cell_symbols, _cell_translate
from cavs._cell_places import operation

TRANSLATOR: Any = _cell_translate.Translator
ACROSS = "over the vertex and its children: "  # prefix of names of rules for nodes over the vertex and its children


def all_rules() -> set[str]:
    """Names of the rules that compute something, without assertions and item()."""
    names = {*_cell_symbols.RULES, *_cell_elementwise.ELEMENTWISE, *(ACROSS + name for name in _cell_both._ACROSS)}
    return names - {"_assert_tensor_metadata", "_local_scalar_dense"}


@contextlib.contextmanager
def rules_replaced(by: Callable[[str, Node, Any], Any]) -> Iterator[None]:
    """A context in which the result of a rule is replaced by by(name of the rule, node, result)."""
    apply = TRANSLATOR.apply

    def applied(self: Any, node: Node, args: Any, kwargs: Any) -> Any:
        name = operation(node)
        return by(_cell_elementwise.SAME.get(name, name), node, apply(self, node, args, kwargs))

    def across(name: str, rule: Callable[..., Any], t: Any, node: Node, *rest: Any) -> Any:
        y = rule(t, node, *rest)
        return y if y is None else by(ACROSS + name, node, y)

    rules = _cell_both._ACROSS
    with (
        mock.patch.object(TRANSLATOR, "apply", applied),
        mock.patch.dict(rules, {name: functools.partial(across, name, rule) for name, rule in rules.items()}),
    ):
        yield


def part_of(node: Node) -> int:
    """The number of the expression of SideBySide that a node belongs to; -1 for none."""
    for path, _ in node.meta.get("nn_module_stack", {}).values():
        if path.startswith("parts."):
            return int(path.split(".")[1])
    return -1
