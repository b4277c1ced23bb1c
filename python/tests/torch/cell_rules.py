"""The rules of cavs.torch.batched: their names, and which of them run."""

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
ACROSS = "over the vertex and its children: "  # of the names of rules whose nodes have a row of the vertex, too


def all_rules() -> set[str]:
    """Those that compute something: not those of assertions and of item()."""
    names = {*_cell_symbols.RULES, *_cell_elementwise.ELEMENTWISE, *(ACROSS + name for name in _cell_both._ACROSS)}
    return names - {"_assert_tensor_metadata", "_local_scalar_dense"}


@contextlib.contextmanager
def rules_replaced(by: Callable[[str, Node, Any], Any]) -> Iterator[None]:
    """While this lasts, a node is what `by` makes of its rule's name, of the node and of what the rule returns."""
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
    """The number of the expression that a node of SideBySide belongs to; -1 if it belongs to none."""
    for path, _ in node.meta.get("nn_module_stack", {}).values():
        if path.startswith("parts."):
            return int(path.split(".")[1])
    return -1
