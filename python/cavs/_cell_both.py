"""Operations over tensors with a row of the vertex and a row per child: pairs of symbols, computed part by part."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch.utils._pytree as pytree
from torch.fx import Node

from . import _core as cavs
from ._cell_reductions import axes_of
from ._cell_specs import Unsupported
from ._cell_symbols import BOTH, EACH, RULES, Declaration, Dims, Symbol, axis

Apply = Callable[[Sequence[Any], dict[str, Any]], Any]  # applies a node's rule to arguments


@dataclasses.dataclass(frozen=True)
class Pair:
    """A tensor with a row of the vertex itself and a row per child, as two symbols.

    own_first: True if the vertex's row is the first, False if it is the last, None if all rows have the same value.
    """

    own: Symbol
    rows: Symbol
    own_first: bool | None

    @property
    def dims(self) -> Dims:
        return tuple(BOTH if size == EACH else size for size in self.rows.dims)


def pair_of(y: Any) -> Any:
    """Makes a pair of a symbol that has the same row for the vertex and for each child; returns others as they are."""
    if isinstance(y, Symbol) and BOTH in y.dims:
        return Pair(_part(y, 1), _part(y, EACH), None)
    return y


def _part(x: Symbol, size: int) -> Symbol:
    return Symbol(x.value, tuple(size if d == BOTH else d for d in x.dims), x.edge)


def joined(t: Declaration, node: Node, parts: Sequence[Any], dim: int = 0) -> Any:
    """Returns the pair that cat or stack makes of the vertex's row and its children's rows; None for other operands."""
    dims = t.dims(node)
    place = dim % len(dims)
    if dims[place] != BOTH:
        return None
    if len(parts) != 2 or any(isinstance(part, Pair) for part in parts):
        raise Unsupported("cavs concatenates one row of the vertex with the rows of its children, and nothing else")
    symbols = [t.of(part) for part in parts]
    own_first = EACH not in symbols[0].dims
    own, rows = symbols if own_first else symbols[::-1]
    own_dims = tuple(1 if i == place else size for i, size in enumerate(dims))
    rows_dims = tuple(EACH if i == place else size for i, size in enumerate(dims))
    return Pair(t.fit(Symbol(own.value, own_dims), own_dims), Symbol(t.rows(rows), rows_dims, True), own_first)


def with_pairs(t: Declaration, node: Node, name: str, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    """Translates a node that has pairs among its operands."""
    function = _ACROSS.get(name)
    first = next(x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, Pair))
    if function is not None:
        made = function(t, node, args, kwargs, apply)
        if made is not None:
            return made
    if BOTH not in t.dims(_first_value(node)):
        raise Unsupported(f"cavs has no {name} over the vertex and its children")
    return _paired(_parts(t, args, kwargs, apply), _order(args, kwargs, first))


def _first_value(node: Node) -> Any:
    value = node.meta["val"]
    return value[0] if isinstance(value, (tuple, list)) else value


def _order(args: Any, kwargs: Any, first: Pair) -> bool | None:
    orders = {x.own_first for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, Pair)} - {None}
    if len(orders) > 1:
        raise Unsupported("cavs does not pair rows with the vertex first and rows with the vertex last")
    return orders.pop() if orders else first.own_first


def _parts(t: Declaration, args: Any, kwargs: Any, apply: Apply) -> tuple[Any, Any]:
    """Applies the rule to the vertex's row, and to the rows of the children."""
    found = []
    for size in (1, EACH):

        def part(x: Any, size: int = size) -> Any:
            return (x.own if size == 1 else x.rows) if isinstance(x, Pair) else x

        t.both_as = size
        try:
            found.append(apply(pytree.tree_map(part, args), pytree.tree_map(part, kwargs)))
        finally:
            t.both_as = BOTH
    return found[0], found[1]


def _paired(parts: tuple[Any, Any], own_first: bool | None) -> Any:
    own, rows = parts
    if isinstance(own, tuple):
        return tuple(_paired(pair, own_first) for pair in zip(own, rows))
    return Pair(own, rows, own_first) if isinstance(own, Symbol) else None


def _over_both(x: Any, dim: Any) -> bool:
    return isinstance(x, Pair) and any(x.dims[d] == BOTH for d in axes_of(Symbol(x.rows.value, x.dims), dim))


def _added(node: Node, t: Declaration, parts: tuple[Any, Any]) -> Symbol:
    own, rows = parts
    return Symbol(own.value + rows.value, t.dims(node))


def _sum(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    if not _over_both(args[0], args[1] if len(args) > 1 else None):
        return None
    return _added(node, t, _parts(t, args, kwargs, apply))


def _mean(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    dim = args[1] if len(args) > 1 else None
    if not _over_both(args[0], dim):
        return None
    x = args[0]
    total = _added(node, t, _parts(t, args, kwargs, lambda a, k: RULES["sum"](t, node, *a, **k)))
    size = math.prod(x.dims[d] for d in axes_of(x.rows, dim) if x.dims[d] > 1)
    return Symbol(total.value / ((t.count() + 1.0) * float(size)), total.dims)


def _largest(t: Declaration, own: cavs.Value, rows: cavs.Value) -> cavs.Value:
    """Returns the maximum of the vertex's value and its children's; the vertex's value if there are no children."""
    return cavs.max(own, cavs.where(t.count() > 0.0, rows, own))


def _amax(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    if not _over_both(args[0], args[1] if len(args) > 1 else None):
        return None
    own, rows = _parts(t, args, kwargs, apply)
    if isinstance(own, tuple):  # max(dim) gives values and indices; only values are supported
        return Symbol(_largest(t, own[0].value, rows[0].value), own[0].dims), None
    return Symbol(_largest(t, own.value, rows.value), own.dims)


def _amin(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    if not _over_both(args[0], args[1] if len(args) > 1 else None):
        return None
    own, rows = _parts(t, args, kwargs, apply)
    if isinstance(own, tuple):
        return Symbol(-_largest(t, -own[0].value, -rows[0].value), own[0].dims), None
    return Symbol(-_largest(t, -own.value, -rows.value), own.dims)


def _exponentials(t: Declaration, x: Pair) -> tuple[cavs.Value, cavs.Value, cavs.Value, cavs.Value]:
    """Returns exp(x - top) of both parts, top (the maximum over all rows), and the sum of the exponentials."""
    rows = t.rows(x.rows)
    top = _largest(t, x.own.value, cavs.max_children(rows))
    own = cavs.exp(x.own.value - top)
    each = cavs.exp(rows - top)
    return own, each, top, own + cavs.sum_children(each)


def _softmax(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    x, dim = args[:2]
    if not _over_both(x, dim):
        return None
    own, each, top, total = _exponentials(t, x)
    if "log" in str(node.target):
        end = top + cavs.log(total)
        return Pair(Symbol(x.own.value - end, x.own.dims), Symbol(t.rows(x.rows) - end, x.rows.dims, True), x.own_first)
    return Pair(Symbol(own / total, x.own.dims), Symbol(each / total, x.rows.dims, True), x.own_first)


def _logsumexp(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    x, dim = args[:2]
    if not _over_both(x, dim):
        return None
    if len(axes_of(x.rows, dim)) > 1:
        raise Unsupported("cavs has logsumexp over the vertex and its children, but not over features at the same time")
    _, _, top, total = _exponentials(t, x)
    return Symbol(top + cavs.log(total), t.dims(node))


def _matmul(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    """[..., both] times [both, columns]: the sum of the products of the vertex's row and of the children's rows."""
    left = args[0]
    if not isinstance(left, Pair) or left.dims[-1] != BOTH:
        return None
    if not isinstance(args[1], Pair):
        raise Unsupported("cavs multiplies rows of the vertex and its children only with other such rows")
    return _added(node, t, _parts(t, args, kwargs, apply))


def _attention(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    """Attention of one query over the vertex and its children."""
    q, k, v, *rest = args
    if not isinstance(q, Symbol) or not isinstance(k, Pair) or not isinstance(v, Pair) or rest or q.dims[-2] != 1:
        raise Unsupported("cavs has attention of one query over the vertex and its children, without mask and dropout")
    heads = tuple(size for size in q.dims[:-2] if size != 1)
    width = q.dims[-1]
    factor = kwargs.get("scale") or width**-0.5
    scores = []
    for part in (k.own, k.rows):
        product = cavs.batch_matmul(q.value * part.value, t.ones(width)) if heads else cavs.dot(q.value, part.value)
        scores.append(Symbol(product * factor, (*heads, 1), part.edge))
    own, each, _, total = _exponentials(t, Pair(scores[0], scores[1], k.own_first))
    spread = [
        t.fit(Symbol(w / total, (*heads, 1), edge), (*heads, v.dims[-1])).value
        for w, edge in ((own, False), (each, True))
    ]
    return Symbol(spread[0] * v.own.value + cavs.sum_children(spread[1] * v.rows.value), t.dims(node))


def _select(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    x, dim, i = args
    if x.dims[axis(x.rows, dim)] != BOTH:
        return None
    if (x.own_first and i == 0) or (x.own_first is False and i == -1):
        return Symbol(x.own.value, t.dims(node))
    raise Unsupported("cavs selects the vertex's own row here, but not a child's row")


def _slice(t: Declaration, node: Node, args: Sequence[Any], kwargs: dict[str, Any], apply: Apply) -> Any:
    x, dim, begin, end = [*args, 0, None, None][:4]
    if x.dims[axis(x.rows, dim)] != BOTH or BOTH in t.dims(node):
        return None
    if EACH in t.dims(node) and ((x.own_first and begin == 1) or (x.own_first is False and not begin)):
        return x.rows
    raise Unsupported("cavs selects the rows of all children here, but no other range")


_ACROSS: dict[str, Callable[..., Any]] = {
    "sum": _sum,
    "mean": _mean,
    "amax": _amax,
    "max": _amax,
    "amin": _amin,
    "min": _amin,
    "softmax": _softmax,
    "log_softmax": _softmax,
    "logsumexp": _logsumexp,
    "matmul": _matmul,
    "mm": _matmul,
    "bmm": _matmul,
    "mv": _matmul,
    "scaled_dot_product_attention": _attention,
    "select": _select,
    "slice": _slice,
}
