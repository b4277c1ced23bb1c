"""Tensors of a cell as values of cavs, and what the rules of operations need to make them."""

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

EACH = -1  # in `dims`: the dimension of the children
BOTH = -2  # in `dims`: the dimension of the vertex itself and its children

Dims = tuple[int, ...]
Made = Callable[[Tensor], Tensor]


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A cavs value for a tensor of the cell. edge: it has one row per child.

    The cavs value has the sizes that are neither EACH nor 1, in this order, so what moves EACH or a 1 costs nothing.
    """

    value: cavs.Value
    dims: Dims
    edge: bool = False

    @property
    def features(self) -> Dims:
        return features_of(self.dims)


@dataclasses.dataclass(frozen=True)
class Number:
    """An integer port, for tables. edge: it has one row per child."""

    value: cavs.IndexValue
    port: str
    edge: bool


@dataclasses.dataclass(frozen=True)
class Count:
    """The number of children, and a number that is added."""

    more: int = 0


class Later:
    """A value that PyTorch computes after the recursion."""


LATER = Later()


def features_of(dims: Dims) -> Dims:
    return tuple(size for size in dims if size > 1)


class Declaration:
    """What the rules of operations use: a vertex v of the type that is being declared, and its symbols."""

    def __init__(self, plan: Plan, kind: str | None, v: cavs.Vertex, trace: Trace, tag: str) -> None:
        self.plan = plan
        self.kind = kind
        self.v = v
        self.trace = trace
        self.tag = tag  # in names
        self.env: dict[Node, Any] = {}
        self.first = trace.first
        self.both_as = BOTH  # what the dimension of the vertex and its children is, while one part is translated

    def dims(self, of: Any) -> Dims:
        """The sizes of a node's tensor, EACH for those that are the number of children."""
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
        raise Unsupported("its number of rows is neither that of the children nor one more")

    def of(self, x: Any) -> Symbol:
        """The operand x as a symbol."""
        if isinstance(x, Symbol):
            return x
        if isinstance(x, Count):
            return Symbol(self.count() + float(x.more), ())
        if isinstance(x, Node) and isinstance(x.meta.get("val"), Tensor) and self.trace.level[x] == PARAMETERS:
            return self.fit(x, self.dims(x))
        raise Unsupported("an operand is not a tensor of floats in cavs")

    def fit(self, operand: Any, dims: Dims) -> Symbol:
        """The operand as a symbol whose features are those of dims, or a scalar."""
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
            raise Unsupported("an operand has no rows")
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
        """A cavs parameter that is this tensor, or what `made` makes of it, which has this shape."""
        name, shape = self._parameter(node, made, shape, tag)
        return self.plan.model.parameter(name, shape, cavs.Initializer.zeros())

    def table(self, node: Node, shape: Shape, padding: int, sparse: bool) -> cavs.Lookup:
        """A cavs table that is this tensor. padding: the row that gets no gradient, or -1."""
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
        if target is not None:  # a tensor that is tied to another one is the same parameter
            name = self.plan.tied.setdefault((id(self.trace.fetch(self.trace.places([node]))[0]), shape, tag), name)
        if made is None and (tuple(node.meta["val"].shape) != shape or not node.meta["val"].is_floating_point()):
            made = _as_floats(shape)
        self.plan.source(name, self.trace, node, made)
        return name, shape

    def ones(self, *shape: int) -> cavs.Value:
        """A value of ones, of this shape."""
        name = "%ones" + "x".join(map(str, shape))
        self.plan.constant(name, torch.ones(shape))
        return self.v(self.plan.model.parameter(name, shape, cavs.Initializer.zeros()))

    def filled(self, number: float, dims: Dims) -> Symbol:
        """The number in all elements."""
        features = features_of(dims)
        return Symbol(self.ones(*features) * number if features else self.v.constant(number), dims)

    def rows(self, x: Symbol) -> cavs.Value:
        """x with one row per child."""
        if x.edge:
            return x.value
        self.use_children()
        return cavs.each_child(x.value)

    def count(self) -> cavs.Value:
        """The number of children."""
        self.use_children()
        return cavs.sum_children(cavs.each_child(self.v.constant(1.0)))

    def use_children(self) -> None:
        """Rows of children need a state of the children in the function."""
        if not self.plan.states:
            raise Unsupported("rows of children need a state of the children")
        self.v.children(self.plan.states[0], self.first)

    def flat(self, value: cavs.Value, shape: Dims) -> cavs.Value:
        """The value as a vector, of a value with this shape."""
        return value if len(shape) == 1 else cavs.reshape(value, (max(1, math.prod(shape)),))

    def folded(self, value: cavs.Value, dims: Dims, edge: bool = False, reshape: bool = False) -> Symbol:
        """The symbol of a vector that has these sizes; `reshape`: of a value that has other sizes."""
        features = features_of(dims)
        if len(features) < 2 and not reshape:
            return Symbol(value, dims, edge)
        return Symbol(cavs.reshape(value, features or (1,)), dims, edge)


def _as_floats(shape: Shape) -> Made:
    """A tensor as cavs reads it; integers and booleans become floats."""
    return lambda tensor: (tensor if tensor.is_floating_point() else tensor.float()).reshape(shape)


def axis(x: Symbol, dim: int) -> int:
    """A dimension counted from 0."""
    return dim % len(x.dims) if x.dims else 0


Rule = Callable[..., Any]
AnyRule = TypeVar("AnyRule", bound=Rule)
RULES: dict[str, Rule] = {}  # operation -> rule(declaration, node, *arguments)


def rule(*names: str) -> Callable[[AnyRule], AnyRule]:
    """Makes a function the rule of these operations."""

    def register(function: AnyRule) -> AnyRule:
        for name in names:
            RULES[name] = function
        return function

    return register
