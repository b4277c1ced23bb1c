"""Symbols: tensors of a cell as cavs values, with helper functions for the rules of operations."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor
from torch.fx import Node

from . import _core as cavs
from ._cell_specs import Shape, Unsupported
from ._cell_trace import PARAMETERS, Trace

if TYPE_CHECKING:
    from ._cell_plan import Plan

EACH = -1  # size, in `dims`, of the dimension of the children
BOTH = -2  # size, in `dims`, of the dimension of the vertex itself and its children

Dims = tuple[int, ...]
Made = Callable[[Tensor], Tensor]


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A cavs value for a tensor of the cell. edge: True if the value has one row per child.

    The shape of the cavs value is `dims` without EACH and 1, so operations that move only EACH or a 1 cost nothing.
    """

    value: cavs.Value
    dims: Dims
    edge: bool = False

    @property
    def features(self) -> Dims:
        return features_of(self.dims)


@dataclasses.dataclass(frozen=True)
class Number:
    """An integer port, for table lookups. edge: True if it has one integer per child."""

    value: cavs.IndexValue
    port: str
    edge: bool


@dataclasses.dataclass(frozen=True)
class Count:
    """The number of children plus a constant."""

    more: int = 0


class Later:
    """A value that PyTorch computes after the recursion."""


LATER = Later()


def features_of(dims: Dims) -> Dims:
    return tuple(size for size in dims if size > 1)


class Declaration:
    """The context of the rules of operations: a vertex v of the type that is being declared, and its symbols."""

    def __init__(self, plan: Plan, kind: str | None, v: cavs.Vertex, trace: Trace, tag: str) -> None:
        self.plan = plan
        self.kind = kind
        self.v = v
        self.trace = trace
        self.tag = tag  # prefix of the names of ports and parameters
        self.env: dict[Node, Any] = {}
        self.first = trace.first
        self.both_as = BOTH  # size that replaces BOTH while one part of a pair is translated

    def dims(self, of: Any) -> Dims:
        """Returns the sizes of a node's tensor, with EACH for the number of children and BOTH for one more."""
        tensor = of.meta["val"] if isinstance(of, Node) else of
        return tuple(self._size(size) for size in getattr(tensor, "shape", ()))

    def _size(self, size: Any) -> int:
        if not isinstance(size, torch.SymInt):
            if self.trace.children is None:
                return int(size)
            return {0: EACH, 1: self.both_as}.get(int(size) - self.trace.children, int(size))
        expression = size.node.expr
        if expression.is_symbol:
            return EACH
        if (expression - 1).is_symbol:
            return self.both_as
        raise Unsupported("its number of rows is neither the number of children nor one more")

    def of(self, x: Any) -> Symbol:
        """Returns the operand x as a symbol."""
        if isinstance(x, Symbol):
            return x
        if isinstance(x, Count):
            return Symbol(self.count() + float(x.more), ())
        if isinstance(x, Node) and isinstance(x.meta.get("val"), Tensor) and self.trace.level[x] == PARAMETERS:
            return self.fit(x, self.dims(x))
        raise Unsupported("an operand is not a float tensor in cavs")

    def fit(self, operand: Any, dims: Dims) -> Symbol:
        """Returns the operand as a symbol with the features of `dims`, or as a scalar."""
        features = features_of(dims)
        if isinstance(operand, Node):
            return self._fit_parameter(operand, dims, features)
        x = self.of(operand)
        if x.features in (features, ()):
            return x
        now = (1,) * (len(dims) - len(x.dims)) + x.dims
        pairs = [(have, want) for have, want in zip(now, dims) if want > 1]
        if [have == 1 for have, _ in pairs] == [False, True]:  # [m, 1] -> [m, n]
            value = cavs.batch_matmul(cavs.reshape(x.value, (pairs[0][0], 1)), self.ones(1, pairs[1][1]))
        elif [have == 1 for have, _ in pairs] == [True, False]:  # [1, n] -> [m, n]
            value = cavs.batch_matmul(self.ones(pairs[0][1], 1), cavs.reshape(x.value, (1, pairs[1][0])))
        else:
            raise Unsupported(f"cavs does not broadcast {list(x.features)} to {list(features)}")
        each = tuple(EACH if EACH in (have, want) else want for have, want in zip(now, dims))
        return Symbol(value, each, x.edge)

    def _fit_parameter(self, x: Node, dims: Dims, features: Dims) -> Symbol:
        shape = tuple(x.meta["val"].shape)
        if 0 in shape:
            raise Unsupported("an operand is a tensor without rows")
        view = features_of(shape)
        if view in ((), features):
            return Symbol(self.v(self.parameter(x, shape=view, tag="" if view == shape else "@view")), dims)
        full = torch.broadcast_shapes(shape, tuple(1 if size < 0 else size for size in dims))
        tag = "@" + "x".join(map(str, features))
        parameter = self.parameter(x, lambda tensor: tensor.broadcast_to(full).reshape(features), features, tag)
        return Symbol(self.v(parameter), dims)

    def parameter(
        self, node: Node, made: Made | None = None, shape: Shape | None = None, tag: str = ""
    ) -> cavs.Parameter:
        """A cavs parameter for this tensor, or for the result of `made`, which has this shape."""
        name, shape = self._parameter(node, made, shape, tag)
        return self.plan.model.parameter(name, shape, cavs.Initializer.zeros())

    def table(self, node: Node, shape: Shape, padding: int, sparse: bool) -> cavs.Lookup:
        """A cavs table for this tensor. padding: the row that gets no gradient, or -1."""
        name, shape = self._parameter(node, None, shape, "#rows" if padding < 0 else f"#rows without {padding}")
        self.plan.table(name, padding, sparse)
        return self.plan.model.lookup(name, shape, cavs.Initializer.zeros())

    def _parameter(self, node: Node, made: Made | None, shape: Shape | None, tag: str) -> tuple[str, Shape]:
        if not isinstance(node, Node) or self.trace.level[node] != PARAMETERS:
            raise Unsupported("an operand is not a parameter")
        shape = tuple(node.meta["val"].shape) if shape is None else shape
        shape = shape or (1,)
        target = self.trace.fixed.get(node)
        name = target if isinstance(target, str) else f"{self.tag}%{node.name}"
        name = (f"{self.kind}." if self.kind else "") + name + tag
        if target is not None:  # tied tensors are the same parameter
            name = self.plan.tied.setdefault((id(self.trace.fetch(self.trace.places([node]))[0]), shape, tag), name)
        if made is None and (tuple(node.meta["val"].shape) != shape or not node.meta["val"].is_floating_point()):
            made = _as_floats(shape)
        self.plan.source(name, self.trace, node, made)
        return name, shape

    def ones(self, *shape: int) -> cavs.Value:
        """Returns a value of this shape, filled with ones."""
        name = "%ones" + "x".join(map(str, shape))
        self.plan.constant(name, torch.ones(shape))
        return self.v(self.plan.model.parameter(name, shape, cavs.Initializer.zeros()))

    def filled(self, number: float, dims: Dims) -> Symbol:
        """Returns a symbol filled with this number."""
        features = features_of(dims)
        return Symbol(self.ones(*features) * number if features else self.v.constant(number), dims)

    def rows(self, x: Symbol) -> cavs.Value:
        """Returns the value of x with one row per child."""
        if x.edge:
            return x.value
        self.use_children()
        return cavs.each_child(x.value)

    def count(self) -> cavs.Value:
        """Returns the number of children, as a value of the vertex."""
        self.use_children()
        return cavs.sum_children(cavs.each_child(self.v.constant(1.0)))

    def use_children(self) -> None:
        """Raises Unsupported if the function reads no state of the children, which rows per child need."""
        if not self.plan.states:
            raise Unsupported("rows of children are possible only in a cell that reads a state of the children")
        self.v.children(self.plan.states[0], self.first)

    def flat(self, value: cavs.Value, shape: Dims) -> cavs.Value:
        """Reshapes a value of this shape to a vector."""
        return value if len(shape) == 1 else cavs.reshape(value, (max(1, math.prod(shape)),))

    def folded(self, value: cavs.Value, dims: Dims, edge: bool = False, reshape: bool = False) -> Symbol:
        """Makes a symbol with these dimensions from a vector, or with `reshape` from a value of any shape."""
        features = features_of(dims)
        if len(features) < 2 and not reshape:
            return Symbol(value, dims, edge)
        return Symbol(cavs.reshape(value, features or (1,)), dims, edge)


def _as_floats(shape: Shape) -> Made:
    """Returns a function that converts a tensor for cavs: integers and booleans become floats."""
    return lambda tensor: (tensor if tensor.is_floating_point() else tensor.float()).reshape(shape)


def axis(x: Symbol, dim: int) -> int:
    """Converts a dimension, which may be negative, to a number from 0."""
    return dim % len(x.dims) if x.dims else 0


Rule = Callable[..., Any]
AnyRule = TypeVar("AnyRule", bound=Rule)
RULES: dict[str, Rule] = {}  # operation -> rule(declaration, node, *arguments)


def rule(*names: str) -> Callable[[AnyRule], AnyRule]:
    """Decorator that registers a function as the rule of these operations."""

    def register(function: AnyRule) -> AnyRule:
        for name in names:
            RULES[name] = function
        return function

    return register
