"""Specs of a cell's arguments: input of the vertex, states of its children, input of its edges."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Iterable, Mapping
from typing import Any

import torch.utils._pytree as pytree
from torch.nn import Module

from ._core import Error

Shape = tuple[int, ...]


class Unsupported(Error):
    """Raised for an operation that cavs does not support, with its place in the user's file and what to do."""


@dataclasses.dataclass(frozen=True)
class Spec:
    """The meaning of one tensor among the arguments of a cell.

    kind: input, index, children, child, edges or edge_index. shape: shape of the floats per vertex or per edge.
    state: the state to read, for children and child. slot: slot or slots of `child`, first slot of `children`.
    given: True for integers that are passed as a LongTensor. item: the number of the child, for entries of a list.
    """

    kind: str
    shape: Shape = ()
    state: str = ""
    slot: int | tuple[int, ...] = 0
    given: bool = False
    item: int = -1

    @property
    def is_index(self) -> bool:
        return self.kind in ("index", "edge_index")

    @property
    def per_child(self) -> bool:
        """True if the tensor has one row per child, or is an entry of a list that has one entry per child."""
        return self.kind in ("children", "edges", "edge_index")

    @property
    def of_edges(self) -> bool:
        return self.kind in ("edges", "edge_index")

    @property
    def slots(self) -> int:
        """Returns the number of slots that the cell reads by their numbers."""
        if self.kind == "children":
            return self.slot if isinstance(self.slot, int) else 0
        if self.kind != "child":
            return 0
        return 1 + (max(self.slot) if isinstance(self.slot, tuple) else self.slot)


def shape_of(shape: int | Iterable[int], what: str) -> Shape:
    """Converts a width or the sizes of a matrix to a tuple."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise Error(f"{what} has shape {shape!r}; expected a width of at least 1, or a tuple of them")
    return sizes


def Input(shape: int | tuple[int, ...]) -> Spec:
    """Floats of the vertex: a tensor [vertices, *shape] that is passed by name, or a float port of the graphs."""
    return Spec("input", shape_of(shape, "Input"))


def Index(given: bool = False) -> Spec:
    """An integer of the vertex: an index port of the graphs, or if given, a LongTensor [vertices] passed by name."""
    return Spec("index", given=given)


def Children(state: str = "", first: int = 0) -> Spec:
    """States of the children from slot `first` on: [children, *shape].

    state: name of the state; empty for the state with the name of the argument.

    [Children("h")] means a list with one entry per child.
    """
    return Spec("children", state=state, slot=first)


def Child(slot: int | tuple[int, ...], state: str) -> Spec:
    """The state of the child in a slot, zeros if the child is absent; for a tuple of slots: [slots, *shape]."""
    return Spec("child", state=state, slot=slot)


def Edges(shape: int | tuple[int, ...]) -> Spec:
    """Floats of the edges: [children, *shape], from an edge port of the graphs."""
    return Spec("edges", shape_of(shape, "Edges"))


def EdgeIndex() -> Spec:
    """Integers of the edges: [children], from an index port of edges of the graphs."""
    return Spec("edge_index")


def is_list(spec: Any) -> bool:
    """True if this is a list with one entry per child, such as [Children("h")]."""
    return isinstance(spec, list) and len(spec) == 1


def expanded(spec: Any, children: int) -> Any:
    """Returns the specs of a vertex with `children` children: a list per child gets one entry for each."""
    if is_list(spec):
        return [pytree.tree_map(lambda leaf: dataclasses.replace(leaf, item=i), spec[0]) for i in range(children)]
    if isinstance(spec, dict):
        return {name: expanded(part, children) for name, part in spec.items()}
    if isinstance(spec, (list, tuple)):
        return type(spec)(expanded(part, children) for part in spec)
    return spec


def flattened(specs: Mapping[str, Any], children: int) -> tuple[list[str], list[Spec], Any]:
    """Names (such as x or hx[0]) and leaves of nested specs, and the structure for pytree.tree_unflatten.

    The entries of a list with one entry per child have the name of the list.
    """
    paths, structure = pytree.tree_flatten_with_path(expanded(dict(specs), children))
    names = [
        path_name(path) if leaf.item < 0 else path_name(path).replace(f"[{leaf.item}]", "", 1) for path, leaf in paths
    ]
    return names, [leaf for _, leaf in paths], structure


def path_name(path: Any) -> str:
    """Returns the name of a leaf, such as x, hx[0] or pair['h']."""
    first, *rest = path
    return str(first.key) + pytree.keystr(tuple(rest))


def leaves_of(specs: Mapping[str, Any]) -> list[Spec]:
    return flattened(specs, 1)[1]


def width_of(shape: Shape) -> int:
    return math.prod(shape)


def specified(cell: Module, method: str, arguments: Mapping[str, Any], returns: Mapping[str, Shape]) -> dict[str, Any]:
    """The specs of a cell's arguments, in the order of its method.

    An argument with the name of a state gets that state of the children.
    """
    title = f"{type(cell).__name__}.{method}"
    if not callable(getattr(cell, method, None)):
        raise Error(f"{type(cell).__name__} has no method '{method}'; expected the method that computes a vertex")
    parameters = inspect.signature(getattr(cell, method)).parameters
    for name in arguments:
        if name not in parameters:
            raise Error(
                f"{title} has no argument '{name}'; it has: {', '.join(parameters)}\n"
                '  to do: if another method computes a vertex, pass its name, such as method="node_forward"'
            )
    specs = {}
    for name, parameter in parameters.items():
        if name in arguments or name in returns:
            specs[name] = _completed(arguments.get(name, Children()), name, title, returns)
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            raise Error(
                f"{title} needs a spec of its argument '{name}': {name}=300 (a width), Index(), Children(state), "
                "Child(slot, state), Edges(width) or EdgeIndex()"
            )
    _check_states(specs, title, returns)
    return specs


def _completed(spec: Any, name: str, title: str, returns: Mapping[str, Shape]) -> Any:
    """Returns the spec with widths replaced by Input, and with the default state of Children filled in."""

    def full(leaf: Any) -> Spec:
        if isinstance(leaf, int) and not isinstance(leaf, bool):
            return Input(leaf)
        if not isinstance(leaf, Spec):
            raise Error(
                f"argument '{name}' of {title} is a {type(leaf).__name__}; expected a width, Input, Index, Children, "
                "Child, Edges, EdgeIndex, or lists, tuples and dicts of them"
            )
        if leaf.kind == "children" and not leaf.state:
            return dataclasses.replace(leaf, state=name)
        return leaf

    return pytree.tree_map(full, spec)


def _check_states(specs: Mapping[str, Any], title: str, returns: Mapping[str, Shape]) -> None:
    leaves = leaves_of(specs)
    for leaf in leaves:
        if leaf.state and leaf.state not in returns:
            raise Error(f"an argument of {title} reads the state '{leaf.state}'; known: {', '.join(returns)}")
    firsts = {leaf.slot for leaf in leaves if leaf.kind == "children"}
    if len(firsts) > 1:
        raise Error(
            f"arguments of {title} read all children from slots {sorted(map(str, firsts))} on; expected one `first`"
        )
